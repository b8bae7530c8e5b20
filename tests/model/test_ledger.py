from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from elastic.model import (
    BillingPeriod,
    DoubtedPrice,
    LedgerRow,
    Offering,
    Price,
    Stretch,
    stretches,
    surcharge_usd,
)

SMALL = Offering("small")
PRICES = st.lists(
    st.tuples(st.integers(0, 300), st.integers(1, 50)),
    min_size=1,
    max_size=6,
    unique_by=lambda change: change[0],
).map(
    lambda changes: tuple(
        Price(number, SMALL, cents / 100 + 0.01, float(at_s), float(at_s), "told", 0.01)
        for number, (at_s, cents) in enumerate(sorted(changes))
    )
)
BILLING_PERIODS = st.builds(
    lambda from_s, lasts_s, minimum_s, pending_s, is_waived: BillingPeriod(
        float(from_s),
        float(from_s + lasts_s),
        float(minimum_s),
        float(from_s + pending_s),
        is_waived,
    ),
    st.integers(0, 200),
    st.integers(0, 200),
    st.sampled_from([0, 60]),
    st.integers(0, 30),
    st.booleans(),
)


def usd(chain: tuple[Stretch, ...], now_s: float = 0.0) -> float:
    return sum(row_of(each).usd(now_s) for each in chain)


def row_of(stretch: Stretch) -> LedgerRow:
    return LedgerRow(
        1,
        "job",
        "node",
        SMALL,
        stretch.price.id,
        stretch.price.usd_per_h,
        stretch.from_s,
        stretch.to_s,
        stretch.minimum_s,
        stretch.price.extras_usd_per_h,
        stretch.is_waived,
    )


def second_by_second_usd(billing_period: BillingPeriod, prices: tuple[Price, ...]) -> float:
    """What the rules say, said another way: each second on its own, then what is missing of the
    minimum."""
    assert billing_period.to_s is not None
    total = 0.0
    ran = 0
    billed_from_s = min(billing_period.billed_from_s or billing_period.from_s, billing_period.to_s)
    for second in range(int(billing_period.from_s), int(billing_period.to_s)):
        price = ([each for each in prices if each.valid_from_s <= second] or [prices[0]])[-1]
        is_billed = second >= billed_from_s and not billing_period.is_waived
        ran += second >= billed_from_s
        total += price.usd_per_h if is_billed else price.extras_usd_per_h
    ended_s = billing_period.to_s if ran == 0 else billing_period.to_s - 1
    last = ([each for each in prices if each.valid_from_s <= ended_s] or [prices[0]])[-1]
    short_s = max(billing_period.minimum_s - ran, 0.0)
    if ran > 0:
        total += short_s * (last.extras_usd_per_h if billing_period.is_waived else last.usd_per_h)
    return total / 3600


@given(BILLING_PERIODS, PRICES)
def test_a_chain_costs_what_its_seconds_cost_one_by_one(
    billing_period: BillingPeriod, prices: tuple[Price, ...]
) -> None:
    ran_s = (billing_period.to_s or 0.0) - max(
        billing_period.billed_from_s or 0.0, billing_period.from_s
    )
    if ran_s <= 0:
        return  # never ran: only its disk costs, for as long as it was there
    assert (
        abs(usd(stretches(billing_period, prices)) - second_by_second_usd(billing_period, prices))
        < 1e-9
    )


@given(BILLING_PERIODS, PRICES)
def test_no_second_is_missing_and_none_is_there_twice(
    billing_period: BillingPeriod, prices: tuple[Price, ...]
) -> None:
    chain = stretches(billing_period, prices)
    assert (chain[0].from_s, chain[-1].to_s) == (billing_period.from_s, billing_period.to_s)
    assert all(one.to_s == other.from_s for one, other in pairwise(chain))


@given(BILLING_PERIODS, PRICES)
def test_a_machine_that_still_runs_has_one_open_stretch_the_last(
    billing_period: BillingPeriod, prices: tuple[Price, ...]
) -> None:
    chain = stretches(replace(billing_period, to_s=None), prices)
    assert [each.to_s is None for each in chain] == [False] * (len(chain) - 1) + [True]


def test_pending_costs_disk_and_address_alone() -> None:
    price = Price(1, SMALL, 3.6, 0.0, 0.0, "told", 0.36)
    chain = stretches(BillingPeriod(0.0, 100.0, 60.0, billed_from_s=10.0), (price,))
    assert abs(usd(chain) - (10 * 0.36 + 90 * 3.6) / 3600) < 1e-9


def test_what_the_provider_waives_costs_disk_and_address_alone() -> None:
    price = Price(1, SMALL, 3.6, 0.0, 0.0, "told", 0.36)
    assert (
        abs(
            usd(stretches(BillingPeriod(0.0, 100.0, 60.0, is_waived=True), (price,)))
            - 100 * 0.36 / 3600
        )
        < 1e-9
    )


def test_a_doubted_price_adds_nothing_to_another_offering_nor_to_what_the_provider_waives() -> None:
    row = row_of(Stretch(Price(1, SMALL, 0.36, 0.0, 0.0, "told"), 0.0, 100.0))
    doubt = DoubtedPrice(SMALL, 3.6, since_s=0.0)
    assert (
        abs(surcharge_usd([row, replace(row, offering=Offering("large"))], [doubt], 100.0) - 0.09)
        < 1e-9
    )
    assert surcharge_usd([replace(row, is_waived=True)], [doubt], 100.0) == 0.0
