"""The permission to end machines, proven every few minutes.

A daemon that cannot end a machine must not renew its lease.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import structlog

from elastic.durations import MINUTE_S, SELDOM_S
from elastic.errors import ProviderError, ProviderUnavailable
from elastic.figures import duration
from elastic.providers import Instance, InstanceState
from elastic.renewal import Renewal

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class TerminationPermission:
    """When it was proven last, and what lease a node may therefore have.

    No lease lasts longer than two leases of `lease_s` after the last proof. So a cloud that is
    silent for one lease changes nothing. If it is silent for two, every node ends. Nodes that have
    not registered yet end after the time that they have for that.

    All of this is measured by `elapsed_s`, a clock that is never set. One that jumped would make a
    proof older or newer than it is.
    """

    # Asks whether one machine could be ended; raises ProviderError if not.
    prove: Callable[[str], None]
    # The lease of a node while all is well.
    lease_s: float
    elapsed_s: Callable[[], float] = time.monotonic
    # Why the last proof failed; None if it did not.
    failure: ProviderError | None = None
    # Whether nothing has proven or refused it yet.
    is_assumed: bool = True
    _proven_s: float = field(init=False)
    _renewal: Renewal = field(init=False)

    def __post_init__(self) -> None:
        # Assumed at the start: the first look follows at once.
        self._proven_s = self.elapsed_s()
        # While all is well no proof is older than half of a lease. Each is a call of the cloud.
        prove_s = min(2 * MINUTE_S, self.lease_s / 2)
        self._renewal = Renewal(every_s=prove_s, retry_s=min(SELDOM_S, prove_s / 4))

    def look(self, instances: Iterable[Instance]) -> None:
        """Proves it if that is due. If no machine lives, there is nothing to prove."""
        living = [each.provider_id for each in instances if each.state is not InstanceState.GONE]
        if not living:
            self.note_proof()
        elif self._renewal.is_due(now_s=self.elapsed_s()):
            self._try(min(living))

    def note_proof(self) -> None:
        """A machine was, or could be, ended."""
        if self.failure is not None:
            log.warning("the right to end machines is back; leases flow again")
        self._proven_s = self.elapsed_s()
        self.failure = None
        self.is_assumed = False
        self._renewal.note_success(now_s=self._proven_s)

    def note_failure(self, error: ProviderError) -> None:
        """A machine could not be ended, or the cloud did not answer."""
        if self.failure is None:
            log.error(
                "cannot end machines; their leases will run out unless that changes",
                error=str(error),
            )
        self.failure = error
        self.is_assumed = False
        self._renewal.note_failure(now_s=self.elapsed_s())

    def go_on(self, unproven_s: float) -> None:
        """Counts on from an earlier daemon, which could not prove it for `unproven_s`.

        A daemon that starts again and again would otherwise renew leases for ever. It counts at
        least one lease, for the clock of a machine that booted may be behind.
        """
        if self.failure is not None:
            unproven_s = max(unproven_s, self.lease_s)
            self._proven_s = min(self._proven_s, self.elapsed_s() - unproven_s)

    def lease_left_s(self) -> float:
        """The longest lease that a node may be given now, seconds."""
        return max(min(self.lease_s, self._proven_s + 2 * self.lease_s - self.elapsed_s()), 0.0)

    def alarm(self) -> str | None:
        """What a person must know; None while all is well. A short silence of the cloud is no
        alarm."""
        left_s = self.lease_left_s()
        is_silent = isinstance(self.failure, ProviderUnavailable) and left_s >= self.lease_s
        if self.failure is None or is_silent:
            return None
        unless = f"unless that changes every node leaves within {duration(left_s)}"
        return f"machines cannot be ended; {unless}: {self.failure}"

    def _try(self, provider_id: str) -> None:
        try:
            self.prove(provider_id)
        except ProviderError as error:
            self.note_failure(error)
        else:
            self.note_proof()
