"""How a generation ended on this node, as reported to its daemon."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from elastic.agent import logs
from elastic.agent.cause import only_follows, uneven_end
from elastic.agent.ingest import WorkerReports
from elastic.agent.root_error import root_error
from elastic.agent.steering import ENDED_EARLY, OUTSIDE, RunningGeneration, is_outside, outcome_of
from elastic.agent.uploader import UploadVerdict
from elastic.model import AGENT_SAYS, Exit, Outcome, ScriptError
from elastic.worker.hook import CANNOT_BEGIN


def exit_of(
    group: RunningGeneration,
    heard: WorkerReports,
    *,
    exit_code: int,
    workers: int,
    log_path: Path,
    torchrun_dir: Path,
) -> Exit:
    """Returns the exit of a torchrun that ended with this code and had `workers` workers here.

    Workers left their last errors in `torchrun_dir`.
    """
    ending = Exit(
        generation=group.number,
        outcome=outcome_of(
            last_words=heard.last_words,
            have_all_said=heard.last_word_ranks >= workers,
            exit_code=exit_code,
            was_draining=group.drain_asked_at is not None,
            is_in_session=group.is_in_session,
        ),
        exit_code=exit_code,
        iteration=heard.iteration,
        log_tail=logs.last_words(log_path),
    )
    if group.is_in_session and exit_code == 0 and ending.outcome is Outcome.FAILED:
        ending = _by_the_script(ending, ENDED_EARLY)
    why = _why_hopeless(ending.log_tail)
    if ending.outcome is Outcome.FAILED and not heard.has_trained and why is not None:
        return replace(_failed(ending, why), needs_person=True)
    if is_outside(group, has_trained=heard.has_trained, has_joined=heard.has_joined):
        return _by_the_script(ending, OUTSIDE)
    if ending.outcome is Outcome.FAILED and ending.error is None and group.drain_asked_at is None:
        ending = replace(
            ending, error=root_error(torchrun_dir, group.generation, log_tail=ending.log_tail)
        )
        if "finished" in heard.last_words and only_follows(ending):
            return replace(ending, error=uneven_end(ending.error))
    return ending


def as_stored(ending: Exit, verdict: UploadVerdict) -> Exit:
    """The exit to report: if state is lost with this node, it is neither drained nor done.

    Workers that could not begin say so only in the log, and torchrun writes its own lines below.
    """
    if verdict.refusal is not None:
        refused = _failed(ending, verdict.refusal.why)
        error = None
        if verdict.refusal.is_by_script:
            error = ScriptError(kind="", text=verdict.refusal.why)
        return replace(refused, needs_person=verdict.refusal.needs_person, error=error)
    if verdict.is_durable or ending.outcome is Outcome.FAILED:
        return ending
    return _failed(ending, verdict.why)


def _why_hopeless(log_tail: str) -> str | None:
    """Why a worker's command can never run, if one said so: a restart would not help."""
    said = [
        line.removeprefix(CANNOT_BEGIN)
        for line in log_tail.splitlines()
        if line.startswith(CANNOT_BEGIN)
    ]
    return said[-1] if said else None


def _by_the_script(ending: Exit, why: str) -> Exit:
    """A failure by the script, which would do the same again."""
    return replace(_failed(ending, why), error=ScriptError(kind="", text=why))


def _failed(ending: Exit, why: str) -> Exit:
    return replace(
        ending, outcome=Outcome.FAILED, log_tail=f"{ending.log_tail}\n{AGENT_SAYS}{why}\n"
    )
