"""The heartbeat: a thread that reports and listens at a fixed interval."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from elastic.agent.daemon_client import DaemonClient, Refused
from elastic.agent.disk_outbox import BATCH_ROWS
from elastic.agent.supervisor import Supervisor
from elastic.durations import ANSWER_TIMEOUT_S

# So many times as many beats while the node waits for the daemon's next directive.
HURRY = 4
# Connection attempts an interval while the daemon is away. A refused one costs almost nothing.
LOOKS = 5
log = logging.getLogger(__name__)


class Heart:
    """Beats at least once an interval, and at once when woken."""

    def __init__(
        self,
        client: DaemonClient,
        supervisor: Supervisor,
        *,
        node_token: str,
        interval_s: float,
        wake: threading.Event,
        wall_s: Callable[[], float],
    ) -> None:
        self._client = client
        self._supervisor = supervisor
        self._node_token = node_token
        self._interval_s = interval_s
        self._wake = wake
        self._wall_s = wall_s
        self._is_stopping = False
        self._has_more = False
        self._thread = threading.Thread(target=self._run, name="heart", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread and reports how the node ended, in as many reports as it takes."""
        self._is_stopping = True
        self._wake.set()
        self._thread.join(timeout=ANSWER_TIMEOUT_S)
        deadline = time.monotonic() + ANSWER_TIMEOUT_S
        while self._tried() and self._has_more and time.monotonic() < deadline:
            pass

    def _run(self) -> None:
        while not self._is_stopping:
            is_heard = self._tried()
            # A batch that was full has more behind it.
            if not (is_heard and self._has_more):
                self._rest(is_heard=is_heard)
            self._wake.clear()

    def _tried(self) -> bool:
        """Whether the daemon received a beat; no exception, not even a full disk, is raised."""
        try:
            return self._beat()
        except Exception:
            log.exception("a heartbeat failed; the next one follows")
            return False

    def _rest(self, *, is_heard: bool) -> None:
        """Waits for the next beat: an interval, or until a daemon that is away listens again."""
        until_s = time.monotonic() + self._interval_s
        if is_heard or self._client.is_listening():
            wait_s = self._interval_s
            if is_heard and self._supervisor.is_hurried:
                wait_s = self._interval_s / HURRY
            self._wake.wait(wait_s)
            return
        # The daemon is away: notice at once when it listens again.
        while not self._wake.wait(self._interval_s / LOOKS) and time.monotonic() < until_s:
            if self._client.is_listening():
                return

    def _beat(self) -> bool:
        asked_at = time.monotonic()
        heartbeat = self._supervisor.heartbeat(sent_at_s=self._wall_s())
        reply = self._client.heartbeat(heartbeat, node_token=self._node_token)
        # Drop what the daemon will never take, or it would block all that follows.
        if isinstance(reply, Refused) and self._supervisor.drop_refused(heartbeat, reply):
            self._has_more = True
            return True
        if reply is None or isinstance(reply, Refused):
            self._supervisor.hear_nothing(asked_at=asked_at)
            return False
        self._has_more = len(heartbeat.windows) + len(heartbeat.events) >= BATCH_ROWS
        self._supervisor.hear(reply, heartbeat=heartbeat, asked_at=asked_at)
        return True
