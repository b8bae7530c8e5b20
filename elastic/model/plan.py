"""What a decision says: the group that should train, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from elastic.model.measurement import Group
from elastic.model.workers import Workers


class Action(StrEnum):
    """What a plan does to the job's group."""

    HOLD = "hold"
    START = "start"
    TRIAL = "trial"
    MOVE = "move"
    # No machines for now: the job goes on later.
    PAUSE = "pause"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something was decided."""

    # For programs.
    code: str
    # For people.
    text: str
    # The numbers that decided it, with units in their names.
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval."""

    value: float
    # The ends are None while there is too little to say.
    low: float | None = None
    high: float | None = None

    @property
    def lower(self) -> float:
        """The low end; the middle while that is not known."""
        return self.value if self.low is None else self.low

    @property
    def upper(self) -> float:
        """The high end; the middle while that is not known."""
        return self.value if self.high is None else self.high

    def scaled(self, factor: float) -> Interval:
        """The interval of so many times the value; `factor` is not negative."""
        low = None if self.low is None else self.low * factor
        high = None if self.high is None else self.high * factor
        return Interval(self.value * factor, low, high)

    def overlaps(self, other: Interval) -> bool:
        """True unless the two intervals are known and apart."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return True
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group weighed for the rest of the job. What is not measured or not priced is None."""

    group: Group
    training_phase: str
    # How many warm windows there are.
    samples: int
    # R below.
    usd_per_h: float | None = None
    # T below.
    step_s: Interval | None = None
    # The marginal value, 3600 / (R T).
    iterations_per_usd: Interval | None = None
    # The same with the cost of getting there and finishing there.
    effective_iterations_per_usd: float | None = None
    # Like `remaining_s`, None also if it is not known when the job ends.
    remaining_usd: float | None = None
    remaining_s: float | None = None
    # Why the nodes that it still needs cannot be bought now, for a person.
    unavailable: str | None = None
    # What each of its nodes runs, in the order of `group.node_types`.
    workers: tuple[Workers, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The group that should train from now on, why, and how every candidate compared."""

    action: Action
    # None: no group.
    target: Group | None
    reason: Reason
    candidates: tuple[Candidate, ...] = ()
    # Each limit of the guard that changed what the policy wanted.
    limited_by: tuple[str, ...] = ()
    # If not, what the target lacks is not bought now.
    may_buy: bool = True
    # Why node types cannot run the job.
    left_out: Mapping[str, str] = field(default_factory=dict)
    # How many offerings are not among the candidates, by reason: only the most promising are
    # weighed.
    pruned: Mapping[str, int] = field(default_factory=dict)

    def candidate(self, group: Group | None) -> Candidate | None:
        """What is known of a group; None if it was not weighed."""
        return next((each for each in self.candidates if each.group == group), None)


@dataclass(frozen=True, slots=True)
class Decision:
    """A plan as recorded. Holds that repeat share one row."""

    id: int
    job_id: str
    at_s: float
    # When the latest of these holds was made.
    last_at_s: float
    # How many they are.
    ticks: int
    policy: str
    plan: Plan
    # The policy's.
    version: int
    # When `plan` was made: later holds of the row found nothing that differs.
    weighed_at_s: float


# A fifth of the default margin: prices, paces and windows that differ by less decide nothing.
_SHARE = 0.02


def differs(before: Plan, after: Plan) -> bool:
    """Whether two holds for the same reason tell a person different things.

    Time goes by between them, so what remains, and what was measured, is never quite the same.
    """
    if _frame(before) != _frame(after) or len(before.candidates) != len(after.candidates):
        return True
    # Of a job that waits, the reason is all that is told. That of one that trains follows from its
    # candidates, and small differences between noisy paces would differ at each look.
    if after.target is None and _numbers_differ(before.reason.numbers, after.reason.numbers):
        return True
    known = {each.group: each for each in before.candidates}
    return any(_has_changed(known.get(each.group), each) for each in after.candidates)


def _numbers_differ(before: Mapping[str, float], after: Mapping[str, float]) -> bool:
    return before.keys() != after.keys() or any(
        _is_apart(before[each], after[each]) for each in before
    )


def _frame(plan: Plan) -> tuple[object, ...]:
    return plan.action, plan.target, plan.reason.code, plan.limited_by, plan.may_buy, plan.left_out


def _has_changed(before: Candidate | None, after: Candidate) -> bool:
    if (
        before is None
        or before.unavailable != after.unavailable
        or before.training_phase != after.training_phase
    ):
        return True
    paces = [None if each.step_s is None else each.step_s.value for each in (before, after)]
    pairs = [
        (before.usd_per_h, after.usd_per_h),
        (before.samples, after.samples),
        (paces[0], paces[1]),
    ]
    return any(_is_apart(old, new) for old, new in pairs)


def _is_apart(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is not new
    return abs(new - old) > _SHARE * abs(old)
