from __future__ import annotations

import pytest

from elastic.model import Group, LedgerRow, Trained
from elastic.policy import as_it_was, fixed_choices
from tests.builders import NOW_S, group, offering, price, prices

PRICES = prices({"local.half": 3.6, "local.full": 7.2}, valid_from_s=NOW_S)


def did(of: str | Group, step_s: float, phase: str = "main") -> Trained:
    return Trained(group(of) if isinstance(of, str) else of, phase, 40, 40 * step_s)


def test_the_cheapest_choice_comes_first_and_the_dearest_last() -> None:
    measured = (did("local.full", 1.0), did("local.half", 1.5))

    best, worst = fixed_choices(
        measured, PRICES, iterations={"main": 1000}, started_at_s=NOW_S, start_up_s=100
    )

    assert (best.group, worst.group) == (group("local.half"), group("local.full"))
    assert [best.usd, best.lasts_s] == pytest.approx([1.6, 1600])
    assert [worst.usd, worst.lasts_s] == pytest.approx([2.2, 1100])
    assert best.estimated_phases == ()


def test_each_price_counts_while_it_holds() -> None:
    # 200 s at 3.6, 300 s at 7.2, the rest at 1.8 USD an hour; a price of before the start is
    # overtaken by then.
    history = [
        price("local.half", 99.0, price_id=1, valid_from_s=NOW_S - 500),
        price("local.half", 3.6, price_id=2, valid_from_s=NOW_S - 100),
        price("local.half", 1.8, price_id=4, valid_from_s=NOW_S + 500),
        price("local.half", 7.2, price_id=3, valid_from_s=NOW_S + 200),
        price("local.half", 99.0, price_id=5, valid_from_s=NOW_S + 5000),
    ]

    (choice,) = fixed_choices(
        [did("local.half", 1.0)], history, iterations={"main": 1000}, started_at_s=NOW_S
    )

    assert choice.usd == pytest.approx(0.2 + 0.6 + 0.25)
    assert [each for bend in choice.bends for each in bend] == pytest.approx([200, 0.2, 500, 0.8])
    assert [choice.usd_after(share) for share in (0.0, 0.1, 0.35, 1.0)] == pytest.approx(
        [0.0, 0.1, 0.5, 1.05]
    )


def test_a_choice_with_nothing_to_do_costs_nothing() -> None:
    (choice,) = fixed_choices([did("local.half", 1.0)], PRICES, iterations={}, started_at_s=NOW_S)

    assert (choice.usd, choice.lasts_s, choice.usd_after(0.5)) == (0.0, 0.0, 0.0)


def test_every_node_of_a_group_is_paid() -> None:
    pair = Group(((offering("local.full"), 1), (offering("local.half"), 2)))

    (choice,) = fixed_choices(
        [did(pair, 1.0)], PRICES, iterations={"main": 1000}, started_at_s=NOW_S
    )

    assert choice.usd == pytest.approx(2.0 + 2 * 1.0)


def test_a_phase_that_a_group_did_not_train_in_is_scaled_by_one_that_trained_in_both() -> None:
    measured = (
        did("local.half", 0.5, "warm-up"),
        did("local.half", 2.0, "gan"),
        did("local.full", 1.2, "gan"),
    )

    choices = fixed_choices(
        measured, PRICES, iterations={"warm-up": 100, "gan": 1000}, started_at_s=NOW_S
    )

    full = next(choice for choice in choices if choice.group == group("local.full"))
    assert full.lasts_s == pytest.approx(100 * 1.2 / 4 + 1000 * 1.2)
    assert full.estimated_phases == ("warm-up",)


def test_what_was_not_measured_or_never_priced_is_left_out() -> None:
    measured = (
        did("local.half", 1.0, "gan"),
        did("local.full", 1.0, "warm-up"),
        did("local.unpriced", 1.0, "gan"),
        Trained(group("local.quarter"), "gan", 0, 0.0),
    )

    found = fixed_choices(measured, PRICES, iterations={"gan": 100}, started_at_s=NOW_S)

    assert [choice.group for choice in found] == [group("local.half")]


def test_the_first_window_belongs_to_the_start_up_and_the_end_is_paid_as_it_was() -> None:
    (choice,) = fixed_choices(
        [did("local.half", 1.0)],
        PRICES,
        iterations={"main": 1000},
        started_at_s=NOW_S,
        start_up_s=60.0,
        begun={"main": 10},
        wind_up_s=50.0,
    )

    assert choice.lasts_s == pytest.approx(60 + 990 + 50)


def test_a_choice_pays_the_least_bill_at_least() -> None:
    (choice,) = fixed_choices(
        [did("local.half", 1.0)],
        PRICES,
        iterations={"main": 10},
        started_at_s=NOW_S,
        minimum_billed_s=60.0,
    )

    assert choice.usd == pytest.approx(60 * 3.6 / 3600)


def test_a_job_that_trained_on_one_group_alone_would_have_cost_what_it_did() -> None:
    rows = [
        LedgerRow(1, "j", "n", offering("local.half"), 1, 3.6, NOW_S, NOW_S + 100.0),
        LedgerRow(2, "j", "n", offering("local.half"), 2, 7.2, NOW_S + 100.0, NOW_S + 150.0),
        LedgerRow(3, "j", "m", offering("local.full"), 3, 7.2, NOW_S, NOW_S + 40.0),
    ]

    choice = as_it_was(group("local.half"), rows, now_s=NOW_S + 500.0)

    assert (choice.usd, choice.lasts_s) == pytest.approx((0.2, 150.0)), (
        "what never trained is no part of it"
    )
    assert choice.usd_after(1 / 3) == pytest.approx(0.05)
    assert choice.usd_after(2 / 3) == pytest.approx(0.1)
