"""Heartbeats that said nothing new: kept in memory, and written together, which
costs one commit."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress

from sqlalchemy import bindparam, or_, update

from elastic.durations import HEARTBEAT_S, TICK_S
from elastic.errors import StoreUnavailable
from elastic.model import NodeReport
from elastic.store.codec import to_text
from elastic.store.engine import Database, Repository
from elastic.store.schema import nodes

_HEARD = (
    update(nodes)
    .where(nodes.c.id == bindparam("node_id"))
    .where(or_(nodes.c.heartbeat_at_s.is_(None), nodes.c.heartbeat_at_s < bindparam("at_s")))
    .values(heartbeat_at_s=bindparam("at_s"), report=bindparam("said"))
)
_TO_COME = (
    update(nodes)
    .where(nodes.c.heartbeat_at_s > bindparam("now"))
    .values(heartbeat_at_s=bindparam("now"))
)


_MOST_GAPS = 64
# Each tick writes what was noted. If two did not, a heartbeat does.
_UNWRITTEN_S = 2 * TICK_S


class Presence(Repository):
    """Each node's last heartbeat, and what it said. A crash forgets what was not written
    yet."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._heard: dict[str, tuple[float, NodeReport]] = {}
        # When the oldest of them came.
        self._since_s: float | None = None
        self._arrived_s: float | None = None
        self._gaps: deque[tuple[float, float]] = deque(maxlen=_MOST_GAPS)

    def begin(self, *, now_s: float) -> None:
        """Takes heartbeats from the future for ones of now: an earlier daemon's clock was ahead of
        this one's.

        A node would be as long silent before anybody missed it.
        """
        with self._database.write() as connection:
            connection.execute(_TO_COME, {"now": now_s})

    def arrives(self, *, now_s: float) -> None:
        """Notes that a heartbeat came in, whatever it brings."""
        with self._lock:
            if self._arrived_s is None:
                gap_s = 0.0
            else:
                gap_s = now_s - self._arrived_s
            self._arrived_s = now_s
            # What is shorter is no gap.
            if gap_s > HEARTBEAT_S / 2:
                self._gaps.append((now_s, gap_s))

    def gaps(self, *, beyond_s: float) -> tuple[tuple[float, float], ...]:
        """When no heartbeat had come for longer than so many seconds: until when, and how much
        longer.

        A daemon or a machine that stood still receives nothing: no node was silent for that.
        """
        with self._lock:
            return tuple(
                (ended_s, lasted_s - beyond_s)
                for ended_s, lasted_s in self._gaps
                if lasted_s > beyond_s
            )

    def record(self, node_id: str, report: NodeReport, *, now_s: float) -> None:
        """Notes a heartbeat that brought nothing that must not be lost.

        Raises StoreUnavailable where nothing could be written for two ticks: nodes get no lease
        from a daemon that cannot say that they live (decision 0053).
        """
        with self._lock:
            self._heard[node_id] = now_s, report
            if self._since_s is None:
                self._since_s = now_s
            is_due = now_s - self._since_s >= _UNWRITTEN_S
        # All nodes' are written together. If each heartbeat wrote its own once it is late, the
        # writes would make the next ones late.
        if is_due:
            self._write()

    def write(self) -> None:
        """Writes what was noted, but where something later is on record; keeps it where the
        database cannot."""
        with suppress(StoreUnavailable):
            self._write()

    def _write(self) -> None:
        # One after the other: a tick that found nothing to write, while another thread is about to
        # write it, would take every node for silent.
        with self._writing:
            with self._lock:
                # Taken out under this lock, written without it: heartbeats do not wait for a disk.
                heard = self._heard
                since_s = self._since_s
                self._heard = {}
                self._since_s = None
            rows = [
                {"node_id": node_id, "at_s": at_s, "said": to_text(report)}
                for node_id, (at_s, report) in heard.items()
            ]
            if not rows:
                return
            try:
                with self._database.write() as connection:
                    connection.execute(_HEARD, rows)
            except StoreUnavailable:
                with self._lock:
                    # In this order, so that what came meanwhile wins over what was not written.
                    self._heard = heard | self._heard
                    self._since_s = since_s
                raise
