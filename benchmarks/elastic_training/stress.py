"""Random membership events on up to four ranks: `python -m benchmarks.elastic_training stress
--events 200 --seed 1`.

Members come (one or two at once), leave, are killed (one, two, or the source of a transfer), stop
and wake again, and the store is killed and another one begun. With `--unlike` members take turns in
running as if on a processor with AVX2 and on one without, and two of them at least stay. After each
event the SHA-256 over parameters and optimizer state must have been the same on all ranks at every
step; at the end the weights those of one undisturbed process. It says what it has compared, and
ends with status 1 where something differs or the members never meet.
"""

from __future__ import annotations

import argparse
import collections
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks.elastic_training.forked import forking
from tests.workloads.session import tasks
from tests.workloads.session.running import Fleet, Member, assert_near, running_fleet, undisturbed
from tests.workloads.session.schedule import Schedule

TOLERANCES = {"float64": 1e-12, "float32": 1e-5}
UNLIKE_TOLERANCE = (
    1e-4  # an undisturbed run calculates as one of the processors does, at every step
)


def main(argv: Sequence[str]) -> int:
    """Plays the events; 0 where all held."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.elastic_training stress")
    parser.add_argument("--events", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dtype", choices=list(TOLERANCES), default="float64")
    parser.add_argument(
        "--pause", type=float, default=0.02, help="seconds added to each member's part of a step"
    )
    parser.add_argument(
        "--unlike", action="store_true", help="have members calculate as unlike processors do"
    )
    parser.add_argument("--task", choices=("network", "classifier", "esrgan"), default="network")
    parser.add_argument("--optimizer", choices=("ours", "adamw", "sgd"), default="ours")
    parser.add_argument("--stand-in", action="store_true", help="sum over what stands in for NCCL")
    options = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        settings = ["--pause", str(options.pause), "--dtype", options.dtype, "--task", options.task]
        settings += [
            "--optimizer",
            options.optimizer,
            *(["--stand-in"] if options.stand_in else []),
        ]
        capabilities, least = (("avx2", "default"), 2) if options.unlike else ((), 1)
        with running_fleet(
            Path(folder), *settings, launch=forking(), capabilities=capabilities
        ) as fleet:
            schedule = Schedule(
                fleet, options.seed, tell=lambda line: print(line, flush=True), least=least
            )
            try:
                schedule.play(options.events)
                found = _verified(fleet, schedule, options)
            except AssertionError as failed:
                print(
                    f"FAILED after event {len(schedule.played)}, seed {options.seed}: "
                    f"{_brief(str(failed))}"
                )
                return 1
    played = collections.Counter(schedule.played)
    print(f"events: {', '.join(f'{count} x {name}' for name, count in played.most_common())}")
    print(f"{found} ({time.monotonic() - began_s:.0f} s, seed {options.seed})")
    return 0


def _verified(fleet: Fleet, schedule: Schedule, options: argparse.Namespace) -> str:
    """Ends the job and compares; raises AssertionError."""
    dtype = getattr(torch, options.dtype)
    tolerance = UNLIKE_TOLERANCE if options.unlike else TOLERANCES[options.dtype]
    steps = fleet.await_end(schedule.alive)
    fleet.assert_identical()
    fleet.assert_nothing_lost(
        [member for member in schedule.alive if not _has_started_over(member)]
    )
    missing = set(range(1, steps + 1)) - set(fleet.digests)
    assert not missing, (
        f"{len(missing)} of {steps} steps were committed by nobody, first {min(missing)}"
    )
    if options.task == "network":
        wanted = undisturbed(steps, dtype=dtype)
    else:
        wanted = tasks.undisturbed(tasks.task_of(options.task, options.optimizer, dtype), steps)
    off = max(
        assert_near(member.weights(), wanted, tolerance=tolerance) for member in schedule.alive
    )
    compared = sum(len(member.steps()) for member in fleet.members)
    worlds = {
        event["step"]: event["world_size"] for member in fleet.members for event in member.steps()
    }
    share = sum(size > 1 for size in worlds.values()) / len(worlds)
    return (
        f"{len(schedule.played)} events, {len(fleet.members)} members: at each of {steps} steps "
        f"one SHA-256 of parameters and optimizer state on all ranks ({compared} compared), two "
        f"members or more in {share:.0%} of them, no step lost or done twice; weights of "
        f"{len(schedule.alive)} ranks {off:.0e} off an undisturbed process's, at most "
        f"{tolerance:.0e} ({options.task}, {options.optimizer}, {options.dtype})"
    )


def _brief(failed: str) -> str:
    """Leaves out what the many members said that have ended."""
    first, *others = failed.splitlines()
    return "\n".join([first[:500], *(line for line in others if "(None)" in line)])


def _has_started_over(member: Member) -> bool:
    """One that was stopped meanwhile came in again as a newcomer, and has a gap."""
    return member.has("again")
