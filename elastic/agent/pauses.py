"""The workers' last turn, and which pauses between turns are the script's own."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from elastic.durations import MINUTE_S, SELDOM_S
from elastic.model import Pulse


@dataclass(slots=True)
class Pauses:
    """The pauses of one generation on this node; all instants are monotonic.

    A pause is the script's own if turns go on for a while after it. A pause in which the daemon did
    not answer does not count: the workers may have waited for the same network.
    """

    _turned_at: float | None = None
    _turned_for_s: float = 0.0
    _own_s: float = 0.0
    _recent: list[tuple[float, float]] = field(default_factory=list)
    _silence: tuple[float, float] = (-math.inf, -math.inf)

    def note_turn(self, now: float) -> None:
        if self._turned_at is not None:
            self._turned_for_s += now - self._turned_at
            self._recent.append((self._turned_at, now))
        self._turned_at = now
        # A pause while the daemon was silent is not the script's.
        self._recent = [each for each in self._recent if not self._was_silent(*each)]
        # A pause is the script's own once turns went on for a while after it.
        self._own_s = max(
            [
                self._own_s,
                *(end - begin for begin, end in self._recent if now - end >= SELDOM_S),
            ]
        )
        self._recent = [(begin, end) for begin, end in self._recent if now - end < SELDOM_S]

    def note_silence(self, since: float, until: float) -> None:
        """The daemon did not answer from `since` to `until`."""
        if since <= self._silence[1] + SELDOM_S:
            first = self._silence[0]
        else:
            first = since
        self._silence = first, until

    def begin_anew(self) -> None:
        """Other workers take over: the time before their first turn is no pause."""
        self._turned_at = None
        self._recent.clear()

    def pulse(self, *, now: float) -> Pulse | None:
        """What the heartbeat reports; None before the first turn."""
        if self._turned_at is None:
            return None
        recent_s = max(
            (end - begin for begin, end in self._recent if not self._was_silent(begin, end)),
            default=0.0,
        )
        learnt_s = None
        if self._own_s and self._turned_for_s >= MINUTE_S:
            learnt_s = self._own_s
        return Pulse(now - self._turned_at, max(self._own_s, recent_s), learnt_s)

    def _was_silent(self, begin: float, end: float) -> bool:
        since, until = self._silence
        return begin < until and since < end
