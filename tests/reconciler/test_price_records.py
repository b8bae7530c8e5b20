"""Prices that are not believed: they count against budgets where they are higher, and are believed
in the end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.model import Capacity, DoubtedPrice, JobPhase, Objective, Offering
from elastic.policy import decide
from elastic.pricing import Quote
from elastic.reconciler import offered_or_held
from elastic.reconciler.price_records import MEASURE_S, PriceRecords
from elastic.store import Store, open_store
from tests.empty_database import lay_out
from tests.reconciler.virtual import LARGE, SMALL, Prices, VirtualCluster

USD = 0.36
SPOT = Offering("small", Capacity.SPOT)


def quote(usd_per_h: float, at_s: float, of: Offering = SMALL) -> Quote:
    return Quote(of, usd_per_h, at_s, "told")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(lay_out(tmp_path / "elasticd.db"))


@pytest.fixture
def records(store: Store) -> PriceRecords:
    records = PriceRecords(store)
    records.refresh(Prices(quote(USD, 0.0), quote(USD, 0.0, SPOT)), now_s=100.0)
    return records


def test_a_jump_upward_is_doubted_from_when_the_price_before_it_was_heard_last(
    records: PriceRecords,
) -> None:
    records.refresh(Prices(quote(10 * USD, 50.0)), now_s=160.0)
    assert records.doubted == (DoubtedPrice(SMALL, 10 * USD, since_s=100.0),)
    records.refresh(Prices(quote(9 * USD, 200.0)), now_s=220.0)
    assert records.doubted == (DoubtedPrice(SMALL, 9 * USD, since_s=100.0),), (
        "one doubt, whatever it says by now"
    )


def test_a_jump_downward_and_what_is_no_price_are_not_counted(records: PriceRecords) -> None:
    foreign = replace(quote(10 * USD, 150.0), doubt="wanted a price in USD, got one in CNY")
    records.refresh(
        Prices(quote(USD / 10, 150.0), foreign, quote(float("nan"), 150.0), quote(-5.0, 150.0)),
        now_s=160.0,
    )
    assert records.doubted == ()


def test_a_doubt_is_over_when_a_price_is_believed_again_and_not_when_the_feed_is_silent(
    records: PriceRecords,
) -> None:
    records.refresh(Prices(quote(10 * USD, 150.0)), now_s=160.0)
    records.refresh(Prices(), now_s=170.0)
    assert records.doubted
    records.refresh(Prices(quote(1.1 * USD, 180.0)), now_s=190.0)
    assert records.doubted == ()


def test_a_jump_that_was_over_before_it_was_heard_of_is_no_doubt(records: PriceRecords) -> None:
    records.refresh(Prices(quote(10 * USD, 110.0), quote(USD, 120.0)), now_s=160.0)
    assert records.doubted == ()


def test_what_is_not_believed_is_known_until_a_later_price_is_believed(
    records: PriceRecords,
) -> None:
    jump, nothing = quote(10 * USD, 150.0), quote(float("nan"), 150.0, SPOT)
    records.refresh(Prices(jump, nothing), now_s=160.0)
    assert [each.quote for each in records.disbelieved] == [jump, nothing]
    assert "5-fold" in records.disbelieved[0].reason
    records.refresh(Prices(quote(1.1 * USD, 180.0), nothing), now_s=190.0)
    assert [each.quote for each in records.disbelieved] == [nothing]


def test_past_prices_that_a_source_tells_again_do_not_hold_again(
    records: PriceRecords, store: Store
) -> None:
    history = Prices(quote(USD, 0.0), quote(1.2 * USD, 110.0), quote(1.4 * USD, 120.0))
    for now_s in (160.0, 170.0):
        records.refresh(history, now_s=now_s)
        held = sorted(
            (each.valid_from_s, each.usd_per_h) for each in store.prices.in_force(now_s, depth=9)
        )
        assert held == [(0.0, USD), (0.0, USD), (110.0, 1.2 * USD), (120.0, 1.4 * USD)], (
            "the first for spot as well"
        )


def test_a_jump_is_believed_once_the_price_before_it_was_not_heard_for_a_week(
    records: PriceRecords, store: Store
) -> None:
    jump = Prices(quote(10 * USD, 150.0), quote(10 * USD, 150.0, SPOT))
    records.refresh(jump, now_s=100.0 + MEASURE_S)
    assert {each.usd_per_h for each in store.prices.in_force(100.0 + MEASURE_S)} == {USD}
    assert {each.offering for each in records.doubted} == {SMALL, SPOT}
    later_s = 101.0 + MEASURE_S
    records.refresh(jump, now_s=later_s)
    assert {(each.usd_per_h, each.valid_from_s) for each in store.prices.in_force(later_s)} == {
        (10 * USD, 150.0)
    }, "and what it cost since is charged"
    assert records.doubted == ()


def test_a_day_of_a_wrong_feed_moves_nothing_and_is_over_at_the_first_true_answer(
    tmp_path: Path,
) -> None:
    cluster = VirtualCluster(tmp_path, decide)
    cluster.submit()
    cluster.run(20)
    bought = {each.id for each in cluster.store.nodes.listed(include_gone=True)}
    true = cluster.reconciler.prices
    began_s = cluster.clock.now_s()
    wrong = {SMALL: 0.01, LARGE: 30.0}
    cluster.reconciler.prices = Prices(
        *(quote(usd_per_h, began_s - 50.0, of) for of, usd_per_h in wrong.items())
    )
    while cluster.clock.now_s() < began_s + 86_400.0:
        cluster.clock.advance(600.0)
        cluster.run(1)
    rows = [
        row for each in cluster.store.jobs.listed() for row in cluster.store.ledger.of_job(each.id)
    ]
    assert not {row.usd_per_h for row in rows} & set(wrong.values())
    recorded = {each.usd_per_h for each in cluster.store.prices.listed(limit=1000)}
    assert not recorded & set(wrong.values())
    new = {each.id for each in cluster.store.nodes.listed(include_gone=True)} - bought
    assert not new, "nothing is bought while no price can be trusted"
    cluster.reconciler.prices = true
    cluster.run(1)
    now_s = cluster.clock.now_s()
    heard = {each.offering: each.observed_at_s for each in cluster.store.prices.in_force(now_s)}
    assert all(now_s - at_s < 60.0 for at_s in heard.values()), "right again at once"


def test_a_job_is_stopped_where_its_budget_would_not_last_if_the_jump_is_true(
    tmp_path: Path,
) -> None:
    cluster = VirtualCluster(tmp_path, decide)
    job = cluster.submit(objective=Objective(budget_usd=1.0))
    cluster.run(20)
    assert cluster.store.jobs.get(job.id).phase is not JobPhase.DRAINING
    cluster.reconciler.prices = Prices(
        *(quote(20 * USD, cluster.clock.now_s(), of) for of in (SMALL, LARGE))
    )
    cluster.run(10)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.BUDGET_EXHAUSTED
    assert "not believed yet" in (cluster.store.jobs.get(job.id).message or "")
    cited = {row.usd_per_h for row in cluster.store.ledger.of_job(job.id)}
    assert max(cited) < 20 * USD, "the ledger cites believed prices only"


def test_what_is_sold_no_longer_is_priced_for_as_long_as_a_machine_of_it_lives(
    cluster: VirtualCluster,
) -> None:
    priced = offered_or_held(lambda: (LARGE,), cluster.store)
    assert priced() == (LARGE, SMALL)
    cluster.store.jobs.request_stop(
        cluster.store.jobs.listed()[0].id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s()
    )
    cluster.run(10)
    assert priced() == (LARGE,)
