"""Keeps this node's windows and events on disk until the daemon acknowledges them."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from elastic.errors import InvalidInput
from elastic.protocol import Outgoing, outgoing
from elastic.worker.messages import note_of_dropped

BATCH_ROWS = 500
log = logging.getLogger(__name__)

SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS said (seq INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL);
"""


class DiskOutbox:
    """Numbered messages, counted through all lives of the agent; thread-safe.

    It keeps all of them: a node whose daemon is silent ends with its lease, which is their bound.
    """

    def __init__(self, path: Path) -> None:
        self.dropped = 0
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, check_same_thread=False)
        self._db.executescript(SCHEMA)

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def add(self, messages: Iterable[dict[str, Any]]) -> None:
        """Keeps messages in their order."""
        rows = [(json.dumps(message),) for message in messages]
        with self._lock, self._db:
            self._db.executemany("INSERT INTO said (content) VALUES (?)", rows)

    def batch(self, limit: int = BATCH_ROWS) -> list[Outgoing]:
        """The oldest messages, each with its ``seq``.

        A message that the daemon would refuse is dropped here, or it would block all others.
        """
        with self._lock, self._db:
            rows = self._db.execute(
                "SELECT seq, content FROM said ORDER BY seq LIMIT ?", (limit,)
            ).fetchall()
        messages = []
        for seq, content in rows:
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
        with self._lock, self._db:
            if seq is not None:
                self._db.execute("DELETE FROM said WHERE seq = ?", (seq,))
            self.dropped += 1
            note = note_of_dropped(self.dropped, why)
            if note is not None:
                self._db.execute("INSERT INTO said (content) VALUES (?)", (json.dumps(note),))

    def acknowledge(self, seq: int) -> None:
        """Forgets everything up to ``seq``, which the daemon has stored."""
        with self._lock, self._db:
            self._db.execute("DELETE FROM said WHERE seq <= ?", (seq,))

    def __len__(self) -> int:
        with self._lock:
            return int(self._db.execute("SELECT COUNT(*) FROM said").fetchone()[0])
