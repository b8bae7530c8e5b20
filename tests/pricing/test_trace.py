import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elastic.errors import InvalidInput
from elastic.model import Offering
from elastic.pricing import (
    PRICE_SOURCES,
    PriceSetup,
    PriceSource,
    Quote,
    TracePrices,
    TraceRow,
    read_trace,
    sift,
)
from tests.pricing.contract import PriceSourceContract

HALF, QUARTER = Offering("half"), Offering("quarter")
EXAMPLES = Path(__file__).parents[2] / "examples" / "prices"

ROWS = (
    TraceRow(HALF, 0.06, after_s=0),
    TraceRow(QUARTER, 0.036, after_s=0),
    TraceRow(HALF, 0.15, after_s=90),
    TraceRow(HALF, 0.10, after_s=120),
)


class TestTracePrices(PriceSourceContract):
    @pytest.fixture
    def source(self) -> PriceSource:
        return TracePrices(ROWS, started_at_s=1000.0)

    @pytest.fixture
    def now_s(self) -> float:
        return 1100.0


def _usd_per_h(quotes: tuple[Quote, ...]) -> list[tuple[str, float]]:
    return [(quote.offering.node_type, quote.usd_per_h) for quote in quotes]


def test_prices_change_when_the_trace_says() -> None:
    source = TracePrices(ROWS, started_at_s=1000.0)
    assert _usd_per_h(source.refresh(1000.0)) == [("half", 0.06), ("quarter", 0.036)]
    assert _usd_per_h(source.refresh(1089.0)) == [("half", 0.06), ("quarter", 0.036)]
    assert _usd_per_h(source.refresh(1090.0)) == [("quarter", 0.036), ("half", 0.15)]


def test_a_price_that_came_and_went_between_two_calls_is_not_missed() -> None:
    source = TracePrices(ROWS, started_at_s=1000.0)
    source.refresh(1000.0)
    assert _usd_per_h(source.refresh(2000.0)) == [
        ("quarter", 0.036),
        ("half", 0.15),
        ("half", 0.10),
    ]


def test_the_first_call_in_mid_replay_gives_what_is_in_force_only() -> None:
    source = TracePrices(ROWS, started_at_s=1000.0)
    assert _usd_per_h(source.refresh(1200.0)) == [("half", 0.10), ("quarter", 0.036)]


@pytest.mark.parametrize("observed_to_s", [None, 1150.0])
def test_what_changed_before_anybody_heard_of_it_holds_from_the_first_call_or_the_last_one_before(
    observed_to_s: float | None,
) -> None:
    source = TracePrices(ROWS, started_at_s=1000.0, observed_to_s=observed_to_s)
    known_from_s = observed_to_s or 1200.0
    wanted = (
        Quote(HALF, 0.10, known_from_s, "trace"),
        Quote(QUARTER, 0.036, known_from_s, "trace"),
    )
    assert source.refresh(1200.0) == source.refresh(1300.0) == wanted


def test_quotes_nothing_before_the_replay_starts() -> None:
    assert TracePrices(ROWS, started_at_s=1000.0).refresh(999.0) == ()


def test_a_faster_replay_reaches_each_change_sooner() -> None:
    source = TracePrices(ROWS, started_at_s=1000.0, speed=10.0)
    assert _usd_per_h(source.refresh(1009.0))[0] == ("half", 0.15)


def test_rows_at_an_instant_heed_neither_start_nor_speed() -> None:
    source = TracePrices([TraceRow(HALF, 0.2, at_s=50.0)], started_at_s=1000.0, speed=10.0)
    assert source.refresh(50.0) == (Quote(HALF, 0.2, 50.0, "trace"),)


def test_the_later_of_two_rows_for_one_instant_counts() -> None:
    source = TracePrices(
        [TraceRow(HALF, 0.2, after_s=0), TraceRow(HALF, 0.3, after_s=0)], started_at_s=0.0
    )
    assert _usd_per_h(source.refresh(10.0)) == [("half", 0.3)]


@pytest.mark.parametrize("speed", [0.0, -1.0, math.nan, math.inf])
def test_a_replay_needs_a_pace(speed: float) -> None:
    with pytest.raises(InvalidInput, match="speed"):
        TracePrices(ROWS, started_at_s=0.0, speed=speed)


rows = st.lists(
    st.builds(
        TraceRow,
        st.sampled_from([HALF, QUARTER]),
        st.floats(0.01, 10.0),
        after_s=st.integers(0, 50).map(float),
    )
)


@given(rows, st.lists(st.integers(0, 60).map(float), min_size=1))
def test_however_often_it_is_asked_each_change_after_the_first_call_is_told(
    trace: list[TraceRow], calls_s: list[float]
) -> None:
    ordered_s = sorted(calls_s)
    source = TracePrices(trace, started_at_s=0.0)
    told = Counter(quote for call_s in ordered_s for quote in set(source.refresh(call_s)))
    at_once = TracePrices(trace, started_at_s=0.0)
    at_once.refresh(ordered_s[0])
    assert set(told) == set(TracePrices(trace, started_at_s=0.0).refresh(ordered_s[0])) | set(
        at_once.refresh(ordered_s[-1])
    )


def test_settings_find_it_by_name_and_the_table_holds_until_the_trace_names_an_offering(
    tmp_path: Path,
) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("after_s,node_type,usd_per_h\n60,half,0.15\n")
    setup = PriceSetup(started_at_s=1000.0, usd_per_h={HALF: 0.06, QUARTER: 0.036}, trace=path)
    source = PRICE_SOURCES["trace"](setup)
    assert _usd_per_h(source.refresh(1000.0)) == [("half", 0.06), ("quarter", 0.036)]
    assert _usd_per_h(source.refresh(1060.0)) == [("quarter", 0.036), ("half", 0.15)]


def test_settings_that_want_a_trace_must_name_it() -> None:
    with pytest.raises(InvalidInput, match="price_trace"):
        PRICE_SOURCES["trace"](PriceSetup(started_at_s=0.0))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.csv")), ids=lambda path: path.name)
def test_the_examples_replay_and_are_plausible(path: Path) -> None:
    source = TracePrices(read_trace(path), started_at_s=0.0)
    first = source.refresh(0.0)
    sifted = sift(source.refresh(1e6), {quote.offering: quote.usd_per_h for quote in first})
    assert first
    assert sifted.quarantined == ()
