"""The leader lease: which one daemon may act on a cluster's machines. The cloud itself keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LeaderLease:
    """One daemon's leader lease: `holder` is its database, `run` its process, `place` tells people
    where that is.

    `epoch` grows with every daemon that acquires the lease. `seen_at_s` is when it was written
    last, by the register's clock. A lease that `is_over` was released.
    """

    # The daemon's database.
    holder: str
    # Its process.
    run: str
    # Its machine and folder, for people.
    place: str
    # Grows with every daemon that takes the lease.
    epoch: int
    since_s: float
    # When it was written last, by the register's clock.
    seen_at_s: float
    # Whether it was released.
    is_over: bool = False


class LeaseRegister(Protocol):
    """Keeps one leader lease where every daemon of the cluster can see it."""

    def read(self) -> tuple[int, LeaderLease | None]:
        """How often it was written, and the lease that counts; None if no daemon ever acquired one.

        Raises ProviderUnavailable without an answer, ProviderError if it would be refused again.
        """
        ...

    def write(self, lease: LeaderLease, *, after: int) -> bool:
        """Writes a lease that counts only if nobody wrote since `read` gave the number `after`;
        tells whether it does.

        Returns whether it is valid. False too if the answer to an earlier attempt was lost: then
        `read` shows it. Raises what `read` raises.
        """
        ...
