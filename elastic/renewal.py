"""Says when a repeated task is due: proofs, leases, tags, cached answers."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(slots=True)
class Renewal:
    """Due at once, then `every_s` after each success and `retry_s` after a failure.

    Each failure that follows another one doubles the pause. Instants are those of the caller's
    clock. If that clock was set back, the task is due.

    >>> renewal = Renewal(every_s=60.0, retry_s=5.0, longest_retry_s=15.0)
    >>> renewal.wait_s(now_s=100.0)
    0.0
    >>> renewal.note_failure(now_s=100.0)
    >>> renewal.wait_s(now_s=101.0)
    4.0
    >>> renewal.note_success(now_s=105.0)
    >>> renewal.is_due(now_s=164.0), renewal.is_due(now_s=165.0), renewal.is_due(now_s=90.0)
    (False, True, True)
    """

    every_s: float = 0.0
    retry_s: float = 0.0
    # None: all pauses after failures are `retry_s` long.
    longest_retry_s: float | None = None
    # Half of a pause after a failure is random. Processes that failed together, and ask the same
    # service, must not come back together.
    is_scattered: bool = False
    _paused_at_s: float = 0.0
    _pause_s: float = 0.0
    _failures: int = 0

    def wait_s(self, *, now_s: float) -> float:
        """How long it takes until this is due; 0 when it is."""
        waited_s = now_s - self._paused_at_s
        if 0.0 <= waited_s < self._pause_s:
            return self._pause_s - waited_s
        return 0.0

    def is_due(self, *, now_s: float) -> bool:
        return self.wait_s(now_s=now_s) == 0.0

    def note_success(self, *, now_s: float) -> None:
        self._failures = 0
        self.pause(self.every_s, now_s=now_s)

    def note_failure(self, *, now_s: float) -> None:
        if self.longest_retry_s is None:
            longest_s = self.retry_s
        else:
            longest_s = self.longest_retry_s
        scatter = 1.0
        if self.is_scattered:
            scatter = random.uniform(0.5, 1.0)
        # Bounded: 2 to the power of a thousand failures does not fit a float.
        self.pause(
            min(self.retry_s * 2.0 ** min(self._failures, 64), longest_s) * scatter, now_s=now_s
        )
        self._failures += 1

    def pause(self, pause_s: float, *, now_s: float) -> None:
        """Makes it due after `pause_s`, whatever came before."""
        self._paused_at_s = now_s
        self._pause_s = pause_s
