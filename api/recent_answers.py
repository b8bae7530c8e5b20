"""Caches recent answers, since an open page asks more often than a bucket should be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from elastic.clock import Clock
from elastic.durations import SELDOM_S

_MOST_REMEMBERED = 64

T = TypeVar("T")


@dataclass(slots=True)
class RecentAnswers(Generic[T]):
    """The newest answer by job, for `SELDOM_S`: a bucket bills each request."""

    clock: Clock
    _known: dict[str, tuple[float, T]] = field(default_factory=dict)

    def get(self, job_id: str, ask: Callable[[str], T]) -> T:
        """Returns the answer of `ask`, or its last one while that is fresh."""
        now_s = self.clock.now_s()
        if (known := self._known.get(job_id)) is not None and now_s - known[0] < SELDOM_S:
            return known[1]
        # The oldest entries are dropped first.
        # Without a lock: at worst two threads ask at once, and one answer replaces the other.
        while len(self._known) >= _MOST_REMEMBERED:
            self._known.pop(next(iter(self._known)), None)
        answer = ask(job_id)
        self._known[job_id] = (now_s, answer)
        return answer
