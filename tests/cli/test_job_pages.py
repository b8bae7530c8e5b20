"""One job on one screen."""

from __future__ import annotations

from typing import Any

import pytest

from elastic.cli.job_pages import show_job

WAITING: dict[str, Any] = {
    "id": "job-1",
    "spec": {
        "name": "first",
        "objective": {"maximize": "iterations_per_dollar"},
        "tier": "T1",
        "nodes_min": 1,
        "nodes_max": 4,
        "nodes_wanted": None,
        "fixed_node_type": None,
    },
    "phase": "submitted",
    "progress": {"iteration": 0, "iterations": 100, "eta_s": None},
    "current_group": None,
    "target_group": None,
    "running_tier": None,
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


def test_a_job_says_what_it_was_scaled_to_beside_its_bounds(capsys: pytest.CaptureFixture[str]) -> None:
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
