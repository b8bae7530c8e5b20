"""A simulated job: its bill, its losses, its refusals, and that nothing of the future is seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from elastic.model import CapacityChoice, Decision, JobPhase, Objective, Snapshot
from elastic.model import Plan as ModelPlan
from elastic.simulator import BEGINS_S, Availability, SimulatedMarket, SimulatedPool, Simulation
from tests.simulator.worlds import (
    ON_DEMAND,
    SPOT_A,
    SPOT_B,
    H,
    SimulationSettings,
    decide,
    down,
    job,
    market,
    program,
    simulated,
)


def _told(decisions: Iterable[Decision]) -> list[tuple[float, str, str]]:
    return [(each.at_s, each.plan.reason.code, str(each.plan.target)) for each in decisions]


def _decisions(simulation: Simulation) -> list[tuple[float, str, str]]:
    return _told(simulation.store.decisions.listed(limit=10_000))[::-1]


def _reasons(simulation: Simulation) -> list[tuple[float, str, str]]:
    decisions = simulation.store.decisions.listed(limit=10_000)[::-1]
    return [(each.at_s, each.plan.reason.code, each.plan.reason.text) for each in decisions]


def test_ends_a_job_when_its_iterations_are_done() -> None:
    with simulated(job(), program(), market(), decide=decide) as simulation:
        ended = simulation.run(until_s=10 * H)
        assert ended.phase is JobPhase.SUCCEEDED
        assert ended.iteration == 3600
        # an hour of steps, a boot, a start, and what looks and words take
        assert H + 80 < simulation.elapsed_s < H + 180


@pytest.mark.parametrize("notice_s", [0.0, 120.0])
def test_bills_in_the_ledger_what_the_clouds_own_record_says(notice_s: float) -> None:
    moving = {
        SPOT_A: ((0.0, 0.3), (1000.0, 0.5), (4000.0, 0.31), (9000.0, 0.9)),
        ON_DEMAND: ((0.0, 1.0), (7000.0, 1.1)),
    }
    pools = {
        SPOT_A: down(2000.0, 5000.0, 9500.0, notice_s=notice_s),
        SPOT_B: down(3000.0, 12_000.0),
    }
    with simulated(job(3), program(3), market(pools, moving), decide=decide) as simulation:
        assert simulation.run(until_s=20 * H).phase is JobPhase.SUCCEEDED
        assert len(simulation.cloud.machines()) >= 3
        assert simulation.ledger_usd() == pytest.approx(simulation.bill_usd(), abs=1e-9)


def test_buys_nothing_in_a_pool_that_is_down() -> None:
    pools = {each: SimulatedPool(Availability(False, (4 * H,))) for each in (SPOT_A, SPOT_B)}
    with simulated(job(), program(), market(pools), decide=decide) as simulation:
        simulation.run(until_s=3 * H)
        assert {each.offering for each in simulation.cloud.machines()} <= {ON_DEMAND}


def test_saves_before_a_machine_goes_also_while_the_job_waits_for_spot() -> None:
    both = market({SPOT_A: down(1500.0, 6000.0, notice_s=120.0)})
    one_pool = replace(both, prices={each: both.prices[each] for each in (ON_DEMAND, SPOT_A)})
    spec = job(objective=Objective(deadline_s=BEGINS_S + 8 * H))
    with simulated(spec, program(), one_pool, decide=decide) as simulation:
        assert simulation.run(until_s=10 * H).phase is JobPhase.SUCCEEDED
        assert "waiting" in {code for _, code, _ in _reasons(simulation)}
        assert (simulation.losses, simulation.job.redone) == (1, 0)


@pytest.mark.parametrize(("hours", "deadline_h", "lost_s"), [(0.4, 24, 600.0), (0.5, 24, 1700.0)])
def test_looks_before_on_demand_would_be_too_late_after_hours_in_which_nothing_happens(
    hours: float, deadline_h: int, lost_s: float
) -> None:
    pools = {
        SPOT_A: down(lost_s, notice_s=120.0),
        SPOT_B: SimulatedPool(Availability(False)),
    }
    spec = job(hours, objective=Objective(deadline_s=BEGINS_S + deadline_h * H))
    with simulated(spec, program(hours), market(pools), decide=decide) as simulation:
        assert simulation.run(until_s=2 * deadline_h * H).phase is JobPhase.SUCCEEDED
        assert simulation.elapsed_s <= deadline_h * H
        assert simulation.ticks < 60, "most looks are still left out"


def test_leaves_a_pool_that_takes_back_every_40_minutes_what_boots_for_15() -> None:
    turns_s = [at_s for n in range(1, 40) for at_s in (2400.0 * n - 120.0, 2400.0 * n)]
    pools = {
        SPOT_A: down(*turns_s, notice_s=120.0),
        SPOT_B: SimulatedPool(Availability(False)),
    }
    with simulated(
        job(8), program(8), market(pools), decide=decide, terms=SimulationSettings(boot_s=900.0)
    ) as simulation:
        assert simulation.run(until_s=40 * H).phase is JobPhase.SUCCEEDED
        # On demand alone the job takes 8.25 hours of $1; without losses it took 12.5 hours, $11.61.
        assert simulation.ledger_usd() < 1.08 * 8.25
        assert simulation.elapsed_s < 9.5 * H
        texts = [text for _, code, text in _reasons(simulation) if code == "cannot_pay"]
        assert any("losses about every " in text for text in texts)


def test_launches_no_spot_again_and_again_that_is_lost_before_it_has_booted() -> None:
    turns_s = [at_s for n in range(1, 60) for at_s in (840.0 * n - 120.0, 840.0 * n)]
    both = market({SPOT_A: down(*turns_s, notice_s=120.0)})
    one_pool = replace(both, prices={each: both.prices[each] for each in (ON_DEMAND, SPOT_A)})
    spec = job(4, objective=Objective(deadline_s=BEGINS_S + 16 * H))
    with simulated(
        spec, program(4), one_pool, decide=decide, terms=SimulationSettings(boot_s=900.0)
    ) as simulation:
        assert simulation.run(until_s=20 * H).phase is JobPhase.SUCCEEDED
        # On demand alone costs 4.25 hours of $1.
        assert simulation.ledger_usd() < 1.05 * 4.25


def test_loses_what_was_not_saved_when_a_machine_goes_without_a_word() -> None:
    spec = job(capacity=CapacityChoice.SPOT)
    lost = {}
    for notice_s in (0.0, 120.0):
        pools = {
            SPOT_A: down(1500.0, 1600.0, notice_s=notice_s),
            SPOT_B: SimulatedPool(Availability(False)),
        }
        with simulated(spec, program(), market(pools), decide=decide) as simulation:
            assert simulation.run(until_s=10 * H).phase is JobPhase.SUCCEEDED
            lost[notice_s] = simulation.job.redone
            assert simulation.losses == 1
    assert lost[0.0] > 100
    assert lost[120.0] == 0


def test_gives_the_same_life_for_the_same_seed_and_another_for_another() -> None:
    pools = {SPOT_A: down(1000.0, 2000.0), SPOT_B: down(700.0, 1500.0)}
    lives = []
    for seed in (1, 1, 2):
        with simulated(
            job(), program(), market(pools), decide=decide, terms=SimulationSettings(seed=seed)
        ) as simulation:
            simulation.run(until_s=5 * H)
            measured = simulation.store.measurements.recent_series(simulation.job_id)
            lives.append(
                (simulation.elapsed_s, simulation.ledger_usd(), _decisions(simulation), measured)
            )
    assert lives[0] == lives[1]
    assert lives[0] != lives[2]


def test_decides_until_an_instant_the_same_whatever_follows() -> None:
    change_s = 3000.0
    futures: list[SimulatedMarket] = [
        market({SPOT_A: down(1000.0, 2000.0)}),
        market(
            {SPOT_A: down(1000.0, 2000.0, change_s + 50.0), SPOT_B: down(change_s + 70.0)},
            {
                SPOT_B: ((0.0, 0.35), (change_s + 60.0, 0.05)),
                ON_DEMAND: ((0.0, 1.0), (change_s + 1.0, 0.2)),
            },
        ),
    ]
    seen: list[list[tuple[float, ModelPlan]]] = []
    for future in futures:
        plans: list[tuple[float, ModelPlan]] = []

        def deciding(snapshot: Snapshot, told: list[tuple[float, ModelPlan]] = plans) -> ModelPlan:
            plan = decide(snapshot)
            told.append((snapshot.now_s, plan))
            return plan

        with simulated(job(2), program(2), future, decide=deciding) as simulation:
            simulation.run(until_s=change_s)
        seen.append([(at_s, plan) for at_s, plan in plans if at_s <= BEGINS_S + change_s])
    targets = [[(at_s, plan.target, plan.reason.code) for at_s, plan in each] for each in seen]
    assert targets[0] == targets[1]


def test_leaves_out_most_looks_at_a_world_in_which_nothing_happens() -> None:
    spec = job(24, objective=Objective(deadline_s=BEGINS_S + 40 * H))
    with simulated(spec, program(24), market(), decide=decide) as simulation:
        assert simulation.run(until_s=40 * H).phase is JobPhase.SUCCEEDED
        assert simulation.ticks < 24 * H / 300


@pytest.mark.parametrize("budget_usd", [0.3, 1.0, 4.9])
def test_stops_at_the_budget_as_a_daemon_does_that_looks_every_few_seconds(
    budget_usd: float,
) -> None:
    spec = job(6, objective=Objective(budget_usd=budget_usd), capacity=CapacityChoice.ON_DEMAND)
    with simulated(spec, program(6), market(), decide=decide) as simulation:
        assert simulation.run(until_s=10 * H).phase is JobPhase.BUDGET_EXHAUSTED
        wind_down_usd = 1.0 * simulation.terms.limits.wind_down_s / H
        assert budget_usd - 1.2 * wind_down_usd < simulation.bill_usd() <= budget_usd
        assert simulation.ticks < 60


def test_looks_at_a_deadlines_safety_net_though_nothing_happens() -> None:
    spec = job(2, objective=Objective(deadline_s=BEGINS_S + 6 * H))
    pools = {each: down(1200.0, notice_s=120.0) for each in (SPOT_A, SPOT_B)}
    with simulated(spec, program(2), market(pools), decide=decide) as simulation:
        assert simulation.run(until_s=20 * H).phase is JobPhase.SUCCEEDED
        assert simulation.elapsed_s <= 6 * H


def test_hears_of_the_smallest_move_of_a_price_that_crosses_the_cap() -> None:
    moves = {ON_DEMAND: ((0.0, 1.0), (3 * H, 1.01))}
    objective = Objective(max_usd_per_hour=1.005)
    spec = job(8, objective=objective, capacity=CapacityChoice.ON_DEMAND)
    asked: list[float] = []

    def deciding(snapshot: Snapshot) -> ModelPlan:
        asked.append(snapshot.now_s - BEGINS_S)
        return decide(snapshot)

    with simulated(spec, program(8), market({}, moves), decide=deciding) as simulation:
        simulation.run(until_s=3.2 * H)
        assert any(3 * H <= each <= 3 * H + simulation.terms.tick_s for each in asked)
