"""Watches what the cloud tells this machine of its end, in a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from elastic.agent.imds import Imds
from elastic.errors import ProviderUnavailable
from elastic.model import Notice, NoticeKind

POLL_S = 5.0
"""How often to ask (EC2 User Guide, "Spot Instance interruption notices": every 5 seconds)."""

log = logging.getLogger(__name__)


class Watcher:
    """Asks the metadata service at an interval and tells `take` each new notice once."""

    def __init__(
        self,
        imds: Imds,
        take: Callable[[Notice], None],
        *,
        wall_s: Callable[[], float],
        interval_s: float = POLL_S,
    ) -> None:
        self._imds = imds
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
        """Asks once. A service that does not answer says nothing: what was announced stays
        announced."""
        try:
            notice = self._ask()
        except ProviderUnavailable as error:
            if self._is_answered:
                log.warning("no word of this machine's future: %s", error)
            self._is_answered = False
            return
        self._is_answered = True
        if notice is not None and notice.supersedes(self._known):
            log.warning("the cloud tells of this machine's end: %s", notice)
            self._known = notice
            self._take(notice)

    def _ask(self) -> Notice | None:
        action = self._imds.spot_action()
        if action is not None:
            return Notice(NoticeKind.INTERRUPTION, self._wall_s(), action.at_s, action.action)
        if self._imds.rebalance() is not None:
            return Notice(NoticeKind.REBALANCE, self._wall_s())
        return None

    def _run(self) -> None:
        while not self._is_stopping.is_set():
            try:
                self.look()
            except Exception:
                log.exception("a look for notices failed; the next one follows")
            self._is_stopping.wait(self._interval_s)
