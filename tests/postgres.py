"""A real PostgreSQL server of the test run's own, on a socket in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.short_folders import short_folder

_USER = "postgres"
_START_TIMEOUT_S = 60.0


@dataclass(slots=True)
class PostgresServer:
    """A server that can be stopped and started again; what it holds lives as long as its folder."""

    programs: Path
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    _is_migrated: bool = False

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://{_USER}@/postgres?host={self.folder}"

    def make(self) -> None:
        command: list[str | Path] = [
            self.programs / "initdb",
            "-D",
            self.folder / "data",
            "-U",
            _USER,
            "--auth=trust",
            "--no-sync",
        ]
        subprocess.run(
            [*command, "--encoding=UTF8"],
            check=True,
            capture_output=True,
            cwd=self.folder,
            **_unprivileged(),
        )

    def start(self) -> None:
        # It dies with this process, however that ends. Without a sync at each commit: the disk is
        # not what is tested.
        options = ["-F", "-c", "listen_addresses=", "-c", f"unix_socket_directories={self.folder}"]
        server: list[str | Path] = [
            self.programs / "postgres",
            "-D",
            self.folder / "data",
            *options,
        ]
        with (self.folder / "log").open("ab") as log:
            process: subprocess.Popen[bytes] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "QUIT", *server],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **_unprivileged(),
            )
        self.process = process
        until_s = time.monotonic() + _START_TIMEOUT_S
        while not self._answers():
            assert time.monotonic() < until_s and process.poll() is None, (
                self.folder / "log"
            ).read_text()
            time.sleep(0.05)

    def stop(self) -> None:
        """Ends the server and with it every session, at once."""
        assert self.process is not None
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(60)

    def empty_database(self) -> str:
        """Gives the URL of the one database, emptied; whoever was connected to it is no more."""
        self._execute("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
        self._is_migrated = False
        return self.url

    @contextmanager
    def another_database(self, name: str, options: str) -> Iterator[str]:
        """Makes a database with these options of SQL, and gives its URL."""
        self._execute(f"CREATE DATABASE {name} {options}")
        yield self.url.replace("/postgres?", f"/{name}?")
        self._execute(f"DROP DATABASE {name} WITH (FORCE)")

    def migrated_database(self) -> str:
        """The same with the tables of the newest schema, which are made once and then only
        emptied."""
        from elastic.store import migrate
        from elastic.store.schema import metadata

        if self._is_migrated:
            self._execute(f"TRUNCATE {', '.join(metadata.tables)} RESTART IDENTITY CASCADE")
        else:
            migrate(self.empty_database())
            self._is_migrated = True
        return self.url

    def _execute(self, *statements: str) -> None:
        """Runs statements once nobody else is connected."""
        import psycopg

        with psycopg.connect(
            f"host={self.folder} user={_USER} dbname=postgres", autocommit=True
        ) as connection:
            others = "datname = current_database() AND pid <> pg_backend_pid()"
            connection.execute(
                f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE {others}"
            )
            for statement in statements:
                connection.execute(statement.encode())

    def _answers(self) -> bool:
        command: list[str | Path] = [self.programs / "pg_isready", "-q", "-h", self.folder]
        return subprocess.run(command, check=False).returncode == 0


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Runs a server; skips the test if Debian's package `postgresql` (or another's) is not
    there."""
    programs = _programs()
    if programs is None:
        pytest.skip("needs PostgreSQL's initdb (Debian: apt-get install postgresql)")
    with short_folder() as folder:
        if os.geteuid() == 0:
            account = pwd.getpwnam(_USER)
            os.chown(folder, account.pw_uid, account.pw_gid)
        server = PostgresServer(programs, folder)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _programs() -> Path | None:
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3])
    )
    named = shutil.which("initdb")
    return found[-1].parent if found else None if named is None else Path(named).resolve().parent


def _unprivileged() -> Mapping[str, Any]:
    """The server refuses to be root's."""
    return {"user": _USER, "group": _USER, "extra_groups": ()} if os.geteuid() == 0 else {}
