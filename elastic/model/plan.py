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
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, for a program (`code`), for a person (`text`), and the numbers that decided it (units in
    their names)."""

    code: str
    text: str
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval; `low` and `high` are None while there is too little to
    say."""

    value: float
    low: float | None = None
    high: float | None = None

    def overlaps(self, other: Interval) -> bool:
        """True unless the two intervals are known and apart."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return True
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group weighed for the rest of the job.

    `step_s` is T, `usd_per_h` is R, `iterations_per_usd` is the marginal 3600 / (R T);
    `effective_iterations_per_usd` counts what getting there and finishing costs. None while
    unmeasured or unpriced; what remains also where it is not known when the job ends. `samples`
    counts warm windows. `unavailable` is why the nodes it still needs cannot be bought now, for a
    person. `workers` is what each of its nodes runs, in the order of `group.node_types`.
    """

    group: Group
    training_phase: str
    samples: int
    usd_per_h: float | None = None
    step_s: Interval | None = None
    iterations_per_usd: Interval | None = None
    effective_iterations_per_usd: float | None = None
    remaining_usd: float | None = None
    remaining_s: float | None = None
    unavailable: str | None = None
    workers: tuple[Workers, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The group that should train from now on (None: no group), why, and how every candidate
    compared.

    `limited_by` names each limit of the guard that changed what the policy wanted. Unless
    `may_buy`, what the target lacks is not bought now. `left_out` says of node types why they
    cannot run the job. `pruned` counts the offerings that are not among the candidates, by why:
    only the most promising are weighed.
    """

    action: Action
    target: Group | None
    reason: Reason
    candidates: tuple[Candidate, ...] = ()
    limited_by: tuple[str, ...] = ()
    may_buy: bool = True
    left_out: Mapping[str, str] = field(default_factory=dict)
    pruned: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """A plan as recorded: holds that repeat share one row, whose `ticks` counts them, the latest at
    `last_at_s`.

    `plan` was made at `weighed_at_s`: later holds of the row found nothing that differs. `version`
    is its policy's.
    """

    id: int
    job_id: str
    at_s: float
    last_at_s: float
    ticks: int
    policy: str
    plan: Plan
    version: int
    weighed_at_s: float


# A fifth of the default margin: prices, paces and windows that differ by less decide nothing.
_SHARE = 0.02


def differs(before: Plan, after: Plan) -> bool:
    """Whether two holds for the same reason tell a person different things.

    Time goes by between them, so what remains, and what was measured, is never quite the same.
    """
    if _frame(before) != _frame(after) or len(before.candidates) != len(after.candidates):
        return True
    known = {each.group: each for each in before.candidates}
    return any(_has_changed(known.get(each.group), each) for each in after.candidates)


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
    return abs(new - old) > _SHARE * old
