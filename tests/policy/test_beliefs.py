"""What is believed of groups that were never measured."""

from __future__ import annotations

import math
from typing import Any

import pytest

from elastic.model import Action, NodeType, Objective, PerNode, Trained, workers_on
from elastic.policy import decide
from elastic.policy.beliefs import Belief, Seen, believe
from tests.builders import NOW_S, group, job, node_type, prices, series, snapshot

TYPES = {
    each.name: each
    for each in (NodeType(f"c.{cores}", cores, 4.0 * cores) for cores in (2, 4, 8, 16))
}
TYPES["gpu"] = NodeType("gpu", 4, 16, gpu_count=1, gpu_model="T4")
WORKERS = {name: workers_on(PerNode.AUTO, each) for name, each in TYPES.items()}


def believed(name: str, *seen: tuple[str, float], nodes: int = 1) -> Belief:
    told = [Seen(((each, 1),), step_s, 0.02) for each, step_s in seen]
    (found,) = believe([((name, nodes),)], told, TYPES, WORKERS)
    return found


def test_before_anything_is_measured_nothing_is_known_of_the_pace() -> None:
    assert believed("c.2").spread > 5


def test_what_was_measured_is_believed() -> None:
    assert believed("c.2", ("c.2", 3.0)).step_s == pytest.approx(3.0, rel=0.02)
    assert believed("c.2", ("c.2", 3.0)).spread < 0.03


def test_a_type_that_is_far_from_what_was_measured_is_less_certain() -> None:
    spreads = [believed(name, ("c.2", 3.0)).spread for name in ("c.4", "c.8", "c.16", "gpu")]
    assert spreads == sorted(spreads)


def test_two_sizes_tell_how_this_program_grows_with_cores() -> None:
    scales = believed("c.16", ("c.2", 8.0), ("c.4", 4.0))
    does_not = believed("c.16", ("c.2", 8.0), ("c.4", 8.0))
    assert scales.step_s < 2.5 < 5 < does_not.step_s


def test_more_nodes_may_be_more_than_proportionally_faster() -> None:
    twice = believed("c.2", ("c.2", 8.0), nodes=2)
    assert 4.0 < twice.step_s < 8.0
    assert twice.quantile_s(-1.96) < 4.0


def test_the_order_of_what_was_seen_does_not_matter() -> None:
    one = believed("c.8", ("c.2", 8.0), ("c.4", 5.0), ("gpu", 1.0))
    other = believed("c.8", ("gpu", 1.0), ("c.4", 5.0), ("c.2", 8.0))
    assert math.isclose(one.log_s, other.log_s, abs_tol=1e-8)


def test_a_job_starts_where_earlier_runs_of_its_program_were_cheapest_and_tries_nothing_that_they_ran() -> (
    None
):
    kinds = {"a": 0.02, "b": 0.03, "c": 0.04}
    earlier = tuple(
        Trained(group(name), "main", 1000, 1000 * step_s)
        for name, step_s in (("a", 1.0), ("b", 0.3), ("c", 0.5))
    )
    sold: dict[str, Any] = {
        "node_types": tuple(
            node_type(name, cores) for name, cores in (("a", 1.0), ("b", 2.0), ("c", 4.0))
        ),
        "prices": prices(kinds),
    }

    start = decide(snapshot(earlier=earlier, job=job(iteration=0), **sold))
    held = decide(snapshot(target="b", measured=[series("b", 0.3)], earlier=earlier, **sold))

    assert (start.action, start.target) == (Action.START, group("b"))
    assert "earlier runs of this program" in start.reason.text
    assert held.action is Action.HOLD


@pytest.mark.parametrize(("deadline_h", "wanted"), [(100.0, "b"), (1.5, "c"), (0.5, "c")])
def test_a_job_with_a_deadline_starts_on_the_cheapest_that_meets_it_by_earlier_runs_else_on_the_fastest(
    deadline_h: float, wanted: str
) -> None:
    steps_s = {"a": 8.0, "b": 4.0, "c": 2.0}
    found = decide(
        snapshot(
            earlier=tuple(
                Trained(group(name), "main", 1000, 1000 * each) for name, each in steps_s.items()
            ),
            job=job(
                iterations=2000,
                iteration=0,
                objective=Objective(deadline_s=NOW_S + deadline_h * 3600),
            ),
            node_types=tuple(
                node_type(name, cores) for name, cores in (("a", 1.0), ("b", 2.0), ("c", 4.0))
            ),
            prices=prices({"a": 0.02, "b": 0.03, "c": 0.10}),
        )
    )
    assert found.target == group(wanted)


@pytest.mark.parametrize(
    ("deadline_min", "full_step_s", "wanted"),
    [
        # Late or in time: what another day may turn round is not paid for.
        (5, 0.0516, "local.quarter"),
        (17, 0.0516, "local.quarter"),
        (19, 0.0516, "local.quarter"),
        (5, 0.0490, "local.quarter"),
        (19, 0.0490, "local.quarter"),
        # Only that one was fast enough.
        (17, 0.0490, "local.full"),
        # It is faster, whatever the day.
        (5, 0.0400, "local.full"),
    ],
)
def test_of_types_whose_speeds_cannot_be_told_apart_a_job_with_a_deadline_starts_on_the_cheapest(
    deadline_min: float, full_step_s: float, wanted: str
) -> None:
    steps_s = {"local.quarter": 0.0518, "local.half": 0.0517, "local.full": full_step_s}
    goal = Objective(deadline_s=NOW_S + 60 * deadline_min, budget_usd=3.0)
    plan = decide(
        snapshot(
            job=job(iterations=20_000, iteration=0, objective=goal),
            earlier=tuple(
                Trained(group(name), "main", 1000, 1000 * each) for name, each in steps_s.items()
            ),
        )
    )
    assert (plan.action, plan.target) == (Action.START, group(wanted))
    assert "earlier runs of this program" in plan.reason.text
