"""Chooses the lines of a job's logs to show: its last ones, or the traceback that ended it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from elastic.agent.cause import TRACEBACK, cause_in, is_echo, without_rank
from elastic.figures import size
from elastic.job_logs import JOB_BYTES, JobLogs
from elastic.log_line import LogLine, as_text
from elastic.model import Job, JobPhase

# How far back a failed job's traceback is searched.
_SEARCHED_LINES = 5_000
# What Python prints between two tracebacks that belong together.
_CHAINED = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)


@dataclass(frozen=True, slots=True)
class Shown:
    """Lines to show."""

    # Oldest first.
    lines: tuple[LogLine, ...]
    # Whether they are one worker's, from its traceback on.
    is_failure: bool = False
    # How many earlier ones are no longer kept; 0 if `lines` do not reach back that far.
    cut: int = 0


def shown(
    logs: JobLogs,
    job: Job,
    *,
    tail: int | None,
    rank: int | None,
    node_id: str | None,
    default: int,
) -> Shown:
    """Chooses the last `tail` lines of a rank, a node or all.

    For a failed job, and without any choice, the lines that say why it failed.
    """
    # A user who chooses lines gets those lines. The search is for one who only asks what happened.
    if job.phase is JobPhase.FAILED and tail is None and rank is None and node_id is None:
        newest = logs.lines(
            job.id, limit=_SEARCHED_LINES, generation=logs.newest_generation(job.id)
        )
        workers = tuple(line for line in newest if line.worker is not None)
        if failure := failure_in(workers):
            return Shown(failure, is_failure=True)
        if workers:
            return Shown(workers[-default:])
    wanted = tail or default
    lines = logs.lines(job.id, limit=wanted, rank=rank, node_id=node_id)
    if not lines and rank is None:
        # No worker has begun, and only torchrun may say why.
        lines = logs.lines(job.id, limit=wanted, has_torchrun=True)
    return Shown(lines, cut=logs.cut(job.id) if len(lines) < wanted else 0)


def failure_in(lines: Sequence[LogLine]) -> tuple[LogLine, ...]:
    """The lines of the worker that failed first, from its last traceback on; empty if none."""
    # A worker fails too when its peer is gone, so such an error comes last.
    ends = [end for stream in _streams(lines) if (end := _from_traceback(stream))]
    ends.sort(key=lambda end: (is_echo("\n".join(line.text for line in end)), end[0].id))
    if ends:
        return ends[0]
    return ()


def written(found: Shown, *, is_labelled: bool) -> Iterator[str]:
    """The lines as text, each with its end of line."""
    if found.cut:
        kept = size(JOB_BYTES)
        yield f"... {found.cut:,} earlier lines are no longer kept: a job keeps {kept} ...\n"
    before: LogLine | None = None
    for line in found.lines:
        yield as_text(line, before=before, is_labelled=is_labelled and not found.is_failure)
        before = line


def _streams(lines: Iterable[LogLine]) -> Iterable[list[LogLine]]:
    streams: dict[tuple[str, int | None], list[LogLine]] = {}
    for line in lines:
        # Apart, since the lines of two workers come in any order, in the middle of a traceback too.
        streams.setdefault((line.node_id, line.worker), []).append(line)
    return streams.values()


def _from_traceback(stream: Sequence[LogLine]) -> tuple[LogLine, ...]:
    """What one worker wrote from its last traceback on, with the tracebacks that led to it."""
    texts = [without_rank(line.text) for line in stream]
    heads = [index for index, text in enumerate(texts) if text == TRACEBACK]
    if not heads or cause_in("\n".join(texts[heads[-1] :])) is None:
        return ()
    first = heads.pop()
    # Back through exceptions that were raised while another one was handled.
    while heads and any(text in _CHAINED for text in texts[heads[-1] : first][-3:]):
        first = heads.pop()
    return tuple(stream[first:])
