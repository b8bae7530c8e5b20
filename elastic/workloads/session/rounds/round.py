"""One round: its number, a fencing token, its members by rank, and their process group."""

from __future__ import annotations

from dataclasses import dataclass

from elastic.workloads.session.rounds.gloo import Gloo


@dataclass(frozen=True, slots=True)
class Round:
    """One round as this process sees it.

    `rank` is this process's; None if the round left it out. `group` is None if it is alone.
    """

    number: int
    members: tuple[str, ...]
    rank: int | None
    group: Gloo | None
    # Each member's seconds a sample when they met, 0 if not measured.
    costs: tuple[float, ...]
    # The samples that fit each member's memory, None if all do.
    limits: tuple[int | None, ...]
    # Which of them were members of no round before.
    are_new: tuple[bool, ...]
    # How often an hour each member is lost, None if unknown.
    losses_per_h: tuple[float | None, ...]

    @classmethod
    def without(cls, number: int, members: tuple[str, ...]) -> Round:
        """Returns a round that left this process out: only the names of its members are known."""
        size = len(members)
        return cls(
            number,
            members,
            None,
            None,
            (0.0,) * size,
            (None,) * size,
            (False,) * size,
            (None,) * size,
        )

    @property
    def world_size(self) -> int:
        return len(self.members)

    @property
    def interruptions_per_h(self) -> float | None:
        """How often an hour any member is lost, on average; None if it is unknown for one."""
        known = [each for each in self.losses_per_h if each is not None]
        if len(known) == self.world_size:
            return sum(known)
        return None
