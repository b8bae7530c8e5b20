"""One generation: its number, a fencing token, its members by rank, and their process group."""

from __future__ import annotations

from dataclasses import dataclass

from elastic.workloads.session.gloo import Gloo


@dataclass(frozen=True, slots=True)
class Round:
    """`rank` is this process's, None in a generation that has left it out; `group` is None where it
    is alone.

    `costs` are the members' seconds a sample when they met, 0 where none was measured; `limits` the
    samples that fit their memories, None where all do; `are_new` says who of them were members of
    none before; `losses_per_h` how often an hour each is lost, None where nobody knows.
    """

    number: int
    members: tuple[str, ...]
    rank: int | None
    group: Gloo | None
    costs: tuple[float, ...]
    limits: tuple[int | None, ...]
    are_new: tuple[bool, ...]
    losses_per_h: tuple[float | None, ...]

    @classmethod
    def without(cls, number: int, members: tuple[str, ...]) -> Round:
        """Gives one that has left this process out: of its members it knows the names."""
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
        """How often an hour any of the members is lost, on average; None where that of one is not
        known."""
        known = [each for each in self.losses_per_h if each is not None]
        if len(known) == self.world_size:
            return sum(known)
        return None
