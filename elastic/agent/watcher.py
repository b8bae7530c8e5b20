"""Watches for notices of this machine's end, in a thread of its own."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from elastic.agent.imds import SpotAction
from elastic.errors import ProviderUnavailable
from elastic.model import Notice, NoticeKind

# How often to ask (EC2 User Guide, "Spot Instance interruption notices": every 5 seconds).
POLL_S = 5.0
# The action of a machine that was cancelled: nothing more is wanted of it.
CANCELLED = "scancel"

log = logging.getLogger(__name__)


class Announcements(Protocol):
    """Where a machine finds what is announced of it. Both raise ProviderUnavailable."""

    def spot_action(self) -> SpotAction | None:
        """The end that was announced, or None."""
        ...

    def rebalance(self) -> float | None:
        """When a warning of a higher risk was given, or None."""
        ...


@dataclass(frozen=True, slots=True)
class NoticeFile:
    """A file in which whatever started the agent announces the end; it is read at every call."""

    path: Path

    def spot_action(self) -> SpotAction | None:
        """The announced end; None while there is no file. Raises ProviderUnavailable."""
        try:
            told = json.loads(self.path.read_text())
            return SpotAction(str(told["action"]), float(told["at_s"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ProviderUnavailable(
                f"{self.path}: wanted an action and its instant, got {error!r}"
            ) from error

    def rebalance(self) -> float | None:
        """None: a file only says what is certain."""
        return None


class Watcher:
    """Asks where ends are announced at an interval, and passes each new notice to `take` once."""

    def __init__(
        self,
        announcements: Announcements,
        take: Callable[[Notice], None],
        *,
        wall_s: Callable[[], float],
        interval_s: float = POLL_S,
    ) -> None:
        self._announcements = announcements
        self._take = take
        self._wall_s = wall_s
        self._interval_s = interval_s
        self._known: Notice | None = None
        self._is_stopping = threading.Event()
        self._is_answered = True
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread, which may be waiting for an answer."""
        self._is_stopping.set()
        self._thread.join(timeout=self._interval_s)

    def look(self) -> None:
        """Asks once. If the service does not answer, an earlier notice stays in force."""
        try:
            notice = self._ask()
        except ProviderUnavailable as error:
            if self._is_answered:
                log.warning("no answer about this machine's end: %s", error)
            self._is_answered = False
            return
        self._is_answered = True
        if notice is not None and notice.supersedes(self._known):
            log.warning("the cloud announced this machine's end: %s", notice)
            self._known = notice
            self._take(notice)

    def _ask(self) -> Notice | None:
        action = self._announcements.spot_action()
        if action is not None:
            return Notice(NoticeKind.INTERRUPTION, self._wall_s(), action.at_s, action.action)
        if self._announcements.rebalance() is not None:
            return Notice(NoticeKind.REBALANCE, self._wall_s())
        return None

    def _run(self) -> None:
        while not self._is_stopping.is_set():
            try:
                self.look()
            except Exception:
                log.exception("a look for notices failed; the next one follows")
            self._is_stopping.wait(self._interval_s)
