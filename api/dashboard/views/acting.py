"""Shows what an action on a job would change, before it is confirmed."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from api.dashboard.views.candidates import CandidateTable, candidate_table
from api.dashboard.views.frontier import FrontierChart, frontier_of
from api.dashboard.views.parts import group_detail, group_name
from api.plans import Outset, PricedMove
from elastic.figures import count, moment, price, usd
from elastic.model import Candidate, Group, Job, JobPhase, JobSpec

# Every number of nodes is offered up to here, and every eighth beyond.
_EACH_UP_TO = 16
# A phone shows this many before the button that submits is out of reach.
_CANDIDATES = 10


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One thing before and after."""

    label: str
    now: str
    then: str


@dataclass(frozen=True, slots=True)
class ChangeView:
    """What an action would change, why, and what to know before it."""

    rows: tuple[ChangeRow, ...]
    # The reason of the decision that the next tick would take; empty if there is none.
    why: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutsetView:
    """What submitting a job would begin with and what that costs."""

    name: str
    facts: tuple[tuple[str, str], ...]
    # The reason of the decision that the first tick would take.
    why: str
    candidates: CandidateTable
    # How many more candidates there are.
    left_out: int
    # None while fewer than two finishes are known.
    frontier: FrontierChart | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of a list to choose from."""

    value: str
    text: str


def stop_view(job: Job, move: PricedMove, *, spent_usd: float) -> ChangeView:
    """What stopping a job means."""
    rows = (
        ChangeRow("Nodes", _group(move.held), "none"),
        ChangeRow("Cost an hour", _an_hour(move.usd_per_h), _an_hour(0.0)),
    )
    if job.always_begins_at_zero:
        saved = "Its script begins at 0 again if it is resumed: what it has done is lost."
    else:
        saved = (
            f"It is at iteration {count(job.iteration)}. It stops at its next safe point and keeps "
            "its newest checkpoint, from which it can be resumed."
        )
    return ChangeView(rows, notes=(saved, _spent(spent_usd)))


def pause_view(job: Job, move: PricedMove, *, spent_usd: float, now_s: float) -> ChangeView:
    """What pausing a job means."""
    stopped = stop_view(job, move, spent_usd=spent_usd)
    notes = list(stopped.notes)
    if not job.always_begins_at_zero:
        notes[0] = (
            f"It is at iteration {count(job.iteration)}. It saves, gives its nodes back, and waits "
            "until it is resumed."
        )
    if job.spec.objective.deadline_s is not None:
        deadline = _deadline(job.spec.objective.deadline_s, now_s)
        notes.append(f"Its deadline, {deadline}, still counts while it is paused.")
    if job.spec.max_duration_s is not None:
        notes.append("Its longest time, max_duration, still counts while it is paused.")
    return ChangeView(stopped.rows, notes=tuple(notes))


def change_view(
    before: JobSpec, after: JobSpec, move: PricedMove, *, spent_usd: float, now_s: float
) -> ChangeView:
    """What another spec would change of a job."""
    return ChangeView(
        rows=(
            *_asked_rows(before, after, now_s),
            ChangeRow("Nodes", _group(move.held), _group(move.plan.target)),
            ChangeRow("Cost an hour", _an_hour(move.usd_per_h), _an_hour(move.target_usd_per_h)),
        ),
        why=move.plan.reason.text,
        notes=(*_redone(move), _spent(spent_usd)),
    )


def outset_view(spec: JobSpec, outset: Outset, why_precision: str, *, now_s: float) -> OutsetView:
    """What a job would begin with, its candidates and its frontier."""
    target = outset.plan.target
    candidate = outset.plan.candidate(target)
    burn = None
    if candidate is not None:
        burn = candidate.usd_per_h
    facts = [
        ("Runs", shlex.join(spec.command)),
        (
            "Iterations",
            "until the script ends" if spec.iterations is None else count(spec.iterations),
        ),
        ("Budget", _budget(spec.objective.budget_usd)),
        ("Deadline", _deadline(spec.objective.deadline_s, now_s)),
        ("Begins on", _group(target)),
        ("Cost an hour", _an_hour(burn)),
    ]
    if spec.precision is not None:
        said = filter(None, (str(spec.precision), why_precision))
        facts.insert(2, ("Precision", "; ".join(said)))
    notes = list(outset.notes)
    if outset.measured_by is not None:
        notes.append(f"The rates are those that job {outset.measured_by} measured.")
    notes += [f"{each.kind}: {each.text}" for each in outset.forecast.misses]
    return OutsetView(
        name=spec.name,
        facts=tuple(facts),
        why=outset.plan.reason.text,
        candidates=candidate_table(
            shown_candidates(outset.candidates, target),
            current=None,
            target=target,
            is_profiling=False,
            training_phase=None,
        ),
        left_out=max(len(outset.candidates) - _CANDIDATES, 0),
        frontier=frontier_of(outset.forecast, now_s=now_s),
        notes=tuple(notes),
    )


def shown_candidates(
    candidates: Sequence[Candidate], target: Group | None
) -> tuple[Candidate, ...]:
    """At most ten: the target, then those with most iterations per dollar, then the cheapest."""
    return tuple(sorted(candidates, key=lambda each: _merit(each, target))[:_CANDIDATES])


def _merit(candidate: Candidate, target: Group | None) -> tuple[bool, float, float]:
    value = 0.0
    if candidate.iterations_per_usd is not None:
        value = candidate.iterations_per_usd.value
    dear = math.inf
    if candidate.usd_per_h is not None:
        dear = candidate.usd_per_h
    return (candidate.group != target, -value, dear)


def actions(phase: JobPhase) -> tuple[Choice, ...]:
    """The pages that act on a job in this phase.

    >>> [each.value for each in actions(JobPhase.RUNNING)]
    ['scale', 'limits', 'pause', 'stop']
    >>> [each.value for each in actions(JobPhase.PAUSED)]
    ['resume', 'limits', 'stop']
    >>> [each.value for each in actions(JobPhase.FAILED)], actions(JobPhase.SUCCEEDED)
    (['resume'], ())
    """
    if phase.may_resume:
        return (Choice("resume", "Resume"),)
    if phase.is_final or phase is JobPhase.DRAINING:
        return ()
    if phase is JobPhase.PAUSED:
        return (
            Choice("resume", "Resume"),
            Choice("limits", "Budget, deadline, priority"),
            Choice("stop", "Stop"),
        )
    return (
        Choice("scale", "Scale"),
        Choice("limits", "Budget, deadline, priority"),
        Choice("pause", "Pause"),
        Choice("stop", "Stop"),
    )


def node_counts(spec: JobSpec) -> tuple[Choice, ...]:
    """The numbers of nodes that a job may be scaled to; beyond 16 more a few of them.

    >>> [each.value for each in node_counts(JobSpec("j", ("t.py",), nodes_min=2, nodes_max=4))]
    ['auto', '2', '3', '4']
    >>> [each.value for each in node_counts(JobSpec("j", ("t.py",), nodes_max=40))][-5:]
    ['16', '17', '25', '33', '40']
    """
    least = spec.nodes_min
    most = spec.nodes_max
    near = range(least, min(most, least + _EACH_UP_TO - 1) + 1)
    # A list of a thousand numbers is no choice. The command line takes any of them.
    far = range(least + _EACH_UP_TO, most, 8)
    numbers = sorted({*near, *far, most})
    return (
        Choice("auto", "as many as the policy chooses"),
        *(Choice(str(each), str(each)) for each in numbers),
    )


def _asked_rows(before: JobSpec, after: JobSpec, now_s: float) -> Iterable[ChangeRow]:
    if before.nodes_wanted != after.nodes_wanted:
        yield ChangeRow("Number of nodes", _wanted(before), _wanted(after))
    if before.fixed_node_type != after.fixed_node_type:
        yield ChangeRow("Node type", _only(before), _only(after))
    if before.priority != after.priority:
        yield ChangeRow("Priority", str(before.priority), str(after.priority))
    old = before.objective
    new = after.objective
    if old.budget_usd != new.budget_usd:
        yield ChangeRow("Budget", _budget(old.budget_usd), _budget(new.budget_usd))
    if old.deadline_s != new.deadline_s:
        yield ChangeRow(
            "Deadline", _deadline(old.deadline_s, now_s), _deadline(new.deadline_s, now_s)
        )


def _redone(move: PricedMove) -> Iterable[str]:
    if not move.redone:
        return
    cost = "at a cost that is not known yet"
    if move.redone_usd is not None:
        cost = f"for about {usd(move.redone_usd)}"
    noun = "iteration" if move.redone == 1 else "iterations"
    done = f"The move repeats {count(move.redone)} {noun} {cost}"
    if move.begins_at_zero:
        yield f"{done}, and those until the move: the script begins at 0 again."
    else:
        yield f"{done}: those since the newest save."


def _spent(spent_usd: float) -> str:
    return f"Spent so far: {usd(spent_usd)}."


def _group(group: Group | None) -> str:
    if group is None:
        return "none"
    return f"{group_name(group)} {group_detail(group)}"


def _an_hour(usd_per_h: float | None) -> str:
    if usd_per_h is None:
        return "not known"
    return f"{price(usd_per_h)}/h"


def _wanted(spec: JobSpec) -> str:
    if spec.nodes_wanted is None:
        return "as the policy chooses"
    return str(spec.nodes_wanted)


def _only(spec: JobSpec) -> str:
    return spec.fixed_node_type or "as the policy chooses"


def _budget(budget_usd: float | None) -> str:
    if budget_usd is None:
        return "none"
    return usd(budget_usd)


def _deadline(deadline_s: float | None, now_s: float) -> str:
    if deadline_s is None:
        return "none"
    return moment(deadline_s, now_s)
