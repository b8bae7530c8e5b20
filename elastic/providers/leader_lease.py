"""Who may act on a cluster's machines: one daemon at a time, by a claim that the cloud itself
keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LeaderLease:
    """One daemon's claim: `holder` is its database, `run` its process, `place` tells people where
    that is.

    `epoch` grows with every daemon that takes the claim. `seen_at_s` is when it was written last,
    as the register tells time. A claim that `is_over` was given back.
    """

    holder: str
    run: str
    place: str
    epoch: int
    since_s: float
    seen_at_s: float
    is_over: bool = False


class LeaseRegister(Protocol):
    """Keeps one claim where every daemon of the cluster can see it."""

    def read(self) -> tuple[int, LeaderLease | None]:
        """How often it was written, and the claim that counts; None if nobody ever claimed.

        Raises ProviderUnavailable if nobody answers, ProviderError if it would be refused again.
        """
        ...

    def write(self, claim: LeaderLease, *, after: int) -> bool:
        """Writes a claim that counts only if nobody wrote since `read` gave the number `after`;
        tells whether it does.

        False as well if the answer to an earlier attempt was lost: `read` knows. Raises what `read`
        raises.
        """
        ...
