"""Candidates as people read them: short while nothing is known, each at its cheapest, none lost
that matters."""

from __future__ import annotations

from typing import Any

import pytest

from elastic.cli import render
from elastic.cli.decision import explain_decision
from elastic.cli.job_pages import candidate_table, show_plan
from elastic.cli.job_pages.candidates import shortlist

SPOT = {"us-east-1a": 0.034, "us-east-1b": 0.031}
TYPES = {"c5.large": 1.0, "c5.xlarge": 2.0, "c5.2xlarge": 4.0}


def candidate(
    node_type: str = "c5.large",
    capacity: str = "spot",
    zone: str = "us-east-1a",
    count: int = 1,
    **rest: Any,
) -> dict[str, Any]:
    offering = {"node_type": node_type, "capacity": capacity, "zone": zone}
    return {
        "group": {"members": [[offering, count]]},
        "training_phase": "main",
        "samples": 0,
        **rest,
    }


def market(counts: tuple[int, ...] = (1,)) -> list[dict[str, Any]]:
    """Three types, on demand and spot, in two zones, of which nothing is known but the price."""
    return [
        candidate(
            node_type,
            capacity,
            zone,
            count,
            usd_per_h=count * size * (usd if capacity == "spot" else 0.085),
        )
        for node_type, size in TYPES.items()
        for capacity in ("on-demand", "spot")
        for zone, usd in SPOT.items()
        for count in counts
    ]


def groups(candidates: list[Any]) -> list[str]:
    return [render.group(each["group"]) for each in candidates]


def test_a_table_says_nothing_of_what_remains_where_nothing_does() -> None:
    known: dict[str, Any] = {"samples": 3, "step_s": {"value": 0.5}, "usd_per_h": 0.1}
    left: dict[str, Any] = {"remaining_usd": 0.5, "remaining_s": 90.0}
    titles = [
        [each.header for each in candidate_table([candidate(**known, **rest)], chosen=None).columns]
        for rest in (left, {"remaining_usd": None, "remaining_s": None})
    ]
    assert titles[0][-2:] == ["USD LEFT", "TIME LEFT"]
    assert titles[1] == titles[0][:-2]


CHEAPEST_FIRST = [
    "1 x c5.large spot us-east-1b",
    "1 x c5.xlarge spot us-east-1b",
    "1 x c5.large on-demand us-east-1a",
    "1 x c5.2xlarge spot us-east-1b",
    "1 x c5.xlarge on-demand us-east-1a",
    "1 x c5.2xlarge on-demand us-east-1a",
]


@pytest.mark.parametrize("counts", [(1,), (4, 2, 1)])
def test_of_twelve_untried_candidates_each_type_and_market_is_shown_where_it_is_cheapest(
    counts: tuple[int, ...],
) -> None:
    assert groups(shortlist(market(counts), kept=[])) == CHEAPEST_FIRST


def test_what_is_not_to_be_had_stands_for_others_only_where_none_is() -> None:
    here, there = market()[2:4]
    there["unavailable"] = "no capacity for it"
    assert groups(shortlist([here, there], kept=[])) == ["1 x c5.large spot us-east-1a"]
    here["unavailable"] = "none here either"
    assert groups(shortlist([here, there], kept=[])) == ["1 x c5.large spot us-east-1b"]


def test_every_size_that_was_measured_is_shown_in_the_order_of_what_a_dollar_buys() -> None:
    rate = {"value": 1.0, "low": None, "high": None}
    measured = [
        candidate(
            zone=zone,
            count=count,
            samples=8,
            step_s=rate,
            effective_iterations_per_usd=effective - (zone > "b"),
        )
        for zone, (count, effective) in (
            (zone, each) for zone in ("a", "c") for each in ((1, 3000.0), (2, 3500.0))
        )
    ]
    untried = [candidate(count=4, usd_per_h=0.1), candidate(count=8, usd_per_h=0.2)]
    shown = groups(shortlist([*untried, *measured], kept=[]))
    assert shown == ["2 x c5.large spot a", "1 x c5.large spot a", "4 x c5.large spot us-east-1a"]


def test_what_is_chosen_is_shown_wherever_it_is_and_many_types_are_cut_short() -> None:
    many = [candidate(f"c5.size{number:02}", usd_per_h=0.01 * number) for number in range(1, 31)]
    assert groups(shortlist(many, kept=[]))[-1] == "1 x c5.size10 spot us-east-1a"
    shown = groups(shortlist(many, kept=[many[29]["group"], None]))
    assert (len(shown), shown[-1]) == (11, "1 x c5.size30 spot us-east-1a")


def test_while_nothing_is_known_a_table_has_no_column_of_dashes_and_tells_how_long_the_budget_lasts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    untried = market()
    render.show(candidate_table(untried, chosen=None, budget_usd=0.34))
    text = capsys.readouterr().out
    assert text.split("\n")[0].split() == ["GROUP", "USD/H", "BUDGET", "LASTS"]
    assert "10 h" in text
    render.show(candidate_table(untried, chosen=None))
    assert capsys.readouterr().out.split("\n")[0].split() == ["GROUP", "USD/H"]
    tried = [*untried, candidate(samples=3)]
    render.show(candidate_table(tried, chosen=None))
    assert "WINDOWS" in capsys.readouterr().out


PRICED: dict[str, Any] = {
    "spec": {
        "name": "faces",
        "command": ["train.py"],
        "iterations": 20_000,
        "objective": {"maximize": "iterations_per_dollar", "budget_usd": 3.0},
    },
    "plan": {
        "target": market()[3]["group"],
        "reason": {
            "text": "start on c5.large spot us-east-1b: cheapest of 12 candidates ($0.03100/h)"
        },
    },
    "candidates": market(),
    "measured_by": None,
    "prices": [{"extras_usd_per_h": 0.0}],
    "forecast": {"frontier": [], "best": None, "misses": [], "left_s": None, "budget_usd": 3.0},
    "notes": [],
}


def test_a_priced_plan_is_short_says_that_there_is_more_and_shows_it_if_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_plan(PRICED)
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[:4] == [
        "job faces: train.py",
        "iterations: 20,000; maximize iterations_per_dollar, for at most $3.00",
        "first: start on c5.large spot us-east-1b: cheapest of 12 candidates ($0.03100/h)",
        "",
    ]
    assert lines[5].startswith("->  1 x c5.large spot us-east-1b")
    assert lines[-2] == "and 6 more: --all lists them"
    assert len(lines) == 4 + 1 + 6 + 2
    show_plan(PRICED, has_all=True)
    everything = capsys.readouterr().out
    assert everything.count(" x c5.") == 12
    assert "more:" not in everything


def test_a_long_command_is_cut_and_a_price_with_more_than_the_machine_in_it_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["-m", "elastic.workloads.esrgan", *(f"--option{number}" for number in range(30))]
    prices = [{"extras_usd_per_h": 0.00829}]
    show_plan(
        {
            **PRICED,
            "spec": {**PRICED["spec"], "command": command},
            "prices": prices,
            "measured_by": "job-1",
        }
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("job faces: -m elastic.workloads.esrgan --option0 ")
    assert lines[0].endswith(" ...")
    assert not any("measured them" in line for line in lines), (
        "nothing is known, though a job of this name trains"
    )
    assert len(lines[0]) <= 120
    assert lines[-1] == "USD/H is the whole node: the machine, its disk and its public address"


def test_what_nodes_run_is_shown_where_it_is_more_than_one_thread(
    capsys: pytest.CaptureFixture[str],
) -> None:
    two = {**candidate(), "workers": [{"processes": 1, "threads": 2}]}
    render.show(candidate_table([two], chosen=None))
    assert "1 x 2 threads" in capsys.readouterr().out
    one = {**candidate(), "workers": [{"processes": 1, "threads": 1}]}
    render.show(candidate_table([one], chosen=None))
    assert "WORKERS" not in capsys.readouterr().out


def test_a_priced_plan_says_which_types_are_left_out_and_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    reasons = {f"c{number}": f"c{number} has no GPU" for number in range(7)}
    show_plan({**PRICED, "plan": {**PRICED["plan"], "left_out": reasons}})
    assert "left out: c0 has no GPU; c1 has no GPU" in (said := capsys.readouterr().out)
    assert "and 2 more" in said


def test_a_priced_plan_says_what_the_job_computes_in_and_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    spec = {**PRICED["spec"], "precision": "bf16"}
    show_plan({**PRICED, "spec": spec, "why_precision": "c7i promises 1.8 x"})
    assert "precision: bf16; c7i promises 1.8 x\n" in capsys.readouterr().out
    show_plan({**PRICED, "spec": spec, "why_precision": ""})
    assert "precision: bf16\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("weighed_at_s", "said"), [(1_700_000_000.0, False), (1_700_000_300.0, True)]
)
def test_a_decision_that_was_weighed_again_says_as_of_when_its_numbers_are(
    capsys: pytest.CaptureFixture[str], weighed_at_s: float, said: bool
) -> None:
    reason = {"code": "best", "text": "it stays", "numbers": {}}
    plan: dict[str, Any] = {
        "action": "hold",
        "target": None,
        "reason": reason,
        "limited_by": [],
    }
    decision = {
        "id": 1,
        "job_id": "job-1",
        "at_s": 1_700_000_000.0,
        "weighed_at_s": weighed_at_s,
        "ticks": 5,
        "policy": "best_value",
        "version": 1,
        "plan": plan | {"candidates": market()},
    }
    explain_decision(decision)
    assert ("as of 2023-11-14T22:18:20Z:" in capsys.readouterr().out) is said
