"""What a backtest is measured by pays for boots and starts, as the policy does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elastic.errors import InvalidInput
from elastic.model import JobPhase, Objective
from elastic.simulator import (
    BEGINS_S,
    Availability,
    SimulatedPool,
    backtest,
    read_node_types,
    yardsticks,
)
from tests.simulator.worlds import (
    SPOT_A,
    SPOT_B,
    H,
    SimulationSettings,
    decide,
    job,
    market,
    program,
)


@pytest.mark.parametrize("hours", [0.5, 24.0])
def test_pays_for_a_boot_and_a_start(hours: float) -> None:
    """Also where they are shorter than a tick: 24 hours are played in ticks of 65 s."""
    pools = {each: SimulatedPool(Availability(False)) for each in (SPOT_A, SPOT_B)}
    spec = job(hours, objective=Objective(deadline_s=BEGINS_S + 2 * hours * H))
    found = yardsticks(
        spec, program(hours), market(pools), horizon_s=2 * hours * H, boot_s=60.0, pause_s=20.0
    )
    truly_usd = hours + 80 / H
    assert [each.name for each in found] == ["clairvoyant", "on-demand", "greedy", "uniform"]
    for each in found:
        assert each.usd == pytest.approx(truly_usd, rel=1e-3 if hours > 1 else 4e-3)


@pytest.mark.parametrize("slack", [1.02, 1.1, 1.37, 1.9])
def test_no_rule_with_a_safety_net_is_late_by_a_tick(slack: float) -> None:
    """Spot goes for good at the worst moments, and on-demand alone could have been in time."""
    hours = 6.0
    for lost_s in (600.0, 1.3 * H, 4.1 * H):
        pools = {each: SimulatedPool(Availability(True, (lost_s,))) for each in (SPOT_A, SPOT_B)}
        horizon_s = slack * hours * H + 4 * 80
        spec = job(hours, objective=Objective(deadline_s=BEGINS_S + horizon_s))
        found = yardsticks(
            spec, program(hours), market(pools), horizon_s=horizon_s, boot_s=60.0, pause_s=20.0
        )
        assert {each.name: each.late_s for each in found} == dict.fromkeys(
            ("clairvoyant", "on-demand", "greedy", "uniform"), 0.0
        )


def test_an_unfinished_life_is_told_and_its_rivals_have_time_for_all_of_the_work() -> None:
    spec = job(6, objective=Objective(budget_usd=0.5))
    (start,) = backtest(
        spec, program(6), market(), decide=decide, terms=SimulationSettings()
    ).starts
    assert start.phase is JobPhase.BUDGET_EXHAUSTED
    assert not start.is_finished
    assert all(each.usd is not None and each.late_s == 0.0 for each in start.yardsticks)


def test_reads_node_types_as_the_command_prints_them(tmp_path: Path) -> None:
    path = tmp_path / "types.json"
    entry = {
        "name": "p2.xlarge",
        "cpu": 4,
        "cores": 2,
        "memory_gib": 61,
        "gpu_count": 1,
        "gpu_model": "K80",
    }
    path.write_text(json.dumps([entry]))
    (found,) = read_node_types(path).values()
    assert (found.name, found.cores, found.gpu_count, found.gpu_model) == (
        "p2.xlarge",
        2.0,
        1,
        "K80",
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", "wanted a JSON list"),
        ("[", "cannot be read"),
        ('["x"]', "entry 1: wanted an object with a name"),
        ('[{"name": "x", "cpu": "4", "memory_gib": 1}]', "x: cpu: wanted a number, got '4'"),
        ('[{"name": "x", "cpu": 0, "memory_gib": 1}]', "x: cpu"),
        ('[{"name": "x", "cpu": 1, "memory_gib": 1, "precisions": ["fp7"]}]', "fp7"),
    ],
)
def test_says_what_is_wrong_with_node_types(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "types.json"
    path.write_text(text)
    with pytest.raises(InvalidInput) as caught:
        read_node_types(path)
    assert told in str(caught.value)
