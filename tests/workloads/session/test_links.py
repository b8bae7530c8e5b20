"""Links to members that cannot be reached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from elastic.workloads.session.links import Links
from tests.workloads.session.running import wait_until


@contextmanager
def _links(name: str) -> Iterator[Links]:
    links = Links("job", silence_s=5.0, notify=lambda: None)
    links.begin(name, "127.0.0.1")
    try:
        yield links
    finally:
        links.close()
        links.join()


@pytest.mark.parametrize("host", ["255.255.255.255", "nobody.invalid"], ids=["no way there", "no such name"])
def test_one_that_cannot_be_reached_is_given_up_and_the_others_are_heard(host: str) -> None:
    with _links("m-1") as one, _links("m-2") as two:
        two.reach({"m-0": (host, 9), "m-1": ("127.0.0.1", one.port)})
        one.reach({"m-2": ("127.0.0.1", two.port)})
        wait_until(lambda: "m-0" in two.gone(), "the judgement")
        assert {"m-1"} == set(two.heard()) and {"m-2"} == set(one.heard()) and not one.gone()
