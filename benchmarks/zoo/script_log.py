"""What a script's own log says, as its user would read it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_LINE = re.compile(r"(\d+\.\d+) pid (\d+) group (\S+) rank (\d+)/(\d+) (\w+) ?(.*)")
_WRITTEN_S = 0.01  # from a step to its line in the log
_ROUNDING = 1e-3  # positions in epochs have four decimals


@dataclass(frozen=True, slots=True)
class Step:
    """One step of rank 0: when it ended, and how far the script was then, in its own steps or
    epochs.

    `is_slowed` where the zoo made it wait.
    """

    at_s: float
    position: float
    is_slowed: bool = False


@dataclass(slots=True)
class Round:
    """Workers that met and trained together, until one of them left: `begins` is where each rank
    began."""

    world_size: int
    begun_s: float
    begins: dict[int, float] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    pids: dict[int, int] = field(default_factory=dict)

    def work_of_step(self, batch: str) -> int:
        """How many iterations one step is: a `worker`'s batch on each rank, or one batch of the
        `job`."""
        return self.world_size if batch == "worker" else 1

    @property
    def begins_at(self) -> tuple[float, ...]:
        """Each place where a rank began; all ranks began at one place if there is one."""
        return tuple(sorted(set(self.begins.values())))

    @property
    def steady_s(self) -> tuple[float, float]:
        """From when it began, or was slowed no longer, until the line of its last step that was not
        slowed."""
        times = [step.at_s for step in self.steps if not step.is_slowed]
        if not times:
            return self.begun_s, self.begun_s
        return times[0] if self.steps[0].is_slowed else self.begun_s, times[-1] + _WRITTEN_S

    def rate(self, batch: str, *, from_s: float, to_s: float) -> tuple[int, float | None]:
        """Steps of rank 0 in that time, and work a second from the first of them to the last."""
        times = [step.at_s for step in self.steps if from_s <= step.at_s <= to_s + _WRITTEN_S]
        if len(times) < 2 or times[-1] <= times[0]:
            return len(times), None
        return len(times), (len(times) - 1) * self.work_of_step(batch) / (times[-1] - times[0])


@dataclass(frozen=True, slots=True)
class ScriptLog:
    """All rounds in their order, the workers that were started, and each file's digest when it was
    saved last."""

    rounds: tuple[Round, ...]
    starts: int
    saved: dict[str, str]
    is_done: bool

    def survived(self, batch: str) -> int:
        """The work that the weights have seen in the end: steps done again count once.

        Where each worker has a batch of its own, a step of two ranks is twice the work of a step of
        one.
        """
        lineages: list[list[tuple[float, int]]] = []
        for each in self.rounds:
            first = min(each.begins.values(), default=0.0)
            is_there = (
                line for line in reversed(lineages) if line and line[-1][0] >= first - _ROUNDING
            )
            kept = [done for done in next(is_there, []) if done[0] <= first + _ROUNDING]
            lineages.append(
                kept + [(step.position, each.work_of_step(batch)) for step in each.steps]
            )
        return sum(work for _, work in lineages[-1]) if lineages else 0


def read_log(lines: Iterable[str]) -> ScriptLog:
    """Reads the lines of all ranks.

    >>> log = read_log([
    ...     "1.0 pid 7 group a:1 rank 0/1 started", "1.0 pid 7 group a:1 rank 0/1 begins at 0",
    ...     "2.0 pid 7 group a:1 rank 0/1 at 1 loss 2.5", "3.0 pid 7 group a:1 rank 0/1 at 2 loss 2.4",
    ...     "4.0 pid 8 group a:2 rank 0/1 started", "4.0 pid 8 group a:2 rank 0/1 begins at 1",
    ...     "5.0 pid 8 group a:2 rank 0/1 at 2 loss 2.4", "5.1 pid 8 group a:2 rank 0/1 saved ./x.pt 0a",
    ... ])
    >>> log.starts, log.survived("worker"), log.saved, [each.begins_at for each in log.rounds]
    (2, 2, {'x.pt': '0a'}, [(0.0,), (1.0,)])
    """
    rounds: dict[str, Round] = {}
    starts, saved, is_done = 0, dict[str, str](), False
    for match in filter(None, map(_LINE.match, lines)):
        at_s, pid, rank, world = float(match[1]), int(match[2]), int(match[4]), int(match[5])
        kind, rest = match[6], match[7]
        if kind == "started":
            starts += 1
        if kind == "begins":
            # One port a meeting: the same ranks that meet again do so at another.
            here = rounds.setdefault(match[3], Round(world, at_s))
            here.begins[rank] = float(rest.split()[1])
            here.pids[rank] = pid
        elif kind == "at" and rank == 0 and match[3] in rounds:
            rounds[match[3]].steps.append(
                Step(at_s, float(rest.split()[0]), rest.endswith(" slowed"))
            )
        elif kind == "saved":
            name, digest = rest.rsplit(maxsplit=1)
            saved[os.path.normpath(name)] = digest
        is_done = is_done or kind == "done"
    ordered = tuple(sorted(rounds.values(), key=lambda each: each.begun_s))
    return ScriptLog(ordered, starts, saved, is_done)
