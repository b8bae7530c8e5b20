from __future__ import annotations

import pytest

from elastic.model import LedgerRow, NodePhase, Stint
from elastic.policy import Use, uses
from tests.builders import NOW_S, change, node, offering

HALF, FULL = offering("local.half"), offering("local.full")
# A dollar a second: a second of a node is a dollar.
USD_PER_H = 3600.0


def row(
    of: int, from_s: float, to_s: float | None, *, minimum_s: float = 0.0, full: bool = False
) -> LedgerRow:
    sold = FULL if full else HALF
    begin_s = NOW_S + from_s
    end_s = None if to_s is None else NOW_S + to_s
    return LedgerRow(of, "job-1", f"node-{of}", sold, 1, USD_PER_H, begin_s, end_s, minimum_s)


def stint(
    number: int,
    *nodes: int,
    start: float,
    first: float | None,
    last: float | None,
    end: float | None,
) -> Stint:
    instants = [None if each is None else NOW_S + each for each in (first, last, end)]
    return Stint(number, tuple(f"node-{each}" for each in nodes), NOW_S + start, *instants)


def found(dollars: dict[Use, float]) -> dict[str, float]:
    return {use.value: round(usd, 6) for use, usd in dollars.items() if round(usd, 6)}


def test_a_life_divides_into_boot_waiting_warm_up_training_and_the_end() -> None:
    own = node(number=1, joined_at_s=NOW_S + 10)
    alone = stint(1, 1, start=15, first=20, last=90, end=95)
    told = uses([row(1, 0, 100)], [own], [alone], [], now_s=NOW_S + 500)
    assert found(told) == {"boot": 10, "waiting": 5, "warm-up": 5, "useful": 70, "idle": 10}


def test_what_a_node_gets_ready_counts_as_its_boot() -> None:
    own = node(number=1, joined_at_s=NOW_S + 10, prepared_s=4.0)
    told = uses([row(1, 0, 20)], [own], [], [], now_s=NOW_S + 500)
    assert found(told) == {"boot": 14, "waiting": 6}


def test_a_node_that_never_joined_only_booted_and_its_least_bill_is_idle() -> None:
    told = uses(
        [row(1, 0, 30, minimum_s=60)],
        [node(number=1, phase=NodePhase.LOST)],
        [],
        [],
        now_s=NOW_S + 500,
    )
    assert found(told) == {"boot": 30, "idle": 30}


def test_between_two_generations_training_pauses_and_the_old_node_is_idle_afterwards() -> None:
    nodes = [node(number=1, joined_at_s=NOW_S), node(number=2, joined_at_s=NOW_S + 40)]
    life = [
        stint(1, 1, start=0, first=0, last=50, end=55),
        stint(2, 2, start=55, first=60, last=100, end=100),
    ]
    told = uses([row(1, 0, 58), row(2, 30, 100, full=True)], nodes, life, [], now_s=NOW_S + 500)
    # node-1 trains 50, pauses 5, is idle 3; node-2 boots 10, waits 15, pauses 5, trains 40.
    assert found(told) == {"useful": 90, "pause": 10, "idle": 3, "boot": 10, "waiting": 15}


def test_a_trial_costs_all_but_what_it_trains_and_going_back_as_well() -> None:
    nodes = [node(number=1, joined_at_s=NOW_S), node(number=2, joined_at_s=NOW_S + 40)]
    life = [
        stint(1, 1, start=0, first=0, last=50, end=55),
        stint(2, 2, start=55, first=60, last=80, end=82),
        stint(3, 1, start=82, first=86, last=100, end=100),
    ]
    tried = [
        change("local.full", "local.half", code="trial", ago_s=-30),
        change("local.half", "local.full", ago_s=-80),
    ]
    told = uses([row(1, 0, 100), row(2, 30, 90, full=True)], nodes, life, tried, now_s=NOW_S + 500)
    # node-1: 50 trained, 36 pause (for the trial and back), 14 trained. node-2: 30 boot to first
    # step, 20 trained, 10.
    assert found(told) == {"useful": 84, "trial": 76}


def test_a_trial_that_is_kept_is_paid_until_it_trains() -> None:
    nodes = [node(number=2, joined_at_s=NOW_S + 40)]
    life = [stint(1, 2, start=45, first=60, last=100, end=100)]
    kept = [change("local.full", "local.half", code="trial", ago_s=-30)]
    told = uses([row(2, 30, 110, full=True)], nodes, life, kept, now_s=NOW_S + 500)
    assert found(told) == {"trial": 40, "useful": 40}


def test_what_was_lost_and_done_again_is_redone() -> None:
    own = node(number=1, joined_at_s=NOW_S)
    alone = stint(1, 1, start=0, first=0, last=100, end=100)
    told = uses([row(1, 0, 100)], [own], [alone], [], [(NOW_S + 30, NOW_S + 50)], now_s=NOW_S + 500)
    assert found(told) == {"useful": 80, "redone": 20}


def test_while_it_runs_what_is_open_counts_as_useful() -> None:
    own = node(number=1, joined_at_s=NOW_S)
    alone = stint(1, 1, start=0, first=0, last=99, end=None)
    assert found(uses([row(1, 0, None)], [own], [alone], [], now_s=NOW_S + 100)) == {"useful": 100}


def test_they_add_up_to_the_ledger_whatever_happened() -> None:
    nodes = [node(number=each, joined_at_s=NOW_S + each / 7) for each in range(1, 9)]
    rows = [row(each, each / 3, 10 * each + 0.1, minimum_s=33.3) for each in range(1, 9)]
    life = [
        stint(each, each, start=each, first=each + 0.3, last=9 * each, end=9.5 * each)
        for each in range(1, 9)
    ]
    told = uses(
        rows, nodes, life, [change("local.half", code="trial", ago_s=-20)], now_s=NOW_S + 50
    )
    assert sum(told.values()) == pytest.approx(
        sum(each.usd(NOW_S + 50) for each in rows), rel=1e-12
    )


def test_nothing_bought_is_nothing_spent() -> None:
    assert found(uses([], [], [], [], now_s=NOW_S)) == {}
