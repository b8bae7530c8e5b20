"""A job that ran in one simulation is read back from its database, and lives again as it did."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from elastic.errors import InvalidInput
from elastic.model import CapacityChoice, JobPhase
from elastic.simulator import backtest, recorded
from tests.simulator.worlds import SPOT_A, H, decide, down, job, market, program, simulated


def test_replays_what_was_recorded_of_a_job() -> None:
    pools = {SPOT_A: down(1500.0, 2400.0)}
    spec = job(capacity=CapacityChoice.SPOT, policy="fixed", fixed_node_type="small")
    with simulated(spec, program(noise=0.0), market(pools), decide=decide) as simulation:
        simulation.run(until_s=10 * H)
        again, script, sold = recorded(simulation.store, simulation.job_id)
        usd, lasted_s = simulation.bill_usd(), simulation.elapsed_s
    assert (again.policy, again.name) == ("fixed", "job")
    assert script.iterations == 3600
    assert script.speeds.known["small"][1] == pytest.approx(1.0)
    assert not sold.pools[SPOT_A].availability.is_up(1800.0)
    (start,) = backtest(again, script, sold, decide=decide).starts
    assert start.phase is JobPhase.SUCCEEDED
    assert start.usd == pytest.approx(usd, rel=0.1)
    assert start.elapsed_s == pytest.approx(lasted_s, rel=0.1)


def test_finds_the_prices_of_a_job_beneath_very_many_that_came_later() -> None:
    with simulated(job(), program(noise=0.0), market(), decide=decide) as simulation:
        simulation.run(until_s=10 * H)
        before = recorded(simulation.store, simulation.job_id)[2].prices
        later_s = simulation.store.jobs.get(simulation.job_id).finished_at_s
        with closing(sqlite3.connect(simulation.folder / "elasticd.db")) as database:
            database.executemany(
                "INSERT INTO prices (node_type, capacity, zone, usd_per_h, extras_usd_per_h, "
                "valid_from_s, observed_at_s, source) VALUES ('other', 'spot', 'a', 1, 0, ?, 1, '')",
                [((later_s or 0.0) + number,) for number in range(100_000)],
            )
            database.commit()
        assert recorded(simulation.store, simulation.job_id)[2].prices == before


def test_refuses_a_job_that_never_trained() -> None:
    with (
        simulated(job(), program(), market(), decide=decide) as simulation,
        pytest.raises(InvalidInput, match="trained"),
    ):
        recorded(simulation.store, simulation.job_id)
