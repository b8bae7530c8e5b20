"""What a job's own main loop was seen to do."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from elastic.errors import InvalidInput
from elastic.model.offering import Capacity, Offering


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of paramount iterations, timed by rank 0 from step to step.

    `iterations` turns took `elapsed_s` seconds and ended at `ended_at_s`. `iteration` counts all
    that the job has done, if the script knows. A cold window (the first turn of a process or of a
    phase) counts as progress, never as speed. `(node_id, seq)` is unique: a window that arrives
    twice counts once.
    """

    node_id: str
    seq: int
    generation: int
    world_size: int
    phase: str
    iteration: int | None
    iterations: int
    elapsed_s: float
    is_cold: bool
    ended_at_s: float

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise InvalidInput(f"a window holds at least one iteration, got {self.iterations}")
        if not (math.isfinite(self.elapsed_s) and self.elapsed_s > 0):
            raise InvalidInput(f"a window lasts a positive, finite time, got {self.elapsed_s} s")


@dataclass(frozen=True, slots=True, order=True)
class Group:
    """The nodes that train together: how many of which offerings, sorted; the same nodes always
    make the same group.

    >>> from elastic.model.offering import Capacity
    >>> bought = Offering("small", Capacity.ON_DEMAND, "a"), Offering("small", Capacity.SPOT, "a")
    >>> Group(((bought[0], 1), (bought[1], 2))).node_types
    (('small', 3),)
    """

    members: tuple[tuple[Offering, int], ...]
    node_count: int = field(init=False, repr=False, compare=False)
    node_types: tuple[tuple[str, int], ...] = field(init=False, repr=False, compare=False)
    """How many nodes of which types, sorted: what its speed depends on, wherever and however they
    were bought."""

    def __post_init__(self) -> None:
        counts: dict[str, int] = {}
        for offering, count in self.members:
            counts[offering.node_type] = counts.get(offering.node_type, 0) + count
        object.__setattr__(self, "node_count", sum(counts.values()))
        object.__setattr__(self, "node_types", tuple(sorted(counts.items())))

    @property
    def is_on_demand(self) -> bool:
        """Whether all of it is on demand: no cloud takes it back."""
        return all(offering.capacity is Capacity.ON_DEMAND for offering, _ in self.members)

    @staticmethod
    def of(offering: Offering, count: int = 1) -> Group:
        return Group(((offering, count),))

    def __str__(self) -> str:
        return " + ".join(
            f"{count} x {offering.node_type} {offering.capacity}"
            for offering, count in self.members
        )


@dataclass(frozen=True, slots=True)
class Sample:
    """One warm window reduced to what an estimate needs: seconds an iteration, over how many, ended
    when."""

    iterations: int
    elapsed_s: float
    ended_at_s: float


@dataclass(frozen=True, slots=True)
class Series:
    """The warm windows of one group in one training phase, oldest first."""

    group: Group
    training_phase: str
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Trained:
    """All that a group ever did in one training phase of a job, in warm windows: iterations, and
    their seconds."""

    group: Group
    training_phase: str
    iterations: int
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Stint:
    """One generation as it was paid: when it started, its first and its last iteration, and when it
    ended.

    None: not yet, or never.
    """

    number: int
    node_ids: tuple[str, ...]
    started_at_s: float
    first_step_at_s: float | None = None
    last_step_at_s: float | None = None
    ended_at_s: float | None = None
