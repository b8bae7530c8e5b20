"""Converts between scenario seconds and real instants."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timeline:
    """A time line that begins at `started_at_s`, with `speed` scenario seconds per real one."""

    started_at_s: float
    speed: float

    def after_s(self, now_s: float) -> float:
        """Scenario seconds from the start to a real instant."""
        return (now_s - self.started_at_s) * self.speed

    def at_s(self, after_s: float) -> float:
        """The real instant of a scenario second."""
        return self.started_at_s + after_s / self.speed
