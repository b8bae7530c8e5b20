"""The ledger tells what the cloud bills, whenever a price or an end becomes known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.clock import ManualClock
from elastic.config import Ec2Settings
from elastic.errors import ProviderUnavailable
from elastic.pricing import PRICE_SOURCES, PriceSetup, PriceSource, Quote
from elastic.providers import Instance, Operation
from tests.pricing.price_list import entry
from tests.providers import ec2_world
from tests.providers.ec2_endpoint import Endpoint
from tests.reconciler.virtual import LARGE, SMALL, Prices, VirtualCluster, small_forever

served, endpoint = ec2_world.served, ec2_world.endpoint


def test_prices_that_changed_while_the_daemon_was_away_are_charged_for_what_ran_then(
    tmp_path: Path,
) -> None:
    clock = ManualClock(1000.0)
    cluster = VirtualCluster(tmp_path, small_forever, clock=clock)
    job = cluster.submit()
    cluster.run(10)
    (machine,) = cluster.cloud.machines()
    clock.advance(100.0)
    changed_s = clock.now_s()
    clock.advance(100.0)
    cluster.cloud.reclaim(machine.provider_id)
    clock.advance(100.0)
    cluster.restart()
    cluster.reconciler.prices = Prices(Quote(SMALL, 0.72, changed_s, "told"))
    cluster.run(1)
    rows = [
        row
        for row in cluster.store.ledger.of_job(job.id)
        if row.offering == SMALL and row.to_s is not None
    ]
    assert sum(row.usd(0.0) for row in rows) == pytest.approx(
        0.36 * (changed_s - machine.launched_at_s) / 3600 + 0.02
    )


def test_a_price_that_changes_after_a_node_was_gone_is_not_charged_for_it(tmp_path: Path) -> None:
    clock = ManualClock(1000.0)
    cluster = VirtualCluster(tmp_path, small_forever, clock=clock)
    job = cluster.submit()
    cluster.run(10)
    (machine,) = cluster.cloud.machines()
    cluster.cloud.reclaim(machine.provider_id)
    gone_s = clock.now_s()
    clock.advance(1000.0)
    cluster.reconciler.prices = Prices(Quote(SMALL, 0.72, clock.now_s(), "told"))
    clock.advance(1000.0)
    cluster.run(1)
    rows = [row for row in cluster.store.ledger.of_job(job.id) if row.to_s is not None]
    assert sum(row.usd(0.0) for row in rows) == pytest.approx(
        0.36 * (gone_s - machine.launched_at_s) / 3600
    )


def test_a_table_of_prices_that_was_edited_does_not_reprice_the_past(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, small_forever)
    job = cluster.submit()
    cluster.run(10)
    cluster.prices = {SMALL: 0.72, LARGE: 0.72}
    before_usd = cluster.store.ledger.spent(job.id, cluster.clock.now_s())
    cluster.restart()
    cluster.run(1)
    assert cluster.store.ledger.spent(job.id, cluster.clock.now_s()) == pytest.approx(
        before_usd + 0.72 / 3600
    )
    cluster.run_slowly(130)
    assert len(cluster.store.prices.listed(offering=SMALL)) == 2
    assert cluster.store.ledger.spent(job.id, cluster.clock.now_s()) == pytest.approx(
        before_usd + 131 * 0.72 / 3600
    )


def test_an_override_of_a_price_holds_from_the_start_that_read_it(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    """The list's price is as old as the list; the override's is not, though the data folder is
    older still."""
    listed = {"FormatVersion": "aws_v1", "PriceList": [json.dumps(entry("small", "0.3600000000"))]}
    first_start_s = 1_800_000_000.0
    cluster = VirtualCluster(tmp_path, small_forever, clock=ManualClock(first_start_s))

    def source(**overrides: float) -> PriceSource:
        ec2 = Ec2Settings(
            region=ec2_world.REGION, volume_usd_per_gib_month=0.0, price_overrides=overrides
        )
        return PRICE_SOURCES["ec2"](
            PriceSetup(
                started_at_s=first_start_s,
                ec2=ec2,
                offerings=lambda: (SMALL,),
                disk_gib=lambda _: 73.0,
            )
        )

    def start(**overrides: float) -> None:
        cluster.restart()
        endpoint.answer_json("GetProducts", listed)
        cluster.reconciler.prices = source(**overrides)
        cluster.run(1)

    job = cluster.submit()
    start()
    cluster.run(9)
    cluster.run_slowly(90)
    (first,) = cluster.cloud.machines()
    cluster.cloud.reclaim(first.provider_id)
    cluster.run(10)
    cluster.run_slowly(90)
    before_usd, before_s = (
        cluster.store.ledger.spent(job.id, cluster.clock.now_s()),
        cluster.clock.now_s(),
    )
    closed = [each for each in cluster.store.ledger.of_job(job.id) if each.to_s is not None]
    assert closed and before_usd == pytest.approx(0.36 * 200 / 3600, rel=0.02)
    start(small=0.18)
    start(small=0.18)
    cluster.run(8)
    cluster.run_slowly(90)
    assert [each for each in cluster.store.ledger.of_job(job.id) if each.to_s is not None][
        : len(closed)
    ] == closed
    assert [each.usd_per_h for each in cluster.store.prices.listed(offering=SMALL)] == [0.18, 0.36]
    since_usd = 0.18 * (cluster.clock.now_s() - before_s) / 3600
    assert cluster.store.ledger.spent(job.id, cluster.clock.now_s()) == pytest.approx(
        before_usd + since_usd
    )


def test_a_machine_is_charged_from_when_its_provider_bills_it_and_its_disk_from_its_launch(
    tmp_path: Path,
) -> None:
    cluster = VirtualCluster(tmp_path, small_forever)
    cluster.reconciler.prices = Prices(Quote(SMALL, 0.36, 0.0, "told", extras_usd_per_h=0.036))
    seen = cluster.cloud.visible

    def pending() -> tuple[Instance, ...]:
        return tuple(replace(each, billed_from_s=each.launched_at_s + 3.0) for each in seen())

    cluster.cloud.visible = pending  # type: ignore[method-assign]
    job = cluster.submit()
    cluster.run(13)
    (machine,) = cluster.cloud.machines()
    lasted_s = cluster.clock.now_s() - machine.launched_at_s
    usd = (3.0 * 0.036 + (lasted_s - 3.0) * 0.36) / 3600
    assert cluster.store.ledger.spent(job.id, cluster.clock.now_s()) == pytest.approx(usd)


def test_a_machine_keeps_the_disk_that_it_was_bought_with_whatever_later_ones_get(
    tmp_path: Path,
) -> None:
    """A daemon that was started anew with larger disks, and a price that changes: what lives has
    its old disk."""
    cluster = VirtualCluster(tmp_path, small_forever)
    cluster.reconciler.prices = Prices(Quote(SMALL, 0.38, 0.0, "told", extras_usd_per_h=0.02))
    job = cluster.submit()
    cluster.run(10)
    restarted_s = cluster.clock.now_s()
    cluster.restart()
    cluster.reconciler.prices = Prices(
        Quote(SMALL, 0.56, restarted_s, "told", extras_usd_per_h=0.2)
    )
    cluster.run(100)
    rows = cluster.store.ledger.of_job(job.id)
    assert {(round(each.usd_per_h, 9), each.extras_usd_per_h) for each in rows} == {(0.38, 0.02)}
    changed_s = cluster.clock.now_s()
    cluster.reconciler.prices = Prices(Quote(SMALL, 0.66, changed_s, "told", extras_usd_per_h=0.2))
    cluster.run(100)
    (machine,) = cluster.cloud.machines()
    now_s = cluster.clock.now_s()
    usd = (0.38 * (changed_s - machine.launched_at_s) + 0.48 * (now_s - changed_s)) / 3600
    assert cluster.store.ledger.spent(job.id, now_s) == pytest.approx(usd)
    cluster.cloud.reclaim(machine.provider_id)
    cluster.run(10)
    second = cluster.store.ledger.of_job(job.id)[-1]
    assert (second.usd_per_h, second.extras_usd_per_h) == (0.66, 0.2), "which has the larger disk"


def test_a_purchase_that_was_repeated_before_its_machines_were_listed_is_charged_from_its_first_asking(
    tmp_path: Path,
) -> None:
    """As on EC2, the answer to a repetition does not tell when its machines were bought; the list
    does, later."""
    cluster = VirtualCluster(tmp_path, small_forever)
    cluster.cloud.visible_after_s = 40.0
    job = cluster.submit()
    cluster.cloud.fail_next(
        Operation.LAUNCH, ProviderUnavailable("the answer is lost"), is_done=True
    )
    cluster.run(1)
    cluster.clock.advance(20.0)
    (machine,) = cluster.cloud.machines()
    (node,) = cluster.store.nodes.listed(job.id)
    cluster.store.nodes.launched(
        node.id, machine.provider_id, launched_at_s=cluster.clock.now_s(), minimum_s=0.0
    )
    cluster.run(60)
    (node,) = cluster.store.nodes.listed(job.id)
    assert node.launched_at_s == machine.launched_at_s
    lasted_s = cluster.clock.now_s() - machine.launched_at_s
    assert cluster.store.ledger.spent(job.id, cluster.clock.now_s()) == pytest.approx(
        0.36 * lasted_s / 3600
    )
