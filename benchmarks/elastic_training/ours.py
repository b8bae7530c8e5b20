"""A session's changes, measured with real processes on this machine."""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from benchmarks.elastic_training.gaps import Change, change_at
from tests.workloads.session.running import Fleet, Member, running_fleet

SMALL = ("--no-digests", "--dtype", "float32", "--pause", "0.04", "--width", "400", "--chunk-bytes", "8000000")
LARGE = (*SMALL[:-2], "--width", "1024", "--depth", "17", "--chunk-bytes", "32000000")
AROUND = 25  # steps before and after a change


def leaves(rounds: int) -> list[Change]:
    """Two members, and a third that comes and leaves."""
    with _fleet(*SMALL) as (fleet, stay):
        return [_joined_then(fleet, stay, signal.SIGTERM)[1] for _ in range(rounds)]


def joins(rounds: int, *, is_large: bool) -> list[Change]:
    """Two members, and a third that comes in."""
    with _fleet(*(LARGE if is_large else SMALL)) as (fleet, stay):
        return [_joined_then(fleet, stay, signal.SIGTERM)[0] for _ in range(rounds)]


def kills(rounds: int) -> list[Change]:
    """Two members, and a third that is killed."""
    with _fleet(*SMALL) as (fleet, stay):
        return [_joined_then(fleet, stay, signal.SIGKILL)[1] for _ in range(rounds)]


def hangs(rounds: int) -> list[Change]:
    """Two members, and a third that is stopped."""
    with _fleet(*SMALL) as (fleet, stay):
        return [_joined_then(fleet, stay, signal.SIGSTOP)[1] for _ in range(rounds)]


def store_deaths() -> list[Change]:
    """Two members whose store is killed: the longest step around it."""
    with _fleet(*SMALL) as (fleet, stay):
        fleet.await_step(stay, stay[0].last["step"] + AROUND)
        killed_s = time.time()
        fleet.kill_store()
        fleet.await_step(stay, stay[0].last["step"] + 2 * AROUND)
        steps = stay[0].steps()
        gaps = [(b["at_s"], b["at_s"] - a["at_s"]) for a, b in pairwise(steps)]
        usual_s = sorted(gap for _, gap in gaps)[len(gaps) // 2]
        worst_s = max(gap for at_s, gap in gaps if at_s > killed_s)
        return [Change(worst_s - usual_s, worst_s / usual_s, 0)]


@contextmanager
def _fleet(*options: str) -> Iterator[tuple[Fleet, list[Member]]]:
    with tempfile.TemporaryDirectory() as folder, running_fleet(Path(folder), *options) as fleet:
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
