"""Each kind of number is written by one rule, and by one module."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elastic.figures import (
    ago,
    count,
    duration,
    instant,
    moment,
    number,
    percent,
    price,
    size,
    span,
    usd,
)
from tests import figures

ROOT = Path(__file__).parents[1]

# What writes a number for a person without `elastic.figures`.
_BY_HAND = re.compile(
    r"""
    \{[^{}]*:[^{}:]*\.?\d*[fg]\}[ ](s|min|h|d|it/s|it/\$|GiB|MiB|KiB|MB|days|USD)\b  # {x:.0f} s
    | \$\{[^{}]*:[^{}]*\}             # ${x:.2f}
    | \{[^{}]*:[^{}:]*%\}             # {x:.0%}
    | \}[ ]?(GiB|MiB|KiB|MB)\b
    | \.strftime\( | \.isoformat\( | fromtimestamp\([^()]*\):
    """,
    re.VERBOSE,
)
# What is not written by the rules, and why.
_EXEMPT = {
    "elastic/figures.py": "the rules",
    "elastic/config.py": "settings are shown as they are typed",
    "elastic_lab/imds.py": "speaks as EC2 does",
    "elastic_lab/price_list.py": "speaks as EC2 does",
    "elastic/providers/ec2/images.py": "sizes of disks as EC2 gives them and settings name them",
    "elastic/providers/ec2/account/machines.py": "sizes of disks as settings name them",
    "api/accounts.py": "days as keys of the API",
    "elastic/workloads/torchrun_state.py": "instants that torchrun reads again",
    "api/job_document.py": "the instant that was typed",
}


@pytest.mark.parametrize(("value", "text"), figures.USD.items())
def test_dollars_have_cents_or_three_figures(value: float, text: str) -> None:
    assert usd(value) == text


@given(st.floats(min_value=1e-6, max_value=1e9, allow_nan=False))
def test_dollars_are_off_by_half_a_percent_or_half_a_cent_at_most(value: float) -> None:
    shown = float(usd(value).replace("$", "").replace(",", ""))
    assert shown > 0
    assert abs(shown - value) <= (
        0.00501 * value if value < 1 else 0.00501 if value < 999.99 else 0.501
    )


@given(st.floats(min_value=1e-6, max_value=100.0, allow_nan=False))
def test_a_price_is_off_by_half_a_thousandth_at_most(value: float) -> None:
    assert float(price(value).replace("$", "")) == pytest.approx(value, rel=0.000501)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.10851, "$0.1085"),
        (0.5, "$0.50"),
        (1.0043, "$1.004"),
        (3.06, "$3.06"),
        (9.99996, "$10.00"),
        (24.481, "$24.48"),
    ],
)
def test_a_price_has_four_figures_and_at_least_cents(value: float, text: str) -> None:
    assert price(value) == text


@pytest.mark.parametrize(("value", "text"), figures.NUMBERS.items())
def test_a_number_has_three_figures(value: float, text: str) -> None:
    assert number(value) == text


@given(st.floats(min_value=1e-9, max_value=1e12, allow_nan=False))
def test_a_number_keeps_its_three_figures(value: float) -> None:
    assert float(number(value).replace(",", "")) == pytest.approx(value, rel=0.00501)


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.0, "0 %"),
        (0.0004, "0.04 %"),
        (0.042, "4.2 %"),
        (0.0996, "10 %"),
        (0.364, "36 %"),
        (1.37, "137 %"),
        (-0.36, "-36 %"),
    ],
)
def test_a_share_has_whole_percent_or_two_figures(ratio: float, text: str) -> None:
    assert percent(ratio) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.2431, "0.24 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.5, "1 min"),
        (60, "1 min"),
        (183, "3 min 3 s"),
        (3599.4, "59 min 59 s"),
        (3599.6, "1 h"),
        (7199, "2 h"),
        (86_369, "23 h 59 min"),
        (86_371, "1 d"),
        (90_000, "1 d 1 h"),
        (100_000_000, "1,157 d 10 h"),
        (-183, "-3 min 3 s"),
    ],
)
def test_a_duration_names_its_two_greatest_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@given(st.floats(min_value=0.0, max_value=1e9))
def test_a_duration_is_off_by_half_of_its_smaller_unit_at_most(seconds: float) -> None:
    units_s = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
    parts = re.findall(r"([\d.,]+) (s|min|h|d)\b", duration(seconds))
    shown_s = sum(float(amount.replace(",", "")) * units_s[unit] for amount, unit in parts)
    smaller_s = 1.0 if seconds < 3600 else 60.0 if seconds < 86_400 else 3600.0
    assert len(parts) <= 2
    assert abs(shown_s - seconds) <= smaller_s / 2


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (16 << 20, "16 MiB"),
        (5 << 40, "5 TiB"),
    ],
)
def test_a_size_is_a_power_of_1024(size_bytes: int, text: str) -> None:
    assert size(size_bytes) == text


def test_instants_are_utc() -> None:
    assert instant(1_700_000_000.9) == "2023-11-14T22:13:20Z"
    assert ago(1000.0, 1000.5) == "just now"
    assert ago(1000.0, 1003.7) == "4 s ago"
    assert ago(0.0, 90_000.0) == "1 d 1 h ago"
    assert ago(183.0, 0.0) == "in 3 min 3 s"


@pytest.mark.parametrize(("instants", "text"), figures.MOMENTS.items())
def test_an_instant_of_another_day_has_its_date(instants: tuple[float, float], text: str) -> None:
    assert moment(*instants) == text


def test_an_interval_has_both_ends_and_a_count_all_digits() -> None:
    assert span(0.01, 0.5, usd) == "$0.01 to $0.50"
    assert count(1_234_567) == "1,234,567"


@pytest.mark.parametrize(
    "line",
    [
        'f"for {left_s:.0f} s now"',
        'f"${spent_usd:.4g} spent"',
        'f"{share:.0%} late"',
        'f"{free / _GIB:.1f} GiB free"',
        'f"{1 / step_s:.3g} it/s"',
        'f"at {datetime.fromtimestamp(at_s, UTC):%H:%M}"',
        'at.strftime("%H:%M")',
    ],
)
def test_a_number_written_by_hand_is_found(line: str) -> None:
    assert _BY_HAND.search(line)


def test_no_other_module_writes_numbers_by_hand() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{at}: {line.strip()}"
        for room in ("elastic", "elastic_lab", "api", "examples/demo")
        for path in sorted((ROOT / room).rglob("*.py"))
        if not str(path.relative_to(ROOT)).startswith(tuple(_EXEMPT))
        for at, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if _BY_HAND.search(line)
    ]
    assert found == []
