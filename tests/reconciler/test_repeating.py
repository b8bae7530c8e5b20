"""Purchases that nobody answered: repeated only while they would be made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.errors import PriceUnavailable, ProviderUnavailable
from elastic.model import Action, Group, Obstacle, Plan, Reason, Snapshot
from elastic.pricing import Quote
from elastic.providers import LaunchRequest, Operation
from tests.reconciler.virtual import LARGE, SMALL, Prices, VirtualCluster

AWAY_S = 300.0


def cheapest(snapshot: Snapshot) -> Plan:
    """A policy that wants one node of what costs least now."""
    newest = {
        price.offering: price.usd_per_h
        for price in sorted(snapshot.prices, key=lambda each: each.valid_from_s)
    }
    wanted = Group.of(min(newest, key=lambda each: newest[each]))
    action = Action.HOLD if snapshot.target == wanted else Action.START
    return Plan(action, wanted, Reason("cheapest", "it costs least"))


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    """A purchase that never arrived, nobody knows, and a daemon that was away since."""
    cluster = VirtualCluster(tmp_path, cheapest)
    cluster.submit()
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("nobody answers"))
    cluster.run(1)
    cluster.clock.advance(AWAY_S)
    cluster.restart()
    return cluster


def asked_for(cluster: VirtualCluster) -> list[LaunchRequest]:
    return [call.request for call in cluster.cloud.calls if call.request is not None]


def test_an_unanswered_purchase_is_repeated_with_its_token(cluster: VirtualCluster) -> None:
    cluster.run(1)
    first, second = asked_for(cluster)
    assert first == second


def test_a_purchase_is_not_repeated_once_its_price_makes_another_the_better_one(
    cluster: VirtualCluster,
) -> None:
    changed_s = cluster.clock.now_s() - 10.0
    cluster.reconciler.prices = Prices(
        Quote(SMALL, 1.0, changed_s, "told"), Quote(LARGE, 0.72, changed_s, "told")
    )
    cluster.run(10)
    assert [each.offering for each in asked_for(cluster)] == [SMALL, LARGE]
    (machine,) = cluster.cloud.machines()
    assert machine.offering == LARGE


def test_a_purchase_is_not_repeated_while_its_price_cannot_be_relied_on(
    cluster: VirtualCluster,
) -> None:
    cluster.reconciler.prices = Prices(error=PriceUnavailable("the feed is out"))
    cluster.clock.advance(25 * 3600.0)
    cluster.run(5)
    assert len(asked_for(cluster)) == 1
    cluster.reconciler.prices = Prices(Quote(SMALL, 0.36, cluster.clock.now_s(), "told"))
    cluster.run(1)
    assert len(asked_for(cluster)) == 2


def test_a_purchase_is_not_repeated_while_its_offering_is_blocked(cluster: VirtualCluster) -> None:
    now_s = cluster.clock.now_s()
    cluster.reconciler.provider.blocks.block(
        SMALL, Obstacle.CAPACITY, first_s=60.0, longest_s=60.0, now_s=now_s
    )
    cluster.run(50)
    assert len(asked_for(cluster)) == 1
    cluster.run(20)
    assert len(asked_for(cluster)) == 2


def test_what_was_bought_all_the_same_is_found_though_its_purchase_is_not_repeated(
    tmp_path: Path,
) -> None:
    cluster = VirtualCluster(tmp_path, cheapest)
    job = cluster.submit()
    cluster.cloud.visible_after_s = 50.0
    cluster.cloud.fail_next(
        Operation.LAUNCH, ProviderUnavailable("the answer is lost"), is_done=True
    )
    cluster.reconciler.provider.blocks.block(LARGE, Obstacle.CAPACITY, now_s=cluster.clock.now_s())
    cluster.run(1)
    cluster.reconciler.provider.blocks.block(
        SMALL, Obstacle.CAPACITY, first_s=600.0, longest_s=600.0, now_s=cluster.clock.now_s()
    )
    cluster.run(70)
    (node,) = cluster.store.nodes.listed(job.id)
    (machine,) = cluster.cloud.machines()
    assert (node.provider_id, node.launched_at_s) == (machine.provider_id, machine.launched_at_s)
    assert len(asked_for(cluster)) == 1
