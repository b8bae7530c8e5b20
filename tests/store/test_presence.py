"""When nodes were heard that said nothing new: in memory first, on record by the next write."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection

from elastic.errors import StoreUnavailable
from elastic.model import AgentState, JobSpec, Node, NodeReport, Offering, Pulse
from elastic.store import Database, HeartbeatReport, Store
from elastic.store.presence import Presence
from tests.builders import intend
from tests.empty_database import lay_out


class Busy(Database):
    """A database that takes nothing while it `is_busy`."""

    is_busy = False

    @contextmanager
    def write(self) -> Iterator[Connection]:
        if self.is_busy:
            raise StoreUnavailable("the database is busy")
        with super().write() as connection:
            yield connection


def running(pulse: Pulse | None) -> NodeReport:
    return NodeReport(AgentState.RUNNING, pulse=pulse)


def joined(store: Store) -> Node:
    job, _ = store.jobs.submit(JobSpec("j", ("train.py",)), key=None, request_hash="h", now_s=1.0)
    node = intend(store, job.id, Offering("small"), now_s=1.0)
    store.heartbeats.take_in(node.id, HeartbeatReport(running(Pulse(0.1, 0.2))), now_s=10.0)
    return store.nodes.get(node.id)


@pytest.fixture
def database(tmp_path: Path) -> Busy:
    return Busy(lay_out(tmp_path / "elasticd.db"))


@pytest.fixture
def store(database: Busy) -> Iterator[Store]:
    store = Store(database)
    yield store
    store.close()


@pytest.fixture
def presence(database: Busy) -> Presence:
    return Presence(database)


@pytest.fixture
def node(store: Store) -> Node:
    return joined(store)


def test_what_was_heard_last_is_on_record_once_it_is_written(
    database: Busy, store: Store, presence: Presence, node: Node
) -> None:
    presence.record(node.id, running(Pulse(1.0, 2.0)), now_s=11.0)
    presence.record(node.id, running(Pulse(2.0, 2.0)), now_s=12.0)
    assert store.nodes.get(node.id) == node
    database.is_busy = True
    presence.write()
    database.is_busy = False
    presence.write()
    after = store.nodes.get(node.id)
    assert (after.heartbeat_at_s, after.pulse, after.agent_state) == (
        12.0,
        Pulse(2.0, 2.0),
        AgentState.RUNNING,
    )


def test_where_no_tick_writes_a_heartbeat_writes_those_of_all_nodes(
    store: Store, presence: Presence, node: Node
) -> None:
    presence.record(node.id, running(None), now_s=11.0)
    presence.record("another", running(None), now_s=20.9)
    assert store.nodes.get(node.id) == node
    presence.record("another", running(None), now_s=21.0)
    assert store.nodes.get(node.id).heartbeat_at_s == 11.0
    presence.record(node.id, running(None), now_s=22.0)
    assert store.nodes.get(node.id).heartbeat_at_s == 11.0


def test_where_nothing_can_be_written_for_two_ticks_heartbeats_are_refused(
    database: Busy, store: Store, presence: Presence, node: Node
) -> None:
    database.is_busy = True
    for now_s in (11.0, 16.0, 20.9):
        presence.record(node.id, running(None), now_s=now_s)
        presence.write()
    for now_s in (21.0, 22.0, 30.0):
        with pytest.raises(StoreUnavailable):
            presence.record(node.id, running(None), now_s=now_s)
    database.is_busy = False
    presence.record(node.id, running(None), now_s=31.0)
    assert store.nodes.get(node.id).heartbeat_at_s == 31.0


def test_a_tick_waits_for_what_another_thread_is_about_to_write(
    database: Busy, store: Store, presence: Presence, node: Node
) -> None:
    presence.record(node.id, running(None), now_s=11.0)
    with database.write():
        other = threading.Thread(target=presence.write)
        other.start()
        tick = threading.Thread(target=presence.write)
        tick.start()
        tick.join(0.2)
        assert other.is_alive()
        assert tick.is_alive(), "it would read that the node was not heard"
    tick.join()
    other.join()
    assert store.nodes.get(node.id).heartbeat_at_s == 11.0


def test_what_is_on_record_from_later_stays(store: Store, presence: Presence, node: Node) -> None:
    presence.record(node.id, running(None), now_s=9.0)
    presence.write()
    assert store.nodes.get(node.id) == node
    presence.record(node.id, running(None), now_s=13.0)
    presence.write()
    assert store.nodes.get(node.id).pulse is None


def test_a_heartbeat_from_the_future_is_one_of_the_start(
    store: Store, presence: Presence, node: Node
) -> None:
    presence.begin(now_s=10.5)
    assert store.nodes.get(node.id) == node
    presence.begin(now_s=4.0)
    assert store.nodes.get(node.id).heartbeat_at_s == 4.0
    presence.record(node.id, running(None), now_s=5.0)
    presence.write()
    assert store.nodes.get(node.id).heartbeat_at_s == 5.0


def test_how_much_too_long_nobody_was_heard_is_known_of_each_gap_between_two_heartbeats(
    tmp_path: Path,
) -> None:
    presence = Presence(Database(lay_out(tmp_path / "elasticd.db")))
    assert presence.gaps(beyond_s=1.5) == ()
    for at_s in (10.0, 10.5, 11.5, 16.5, 17.0, 18.0):
        presence.arrives(now_s=at_s)
    assert presence.gaps(beyond_s=1.5) == ((16.5, 3.5),)
    assert presence.gaps(beyond_s=0.75) == ((11.5, 0.25), (16.5, 4.25), (18.0, 0.25))
    assert presence.gaps(beyond_s=5.0) == ()
