"""What prices look like in a terminal."""

from __future__ import annotations

import doctest

from elastic.cli import market


def test_the_numbers_in_docstrings_are_right() -> None:
    assert doctest.testmod(market).failed == 0


def test_a_price_that_never_changed_is_a_flat_line() -> None:
    told = [{"valid_from_s": 0.0, "usd_per_h": 0.1}]
    assert market.sparkline({"from_s": 5.0, "to_s": 9.0, "points": told}, width=3) == "▁▁▁"
