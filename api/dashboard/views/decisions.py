"""Shows what was decided, why, and from which numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from api.dashboard.views.candidates import CandidateTable, candidate_table
from api.dashboard.views.parts import (
    ACTION_TONES,
    Badge,
    Instant,
    Number,
    group_name,
    instant,
    words,
)
from elastic import figures
from elastic.figures import count, duration, number, percent, price, usd
from elastic.model import Action, Decision, JobPhase, Snapshot


@dataclass(frozen=True, slots=True)
class NamedNumber:
    """A number that decided something, under its name."""

    name: str
    label: str
    number: Number


@dataclass(frozen=True, slots=True)
class DecisionItem:
    """A decision in a list."""

    id: int
    job_id: str
    action: Badge
    headline: str
    reason: str
    code: str
    policy: str
    at: Instant
    last_at: Instant
    # How often a hold was decided again; empty if it was not.
    repeats: str
    limited_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DecisionView:
    """A decision explained: its numbers, its candidates, and the facts it was made from."""

    item: DecisionItem
    job_name: str
    numbers: tuple[NamedNumber, ...]
    candidates: CandidateTable
    left_out: tuple[str, ...]
    pruned: str
    facts: tuple[NamedNumber, ...]
    snapshot_json: str


def decision_item(decision: Decision, *, now_s: float) -> DecisionItem:
    """One decision as a list shows it."""
    plan = decision.plan
    return DecisionItem(
        id=decision.id,
        job_id=decision.job_id,
        action=Badge(plan.action.value, ACTION_TONES[plan.action]),
        headline=_headline(decision),
        reason=plan.reason.text,
        code=plan.reason.code,
        policy=f"{decision.policy} {decision.version}",
        at=instant(decision.at_s, now_s),
        last_at=instant(decision.last_at_s, now_s),
        repeats="" if decision.ticks == 1 else f"{count(decision.ticks)} times",
        limited_by=tuple(words(name) for name in plan.limited_by),
    )


def decision_items(decisions: Sequence[Decision], *, now_s: float) -> tuple[DecisionItem, ...]:
    """Decisions as a list shows them."""
    return tuple(decision_item(each, now_s=now_s) for each in decisions)


def decision_view(
    decision: Decision, snapshot: Snapshot, snapshot_json: str, *, now_s: float
) -> DecisionView:
    """Everything that explains one decision."""
    return DecisionView(
        item=decision_item(decision, now_s=now_s),
        job_name=snapshot.job.spec.name,
        numbers=named_numbers(decision.plan.reason.numbers),
        candidates=candidate_table(
            decision.plan.candidates,
            current=snapshot.current,
            target=snapshot.target,
            is_profiling=snapshot.job.phase is JobPhase.PROFILING,
            training_phase=snapshot.job.training_phase,
        ),
        left_out=tuple(decision.plan.left_out.values()),
        pruned=_pruned(decision.plan.pruned),
        facts=_facts(snapshot),
        snapshot_json=snapshot_json,
    )


def named_numbers(numbers: Mapping[str, float]) -> tuple[NamedNumber, ...]:
    """Numbers with the units that their names end with.

    >>> found = named_numbers({"switch_usd": 0.0012, "gain": 0.31})
    >>> [(each.label, each.number.text) for each in found]
    [('switch', '$0.0012'), ('gain', '31 %')]
    """
    return tuple(_named(name, value) for name, value in numbers.items())


def _named(name: str, value: float) -> NamedNumber:
    if name.endswith(_SHARES):
        return NamedNumber(name, words(name), Number(percent(value), value))
    for suffix, unit in _UNITS.items():
        if name.endswith(suffix) and name != suffix:
            return NamedNumber(name, words(name.removesuffix(suffix)), Number(unit(value), value))
    return NamedNumber(name, words(name), Number(number(value), value))


# Names that end like this are shares.
_SHARES = ("gain", "margin", "share", "fraction")
# How a number is written, by the end of its name; the first match counts.
_UNITS = {
    "_iterations_per_usd": lambda value: f"{number(value)} it/$",
    "_usd_per_h": lambda value: f"{price(value)}/h",
    "_usd": usd,
    "_at_s": figures.instant,
    "_s": duration,
}


def _headline(decision: Decision) -> str:
    plan = decision.plan
    target = group_name(decision.plan.target)
    match plan.action:
        case Action.HOLD:
            return f"Hold {target}"
        case Action.START:
            return f"Start on {target}"
        case Action.TRIAL:
            return f"Try {target}"
        case Action.MOVE:
            return f"Move to {target}"
        case Action.PAUSE:
            return "Pause"
        case Action.STOP:
            return "Stop"


def _pruned(pruned: Mapping[str, int]) -> str:
    """How many offerings were not compared, and why; empty if all were."""
    if not pruned:
        return ""
    counts = ", ".join(f"{count(number)} {words(why)}" for why, number in pruned.items())
    return f"{count(sum(pruned.values()))} more offerings were not weighed: {counts}."


def _facts(snapshot: Snapshot) -> tuple[NamedNumber, ...]:
    job = snapshot.job
    told = (
        ("now_s", "now", figures.instant(snapshot.now_s), snapshot.now_s),
        ("job.phase", "job is", words(job.phase), None),
        ("job.iteration", "iterations done", count(job.iteration), job.iteration),
        ("current", "trains on", group_name(snapshot.current), None),
        ("target", "decided before", group_name(snapshot.target), None),
        ("spent_usd", "spent", usd(snapshot.spent_usd), snapshot.spent_usd),
        ("nodes", "nodes", count(len(snapshot.nodes)), len(snapshot.nodes)),
        ("prices", "prices in force", count(len(snapshot.prices)), len(snapshot.prices)),
        ("series", "series measured", count(len(snapshot.series)), len(snapshot.series)),
        ("switches", "changes timed", count(len(snapshot.switches)), len(snapshot.switches)),
    )
    return tuple(NamedNumber(name, label, Number(text, value)) for name, label, text, value in told)
