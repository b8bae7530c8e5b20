"""Keeps this node's windows and events on disk until the daemon acknowledges them."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from elastic.errors import InvalidInput
from elastic.protocol import Outgoing, outgoing
from elastic.worker.messages import note_of_dropped
from elastic.worker.outbox import joined
from elastic.worker.reserve import makes_room

MAX_ROWS = 20_000
BATCH_ROWS = 500
log = logging.getLogger(__name__)
_T = TypeVar("_T")

SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS said (seq INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sent (up_to INTEGER NOT NULL);
INSERT INTO sent SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM sent);
"""


class DiskOutbox:
    """Numbered messages, counted through all lives of the agent; thread-safe.

    When too many wait, adjacent windows of one worker and phase are joined in pairs. Totals stay
    exact, and only the resolution halves. What the daemon may have received is never joined, so
    nothing counts twice.
    """

    def __init__(self, path: Path, *, max_rows: int = MAX_ROWS) -> None:
        self._max_rows = max_rows
        self.dropped = 0
        self._folder = str(path.parent)
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, check_same_thread=False)
        self._db.executescript(SCHEMA)

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def add(self, messages: Iterable[dict[str, Any]]) -> None:
        """Keeps messages in their order."""
        rows = [(json.dumps(message),) for message in messages]

        def insert() -> None:
            self._db.executemany("INSERT INTO said (content) VALUES (?)", rows)
            if self._count() > self._max_rows:
                self._halve()

        self._change(insert)

    def batch(self, limit: int = BATCH_ROWS) -> list[Outgoing]:
        """The oldest messages, each with its ``seq``; from now on they count as possibly delivered.

        A message that the daemon would refuse is dropped here, or it would block all others.
        """

        def take() -> list[tuple[int, str]]:
            rows = self._db.execute(
                "SELECT seq, content FROM said ORDER BY seq LIMIT ?", (limit,)
            ).fetchall()
            if rows:
                # What was handed out may have reached the daemon, and must not be joined.
                self._db.execute("UPDATE sent SET up_to = MAX(up_to, ?)", (rows[-1][0],))
            return rows

        messages = []
        for seq, content in self._change(take):
            try:
                messages.append(outgoing(json.loads(content) | {"seq": seq}))
            except (InvalidInput, ValueError) as error:
                self.drop(str(error), seq=seq)
        return messages

    def drop(self, why: str, *, seq: int | None = None) -> None:
        """Drops a message that does not fit the protocol.

        It is the one numbered `seq`, or an incoming one.
        """
        log.warning("dropping a message that does not fit the protocol: %s", why)
        with self._lock:
            self.dropped += 1
            note = note_of_dropped(self.dropped, why)

        def remove() -> None:
            if seq is not None:
                self._db.execute("DELETE FROM said WHERE seq = ?", (seq,))
            if note is not None:
                self._db.execute("INSERT INTO said (content) VALUES (?)", (json.dumps(note),))

        self._change(remove)

    def acknowledge(self, seq: int) -> None:
        """Forgets everything up to ``seq``, which the daemon has stored."""
        self._change(lambda: self._db.execute("DELETE FROM said WHERE seq <= ?", (seq,)))

    def _change(self, act: Callable[[], _T]) -> _T:
        """Acts in one transaction. On a full disk it takes room from the folder's reserve."""
        with self._lock:
            try:
                with self._db:
                    return act()
            except sqlite3.OperationalError as error:
                is_full = error.sqlite_errorcode == sqlite3.SQLITE_FULL
                if not (is_full and makes_room(self._folder)):
                    raise
            with self._db:
                return act()

    def __len__(self) -> int:
        with self._lock:
            return self._count()

    def _count(self) -> int:
        return int(self._db.execute("SELECT COUNT(*) FROM said").fetchone()[0])

    def _halve(self) -> None:
        rows = self._db.execute(
            "SELECT seq, content FROM said WHERE seq > (SELECT up_to FROM sent) ORDER BY seq"
        ).fetchall()
        before: tuple[int, dict[str, Any]] | None = None
        for seq, content in rows:
            message = json.loads(content)
            if before is not None and _kind(before[1]) == _kind(message):
                # Keep the later number: the daemon takes every message above the last one it
                # stored.
                text = json.dumps(joined(before[1], message))
                self._db.execute("UPDATE said SET content = ? WHERE seq = ?", (text, seq))
                self._db.execute("DELETE FROM said WHERE seq = ?", (before[0],))
                before = None
            else:
                before = None
                if message["kind"] == "window":
                    before = (seq, message)


def _kind(window: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(window.get(name) for name in ("worker", "generation", "phase", "is_cold"))
