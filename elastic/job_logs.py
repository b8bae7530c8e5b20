"""Keeps the last lines that every job's workers wrote, in a file beside the database."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import structlog

from elastic.errors import StoreUnavailable
from elastic.log_line import LogLine, LogPiece, plain

log = structlog.get_logger(__name__)

# The limit of a job; a node keeps as much of one generation.
JOB_BYTES = 16 << 20
# The limit of all jobs together. The logs of the job that was quiet for longest are deleted first.
ALL_BYTES = 1 << 30
# The size of a line in the file beside its text, measured with lines of one character.
LINE_BYTES = 64
# At the limit a sixteenth is deleted at once, so that not every batch has to delete.
_FREED = 16
# Lines deleted by one statement, which holds the lock.
_AT_ONCE = 5_000

# Leaves out torchrun's own lines.
_OF_WORKERS = " AND (worker IS NOT NULL OR stage != '')"

_SCHEMA = """
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS jobs (
    job TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL DEFAULT 0,
    cut INTEGER NOT NULL DEFAULT 0,
    at_s REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS nodes (node TEXT PRIMARY KEY, job TEXT NOT NULL, seq INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS streams (
    id INTEGER PRIMARY KEY,
    job TEXT NOT NULL,
    generation INTEGER NOT NULL,
    node TEXT NOT NULL,
    worker INTEGER,
    rank INTEGER,
    bytes INTEGER NOT NULL DEFAULT 0,
    open TEXT NOT NULL DEFAULT '',
    stage TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS streams_of_job ON streams (job, generation, node);
CREATE TABLE IF NOT EXISTS lines (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job TEXT NOT NULL,
    stream INTEGER NOT NULL,
    at_s REAL NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS lines_of_job ON lines (job, id);
CREATE INDEX IF NOT EXISTS lines_of_stream ON lines (stream, id);
"""


class JobLogs:
    """Lines in the order in which they came. Safe to use from several threads.

    Half of a job's limit is for the generation that runs: there, lines of the process that wrote
    most are deleted first. The other half is for earlier generations, the oldest deleted first.
    """

    def __init__(
        self, path: Path | None = None, *, job_bytes: int = JOB_BYTES, all_bytes: int = ALL_BYTES
    ) -> None:
        self._job_bytes = job_bytes
        self._all_bytes = all_bytes
        self._lock = threading.Lock()
        self._db = sqlite3.connect(":memory:" if path is None else path, check_same_thread=False)
        self._db.executescript(_SCHEMA)
        # A file of an earlier elasticd lacks this column.
        if "stage" not in {column[1] for column in self._db.execute("PRAGMA table_info(streams)")}:
            self._db.execute("ALTER TABLE streams ADD COLUMN stage TEXT NOT NULL DEFAULT ''")
        # Grows whenever something was added, so that a reader can wait for it.
        self.changes = 0

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def add(
        self, job_id: str, node_id: str, pieces: Sequence[LogPiece], *, seq: int, now_s: float
    ) -> None:
        """Stores a node's batch; one that was stored before changes nothing.

        Raises StoreUnavailable.
        """
        with self._held(), self._db:
            # A node that missed the answer sends the same batch again.
            if seq <= self._seq(node_id):
                return
            self._db.execute(
                "INSERT OR REPLACE INTO nodes VALUES (?, ?, ?)", (node_id, job_id, seq)
            )
            self._db.execute(
                "INSERT OR IGNORE INTO jobs (job, at_s) VALUES (?, ?)", (job_id, now_s)
            )
            for piece in pieces:
                self._add_piece(job_id, node_id, piece, now_s=now_s)
            self._db.execute("UPDATE jobs SET at_s = ? WHERE job = ?", (now_s, job_id))
            self._trim(job_id)
            self._trim_all(job_id)
            self.changes += 1

    def lines(
        self,
        job_id: str,
        *,
        limit: int,
        after: int | None = None,
        rank: int | None = None,
        node_id: str | None = None,
        generation: int | None = None,
        has_torchrun: bool = False,
    ) -> tuple[LogLine, ...]:
        """Returns lines in their order: the first ones `after` that number, else the last ones.

        torchrun's own lines are included if a node is named, or with `has_torchrun`.
        """
        # torchrun's report of each end is 60 lines long, and repeats what the workers said.
        query, values = _where(job_id, rank=rank, node_id=node_id, generation=generation)
        query += _OF_WORKERS if node_id is None and not has_torchrun else ""
        order = "DESC" if after is None else "ASC"
        with self._held():
            rows = self._db.execute(
                "SELECT lines.id, lines.at_s, generation, node, worker, rank, text, stage"
                " FROM lines JOIN streams ON streams.id = lines.stream"
                f" WHERE lines.id > ? AND lines.{query}"
                f" ORDER BY lines.id {order} LIMIT ?",
                (after or 0, *values, limit),
            ).fetchall()
        return tuple(LogLine(*row) for row in (rows if after is not None else reversed(rows)))

    def open_lines(
        self, job_id: str, *, rank: int | None = None, node_id: str | None = None
    ) -> tuple[LogLine, ...]:
        """The unfinished lines of the newest generation, such as progress bars; numbered 0."""
        newest = self.newest_generation(job_id)
        query, values = _where(job_id, rank=rank, node_id=node_id, generation=newest)
        query += _OF_WORKERS if node_id is None else ""
        with self._held():
            rows = self._db.execute(
                "SELECT 0, 0.0, generation, node, worker, rank, open, stage FROM streams WHERE "
                f"open != '' AND {query} ORDER BY rank, node, worker",
                values,
            ).fetchall()
        return tuple(LogLine(*row) for row in rows)

    def newest_generation(self, job_id: str) -> int | None:
        """The newest generation with lines; None if there is none."""
        with self._held():
            row = self._db.execute(
                "SELECT MAX(generation) FROM streams WHERE job = ?", (job_id,)
            ).fetchone()
        if row[0] is None:
            return None
        return int(row[0])

    def ranks(self, job_id: str) -> tuple[int, ...]:
        """The ranks that wrote something in the newest generation with lines."""
        newest = self.newest_generation(job_id)
        with self._held():
            rows = self._db.execute(
                "SELECT DISTINCT rank FROM streams WHERE job = ? AND generation = ? AND rank IS "
                "NOT NULL ORDER BY rank",
                (job_id, newest),
            ).fetchall()
        return tuple(int(row[0]) for row in rows)

    def cut(self, job_id: str) -> int:
        """How many of the job's lines are no longer kept."""
        with self._held():
            row = self._db.execute("SELECT cut FROM jobs WHERE job = ?", (job_id,)).fetchone()
        if row is None:
            return 0
        return int(row[0])

    def jobs(self) -> tuple[str, ...]:
        """The jobs that lines are kept of."""
        with self._held():
            return tuple(row[0] for row in self._db.execute("SELECT job FROM jobs ORDER BY job"))

    def forget(self, job_id: str) -> None:
        """Deletes all that is kept of a job."""
        with self._held():
            with self._db:
                self._forget(job_id)
            # `execute` would give back one page only.
            self._db.executescript("PRAGMA incremental_vacuum")

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Keeps other threads out of the file. Raises StoreUnavailable, such as on a full disk."""
        try:
            with self._lock:
                yield
        except sqlite3.OperationalError as error:
            raise StoreUnavailable(
                f"the file of the jobs' logs refused: {error}; nothing was changed"
            ) from error

    def _seq(self, node_id: str) -> int:
        row = self._db.execute("SELECT seq FROM nodes WHERE node = ?", (node_id,)).fetchone()
        if row is None:
            return 0
        return int(row[0])

    def _add_piece(self, job_id: str, node_id: str, piece: LogPiece, *, now_s: float) -> None:
        stream = self._stream(job_id, node_id, piece)
        texts = []
        if piece.dropped:
            texts = [f"... {piece.dropped:,} lines left out: a node sent too many ..."]
        # Agents clean their lines, but a compromised node may send escape sequences.
        texts += map(plain, piece.lines)
        rows = [(job_id, stream, now_s, each) for each in texts]
        self._db.executemany(
            "INSERT INTO lines (job, stream, at_s, text) VALUES (?, ?, ?, ?)", rows
        )
        size = sum(_cost(each) for each in texts)
        self._grow(job_id, stream, size)
        self._db.execute(
            "UPDATE streams SET open = ? WHERE id = ?", (plain(piece.open or ""), stream)
        )

    def _stream(self, job_id: str, node_id: str, piece: LogPiece) -> int:
        key = (job_id, piece.generation, node_id, piece.worker, piece.rank, piece.stage)
        row = self._db.execute(
            "SELECT id FROM streams WHERE job = ? AND generation = ? AND node = ? AND worker IS ? "
            "AND rank IS ? AND stage = ?",
            key,
        ).fetchone()
        if row is not None:
            return int(row[0])
        added = self._db.execute(
            "INSERT INTO streams (job, generation, node, worker, rank, stage) VALUES (?, ?, ?, ?, "
            "?, ?)",
            key,
        )
        assert added.lastrowid is not None
        return added.lastrowid

    def _trim(self, job_id: str) -> None:
        bytes_kept = self._bytes(job_id)
        if bytes_kept <= self._job_bytes:
            return
        wanted = self._job_bytes - self._job_bytes // _FREED
        while bytes_kept > wanted and (stream := self._next_to_shorten(job_id)) is not None:
            bytes_kept -= self._shorten(job_id, stream, bytes_kept - wanted)

    def _next_to_shorten(self, job_id: str) -> int | None:
        (newest,) = self._db.execute(
            "SELECT MAX(generation) FROM streams WHERE job = ?", (job_id,)
        ).fetchone()
        (earlier,) = self._db.execute(
            "SELECT TOTAL(bytes) FROM streams WHERE job = ? AND generation < ?", (job_id, newest)
        ).fetchone()
        which = "generation = ? AND bytes > 0 ORDER BY bytes DESC"
        if earlier > self._job_bytes / 2:
            which = "generation < ? AND bytes > 0 ORDER BY generation, id"
        row = self._db.execute(
            f"SELECT id FROM streams WHERE job = ? AND {which} LIMIT 1", (job_id, newest)
        ).fetchone()
        if row is None:
            return None
        return int(row[0])

    def _shorten(self, job_id: str, stream: int, wanted: int) -> int:
        """Deletes a stream's first lines until enough bytes are free; returns how many are."""
        rows = self._db.execute(
            "SELECT id, text FROM lines WHERE stream = ? ORDER BY id LIMIT ?", (stream, _AT_ONCE)
        ).fetchall()
        freed = count = last = 0
        for number, text in rows:
            last = number
            freed += _cost(text)
            count += 1
            if freed >= wanted:
                break
        self._db.execute("DELETE FROM lines WHERE stream = ? AND id <= ?", (stream, last))
        self._grow(job_id, stream, -freed)
        self._db.execute("UPDATE jobs SET cut = cut + ? WHERE job = ?", (count, job_id))
        self._db.execute("DELETE FROM streams WHERE id = ? AND bytes <= 0 AND open = ''", (stream,))
        return freed

    def _trim_all(self, job_id: str) -> None:
        while self._db.execute("SELECT TOTAL(bytes) FROM jobs").fetchone()[0] > self._all_bytes:
            row = self._db.execute(
                "SELECT job FROM jobs WHERE job != ? ORDER BY at_s LIMIT 1", (job_id,)
            ).fetchone()
            if row is None:
                return
            self._forget(row[0])

    def _bytes(self, job_id: str) -> int:
        return int(
            self._db.execute("SELECT bytes FROM jobs WHERE job = ?", (job_id,)).fetchone()[0]
        )

    def _grow(self, job_id: str, stream: int, by: int) -> None:
        self._db.execute("UPDATE streams SET bytes = bytes + ? WHERE id = ?", (by, stream))
        self._db.execute("UPDATE jobs SET bytes = bytes + ? WHERE job = ?", (by, job_id))

    def _forget(self, job_id: str) -> None:
        for table in ("lines", "streams", "nodes", "jobs"):
            self._db.execute(f"DELETE FROM {table} WHERE job = ?", (job_id,))


def open_job_logs(folder: Path) -> JobLogs:
    """Opens the logs in a daemon's data folder; a damaged file is set aside.

    Raises StoreUnavailable where a sound one cannot be used, such as on a full disk.
    """
    path = folder / "logs.db"
    path.touch(mode=0o600)
    try:
        return JobLogs(path)
    except sqlite3.OperationalError as error:
        raise StoreUnavailable(
            f"{path}: wanted to open the file of the jobs' logs, found: {error}; is its disk full?"
        ) from error
    except sqlite3.DatabaseError:
        # Training goes on without the old lines, so the daemon must start.
        aside = path.with_suffix(".damaged")
        path.replace(aside)
        log.warning(
            "the file of the jobs' logs is damaged; a new one begins",
            set_aside_as=str(aside),
            exc_info=True,
        )
        path.touch(mode=0o600)
        return JobLogs(path)


def _where(
    job_id: str, *, rank: int | None, node_id: str | None, generation: int | None
) -> tuple[str, list[str | int]]:
    """The conditions of a query, and their values."""
    wanted = {"rank": rank, "node": node_id, "generation": generation}
    given = {name: value for name, value in wanted.items() if value is not None}
    return " AND ".join(["job = ?", *(f"{name} = ?" for name in given)]), [job_id, *given.values()]


def _cost(text: str) -> int:
    return LINE_BYTES + len(text.encode())
