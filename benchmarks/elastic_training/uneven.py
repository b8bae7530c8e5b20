"""A session of three of which one is four times slower: how near its steps come to the ideal, and
how soon.

As a program it is one member: `python -m benchmarks.elastic_training.uneven LOG GOAL`; SAMPLE_S in
its environment is what a sample takes it, and SIGUSR1 makes that four times as much.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor

from elastic.workloads.session import Session, SessionSettings, SessionStep
from tests.workloads.session.member import Task
from tests.workloads.session.running import Fleet, Process, program, running_fleet

MODULE = "benchmarks.elastic_training.uneven"
BATCH = 96
SAMPLE_S = 0.002
SLOWER = 4
SETTLED = range(20, 40)  # steps after the change by which it has settled


@dataclass(frozen=True, slots=True)
class Steps:
    """Durations of the first steps after a change and of the settled ones, in ideal steps;
    `by_shares` leaves aside what is no member's samples (sums, the machine's other work)."""

    first: tuple[float, ...]
    first_by_shares: tuple[float, ...]
    settled: float


def slow_joins() -> Steps:
    """Two members, and a slow third that comes in."""
    with _fleet() as fleet:
        stay = fleet.start(2)
        fleet.await_world(stay)
        fleet.environment["SAMPLE_S"] = str(SLOWER * SAMPLE_S)
        (third,) = fleet.start()
        fleet.await_event(third, "warm")
        fleet.await_world([*stay, third], further=SETTLED.stop + 10)
        generation = third.steps()[0]["generation"]
        # The step that ends in the new generation was the last of the old one.
        first = (
            next(event["step"] for event in stay[0].steps() if event["generation"] == generation)
            + 1
        )
        return _steps(fleet, first)


def slows_down() -> Steps:
    """Three members, one of which becomes slow."""
    with _fleet() as fleet:
        members = fleet.start(3)
        fleet.await_world(members, further=30)
        members[2].kill(signal.SIGUSR1)
        fleet.await_event(members[2], "slow")
        # The step in flight is partly at the old speed.
        first = next(event["step"] for event in members[2].events() if event["event"] == "slow") + 2
        fleet.await_step(members, first + SETTLED.stop + 10)
        return _steps(fleet, first)


@contextmanager
def _fleet() -> Iterator[Fleet]:
    with (
        tempfile.TemporaryDirectory() as folder,
        running_fleet(Path(folder), launch=_launch) as fleet,
    ):
        yield fleet


def _launch(command: Sequence[str], environment: Mapping[str, str], errors: Path) -> Process:
    return program([*command[:2], MODULE, *command[3:]], environment, errors)


def _steps(fleet: Fleet, first: int) -> Steps:
    """`first` is the first step after the change."""
    shares: dict[int, float] = {}
    for member in fleet.members:
        for event in member.steps():
            shares[event["step"]] = max(
                shares.get(event["step"], 0.0), event["share"] * event["sample_s"]
            )
    ends = {event["step"]: event["at_s"] for event in fleet.members[0].steps()}
    took_s = {later: ends[later] - ends[earlier] for earlier, later in pairwise(sorted(ends))}
    # What a step takes beside its samples was there before the change as well.
    beside_s = max(
        0.0, median(took_s[step] - shares[step] for step in range(first - 12, first - 2))
    )
    ideal_s = BATCH / (2 / SAMPLE_S + 1 / (SLOWER * SAMPLE_S))
    first_steps = range(first, first + 6)
    return Steps(
        tuple(took_s[step] / (ideal_s + beside_s) for step in first_steps),
        tuple(shares[step] / ideal_s for step in first_steps),
        median(took_s[first + step] / (ideal_s + beside_s) for step in SETTLED),
    )


def told(steps: Steps) -> str:
    """Gives the steps as a cell of the table."""
    first = " ".join(f"{each:.2f}" for each in steps.first)
    by_shares = " ".join(f"{each:.2f}" for each in steps.first_by_shares)
    return (
        f"first steps {first} x ideal (by samples alone {by_shares}), settled {steps.settled:.2f} x"
    )


def main(argv: Sequence[str]) -> None:
    """Runs one member."""
    log_path, goal = Path(argv[0]), Path(argv[1])
    sample_s = [float(os.environ.get("SAMPLE_S", SAMPLE_S))]
    torch.set_num_threads(1)
    task = Task(dtype=torch.float32, width=16)
    parent, share = os.getppid(), [0]

    def compute(turn: SessionStep) -> Sequence[Tensor]:
        share[0] = len(turn.share)
        time.sleep(sample_s[0] * share[0])
        return task.compute(turn)

    with log_path.open("a", buffering=1) as log:

        def tell(**about: Any) -> None:
            print(json.dumps({"at_s": time.time(), **about}), file=log)

        tell(event="warm")
        with Session.join(
            task.units(),
            task.apply,
            batch=BATCH,
            settings=SessionSettings.from_environment(),
            numbers=1,
        ) as session:

            def slow_down(*_: object) -> None:
                sample_s[0] *= SLOWER
                tell(event="slow", step=session.step)

            signal.signal(signal.SIGUSR1, slow_down)
            while os.getppid() == parent and not goal.exists():
                took_s = sample_s[0]
                if session.run(compute):
                    now = session.round
                    place = {
                        "generation": now.number,
                        "world_size": now.world_size,
                        "rank": now.rank,
                    }
                    tell(event="step", step=session.step, share=share[0], sample_s=took_s, **place)


if __name__ == "__main__":
    main(sys.argv[1:])
