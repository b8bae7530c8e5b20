"""PostgreSQL's own programs, which dump a database and load it again."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from sqlalchemy.engine import URL

from elastic.durations import HOUR_S
from elastic.errors import ElasticError
from elastic.figures import duration

_INSTALL = (
    "install PostgreSQL's client programs (Debian: apt-get install postgresql-client), or use the "
    "backups of the server, and copy the files `secret` and `token` of the data folder yourself"
)


def dump(url: URL, to: Path) -> None:
    """Writes the whole database to a file, of one instant. Raises ElasticError."""
    _run("pg_dump", ["--format=custom", "--no-owner", "--no-acl", f"--file={to}"], url)


def load(dump: Path, url: URL) -> None:
    """Loads such a file into an empty database, whole or not at all. Raises ElasticError."""
    _run("pg_restore", ["--no-owner", "--no-acl", "--single-transaction", str(dump)], url)


def _run(program: str, arguments: list[str], url: URL) -> None:
    found = shutil.which(program)
    if found is None:
        raise ElasticError(f"{program} is not on the path: {_INSTALL}")
    # The password is not for the list of processes.
    address = url.set(drivername="postgresql", password=None).render_as_string(hide_password=False)
    if url.password:
        password = {"PGPASSWORD": str(url.password)}
    else:
        password = {}
    try:
        done = subprocess.run(
            [found, f"--dbname={address}", *arguments],
            env={**os.environ, **password},
            capture_output=True,
            text=True,
            check=False,
            # A database of years is gigabytes (benchmarks/database_size.py): minutes. A tool that
            # takes an hour hangs.
            timeout=HOUR_S,
        )
    except subprocess.TimeoutExpired as error:
        raise ElasticError(f"{program} was not done after {duration(HOUR_S)}") from error
    if done.returncode != 0:
        raise ElasticError(f"{program} failed: {done.stderr.strip()}")
