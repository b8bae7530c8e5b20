"""The table's rows: a change, what a session is to reach, and how each system is measured at it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.elastic_training import agents, daemon, machine, ours, quiet, scenarios, uneven
from benchmarks.elastic_training.cells import cell, duration
from benchmarks.elastic_training.gaps import Found
from benchmarks.elastic_training.nodes import NeverCame
from benchmarks.elastic_training.scenarios import System
from benchmarks.elastic_training.torchrun import STOCK, TUNED
from benchmarks.elastic_training.with_torchft import Torchft

NEAR_IDEAL = "<= 1.10 x ideal within 3 steps"
# Rows that take long by themselves, and whose targets are none of a p99: so many rounds at most.
MOST_ROUNDS = 10
MOST_HANGS = 15
SYSTEMS = ("ours", "torchft", "tuned", "stock")


@dataclass(frozen=True, slots=True)
class Asked:
    """How much is to be measured."""

    rounds: int
    others_rounds: int
    bound_s: float
    torchft_python: Path

    @property
    def few(self) -> int:
        """Rounds of what takes long by itself."""
        return max(3, min(MOST_ROUNDS, self.rounds // 3))

    @property
    def hangs(self) -> int:
        return max(3, min(MOST_HANGS, self.rounds // 2))


Measure = Callable[[Asked], str]
Once = Callable[[System, Asked], Found]


def measured(measure: Measure, asked: Asked) -> str:
    """Gives a cell; that a system did not come as far as the change is one too, and ends no
    table."""
    try:
        return measure(asked)
    except NeverCame as never:
        return f"did not begin within {duration(never.waited_s)}"
    except (AssertionError, TimeoutError) as failed:
        print(failed, file=sys.stderr)
        return f"failed: {str(failed).partition(':')[0]}"


def _others(once: Once) -> dict[str, Measure]:
    return _each(
        lambda system, asked: cell([once(system, asked) for _ in range(asked.others_rounds)])
    )


def _each(at: Callable[[System, Asked], str]) -> dict[str, Measure]:
    def torchft(asked: Asked) -> str:
        system = Torchft(asked.torchft_python)
        return at(system, asked) if system.is_installed else "not installed"

    return {
        "torchft": torchft,
        "tuned": lambda asked: at(TUNED, asked),
        "stock": lambda asked: at(STOCK, asked),
    }


def _join(*options: str) -> Once:
    return lambda system, asked: scenarios.join(system, *options, bound_s=asked.bound_s)


def _end(number: signal.Signals) -> Once:
    return lambda system, asked: scenarios.end(system, number, bound_s=asked.bound_s)


def _store(system: System, asked: Asked) -> Found:
    return scenarios.store_death(system, bound_s=asked.bound_s)


def _quiet_cost(_: Asked) -> str:
    """The share of a step like those of all other rows."""
    return quiet.measured().told(ours.quiet().step_s)


def _step(found: scenarios.Quiet) -> str:
    return (
        f"{1e3 * found.step_s:.1f} ms, longest {found.longest:.1f} x, {1e3 * found.cpu_s:.1f} "
        "CPU-ms of both nodes"
    )


def _generations(preload: bool, asked: Asked) -> tuple[Found, Found]:
    return agents.join_and_leave(preload, bound_s=asked.bound_s)


ROWS: Mapping[str, tuple[str, Mapping[str, Measure]]] = {
    "machine": ("2.1 where the targets come from", {"ours": lambda _: machine.told()}),
    "leave": (
        "p50 <= 10 ms, p99 <= 100 ms, 0 iterations",
        {"ours": lambda asked: cell(ours.leaves(asked.rounds)), **_others(_end(signal.SIGTERM))},
    ),
    "join": (
        "<= 50 ms, no step over 2 x",
        {"ours": lambda asked: cell(ours.joins(asked.rounds)), **_others(_join())},
    ),
    "join-67MB": (
        "<= 50 ms, no step over 2 x",
        {
            "ours": lambda asked: cell(ours.large_joins(asked.few)),
            **_others(_join(*scenarios.LARGE)),
        },
    ),
    "kill": (
        "p50 <= 250 ms, p99 <= 1 s, 0 iterations",
        {"ours": lambda asked: cell(ours.kills(asked.rounds)), **_others(_end(signal.SIGKILL))},
    ),
    "hang": (
        "<= 1.5 s",
        {"ours": lambda asked: cell(ours.hangs(asked.hangs)), **_others(_end(signal.SIGSTOP))},
    ),
    "store": ("0 ms", {"ours": lambda asked: cell(ours.store_deaths()), **_others(_store)}),
    "store-back": ("<= 2 s", {"ours": lambda asked: ours.store_back(asked.few)}),
    "daemon": ("0 ms, control <= 2 s", {"ours": lambda asked: daemon.deaths(asked.few)}),
    "slow-joins": (NEAR_IDEAL, {"ours": lambda asked: uneven.told(uneven.slow_joins())}),
    "slows-down": (NEAR_IDEAL, {"ours": lambda asked: uneven.told(uneven.slows_down())}),
    "no-preload-join": (
        "<= 6 s, 0 iterations",
        {"ours": lambda asked: cell([_generations(False, asked)[0]])},
    ),
    "no-preload-second": (
        "<= 6 s, 0 iterations",
        {"ours": lambda asked: cell([agents.second(False, bound_s=asked.bound_s)])},
    ),
    "no-preload-leave": (
        "<= 8 s, 0 iterations",
        {"ours": lambda asked: cell([_generations(False, asked)[1]])},
    ),
    "no-preload-kill": (
        "–",
        {"ours": lambda asked: cell([agents.kill(False, bound_s=asked.bound_s)])},
    ),
    "preload-join": ("–", {"ours": lambda asked: cell([_generations(True, asked)[0]])}),
    "preload-leave": ("–", {"ours": lambda asked: cell([_generations(True, asked)[1]])}),
    "quiet": ("<= 0.3 % a step", {"ours": _quiet_cost}),
    "step": (
        "–",
        {
            "ours": lambda asked: _step(ours.quiet()),
            **_each(lambda at, asked: _step(scenarios.quiet(at))),
        },
    ),
}
