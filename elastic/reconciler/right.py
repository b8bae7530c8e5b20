"""The right to end machines: proven every few minutes, for whoever cannot end a machine must not let it live on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import structlog

from elastic.errors import ProviderError, ProviderUnavailable
from elastic.providers import Instance, InstanceState

log = structlog.get_logger(__name__)

_PROVE_S = 120.0  # at most; half of a short lease, so that as long as all is well no proof is older than one
_RETRY_S = 20.0


@dataclass(slots=True)
class RightToEnd:
    """When it was proven last, and what a node's lease may be therefore.

    `prove` asks whether one machine could be ended. No lease reaches further than two leases of `lease_s` beyond the
    last proof: a cloud that is silent for the length of one lease changes nothing, for two of them ends every node but
    those that have not registered yet, which end by the time they have for that.
    """

    prove: Callable[[str], None]
    lease_s: float
    proven_at_s: float | None = None
    failure: ProviderError | None = None
    _due_s: float = 0.0

    def look(self, instances: Iterable[Instance], *, now_s: float) -> None:
        """Proves it if that is due; where nothing lives there is nothing to prove."""
        living = [each.provider_id for each in instances if each.state is not InstanceState.GONE]
        if not living:
            self.note_proof(now_s=now_s)
        elif not 0.0 < self._due_s - now_s <= self._prove_s:  # further off only for a clock that was set back
            self._try(min(living), now_s=now_s)

    def note_proof(self, *, now_s: float) -> None:
        """A machine was, or could be, ended."""
        if self.failure is not None:
            log.warning("the right to end machines is back; leases flow again")
        self.proven_at_s, self.failure, self._due_s = now_s, None, now_s + self._prove_s

    def note_failure(self, error: ProviderError, *, now_s: float) -> None:
        """A machine could not be ended, or nobody answered."""
        if self.failure is None:
            log.error("cannot end machines; their leases will run out unless that changes", error=str(error))
        self.failure, self._due_s = error, now_s + min(_RETRY_S, self._prove_s / 4)

    def lease_left_s(self, *, now_s: float) -> float:
        """The longest lease that a node may be given now, seconds."""
        if self.proven_at_s is None or self.proven_at_s > now_s:
            self.proven_at_s = now_s  # nothing was asked yet, or the clock was set back: the next look follows
        return max(min(self.lease_s, self.proven_at_s + 2 * self.lease_s - now_s), 0.0)

    def alarm(self, *, now_s: float) -> str | None:
        """What somebody must be told; None while all is well. A short silence of the cloud is no alarm."""
        left_s = self.lease_left_s(now_s=now_s)
        is_silent = isinstance(self.failure, ProviderUnavailable) and left_s >= self.lease_s
        if self.failure is None or is_silent:
            return None
        return f"machines cannot be ended; unless that changes every node leaves within {left_s:.0f} s: {self.failure}"

    @property
    def _prove_s(self) -> float:
        return min(_PROVE_S, self.lease_s / 2)

    def _try(self, provider_id: str, *, now_s: float) -> None:
        try:
            self.prove(provider_id)
        except ProviderError as error:
            self.note_failure(error, now_s=now_s)
        else:
            self.note_proof(now_s=now_s)
