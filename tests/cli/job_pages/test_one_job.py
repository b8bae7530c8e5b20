"""One job on one screen."""

from __future__ import annotations

from typing import Any

import pytest

from elastic.cli.job_pages import show_forecast, show_job, show_scaling
from elastic.cli.job_pages.one_job import show_uses

WAITING: dict[str, Any] = {
    "id": "job-1",
    "spec": {
        "name": "first",
        "objective": {"maximize": "iterations_per_dollar"},
        "mode": "restart",
        "preload": True,
        "nodes_min": 1,
        "nodes_max": 4,
        "nodes_wanted": None,
        "fixed_node_type": None,
    },
    "phase": "submitted",
    "progress": {"iteration": 0, "iterations": 100, "eta_s": None},
    "current_group": None,
    "target_group": None,
    "running_mode": None,
    "is_preloaded": None,
    "spent_usd": 0.0,
    "waits_because": "no capacity for c5.large spot until 12:03:00",
    "candidates": [],
}


def test_a_job_that_waits_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    show_job(WAITING)
    shown = capsys.readouterr().out
    assert "on no nodes" in shown
    assert "waits: no capacity for c5.large spot until 12:03:00" in shown
    show_job({**WAITING, "waits_because": None})
    assert "waits" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "because", ["waits: it starts no earlier than tomorrow", "waits for spot: the rest is cheaper"]
)
def test_a_job_says_only_once_that_it_waits(
    capsys: pytest.CaptureFixture[str], because: str
) -> None:
    show_job({**WAITING, "phase": "waiting", "message": because, "waits_because": because})
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == "job job-1 (first): waiting"
    assert [line for line in rest if "waits" in line] == [because]


def test_a_scripts_words_do_not_reach_the_terminal_with_escape_sequences(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = "RuntimeError: boom \x1b[31mred"
    error = {"rank": 0, "iteration": 3, "lines": f"Traceback:\n{said}", "text": said}
    job = {**WAITING, "phase": "failed", "message": said, "error": error, "alarms": [said]}
    show_job(job)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "  Traceback:\n  RuntimeError: boom red\n" in shown


def test_a_job_that_waits_for_pools_says_since_when_and_when_each_is_asked_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pools = [
        {"text": f"pool {number}: no capacity, asked again at 14:00 UTC"} for number in range(7)
    ]
    show_job({**WAITING, "waiting": {"since_s": 1_700_000_000.0, "pools": pools}})
    shown = capsys.readouterr().out
    assert (
        "no node since 2023-11-14T22:13:20Z\n  pool 0: no capacity, asked again at 14:00 UTC\n"
        in shown
    )
    assert "pool 4" in shown
    assert "pool 5" not in shown
    assert "  and 2 more\n" in shown


@pytest.mark.parametrize(
    ("preload", "is_preloaded", "line"),
    [
        (True, None, "mode restart"),
        (True, True, "mode restart"),
        (True, False, "mode restart, not preloaded on every node: its events say why"),
        (False, False, "mode restart, not preloaded"),
    ],
)
def test_a_job_says_its_mode_and_whether_its_workers_are_preloaded(
    capsys: pytest.CaptureFixture[str], preload: bool, is_preloaded: bool | None, line: str
) -> None:
    spec = {**WAITING["spec"], "preload": preload}
    show_job({**WAITING, "spec": spec, "is_preloaded": is_preloaded})
    assert line in capsys.readouterr().out.splitlines()


def test_a_job_says_what_it_was_scaled_to_beside_its_bounds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_job({**WAITING, "spec": {**WAITING["spec"], "nodes_wanted": 3}})
    assert "1 to 4 nodes, scaled to 3 (`elasticd job scale" in capsys.readouterr().out
    show_job({**WAITING, "phase": "failed", "spec": {**WAITING["spec"], "nodes_wanted": 3}})
    assert "1 to 4 nodes, scaled to 3\n" in capsys.readouterr().out
    show_job(WAITING)
    assert "scaled" not in capsys.readouterr().out


def test_a_job_says_what_it_computes_in(capsys: pytest.CaptureFixture[str]) -> None:
    show_job({**WAITING, "spec": {**WAITING["spec"], "precision": "bf16"}})
    assert "computes in bf16" in capsys.readouterr().out
    show_job({**WAITING, "spec": {**WAITING["spec"], "precision": None}})
    assert "computes in" not in capsys.readouterr().out


def test_a_job_says_what_is_wrong_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    show_job({**WAITING, "alarms": ["standstill: no turn for 61 s"]})
    assert "alarm: standstill: no turn for 61 s" in capsys.readouterr().out
    show_job(WAITING)
    assert "alarm" not in capsys.readouterr().out


def finish(
    node_type: str, usd: float, lasts_s: float, *, late: float | None = None
) -> dict[str, Any]:
    sold = {"node_type": node_type, "capacity": "on-demand", "zone": "local"}
    return {
        "group": {"members": [[sold, 1]]},
        "lasts_s": {"value": lasts_s, "low": lasts_s * 0.9, "high": lasts_s * 1.1},
        "usd": {"value": usd, "low": None, "high": None},
        "is_measured": late is not None,
        "chance_late": late,
    }


def test_a_plan_shows_what_each_finish_time_costs_and_the_goals_that_nothing_meets(
    capsys: pytest.CaptureFixture[str],
) -> None:
    frontier = [finish("small", 0.5, 7200.0, late=0.25), finish("large", 0.8, 3600.0)]
    miss = {
        "kind": "over_budget",
        "text": "the budget is $0.10, and the job needs $0.50",
        "is_certain": True,
    }
    told = {
        "finishes": frontier,
        "frontier": frontier,
        "best": frontier[0],
        "misses": [miss],
        "left_s": 5400.0,
        "budget_usd": 0.1,
    }
    show_forecast(told)
    shown = capsys.readouterr().out
    assert "a  1 x small on-demand" in shown and "b  1 x large on-demand" in shown
    assert "| is the deadline" in shown
    assert "2 h (1 h 48 min to 2 h 12 min)" in shown
    assert "measured" in shown and "25 %" in shown and "expected" in shown
    assert "goals: 1 x small on-demand meets them" in shown
    assert "over_budget: the budget is $0.10" in shown
    unknown: dict[str, Any] = {
        "finishes": [],
        "frontier": [],
        "best": None,
        "misses": [],
        "left_s": None,
        "budget_usd": None,
    }
    show_forecast(unknown | {"budget_usd": 0.1})
    assert "the first measured windows will tell" in capsys.readouterr().out
    show_forecast(unknown)
    assert capsys.readouterr().out == ""


def test_a_forecast_has_a_line_for_the_group_that_trains_even_if_another_is_better(
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = finish("small", 0.9, 9000.0, late=6.3e-16)
    better = finish("large", 0.8, 3600.0)
    told = {
        "finishes": [better, finish("barred", 0.85, 1800.0), here],
        "frontier": [better],
        "best": None,
        "misses": [],
        "left_s": None,
        "budget_usd": None,
    }
    show_forecast(told, current=here["group"])
    shown = capsys.readouterr().out
    assert "done in, the cheapest for each time; -> trains now:" in shown
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert any(line.startswith("-> b 1 x small on-demand 2 h 30 min") for line in lines)
    assert any(line.startswith("a 1 x large on-demand 1 h") for line in lines)
    assert "barred" not in shown
    # As the job's page has it: no chance is quite 0.
    assert "< 1 %" in shown


def test_a_report_says_where_every_dollar_went(capsys: pytest.CaptureFixture[str]) -> None:
    uses = [
        {"name": "boot", "usd": 0.25},
        {"name": "useful", "usd": 0.75},
        {"name": "idle", "usd": 0.0},
    ]
    show_uses({"spent_usd": 1.0, "uses": uses})
    assert capsys.readouterr().out == "of it useful 75 %, boot 25 %\n"


@pytest.mark.parametrize(
    ("redone", "usd", "begins_at_zero", "said"),
    [
        (
            1204,
            0.0023,
            True,
            "redo: 1,204 iterations for about $0.0023, and those until the move: the script",
        ),
        (
            1,
            0.0023,
            False,
            "redo: 1 iteration for about $0.0023: those since the newest save",
        ),
        (
            9,
            None,
            False,
            "redo: 9 iterations at a cost that is not known yet: those since the newest save",
        ),
        (0, 0.0, False, ""),
    ],
)
def test_scaling_says_what_the_move_has_done_again(
    capsys: pytest.CaptureFixture[str],
    redone: int,
    usd: float | None,
    begins_at_zero: bool,
    said: str,
) -> None:
    nothing: dict[str, Any] = {
        "group": None,
        "usd_per_h": 0.0,
        "target_group": None,
        "target_usd_per_h": 0.0,
    }
    redo = {"redone": redone, "redone_usd": usd, "begins_at_zero": begins_at_zero}
    show_scaling({**nothing, "why": "as the job fixes it", **redo})
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "as the job fixes it"
    assert (lines[2].startswith(said), len(lines) > 3) == (True, bool(said))
