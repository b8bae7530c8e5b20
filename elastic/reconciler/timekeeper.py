"""Keeps the daemon's clock: by the provider's, else as before a restart, else by the machine's."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from elastic.clock import HOLDS_S, SteadyClock, seconds_since_boot
from elastic.durations import MINUTE_S
from elastic.figures import duration

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(slots=True)
class Timekeeper:
    """Tells when the time is in doubt, and writes it down for the next start.

    `source` is whose clock the provider tells, such as EC2; None where a provider has none.
    """

    clock: SteadyClock
    path: Path
    source: str | None
    _kept_at_s: float | None = None

    def why_hold(self) -> str | None:
        """Why nothing irreversible may happen now; None if the time is certain."""
        if self.source is None:
            return None
        if not (self.clock.is_confirmed or self.clock.has_continued):
            return f"{self.source} has not said yet what time it is, and this machine may be wrong"
        ahead_s = self.clock.disputed_s
        if not ahead_s:
            return None
        return f"the clock of {self.source} says that elasticd's is {_off(-ahead_s)}"

    def alarm(self) -> str | None:
        """What a person should know of the clocks; None if all agree."""
        why = self.why_hold()
        if why is not None:
            return f"{why}: nothing is bought, ended or decided until that is certain"
        ahead_s = self.clock.machine_ahead_s
        if abs(ahead_s) < HOLDS_S:
            return None
        if self.source is None:
            return (
                f"this machine's clock was set while nodes run, and is {_off(ahead_s)}: elasticd "
                "goes on with its own until no node runs"
            )
        return (
            f"this machine's clock is {_off(ahead_s)}, and elasticd goes by that of {self.source}: "
            "synchronise it (timedatectl set-ntp true), since AWS refuses calls from a clock that "
            "is 5 min off"
        )

    def look(self, *, has_nodes: Callable[[], bool]) -> None:
        """Goes by the machine's clock where nothing depends on it, and writes the time down."""
        is_off = abs(self.clock.machine_ahead_s) > 1.0
        if self.source is None and is_off and not has_nodes():
            self.clock.follow()
        at_s = seconds_since_boot()
        # Between two notes, only the clock's speed could change it.
        if self._kept_at_s is None or at_s - self._kept_at_s >= MINUTE_S:
            self._kept_at_s = at_s
            self._keep(at_s)

    def _keep(self, at_s: float) -> None:
        told = {"boot_id": _boot_id(), "since_boot_s": at_s, "now_s": self.clock.now_s()}
        partial = self.path.with_suffix(".partial")
        with suppress(OSError):  # a full disk: it is written at the next look that finds room
            partial.write_text(json.dumps(told))
            os.replace(partial, self.path)


def continued_s(path: Path) -> float | None:
    """The time now as a clock went on that was written down since this machine booted.

    None if there is none. So a machine's clock that is set between two daemons moves nothing.
    """
    try:
        told = json.loads(path.read_text())
        boot_id = _boot_id()
        if boot_id is None or told["boot_id"] != boot_id:
            return None
        return float(told["now_s"]) + seconds_since_boot() - float(told["since_boot_s"])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _boot_id() -> str | None:
    with suppress(OSError):
        return _BOOT_ID.read_text().strip()
    return None


def _off(ahead_s: float) -> str:
    """How far a clock is off.

    >>> _off(7200.0), _off(-600.0)
    ('2 h ahead', '10 min behind')
    """
    return f"{duration(abs(ahead_s))} {'ahead' if ahead_s > 0 else 'behind'}"
