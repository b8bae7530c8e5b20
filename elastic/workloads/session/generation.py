"""One generation: its number, a fencing token, its members by rank, and their process group."""

from __future__ import annotations

from dataclasses import dataclass

from elastic.workloads.session.gloo import Gloo


@dataclass(frozen=True, slots=True)
class Generation:
    """`rank` is this process's, None in a generation that has left it out; `group` is None where it is alone.

    `costs` are the members' seconds a sample when they met, 0 where none was measured; `limits` the samples that fit
    their memories, None where all do; `are_new` says who of them were members of none before.
    """

    number: int
    members: tuple[str, ...]
    rank: int | None
    group: Gloo | None
    costs: tuple[float, ...] = ()
    limits: tuple[int | None, ...] = ()
    are_new: tuple[bool, ...] = ()

    @property
    def world_size(self) -> int:
        return len(self.members)
