import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.dashboard.format import ago, count, duration, moment, percent, quantity, usd

sums = st.floats(min_value=1e-6, max_value=1e9, allow_nan=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "$0"), (0.0012, "$0.0012"), (0.00099999, "$0.001"), (0.999, "$0.999"), (0.9999, "$1.00"), (999.995, "$1,000")],
)
def test_money_has_cents_or_three_digits(value: float, text: str) -> None:
    assert usd(value).replace("$1,000.00", "$1,000") == text


@given(sums)
def test_money_is_off_by_less_than_half_a_percent_or_half_a_cent(value: float) -> None:
    shown = float(usd(value).replace("$", "").replace(",", ""))
    assert abs(shown - value) <= max(
        0.0051 * min(value, 1.0), 0.0051 if value >= 1 else 0.0, 0.51 if value >= 999 else 0
    )


@given(st.floats(min_value=1e-9, max_value=1e12, allow_nan=False))
def test_a_quantity_keeps_three_digits(value: float) -> None:
    shown = float(quantity(value).replace(",", ""))
    assert shown == pytest.approx(value, rel=0.00501)


def test_a_loss_has_a_real_minus_sign() -> None:
    assert usd(-0.25) == "−$0.25"
    assert percent(-0.36) == "−36 %"
    assert quantity(-41.2) == "−41.2"


def test_a_sum_too_small_to_show_says_so() -> None:
    assert usd(1e-9) == "<$0.000001"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (9.99, "9.99 s"), (59.4, "59 s"), (60, "1 min"), (3600, "1 h"), (86_400, "1 d")]
)
def test_a_duration_names_its_two_greatest_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_instants_are_near_or_dated() -> None:
    assert ago(1000.0, 1000.5) == "just now"
    assert ago(0.0, 90_000.0) == "1 d ago"
    assert moment(1_700_000_000, 1_700_000_060) == "22:13:20"
    assert moment(1_700_000_000, 1_700_100_000) == "14 Nov 22:13"


def test_a_count_has_its_thousands_apart() -> None:
    assert count(1_234_567) == "1,234,567"
