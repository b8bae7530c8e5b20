"""Databases of past releases, with data, as their own code made them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

PAST = sorted(Path(__file__).with_name("past").glob("*.sql"))


def lay_out_past(script: Path, path: Path) -> str:
    """Makes the database at `path`, in WAL as a daemon leaves it, and gives its URL."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(script.read_text())
    return f"sqlite:///{path}"


def dump(path: Path) -> str:
    """All that a database holds, as lines of SQL in an order of their own: that in which Alembic
    names a table's constraints differs from run to run."""
    with closing(sqlite3.connect(path)) as connection:
        lines = "\n".join(connection.iterdump()).splitlines()
    return "\n".join(sorted(line.strip().rstrip(",") for line in lines))
