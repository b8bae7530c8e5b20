"""How many hours of a virtual cluster the simulator lives through in a CPU-second (target: 20).

Run: python -m benchmarks.simulator [--hours 240]
"""

from __future__ import annotations

import argparse
import logging
from time import process_time

import structlog

from elastic.model import Capacity, JobSpec, NodeType, Objective, Offering
from elastic.policy import decide
from elastic.simulator import (
    BEGINS_S,
    Availability,
    Program,
    SimulatedMarket,
    SimulatedPool,
    Speeds,
    simulated,
)

_H = 3600.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulator", description=__doc__)
    parser.add_argument("--hours", type=float, default=240.0, help="work of the job on one node")
    hours = parser.parse_args().hours
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    pools: dict[str, tuple[Availability, ...]] = {
        "on demand alone": (),
        "a spot pool that is always up": (Availability(),),
        "3 pools, up 8 h and down 1 h by turns": tuple(
            Availability(True, (shift * _H, (shift + 1) * _H), 9 * _H) for shift in (2, 5, 8)
        ),
        "3 pools, up 2 h and down 6 h by turns": tuple(
            Availability(False, (shift * _H, (shift + 2) * _H), 8 * _H) for shift in (1, 3, 5)
        ),
    }
    for name, records in pools.items():
        print(f"{name:40} {_lived(hours, records)}", flush=True)
    return 0


def _lived(hours: float, records: tuple[Availability, ...]) -> str:
    spot = {
        Offering("gpu", Capacity.SPOT, f"zone-{number}"): each
        for number, each in enumerate(records)
    }
    prices = {
        Offering("gpu", Capacity.ON_DEMAND, "zone-0"): ((0.0, 3.0),),
        **dict.fromkeys(spot, ((0.0, 0.9),)),
    }
    market = SimulatedMarket(
        (NodeType("gpu", 8.0, 61.0),),
        prices,
        {each: SimulatedPool(record) for each, record in spot.items()},
    )
    iterations = int(hours * _H)
    objective = Objective(deadline_s=BEGINS_S + 1.5 * hours * _H)
    spec = JobSpec("long", ("train.py",), iterations=iterations, objective=objective)
    program = Program(Speeds({"gpu": {1: 1.0}}), iterations)
    with simulated(spec, program, market, decide=decide) as world:
        begun_s = process_time()
        job = world.run(until_s=3 * hours * _H)
        cpu_s = process_time() - begun_s
        lived_h = world.elapsed_s / _H
        return (
            f"{job.phase}, ${world.bill_usd():.2f}: {lived_h:.0f} h in {cpu_s:.1f} CPU-s, "
            f"{lived_h / cpu_s:.1f} h a CPU-second; {world.ticks} looks, "
            f"{1000 * cpu_s / world.ticks:.1f} ms each"
        )


if __name__ == "__main__":
    raise SystemExit(main())
