"""Puts a carrier together with its bucket's client."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from elastic.agent.cargo import Cargo
from elastic.agent.carrier import Carrier
from elastic.agent.settings import AgentSettings
from elastic.agent.wire import Assignment
from elastic.checkpoints import Location
from elastic.checkpoints.s3 import connect


@contextmanager
def open_carrier(
    settings: AgentSettings,
    storage: Location,
    *,
    say: Callable[[Sequence[dict[str, Any]]], None],
    wall_s: Callable[[], float],
) -> Iterator[Carrier]:
    """A carrier that runs until the end of the block."""
    # Making a client takes most of a second: the carrier's thread does it, once.
    client = functools.cache(lambda: connect(region=settings.region))

    def load(assignment: Assignment) -> Cargo:
        return Cargo(assignment, settings=settings, client=client(), storage=storage)

    carrier = Carrier(load=load, say=say, wall_s=wall_s)
    carrier.start()
    try:
        yield carrier
    finally:
        carrier.stop()
