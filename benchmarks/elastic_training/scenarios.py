"""What befalls a group of three nodes, measured the same way for every system that is not a
session."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Protocol

import psutil

from benchmarks.elastic_training.gaps import Change, Found, NoChange, change_at, has_changed
from benchmarks.elastic_training.nodes import NeverCame, Nodes, befall
from tests.workloads.session.running import Member

AROUND = 25  # steps before and after a change
LARGE = ("--width", "1024", "--depth", "17")


class System(Protocol):
    """A way to train on nodes."""

    def running(self, *options: str) -> AbstractContextManager[Nodes]: ...


def join(system: System, *options: str, bound_s: float) -> Found:
    """Two nodes, and a third that comes in."""
    with system.running(*options) as nodes:
        stay = _trained(nodes, 2)
        began_s = time.time()
        (third,) = nodes.start()
        return seen(nodes, stay, [*stay, third], began_s=began_s, bound_s=bound_s)


def end(system: System, number: signal.Signals, *, bound_s: float) -> Found:
    """Three nodes, and one that is told to leave, killed or stopped: neither rank 0's nor the
    first."""
    with system.running() as nodes:
        members = _trained(nodes, 3)
        lost = next(member for member in members[1:] if member.last["rank"] != 0)
        stay = [member for member in members if member is not lost]
        began_s = time.time()
        befall(lost, number)
        return seen(nodes, stay, stay, began_s=began_s, bound_s=bound_s)


def store_death(system: System, *, bound_s: float) -> Found:
    """Two nodes whose store is killed, or the node that it lives on where it has no process of its
    own."""
    with system.running() as nodes:
        members = _trained(nodes, 2)
        began_s = time.time()
        if nodes.store is None:
            befall(members[0], signal.SIGKILL)
            return seen(nodes, members[1:], members[1:], began_s=began_s, bound_s=bound_s)
        nodes.store.kill()
        try:
            goal = members[0].last["step"] + 2 * AROUND
            nodes.await_so(
                lambda: members[0].last["step"] >= goal, f"step {goal}", members, bound_s=bound_s
            )
        except NeverCame as never:
            return NoChange(never.waited_s, never.has_ended)
        return longest_step(members[0], after_s=began_s)


@dataclass(frozen=True, slots=True)
class Quiet:
    """Steps when nothing happens: their median duration, the longest over it, and CPU-seconds of
    all nodes a step."""

    step_s: float
    longest: float
    cpu_s: float


def quiet(system: System) -> Quiet:
    """Two nodes to which nothing happens."""
    with system.running() as nodes:
        members = _trained(nodes, 2)

        def wait(step: int) -> None:
            nodes.await_so(
                lambda: members[0].last["step"] >= step, f"step {step}", members, bound_s=120
            )

        return quiet_steps(members, wait)


def quiet_steps(
    members: Sequence[Member], wait: Callable[[int], None], *, steps: int = 1000
) -> Quiet:
    """Measures so many steps; `wait` waits for a step to be done."""
    first, cpu_s = members[0].last["step"], _cpu_s(members)
    wait(first + steps)
    done = members[0].last["step"] - first
    used_s = _cpu_s(members) - cpu_s
    ends = [event["at_s"] for event in members[0].steps() if event["step"] >= first]
    gaps = [b - a for a, b in pairwise(ends)]
    return Quiet(median(gaps), max(gaps) / median(gaps), used_s / done)


def longest_step(member: Member, *, after_s: float) -> Change:
    """Gives the longest step after an instant as a change, where the world stays as it is."""
    gaps = [(b["at_s"], b["at_s"] - a["at_s"]) for a, b in pairwise(member.steps())]
    usual_s = median(gap for _, gap in gaps)
    worst_s = max(gap for at_s, gap in gaps if at_s > after_s)
    return Change(worst_s - usual_s, worst_s / usual_s, 0)


def seen(
    nodes: Nodes, stay: Sequence[Member], world: Sequence[Member], *, began_s: float, bound_s: float
) -> Found:
    """Waits for the change to a world of these, and gives it as the first of those who stay saw
    it."""

    def is_so() -> bool:
        return has_changed(stay[0].steps(), after_s=began_s, world_size=len(world))

    try:
        nodes.await_so(is_so, f"a world of {len(world)}", stay, bound_s=bound_s)
    except NeverCame as never:
        return NoChange(never.waited_s, never.has_ended)
    return change_at(stay[0].steps(), after_s=began_s, world_size=len(world))


def _trained(nodes: Nodes, count: int) -> list[Member]:
    members = nodes.start(count)
    nodes.await_world(members, further=AROUND)
    return members


def _cpu_s(members: Sequence[Member]) -> float:
    used_s = 0.0
    for member in members:
        first = psutil.Process(member.process.pid)
        for process in [first, *first.children(recursive=True)]:
            times = process.cpu_times()
            used_s += times.user + times.system
    return used_s
