"""A round's collectives end when its connections are cut, even if gloo does not notice."""

from __future__ import annotations

import errno
from datetime import timedelta

import pytest
import torch
from torch.distributed import HashStore  # type: ignore[attr-defined]  # torch forgets to export it

from elastic.workloads.session.rounds import Gloo, Plug, RoundLost, sockets


class DeafWork:
    """A collective that neither ends nor fails, and of whose waits only those with a limit
    return."""

    def __init__(self) -> None:
        self.waits = 0

    def is_completed(self) -> bool:
        return False

    def wait(self, limit: timedelta | None = None) -> None:
        assert limit is not None
        self.waits += 1
        raise RuntimeError("the time is over")


@pytest.fixture
def group() -> Gloo:
    plug = Plug("127.0.0.1")
    return Gloo(HashStore(), 0, 1, plug, {0: list(plug.addresses)}, timeout_s=5.0)


def test_waits_for_what_ends(group: Gloo) -> None:
    values = torch.ones(3)
    group.wait(group.all_reduce(values))
    assert values.tolist() == [1.0, 1.0, 1.0] and group.begun == 1


def test_waits_no_longer_for_a_collective_that_does_not_notice_the_cut(group: Gloo) -> None:
    work = DeafWork()
    group.cut()
    with pytest.raises(RoundLost, match="has not noticed"):
        group.wait(work)
    assert work.waits > 1, "it is given some time to notice"


def test_gives_up_where_no_descriptor_is_left_to_find_connections_by(
    group: Gloo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(sockets, "cut", failing)
    group.cut()
    with pytest.raises(RoundLost):
        group.wait(DeafWork())


def test_what_gloo_does_not_take_is_no_lost_connection(group: Gloo) -> None:
    with pytest.raises(RuntimeError, match="unsupported device"):
        group.all_reduce(torch.ones(3, device="meta"))
    group.cut()
    with pytest.raises(RoundLost):
        group.all_reduce(torch.ones(3, device="meta"))
