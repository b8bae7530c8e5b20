"""A session's changes, measured with real processes on this machine."""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from statistics import median

from benchmarks.elastic_training.cells import duration
from benchmarks.elastic_training.forked import forking
from benchmarks.elastic_training.gaps import Change, change_at
from benchmarks.elastic_training.scenarios import Quiet, longest_step, quiet_steps
from tests.workloads.session.running import Fleet, Member, running_fleet

# steps before and after a change: enough for a median one, and for what a change still costs then
AROUND = 12
SMALL = (
    "--no-digests",
    "--dtype",
    "float32",
    "--pause",
    "0.04",
    "--width",
    "400",
    "--chunk-bytes",
    "8000000",
)
LARGE = (*SMALL[:-2], "--width", "1024", "--depth", "17", "--chunk-bytes", "32000000")


def leaves(rounds: int) -> list[Change]:
    """Two members, and a third that comes and leaves."""
    return _rounds(rounds, signal.SIGTERM)[1]


def joins(rounds: int) -> list[Change]:
    """Two members, and a third that comes in: in the same rounds in which it leaves."""
    return _rounds(rounds, signal.SIGTERM)[0]


def large_joins(rounds: int) -> list[Change]:
    """Two members of 67 MB of parameters, 200 MB of state, and a third that comes in."""
    return _rounds(rounds, signal.SIGTERM, LARGE)[0]


def kills(rounds: int) -> list[Change]:
    """Two members, and a third that is killed."""
    return _rounds(rounds, signal.SIGKILL)[1]


def hangs(rounds: int) -> list[Change]:
    """Two members, and a third that is stopped."""
    return _rounds(rounds, signal.SIGSTOP)[1]


def store_deaths() -> list[Change]:
    """Two members whose store is killed: the longest step around it."""
    with _fleet(*SMALL) as (fleet, stay):
        fleet.await_step(stay, stay[0].last["step"] + AROUND)
        killed_s = time.time()
        fleet.kill_store()
        fleet.await_step(stay, stay[0].last["step"] + 2 * AROUND)
        return [longest_step(stay[0], after_s=killed_s)]


def store_back(rounds: int) -> str:
    """Two members without a store, and a newcomer that waits: from the new store's first answer
    until it is in."""
    found = []
    with _fleet(*SMALL) as (fleet, stay):
        for _ in range(rounds):
            fleet.kill_store()
            (third,) = fleet.start()
            fleet.await_event(third, "warm")
            fleet.start_store("held=1")
            answers_s = (fleet.folder / "store").stat().st_mtime
            fleet.await_event(third, "joined")
            joined = next(event for event in third.events() if event["event"] == "joined")
            found.append(joined["at_s"] - answers_s)
            third.kill(signal.SIGTERM)
            fleet.await_world(stay)
    return (
        f"a newcomer is in after {duration(median(found))}, worst {duration(max(found))}, {rounds} "
        "rounds"
    )


def quiet() -> Quiet:
    """Two members to which nothing happens."""
    with _fleet(*SMALL) as (fleet, stay):
        fleet.await_step(stay, AROUND)
        return quiet_steps(stay, lambda step: fleet.await_step(stay, step))


@cache
def _rounds(
    rounds: int, number: signal.Signals, options: tuple[str, ...] = SMALL
) -> tuple[list[Change], list[Change]]:
    with _fleet(*options) as (fleet, stay):
        found = [_joined_then(fleet, stay, number) for _ in range(rounds)]
    return [join for join, _ in found], [end for _, end in found]


@contextmanager
def _fleet(*options: str) -> Iterator[tuple[Fleet, list[Member]]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        running_fleet(Path(folder), *options, launch=forking()) as fleet,
    ):
        stay = fleet.start(2)
        fleet.await_world(stay)
        yield fleet, stay


def _joined_then(fleet: Fleet, stay: list[Member], number: signal.Signals) -> tuple[Change, Change]:
    """Lets a third come, then ends it so; gives both changes as the first member saw them."""

    def newcomer_joins() -> None:
        fleet.await_world([*stay, third], further=AROUND)

    (third,) = fleet.start()
    fleet.await_event(third, "warm")
    join = _seen(fleet, stay[0], newcomer_joins)

    def newcomer_ends() -> None:
        third.kill(number)
        fleet.await_world(stay, further=AROUND)

    end = _seen(fleet, stay[0], newcomer_ends)
    third.kill()
    third.process.wait()
    return join, end


def _seen(fleet: Fleet, member: Member, change: Callable[[], None]) -> Change:
    began_s = time.time()
    change()
    return change_at(member.steps(), after_s=began_s)
