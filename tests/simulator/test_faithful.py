"""A simulated job leads the life that it leads where every second is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.model import JobPhase, Limits, Objective
from elastic.simulator import (
    BEGINS_S,
    Program,
    SimulatedMarket,
    SimulationSettings,
    Speeds,
    simulated,
)
from tests.reconciler.virtual import LARGE, SMALL, TYPES, VirtualCluster, small_forever
from tests.simulator.worlds import SPOT_A, SPOT_B, H, decide, down, job, market, program

# A job that waits asks a pool whenever a block ends. Blocks double from 5 s on, and the longest in
# this life is the seventh: a pool that is back is found so much sooner or later.
LONGEST_BLOCK_S = 320.0


def test_ends_as_a_job_of_the_virtual_cluster_does(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, small_forever)
    played = cluster.submit(iterations=120)
    cluster.run(180)
    (machine,) = cluster.cloud.machines()
    assert machine.exited_at_s is not None
    sold = SimulatedMarket((*TYPES,), {SMALL: ((0.0, 0.36),), LARGE: ((0.0, 0.72),)})
    terms = SimulationSettings(
        limits=Limits(minimum_billed_s=0.0),
        tick_s=1.0,
        heartbeat_s=1.0,
        boot_s=3.0,
        exit_s=2.0,
        standstill_s=60.0,
    )
    script = Program(Speeds({"small": {1: 1.0}}), 120, noise=0.0, start_s=0.0, save_s=1.0)
    with simulated(played.spec, script, sold, decide=small_forever, terms=terms) as simulation:
        ended = simulation.run(until_s=600.0)
        there = cluster.store.jobs.get(played.id)
        assert (
            (ended.phase, ended.iteration)
            == (there.phase, there.iteration)
            == (JobPhase.SUCCEEDED, 120)
        )
        (ours,) = simulation.cloud.machines()
        assert ours.exited_at_s is not None
        lasted_s, theirs_s = (
            ours.exited_at_s - ours.launched_at_s,
            machine.exited_at_s - machine.launched_at_s,
        )
        assert lasted_s == pytest.approx(theirs_s, abs=5.0)
        spent_usd = cluster.store.ledger.spent(played.id, cluster.clock.now_s())
        assert simulation.ledger_usd() == pytest.approx(spent_usd, abs=5.0 * 0.36 / 3600)


# With 1.4 h the two lives part, and both are in time: when a pool is lost, waiting is expected to
# cost $0.659 and on-demand $0.661, so the instant of the look tips the balance.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("deadline_h", "apart_s"),
    [
        (None, 120.0),
        (1.3, 120.0),
        (1.45, LONGEST_BLOCK_S),
        (1.5, LONGEST_BLOCK_S),
        (2.5, LONGEST_BLOCK_S),
    ],
)
def test_leads_the_same_life_as_with_every_look(deadline_h: float | None, apart_s: float) -> None:
    pools = {SPOT_A: down(1500.0, 3300.0, 5000.0), SPOT_B: down(2400.0, 2900.0, notice_s=120.0)}
    objective = Objective(deadline_s=None if deadline_h is None else BEGINS_S + deadline_h * H)
    lives = []
    for longest_s in (5.0, 1800.0):
        terms = SimulationSettings(quiet_s=longest_s, waiting_s=longest_s)
        spec = job(1.2, objective=objective)
        with simulated(
            spec, program(1.2, noise=0.0), market(pools), decide=decide, terms=terms
        ) as simulation:
            assert simulation.run(until_s=10 * H).phase is JobPhase.SUCCEEDED
            offerings = [each.offering for each in simulation.cloud.machines()]
            lives.append((offerings, simulation.elapsed_s, simulation.bill_usd(), simulation.ticks))
    (every, every_s, every_usd, all_looks), (few, few_s, few_usd, looks) = lives
    assert looks < all_looks / 3
    assert few == every
    assert few_s == pytest.approx(every_s, abs=apart_s)
    # A pool that is back may be asked some minutes sooner or later, and on-demand is paid until
    # then.
    assert few_usd == pytest.approx(every_usd, rel=0.1)
