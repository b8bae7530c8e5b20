"""The time this node may live without its daemon, in a file that the spawner reads too."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from elastic.agent.files import read_json, write_json
from elastic.durations import HEARTBEAT_S

LEASE_FILE = "lease.json"
# Each heartbeat is worth a note, and a jitter of theirs is not.
_WORTH_NOTING_S = HEARTBEAT_S / 2


class Lease:
    """Ends at an instant of the monotonic clock, unless an answered heartbeat renews it."""

    def __init__(self, work_dir: Path, *, first_s: float) -> None:
        self._path = work_dir / LEASE_FILE
        self._lock = threading.Lock()
        now = time.monotonic()
        noted = read_json(self._path)
        # A restarted agent has no more time than the one before it. After a reboot the old instant
        # means nothing.
        self._ends_at = min(now + first_s, float(noted["ends_at"]) if noted else now + first_s)
        self._note()

    @property
    def left_s(self) -> float:
        with self._lock:
            return self._ends_at - time.monotonic()

    @property
    def is_over(self) -> bool:
        return self.left_s <= 0

    def renew(self, lease_s: float, *, asked_at: float) -> None:
        """Counts from the request, not the reply: the daemon counted from no later than that."""
        with self._lock:
            self._ends_at = asked_at + lease_s
            # An unchanged lease is not written again: the machine's own timer watches the file
            # change.
            if abs(self._ends_at - self._noted) > _WORTH_NOTING_S:
                self._note()

    def _note(self) -> None:
        self._noted = self._ends_at
        write_json(self._path, {"ends_at": self._ends_at})


def is_lease_over(work_dir: Path) -> bool:
    """Whether the lease in a work folder has run out; False if there is none."""
    noted = read_json(work_dir / LEASE_FILE)
    return noted is not None and time.monotonic() > float(noted["ends_at"])
