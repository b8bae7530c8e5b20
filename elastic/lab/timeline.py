"""Where the scenario stands: its seconds against real instants."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timeline:
    """Begins at `started_at_s`; `speed` scenario seconds pass in a real one."""

    started_at_s: float
    speed: float

    def after_s(self, now_s: float) -> float:
        """Scenario seconds gone by at a real instant."""
        return (now_s - self.started_at_s) * self.speed

    def at_s(self, after_s: float) -> float:
        """The real instant of a scenario second."""
        return self.started_at_s + after_s / self.speed
