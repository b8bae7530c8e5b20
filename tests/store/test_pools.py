"""What is known of spot pools outlives jobs, nodes and the daemon; saying the same again changes
nothing."""

from __future__ import annotations

import pytest

from elastic.model import (
    ONE_WORKER,
    AgentState,
    Capacity,
    Node,
    NodeReport,
    Notice,
    NoticeKind,
    Offering,
    Pool,
)
from elastic.store import HeartbeatReport, Store
from tests.builders import add_price, job_spec

SPOT = Offering("c5.large", Capacity.SPOT, "us-east-1a")


@pytest.fixture
def job_id(store: Store) -> str:
    add_price(store, SPOT, 0.03, valid_from_s=0.0, observed_at_s=0.0, source="test")
    return store.jobs.submit(job_spec(), key=None, request_hash="h", now_s=0.0)[0].id


def intend(
    store: Store, job_id: str, *, at_s: float, count: int = 1, offering: Offering = SPOT
) -> tuple[Node, ...]:
    return store.nodes.intend_launch(
        job_id,
        offering,
        count=count,
        workers=ONE_WORKER,
        reason="start",
        request_hash="h",
        now_s=at_s,
    ).nodes


def launch(store: Store, job_id: str, *, at_s: float, count: int = 1) -> list[str]:
    nodes = intend(store, job_id, at_s=at_s, count=count)
    for node in nodes:
        store.nodes.launched(node.id, f"i-{node.id}", launched_at_s=at_s, minimum_s=60.0)
        store.nodes.joined(node.id, now_s=at_s + 60.0)
    return [node.id for node in nodes]


def refuse(store: Store, job_id: str, *, at_s: float, offering: Offering = SPOT) -> None:
    (node,) = intend(store, job_id, at_s=at_s, offering=offering)
    for _ in range(2):  # a daemon that died in between says it again
        store.nodes.launch_failed(node.token, "no capacity", for_want_of_capacity=True, now_s=at_s)


def end(store: Store, node_id: str, *, at_s: float) -> None:
    store.nodes.intend_end(node_id, reason="a test", now_s=at_s)
    store.nodes.gone(node_id, at_s=at_s)


def pool(store: Store, *, now_s: float) -> Pool:
    (found,) = store.pools.listed(now_s=now_s)
    return found


def test_a_node_taken_back_ends_its_pools_spell(store: Store, job_id: str) -> None:
    (node_id,) = launch(store, job_id, at_s=100.0)
    up = pool(store, now_s=200.0)
    assert (up.is_up, up.since_s, sum(up.up.seconds)) == (True, 100.0, 0.0)
    for _ in range(2):
        store.nodes.gone(node_id, at_s=1000.0, why="Server.SpotInstanceTermination")
    down = pool(store, now_s=1000.0)
    assert (down.is_up, down.since_s) == (False, 1000.0)
    assert down.up.seconds[:3] == (600.0, 300.0, 0.0)
    assert down.up.ended[:3] == (0.0, 1.0, 0.0)


def test_a_node_with_a_notice_is_taken_back_even_where_it_is_ended_before(
    store: Store, job_id: str
) -> None:
    (node_id,) = launch(store, job_id, at_s=0.0)
    notice = Notice(NoticeKind.INTERRUPTION, noticed_at_s=300.0, at_s=420.0)
    store.heartbeats.take_in(
        node_id, HeartbeatReport(NodeReport(AgentState.RUNNING), notice=notice), now_s=300.0
    )
    end(store, node_id, at_s=400.0)
    assert pool(store, now_s=400.0).up.ended[0] == 1.0


def test_a_node_that_we_end_ends_no_spell(store: Store, job_id: str) -> None:
    (node_id,) = launch(store, job_id, at_s=0.0)
    end(store, node_id, at_s=500.0)
    known = pool(store, now_s=500.0)
    assert (known.is_up, known.since_s, known.seen_s) == (None, None, 500.0)
    assert (known.up.seconds[0], sum(known.up.ended)) == (500.0, 0.0)


def test_nodes_of_one_pool_at_the_same_time_are_one_spell(store: Store, job_id: str) -> None:
    first, second = launch(store, job_id, at_s=0.0, count=2)
    (third,) = launch(store, job_id, at_s=100.0)
    end(store, first, at_s=200.0)
    end(store, third, at_s=300.0)
    assert pool(store, now_s=300.0).is_up
    end(store, second, at_s=400.0)
    assert pool(store, now_s=400.0).up.seconds[0] == 400.0


def test_a_machine_that_never_joined_or_that_somebody_ended_was_not_taken_back(
    store: Store, job_id: str
) -> None:
    (node,) = intend(store, job_id, at_s=0.0)
    store.nodes.launched(node.id, "i-1", launched_at_s=0.0, minimum_s=60.0)
    store.nodes.gone(node.id, at_s=50.0)
    (joined,) = launch(store, job_id, at_s=100.0)
    store.nodes.gone(joined, at_s=250.0, why="Client.InstanceInitiatedShutdown: its lease was over")
    known = pool(store, now_s=250.0)
    assert (known.is_up, known.up.seconds[0], sum(known.up.ended)) == (None, 200.0, 0.0)


def test_a_pool_is_down_from_its_first_refusal_until_a_launch_is_granted(
    store: Store, job_id: str
) -> None:
    for at_s in (0.0, 300.0, 900.0):
        refuse(store, job_id, at_s=at_s)
    down = pool(store, now_s=1000.0)
    assert (down.is_up, down.since_s, down.seen_s, down.refusals) == (False, 0.0, 900.0, 3)
    launch(store, job_id, at_s=1500.0)
    up = pool(store, now_s=1500.0)
    assert (up.is_up, up.since_s, up.refusals) == (True, 1500.0, 0)
    assert up.down.ended[:2] == (0.0, 1.0)
    events = [each.kind for each in store.events.listed(job_id=job_id)]
    assert events.count("node_failed") == 1, "an empty pool is news once"
    assert len(store.nodes.listed(job_id, include_gone=True)) == 2, (
        "the first that was refused, and the one that was bought"
    )


def test_a_refusal_that_nobody_followed_up_is_not_known_to_last(store: Store, job_id: str) -> None:
    refuse(store, job_id, at_s=0.0)
    refuse(store, job_id, at_s=1200.0)
    assert pool(store, now_s=4800.0).is_up is False
    later = pool(store, now_s=90_000.0)
    assert (later.is_up, sum(later.down.seconds), sum(later.down.ended)) == (None, 1200.0, 0.0)
    launch(store, job_id, at_s=90_000.0)
    assert pool(store, now_s=90_000.0).down == later.down


def test_a_pool_of_which_a_node_is_held_is_up_though_another_was_refused(
    store: Store, job_id: str
) -> None:
    launch(store, job_id, at_s=0.0)
    refuse(store, job_id, at_s=100.0)
    assert pool(store, now_s=100.0).is_up


def test_on_demand_has_no_pool_and_each_of_its_refusals_is_told(store: Store, job_id: str) -> None:
    for at_s in (0.0, 300.0):
        refuse(
            store,
            job_id,
            at_s=at_s,
            offering=Offering("c5.large", Capacity.ON_DEMAND, "us-east-1a"),
        )
    assert store.pools.listed(now_s=300.0) == ()
    assert [each.kind for each in store.events.listed(job_id=job_id)].count("node_failed") == 2
