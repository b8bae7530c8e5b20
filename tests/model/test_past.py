"""Histories: which prices count within a window, and how their mean is weighed."""

from __future__ import annotations

import doctest

import pytest

from elastic.model import Capacity, Offering, PastPrice, histories, past

A, B = (Offering("c5.large", Capacity.SPOT, f"us-east-1{letter}") for letter in "ab")


def told(of: Offering, usd_per_h: float, at_s: float) -> PastPrice:
    return PastPrice(of, usd_per_h, at_s, observed_at_s=1000.0, source="told")


def test_the_numbers_in_docstrings_are_right() -> None:
    found = doctest.testmod(past)
    assert (found.attempted > 0, found.failed) == (True, 0)


def test_the_price_in_force_at_the_beginning_counts_and_older_ones_do_not() -> None:
    prices = [
        told(A, 9.0, 10.0),
        told(A, 0.2, 50.0),
        told(A, 0.4, 150.0),
        told(A, 7.0, 201.0),
        told(B, 0.3, 190.0),
    ]
    in_a, in_b = histories(prices, from_s=100.0, to_s=200.0)
    assert [each.usd_per_h for each in in_a.points] == [0.2, 0.4]
    assert (in_a.lowest_usd_per_h, in_a.highest_usd_per_h) == (0.2, 0.4)
    assert in_a.mean_usd_per_h == pytest.approx(0.3)
    assert in_b.mean_usd_per_h == 0.3, "it had no price before 190"
    assert [in_b.at(at_s) for at_s in (189.0, 190.0, 200.0)] == [None, 0.3, 0.3]


def test_what_costs_nothing_has_no_history() -> None:
    assert histories([told(A, 0.2, 300.0)], from_s=100.0, to_s=200.0) == ()
    (now,) = histories([told(A, 0.2, 200.0)], from_s=100.0, to_s=200.0)
    assert now.mean_usd_per_h == 0.2
