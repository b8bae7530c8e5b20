"""What PostgreSQL adds: one daemon a database, wherever it runs, and a server that may go away and
come back."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator

import psycopg
import pytest

from elastic.errors import AlreadyRunning, InvalidInput, StoreUnavailable
from elastic.model import Job, Node
from elastic.store import Database, Store, inspect_store, open_store
from tests.postgres import PostgresServer
from tests.store.rows import window


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.empty_database()


@pytest.fixture
def owner(url: str) -> Iterator[Store]:
    store = open_store(url)
    yield store
    store.close()


def note(store: Store, text: str) -> None:
    store.events.add("note", text, now_s=1.0)


def texts(store: Store) -> list[str]:
    return [event.text for event in store.events.listed()]


def test_a_second_daemon_is_refused_while_the_first_one_lives(url: str, owner: Store) -> None:
    with pytest.raises(AlreadyRunning, match="another daemon owns this database"):
        open_store(url)
    owner.close()
    open_store(url).close()


def test_a_daemon_waits_for_the_lock_that_the_server_frees_a_moment_after_a_kill(
    url: str, owner: Store
) -> None:
    freed = threading.Timer(0.5, owner.close)
    freed.start()
    open_store(url).close()
    freed.join()


def test_the_lock_is_free_as_soon_as_its_owner_closed(url: str) -> None:
    other = psycopg.connect(url.replace("postgresql+psycopg", "postgresql"), autocommit=True)
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
    with other:
        for _ in range(100):
            owner = Database(url)
            owner.own()
            with owner.read() as connection:
                assert connection.exec_driver_sql(held).scalar() == 1
            owner.close()
            assert other.execute(held).fetchone() == (0,)


def test_a_database_without_an_encoding_holds_any_text(postgres: PostgresServer) -> None:
    with postgres.another_database(
        "bare", "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    ) as url:
        store = open_store(url)
        note(store, "Gänsefüßchen \N{ROCKET}")
        assert texts(store) == ["Gänsefüßchen \N{ROCKET}"]
        store.close()


def test_a_refused_daemon_has_not_touched_the_tables(url: str) -> None:
    held = Database(url)
    held.own()
    with pytest.raises(AlreadyRunning):
        open_store(url)
    held.close()
    assert inspect_store(url).revision is None


def test_a_refusal_does_not_tell_the_password(url: str, owner: Store) -> None:
    with pytest.raises(AlreadyRunning) as refusal:
        open_store(url.replace("postgres@", "postgres:hunter2@"))
    assert "hunter2" not in str(refusal.value)


def test_a_server_that_went_away_is_told_of_and_found_again(
    postgres: PostgresServer, owner: Store
) -> None:
    note(owner, "before")
    postgres.stop()
    try:
        with pytest.raises(StoreUnavailable):
            note(owner, "meanwhile")
        with pytest.raises(StoreUnavailable):
            owner.ping()
    finally:
        postgres.start()
    note(owner, "after")
    assert texts(owner) == ["before", "after"]


def test_who_lost_the_lock_with_its_connection_writes_nothing_more(
    postgres: PostgresServer, url: str, owner: Store
) -> None:
    postgres.stop()
    postgres.start()
    other = open_store(url)
    with pytest.raises(AlreadyRunning):
        note(owner, "late")
    note(other, "mine")
    assert texts(owner) == ["mine"]
    other.close()
    note(owner, "again")
    assert texts(owner) == ["mine", "again"]


def test_a_commit_waits_for_the_disk(url: str) -> None:
    database = Database(url)
    with database.write() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
    database.close()


def test_a_reader_sees_one_state(url: str, owner: Store) -> None:
    database = Database(url)
    with database.read() as connection:
        count = "SELECT count(*) FROM events"
        assert connection.exec_driver_sql(count).scalar() == 0
        note(owner, "meanwhile")
        assert connection.exec_driver_sql(count).scalar() == 0
    database.close()


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_hundred_jobs_do_not_use_up_the_numbers_of_windows(
    url: str, store: Store, job: Job, node: Node
) -> None:
    with psycopg.connect(url.replace("postgresql+psycopg", "postgresql")) as connection:
        connection.execute("SELECT setval('windows_id_seq', 2147483646)")
    last = [window(node, seq) for seq in (1, 2, 3)]
    assert store.measurements.append(node.id, last) == 3
    (series,) = store.facts.of(job.id, now_s=300.0).series
    assert len(series.samples) == 3


def test_a_database_of_another_kind_is_refused() -> None:
    with pytest.raises(InvalidInput, match="wanted sqlite or postgresql, got mysql"):
        Database("mysql://somewhere/elasticd")


@pytest.mark.parametrize("open_it", [Database, inspect_store])
def test_a_driver_that_is_missing_is_named_with_how_to_install_it(
    open_it: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(InvalidInput, match=r"pip install 'elasticd\[postgres\]'"):
        open_it("postgresql+psycopg://somewhere/elasticd")


def test_a_daemon_that_stands_still_loses_its_session_and_one_that_uses_it_keeps_it(
    url: str,
) -> None:
    # What a server does after 15 s, shortened: the session is the same.
    database = Database(url)
    with database.write() as connection:
        assert connection.exec_driver_sql("SHOW idle_session_timeout").scalar() == "15s"
        connection.exec_driver_sql("SET idle_session_timeout = 1000")
        session = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
    for _ in range(3):
        time.sleep(0.4)
        database.own()
    with database.write() as connection:
        assert connection.exec_driver_sql("SELECT pg_backend_pid()").scalar() == session
    open_store(url).close()  # within its wait
    database.close()


def test_a_daemon_that_stands_still_within_a_transaction_loses_its_session_as_well(
    url: str,
) -> None:
    database = Database(url)

    def stand_still() -> None:
        with database.write() as connection:
            shown = "SHOW idle_in_transaction_session_timeout"
            assert connection.exec_driver_sql(shown).scalar() == "15s"
            connection.exec_driver_sql("SET idle_in_transaction_session_timeout = 500")
            time.sleep(1.0)
            open_store(url).close()  # another daemon acts
            connection.exec_driver_sql(shown)

    with pytest.raises(StoreUnavailable):
        stand_still()
    database.close()


def test_what_was_read_counts_no_more_once_the_session_that_writes_is_another(
    url: str, owner: Store, postgres: PostgresServer
) -> None:
    note(owner, "one")
    before = owner.jobs._database.versions  # noqa: SLF001 (what decides whether facts are kept)
    postgres.stop()
    postgres.start()
    owner.hold()
    after = owner.jobs._database.versions  # noqa: SLF001
    assert before.stamp(("jobs",), "job-1") != after.stamp(("jobs",), "job-1")
