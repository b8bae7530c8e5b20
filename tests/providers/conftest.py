"""What is the same in every test of the providers, and long to make."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from elastic import distribution
from elastic.providers.ec2 import catalog
from elastic.providers.ec2.account import machines


@pytest.fixture(scope="session", autouse=True)
def made_once() -> Iterator[None]:
    """The wheel of this elasticd, and EC2's list of all its current types."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machines, "own_wheel", functools.cache(distribution.own_wheel))
        kinds = functools.cache(catalog._current_kinds)  # noqa: SLF001
        patch.setattr(catalog, "_current_kinds", kinds)
        yield
