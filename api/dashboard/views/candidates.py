"""Compares a job's candidates: iterations per dollar as bars with whiskers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from api.dashboard.charts import AxisScale, IntervalBar, interval_bar, scale_to
from api.dashboard.views.parts import (
    UNKNOWN,
    Badge,
    Number,
    Tone,
    amount,
    dollars,
    dollars_an_hour,
    group_detail,
    group_name,
    whole,
)
from elastic.figures import duration, number, short, span
from elastic.model import Candidate, Group


class CandidateStanding(StrEnum):
    """What is known of a candidate, and what is being done with it."""

    CURRENT = "current"
    MEASURING = "measuring"
    NEXT = "next"
    MEASURED = "measured"
    UNMEASURED = "unmeasured"
    UNPRICED = "unpriced"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One group, its bar and its numbers."""

    key: str
    name: str
    detail: str
    # None while there is nothing to draw.
    bar: IntervalBar | None
    # What a screen reader says of the bar.
    spoken: str
    iterations_per_usd: Number
    interval: str
    iterations_per_s: Number
    step: Number
    usd_per_h: Number
    samples: Number
    effective: Number
    remaining_usd: Number
    remaining: Number
    standing: Badge
    is_current: bool


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """The candidates of one training phase, best first, on one axis."""

    rows: tuple[CandidateRow, ...]
    training_phase: str
    ticks: tuple[str, ...]
    has_effective: bool


_TONES = {
    CandidateStanding.CURRENT: Tone.GOOD,
    CandidateStanding.MEASURING: Tone.INFO,
    CandidateStanding.NEXT: Tone.INFO,
    CandidateStanding.MEASURED: Tone.MUTED,
    CandidateStanding.UNMEASURED: Tone.MUTED,
    CandidateStanding.UNPRICED: Tone.WARN,
    CandidateStanding.UNAVAILABLE: Tone.WARN,
}


def candidate_table(
    candidates: Sequence[Candidate],
    *,
    current: Group | None,
    target: Group | None,
    is_profiling: bool,
    training_phase: str | None,
) -> CandidateTable:
    """The candidates of `training_phase`; all of them if none belongs to it."""
    # Speeds of different phases cannot be compared.
    shown = [each for each in candidates if each.training_phase == training_phase] or list(
        candidates
    )
    if shown:
        phase = shown[0].training_phase
    else:
        phase = training_phase or ""
    scale = scale_to(max((_reach(each) for each in shown), default=0.0))

    def standing(candidate: Candidate) -> CandidateStanding:
        return standing_of(candidate, current=current, target=target, is_profiling=is_profiling)

    return CandidateTable(
        rows=tuple(_row(each, scale, standing) for each in sorted(shown, key=_rank)),
        training_phase=phase,
        ticks=tuple(short(tick) for tick in scale.ticks),
        has_effective=any(each.effective_iterations_per_usd is not None for each in shown),
    )


def standing_of(
    candidate: Candidate, *, current: Group | None, target: Group | None, is_profiling: bool
) -> CandidateStanding:
    """A candidate's state: what is being done with it, else what is known of it."""
    # Without a target the job stays where it is: that group is then the wanted one.
    is_wanted = candidate.group == (target or current)
    if is_wanted and (is_profiling or (candidate.group == current and candidate.step_s is None)):
        return CandidateStanding.MEASURING
    if candidate.group == current:
        return CandidateStanding.CURRENT
    if is_wanted:
        return CandidateStanding.NEXT
    if candidate.usd_per_h is None:
        return CandidateStanding.UNPRICED
    if candidate.unavailable is not None:
        return CandidateStanding.UNAVAILABLE
    if candidate.iterations_per_usd is None:
        return CandidateStanding.UNMEASURED
    return CandidateStanding.MEASURED


def interval_text(candidate: Candidate) -> str:
    """The 95 % interval of a candidate's iterations per dollar; empty while unknown."""
    value = candidate.iterations_per_usd
    if value is None or value.low is None or value.high is None:
        return ""
    return span(value.low, value.high)


def _row(
    candidate: Candidate, scale: AxisScale, standing: Callable[[Candidate], CandidateStanding]
) -> CandidateRow:
    value = candidate.iterations_per_usd
    step_s = candidate.step_s
    state = standing(candidate)
    effective = candidate.effective_iterations_per_usd
    return CandidateRow(
        key=str(candidate.group),
        name=group_name(candidate.group),
        detail=_detail(candidate),
        bar=None if value is None else interval_bar(value, scale, effective=effective),
        spoken=_spoken(candidate),
        iterations_per_usd=amount(None if value is None else value.value),
        interval=interval_text(candidate),
        iterations_per_s=amount(None if step_s is None else 1 / step_s.value),
        step=UNKNOWN if step_s is None else Number(duration(step_s.value), step_s.value),
        usd_per_h=dollars_an_hour(candidate.usd_per_h),
        samples=whole(candidate.samples),
        effective=amount(effective),
        remaining_usd=dollars(candidate.remaining_usd),
        remaining=UNKNOWN
        if candidate.remaining_s is None
        else Number(duration(candidate.remaining_s), candidate.remaining_s),
        standing=Badge(state.value, _TONES[state]),
        is_current=state in (CandidateStanding.CURRENT, CandidateStanding.MEASURING),
    )


def _detail(candidate: Candidate) -> str:
    """How and where it is bought, and what each of its nodes runs."""
    workers = dict.fromkeys(str(each) for each in candidate.workers)
    return ", ".join((group_detail(candidate.group), *workers))


def _rank(candidate: Candidate) -> tuple[bool, float, str]:
    value = candidate.iterations_per_usd
    # By name last, so that equal ones do not change places at each update.
    return (value is None, 0.0 if value is None else -value.value, str(candidate.group))


def _reach(candidate: Candidate) -> float:
    """The largest number that the candidate's bar shows."""
    value = candidate.iterations_per_usd
    known = []
    if value is not None:
        known = [value.value, value.high or 0.0]
    # With the whisker's end: an axis up to the value alone would cut it off.
    return max([*known, candidate.effective_iterations_per_usd or 0.0])


def _spoken(candidate: Candidate) -> str:
    lack = ""
    if candidate.unavailable is not None:
        lack = f"; {candidate.unavailable}"
    return f"{group_name(candidate.group)}: {_spoken_value(candidate)}{lack}"


def _spoken_value(candidate: Candidate) -> str:
    value = candidate.iterations_per_usd
    if value is None:
        if candidate.usd_per_h is None:
            return "no price in force"
        return "not measured yet"
    interval = interval_text(candidate)
    return f"{number(value.value)} iterations per dollar" + (
        f", 95 % interval {interval}" if interval else ""
    )
