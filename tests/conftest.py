"""What tests of several folders are given."""

from __future__ import annotations

import functools
import gc
import itertools
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import botocore.session
import hypothesis
import pytest
import sqlalchemy
import structlog
from hypothesis.internal.conjecture import providers
from sqlalchemy import Engine
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

import elastic.store.engine as engines
from elastic.store.engine import PRAGMAS
from tests.postgres import PostgresServer, postgres_server
from tests.short_folders import short_folder

# The same examples at each run, so that a change alone can fail; `make soak` looks for others.
# Nothing is timed: on a busy machine any example may take a second.
hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
hypothesis.settings.register_profile("others", deadline=None)
_PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "same")
hypothesis.settings.load_profile(_PROFILE)
if _PROFILE == "same":
    # Hypothesis also draws constants that it finds in the modules loaded so far. Which these are
    # depends on the tests before, so the same test would see other examples in each worker.
    no_constants = providers._local_constants  # noqa: SLF001  # there is no setting for that
    vars(providers)["_get_local_constants"] = lambda: no_constants


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected, and the modules that it imports, stay to the end. To look through them for
    garbage again and again took a third of the time that the collection takes."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()  # from here on only what tests make is looked through
        gc.set_threshold(20_000)  # and not after each 700 objects of it
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Spreads the files whose tests mostly wait among those whose tests compute: side by side at
    the end they would leave the processors idle. Slow tests come in the order of their folders."""
    if "not slow" not in config.getoption("markexpr"):
        return
    files = [list(tests) for _, tests in itertools.groupby(items, lambda each: each.path)]
    places: list[tuple[float, list[pytest.Item]]] = []
    for waits in (False, True):
        some = [each for each in files if _mostly_waits(each[0].path) == waits]
        ends = itertools.accumulate(len(each) for each in some)
        places += zip((end / sum(map(len, some)) for end in ends), some, strict=True)
    places.sort(key=lambda each: each[0])
    items[:] = itertools.chain.from_iterable(tests for _, tests in places)


def _mostly_waits(path: Path) -> bool:
    return "workloads" in path.parts or path.name == "test_ec2_user_data.py"


@pytest.fixture(scope="session", autouse=True)
def temporary_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever tests, and the programs that they start, leave where temporary files go is gone with
    the test run."""
    tmp_path_factory.getbasetemp()  # pytest's own folders stay: who reads of a failure looks there
    with short_folder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        patch.setattr(tempfile, "tempdir", str(folder))
        yield


@pytest.fixture(autouse=True)
def own_log() -> Iterator[None]:
    """What a test says about the log holds for that test alone. Simulations silence it."""
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session", autouse=True)
def descriptions_of_services() -> Iterator[None]:
    """botocore reads its description of EC2, 9 MB, once for each session of it; here once for all
    tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            botocore.session, "create_loader", functools.cache(botocore.session.create_loader)
        )
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_statements() -> Iterator[None]:
    """SQLAlchemy compiles each statement once for each engine; here once for all databases of
    SQLite, of which nearly each test has its own."""
    compiled: dict[object, object] = {}

    def create(url: str, **more: Any) -> Engine:
        engine = sqlalchemy.create_engine(url, **more)
        if isinstance(engine.dialect, SQLiteDialect_pysqlite):
            engine.update_execution_options(compiled_cache=compiled)
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "create_engine", create)
        # A dialect is part of what a compiled statement is found by.
        patch.setattr(SQLiteDialect_pysqlite, "__hash__", lambda self: hash(type(self)))
        patch.setattr(
            SQLiteDialect_pysqlite, "__eq__", lambda self, other: type(self) is type(other)
        )
        yield


@pytest.fixture(scope="session", autouse=True)
def disk_that_is_not_waited_for() -> Iterator[None]:
    """Databases of SQLite do not sync at each commit, which is most of what their tests would wait
    for. A kill loses nothing by that, and no test cuts the power."""
    quick = tuple(each.replace("synchronous=FULL", "synchronous=OFF") for each in PRAGMAS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "PRAGMAS", quick)
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real server, started when the first test asks for it; skips the test where PostgreSQL is
    not installed."""
    with postgres_server() as server:
        yield server
