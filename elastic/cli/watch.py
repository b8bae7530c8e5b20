"""`elasticd job watch`: shows a job's progress, live on a terminal, line by line elsewhere."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from elastic import figures
from elastic.cli import render
from elastic.cli.exits import ExitCode, exit_code_of_job
from elastic.cli.outlet import has_reader
from elastic.durations import HEARTBEAT_S, TRANSFER_TIMEOUT_S
from elastic.errors import DaemonUnreachable, StoreUnavailable
from elastic.log_line import plain_lines
from elastic.model import JobPhase, ScriptError

if TYPE_CHECKING:
    from elastic.client.rest import JsonObject
    from elastic.clock import Clock

# Nodes report as often.
POLL_S = HEARTBEAT_S
# An answer takes milliseconds. With the poll before it, silence is said within three seconds.
ANSWER_S = 2 * POLL_S
# As long as the other commands wait for an answer. Another daemon starts meanwhile.
PATIENCE_S = TRANSFER_TIMEOUT_S


@dataclass(frozen=True, slots=True)
class WatchedJob:
    """What a watcher sees of a job at one moment; None is unknown."""

    name: str
    phase: str
    group: str | None
    iteration: int
    iterations: int | None
    iterations_per_s: float | None
    iterations_per_usd: float | None
    spent_usd: float
    eta_s: float | None
    message: str | None
    waits_because: str | None = None
    refusals: tuple[str, ...] = ()
    preparing: tuple[str, ...] = ()
    alarms: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None
    error_lines: str = ""
    # Where the job was when it failed with that.
    error_iteration: int | None = None

    @property
    def is_over(self) -> bool:
        return JobPhase(self.phase).is_final

    def line(self) -> str:
        """Writes it as one line.

        >>> on = "1 x c5.large spot"
        >>> WatchedJob("a", "running", on, 5, 10, 2.0, 3000.0, 0.01, 2.5, None).line()
        'running  5/10 it  2 it/s  3,000 it/$  1 x c5.large spot  spent $0.01  2.5 s left'
        """
        parts = [self.phase, f"{self.iteration}/{self.iterations or '?'} it"]
        if self.iterations_per_s is not None:
            parts.append(f"{figures.number(self.iterations_per_s)} it/s")
        if self.iterations_per_usd is not None:
            parts.append(f"{figures.number(self.iterations_per_usd)} it/$")
        parts += [self.group or "no nodes", f"spent {figures.usd(self.spent_usd)}"]
        if self.eta_s is not None and not self.is_over:
            parts.append(f"{figures.duration(self.eta_s)} left")
        parts += [text for _, text in self.delays()]
        return "  ".join(parts)

    def delays(self) -> tuple[tuple[str, str], ...]:
        """What keeps it from training, each with its kind: that stays while the times in it grow.

        >>> on = "1 x c5.large spot"
        >>> WatchedJob("a", "running", on, 5, 10, 2.0, 3000.0, 0.01, 2.5, None, "no spot").delays()
        (('no spot', 'no spot'),)
        """
        waits = () if self.waits_because is None else (self.waits_because,)
        return (
            *((each, each) for each in (*waits, *self.refusals[:1])),
            *((each.rpartition(",")[0], each) for each in self.preparing),
            *((each.partition(":")[0], f"alarm: {each}") for each in self.alarms),
        )

    def notices(self) -> tuple[str, ...]:
        """Notes, warnings and errors: lines that are printed once.

        >>> failed = WatchedJob("a", "failed", None, 5, 10, None, None, 0.0, None, None, error="no")
        >>> failed.notices()
        ('failed: no',)
        """
        notes = [f"note: {each}" for each in self.notes]
        warnings = [f"warning: {each}" for each in self.warnings]
        if self.error is None:
            return (*notes, *warnings)
        where = ""
        if self.error_iteration:
            where = f" at iteration {figures.count(self.error_iteration)}"
        failed = f"failed{where}: {self.error}"
        # Of a job that is over, the traceback is its last word.
        if self.error_lines and not self.is_over:
            failed += "\n" + textwrap.indent(self.error_lines, "  ")
        return (*notes, *warnings, failed)


def watched_job(job: JsonObject) -> WatchedJob:
    """Reads what the daemon says of a job."""
    error = job.get("error") or {}
    progress = job["progress"]
    # What is there first, and until then what is being bought.
    group = job["current_group"] or job["target_group"]
    candidate = next((each for each in job["candidates"] if each["group"] == group), None)
    return WatchedJob(
        name=job["spec"]["name"],
        phase=job["phase"],
        group=render.group(group) if group else None,
        iteration=progress["iteration"],
        iterations=progress["iterations"],
        iterations_per_s=progress["iterations_per_s"],
        iterations_per_usd=render.at(candidate, "iterations_per_usd.value"),
        spent_usd=job["spent_usd"],
        eta_s=progress["eta_s"],
        # A script's own words may have been recorded with escape sequences.
        message=plain_lines(job["message"] or ""),
        waits_because=job["waits_because"] and plain_lines(job["waits_because"]),
        refusals=tuple(each["text"] for each in (job.get("waiting") or {}).get("pools", ())),
        preparing=tuple(map(plain_lines, job.get("preparing", ()))),
        alarms=tuple(map(plain_lines, job.get("alarms", ()))),
        warnings=tuple(map(plain_lines, job.get("warnings", ()))),
        notes=tuple(map(plain_lines, job.get("notes", ()))),
        error=plain_lines(str(ScriptError(**error))) if error else None,
        error_lines=plain_lines(error.get("lines", "")),
        error_iteration=error.get("iteration"),
    )


def watch(
    look: Callable[[], WatchedJob], *, is_live: bool, timeout_s: float | None, clock: Clock
) -> ExitCode:
    """Shows a job until it ends or `timeout_s` has passed; returns the exit status.

    Also ends when the output's reader is gone, and at Ctrl-C. Raises DaemonUnreachable if the
    daemon does not answer at first, or for longer than it takes to start another.
    """
    last: WatchedJob | None = None
    told: set[str] = set()
    try:
        # A bar in a file would be thousands of lines that erase each other.
        with _bar() if is_live else _lines() as show:
            for seen in _looks(look, timeout_s=timeout_s, clock=clock):
                # Above the bar.
                if isinstance(seen, str):
                    print(seen, flush=True)
                    continue
                last = seen
                # Each only once.
                for line in [each for each in last.notices() if each not in told]:
                    print(line, flush=True)
                    told.add(line)
                show(last)
                if last.is_over:
                    break
    except KeyboardInterrupt:
        print()
    return _close(last)


def _looks(
    look: Callable[[], WatchedJob], *, timeout_s: float | None, clock: Clock
) -> Iterator[WatchedJob | str]:
    """The job, again and again; and once a sentence when the daemon falls silent or is back."""
    until_s = None
    if timeout_s is not None:
        until_s = clock.now_s() + timeout_s
    # Outside the loop: where no daemon is, that is said at once and not after its patience.
    yield look()
    silent_since_s: float | None = None
    while has_reader() and (until_s is None or clock.now_s() < until_s):
        clock.sleep(POLL_S)
        try:
            job = look()
        except (DaemonUnreachable, StoreUnavailable) as error:
            # Said once, and not at each try.
            if silent_since_s is None:
                silent_since_s = clock.now_s()
                yield f"the daemon does not answer; trying again ({error})"
            elif clock.now_s() - silent_since_s >= PATIENCE_S:
                raise
            continue
        if silent_since_s is not None:
            silent_since_s = None
            yield "the daemon answers again"
        yield job


@contextmanager
def _lines() -> Iterator[Callable[[WatchedJob], None]]:
    """Prints a line whenever something but the estimates has changed."""
    before: list[WatchedJob] = []

    def show(job: WatchedJob) -> None:
        if not before or _moved(before[-1], job):
            print(job.line(), flush=True)
        before[:] = [job]

    yield show


def _moved(before: WatchedJob, now: WatchedJob) -> bool:
    return _worth_a_line(before) != _worth_a_line(now)


def _worth_a_line(job: WatchedJob) -> tuple[object, ...]:
    """What has to change for a new line."""
    return job.phase, job.group, job.iteration, [kind for kind, _ in job.delays()]


@contextmanager
def _bar() -> Iterator[Callable[[WatchedJob], None]]:
    """Draws a progress bar, and under it the job's line."""
    from rich.console import Group
    from rich.live import Live
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    task = progress.add_task("")
    with Live(progress, refresh_per_second=4) as live:

        def show(job: WatchedJob) -> None:
            progress.update(
                task,
                description=job.name,
                completed=job.iteration,
                total=job.iterations,
            )
            live.update(Group(progress, Text(job.line())))

        yield show


def _close(last: WatchedJob | None) -> ExitCode:
    if last is None or not last.is_over:
        print("the job goes on; `elasticd job watch` shows it again, `elasticd job stop` ends it")
        return ExitCode.JOB_UNFINISHED
    if last.error_lines and last.phase == JobPhase.FAILED:
        print(last.error_lines)
    print(f"job {last.name}: {last.phase}" + (f": {last.message}" if last.message else ""))
    return exit_code_of_job(last.phase)
