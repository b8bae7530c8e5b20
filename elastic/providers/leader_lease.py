"""The leader lease: which one daemon may act on a cluster's machines. The cloud itself keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LeaderLease:
    """One daemon's leader lease."""

    # The daemon's database.
    holder: str
    # Its process.
    run: str
    # Its machine and folder, for people.
    place: str
    # Grows with every daemon that acquires the lease.
    epoch: int
    since_s: float
    # When it was written last, by the register's clock.
    seen_at_s: float
    # Whether it was released.
    is_over: bool = False


class LeaseRegister(Protocol):
    """Keeps one leader lease where every daemon of the cluster can see it."""

    def read(self) -> tuple[int, LeaderLease | None]:
        """The number of writes, and the valid lease; None if there never was one.

        Raises ProviderUnavailable without an answer, ProviderError if it would be refused again.
        """
        ...

    def write(self, lease: LeaderLease, *, after: int) -> bool:
        """Writes a lease that is valid only if none was written since `read` gave `after`.

        Returns whether it is valid. False too if the answer to an earlier attempt was lost: then
        `read` shows it. Raises what `read` raises.
        """
        ...
