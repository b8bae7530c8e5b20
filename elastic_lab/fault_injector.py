"""Decides which fault a call meets, and how many instances are available."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from elastic.model import Offering
from elastic_lab.scenario import CapacityWindow, InjectedFault, Outage, Scenario


@dataclass(slots=True)
class _Armed:
    fault: InjectedFault
    # How often it still happens; None: always.
    left: int | None


class FaultInjector:
    """The scenario's faults, outages and capacity windows, and those that were added later.

    Times are scenario seconds since the lab's start.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._lock = threading.Lock()
        self._faults = [_Armed(fault, fault.times) for fault in scenario.faults]
        self._windows = list(scenario.capacity)
        self._outages = list(scenario.outages)

    def add(self, what: InjectedFault | CapacityWindow | Outage) -> None:
        """Adds a fault, a window or an outage; it comes before the others."""
        with self._lock:
            match what:
                case InjectedFault():
                    # First, so that it counts more than a fault of the scenario.
                    self._faults.insert(0, _Armed(what, what.times))
                case CapacityWindow():
                    self._windows.insert(0, what)
                case Outage():
                    self._outages.insert(0, what)

    def take_fault(
        self, action: str, *, after_s: float, is_named: bool = False
    ) -> InjectedFault | None:
        """Takes the fault that this call meets; with `is_named` only one that names the action."""
        with self._lock:
            for armed in self._faults:
                fault = armed.fault
                is_due = _covers(fault.from_s, fault.until_s, after_s)
                if (
                    is_due
                    and fault.action in ((action,) if is_named else (None, action))
                    and armed.left != 0
                ):
                    armed.left = None if armed.left is None else armed.left - 1
                    return fault
        return None

    def is_out(self, *, after_s: float) -> bool:
        """True while no API answers."""
        with self._lock:
            return any(_covers(outage.from_s, outage.until_s, after_s) for outage in self._outages)

    def limits(self, offering: Offering, *, after_s: float) -> tuple[CapacityWindow, ...]:
        """Every window that now limits how many instances of the offering may live."""
        with self._lock:
            return tuple(
                window
                for window in self._windows
                if _covers(window.from_s, window.until_s, after_s) and matches(window, offering)
            )


def matches(window: CapacityWindow, offering: Offering) -> bool:
    """True if the window limits this offering."""
    return (
        window.node_type in (None, offering.node_type)
        and window.zone in (None, offering.zone)
        and window.capacity in (None, offering.capacity)
    )


def _covers(from_s: float, until_s: float | None, after_s: float) -> bool:
    return from_s <= after_s and (until_s is None or after_s < until_s)
