"""A policy that does what a test says."""

from __future__ import annotations

from elastic.model import (
    Action,
    Group,
    Plan,
    Reason,
    Snapshot,
)


class Dictated:
    """A policy that wants what it is told to want."""

    def __init__(self, wanted: Group | None) -> None:
        self.wanted = wanted
        self.is_over = False

    def __call__(self, snapshot: Snapshot) -> Plan:
        if self.is_over:
            return Plan(Action.STOP, None, Reason("budget", "the budget is spent"))
        if snapshot.target == self.wanted:
            return Plan(Action.HOLD, self.wanted, Reason("hold", "as told"))
        return Plan(Action.MOVE, self.wanted, Reason("told", "as told"))
