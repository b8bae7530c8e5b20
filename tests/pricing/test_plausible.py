import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elastic.model import Offering
from elastic.pricing import GREATEST_JUMP, Quote, sift, why_implausible, why_impossible

SMALL, LARGE = Offering("small"), Offering("large")

prices = st.floats(min_value=1e-4, max_value=1e4)
anything = st.floats(allow_nan=True, allow_infinity=True)


@pytest.mark.parametrize("usd_per_h", [0.0, -0.0, -0.1, math.nan, math.inf, -math.inf])
def test_no_offering_costs_nothing_or_less_or_no_number(usd_per_h: float) -> None:
    assert why_impossible(usd_per_h) is not None
    assert why_implausible(usd_per_h, None) is not None
    assert why_implausible(usd_per_h, 0.1) is not None


def test_a_first_price_may_be_anything_positive() -> None:
    assert why_implausible(1000.0, None) is None


@pytest.mark.parametrize(
    ("before", "after"), [(0.1, 0.5), (0.5, 0.1), (0.06, 0.3), (0.3, 0.06), (0.1, 0.1)]
)
def test_a_change_up_to_the_bound_is_believed(before: float, after: float) -> None:
    assert why_implausible(after, before) is None


@pytest.mark.parametrize(("before", "after"), [(0.1, 0.51), (0.51, 0.1), (0.17, 1.7), (1.7, 0.17)])
def test_a_change_beyond_the_bound_is_not_believed_in_either_direction(
    before: float, after: float
) -> None:
    reason = why_implausible(after, before)
    assert reason is not None
    assert str(after) in reason
    assert str(before) in reason


def test_a_quarantined_quote_does_not_become_the_measure_of_the_next() -> None:
    slipped, right = Quote(SMALL, 10.0, 1.0, "s"), Quote(SMALL, 0.12, 2.0, "s")
    sifted = sift([slipped, right], {SMALL: 0.1})
    assert sifted.believed == (right,)
    assert [q.quote for q in sifted.quarantined] == [slipped]


def test_a_believed_quote_becomes_the_measure_of_the_next() -> None:
    quotes = [Quote(SMALL, usd_per_h, 0.0, "s") for usd_per_h in (0.4, 1.6, 6.4)]
    assert sift(quotes, {SMALL: 0.1}).believed == tuple(quotes)


def test_offerings_are_judged_apart() -> None:
    quote = Quote(LARGE, 5.0, 0.0, "s")
    assert sift([quote], {SMALL: 0.1}).believed == (quote,)


@given(
    st.lists(st.tuples(st.sampled_from([SMALL, LARGE]), anything)),
    st.dictionaries(st.just(SMALL), prices),
)
def test_no_quote_is_lost_and_only_usable_ones_are_believed(
    raw: list[tuple[Offering, float]], in_force: dict[Offering, float]
) -> None:
    quotes = [
        Quote(offering, usd_per_h, float(n), "s") for n, (offering, usd_per_h) in enumerate(raw)
    ]
    sifted = sift(quotes, in_force)
    assert len(sifted.believed) + len(sifted.quarantined) == len(quotes)
    assert all(math.isfinite(q.usd_per_h) and q.usd_per_h > 0 for q in sifted.believed)
    assert all(q.reason for q in sifted.quarantined)


@given(prices, prices)
def test_a_jump_is_as_implausible_backwards_as_forwards(one: float, other: float) -> None:
    assert (why_implausible(one, other) is None) is (why_implausible(other, one) is None)
    assert (why_implausible(one, other) is None) is (
        max(one / other, other / one) <= GREATEST_JUMP * (1 + 1e-9)
    )


def test_what_its_source_doubts_is_quarantined_and_nothing_is_compared_with_it() -> None:
    sound, doubted = (
        Quote(Offering("small"), 0.1, 1.0, "s"),
        Quote(Offering("small"), 99.0, 0.0, "s", doubt="wrong currency"),
    )
    sifted = sift([doubted, sound], {})
    assert sifted.believed == (sound,)
    assert [each.reason for each in sifted.quarantined] == ["wrong currency"]


def test_what_a_person_said_is_no_slip_of_a_feed_and_no_price_all_the_same() -> None:
    said = [Quote(SMALL, usd_per_h, 1.0, "static", is_configured=True) for usd_per_h in (5.0, 0.0)]
    sifted = sift(said, {SMALL: 0.1})
    assert sifted.believed == (said[0],)
    assert [each.quote for each in sifted.quarantined] == [said[1]]
