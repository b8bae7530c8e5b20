"""When a job will be done and what it will cost on each group, and which of its goals that misses.

A pace is measured, or it is a prior: from another size of a measured node type, or from another
type by its cores or GPUs. Everything is an interval, and a prior's interval is wide.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, median

from elastic.figures import ago, counted, duration, price, usd
from elastic.model import (
    Action,
    Candidate,
    Group,
    Interval,
    JobPhase,
    Missed,
    NodeType,
    OnMiss,
    Plan,
    Snapshot,
)
from elastic.policy.budget import wind_down_s
from elastic.policy.horizon import (
    focus_of,
    iterations_left_by_phase,
    phase_paces,
    phase_ratio,
    seconds_left,
)
from elastic.policy.quotes import Quotes, burn_usd_per_h, dearest_quotes
from elastic.policy.switch_cost import switch_cost
from elastic.policy.words import name

_S_PER_H = 3600.0
# Speed grows with this power of the cores. For 95 % of node types it is within `_SPREAD` times of
# that: benchmarks/core_scaling.py --fit.
_GROWTH = 0.69
_SPREAD = 1.9
# The share of a step that nodes divide among them: 90 %, the middle one of the three laws that
# benchmarks/decisions weighs group sizes by. At best they divide all of it, at worst nothing.
_SHARED = 0.9
_Z_975 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Finish:
    """The rest of the job on one group: when it is done, and its dollars in all."""

    group: Group
    # Seconds until the job is done.
    lasts_s: Interval
    # Dollars in all, with those already spent.
    usd: Interval
    usd_per_h: float
    # False if the pace is a prior.
    is_measured: bool
    # The chance of missing the deadline because of the pace alone. None without a deadline or an
    # interval, and where a spot node may be lost on the way.
    chance_late: float | None = None
    # Why the job may not run there; None if it may.
    objection: str | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """Every group of which something is known, the cheapest first, and the goals in seconds and
    dollars."""

    # The cheapest first, with those that the job may not use.
    finishes: tuple[Finish, ...]
    # Seconds to the deadline; None without one.
    left_s: float | None
    budget_usd: float | None
    # For how long the burn is kept back from the budget, to end in good order.
    wind_down_s: float = 0.0

    @property
    def choices(self) -> tuple[Finish, ...]:
        """The groups on which the job may run."""
        return tuple(each for each in self.finishes if each.objection is None)

    @property
    def frontier(self) -> tuple[Finish, ...]:
        """The choices worth a look, the cheapest first: each dearer one is also sooner."""
        found: list[Finish] = []
        for each in self.choices:
            if not found or each.lasts_s.value < found[-1].lasts_s.value:
                found.append(each)
        return tuple(found)

    def is_in_time(self, finish: Finish) -> bool:
        """Whether it meets the deadline even at its slow end."""
        return self.left_s is None or finish.lasts_s.upper <= self.left_s

    @property
    def best(self) -> Finish | None:
        """The cheapest choice that meets all goals even at its slow and dear end; None if there is
        none."""
        in_budget = (
            each for each in self.choices if self.is_in_time(each) and self._is_in_budget(each)
        )
        return next(in_budget, None)

    def needed_usd(self, finish: Finish, usd: float) -> float:
        """The budget that pays for these dollars: what is kept back to end in good order trains
        nothing."""
        return usd + finish.usd_per_h * self.wind_down_s / _S_PER_H

    def _is_in_budget(self, finish: Finish) -> bool:
        return (
            self.budget_usd is None or self.needed_usd(finish, finish.usd.upper) <= self.budget_usd
        )


@dataclass(frozen=True, slots=True)
class Miss:
    """A goal that will not be met, as far as is known."""

    kind: Missed
    # By how much it is missed, and what would be enough.
    why: str
    # Whether it is missed even at the fast and cheap end of what is known.
    is_certain: bool
    # The option of `elasticd job resume` that gives the job what it needs.
    option: str
    # The same for the owner of a job that continues.
    advice: str

    @property
    def text(self) -> str:
        """The whole message about a job that continues."""
        return f"{self.why}. {self.advice}"


def forecast(snapshot: Snapshot, candidates: Iterable[Candidate]) -> Forecast:
    """Gives the forecast for the groups of a plan. It is empty for a job without an end.

    Only today's prices and paces count: neither losses of spot nodes nor later changes of price are
    in it.
    """
    objective = snapshot.job.spec.objective
    left_s = seconds_left(snapshot)
    weighed = list(candidates)
    snapshot = _near(snapshot, weighed)
    quotes = dearest_quotes(snapshot)
    left = iterations_left_by_phase(snapshot.job)
    if left is None:
        return Forecast((), left_s, objective.budget_usd, wind_down_s(snapshot))
    paces = _paces(snapshot, weighed, left)
    types = {each.name: each for each in snapshot.node_types}
    found = []
    for each in weighed:
        pace_s = paces.get(each.group) or _prior(each.group, paces, types)
        burn = burn_usd_per_h(each.group, quotes)
        if pace_s is not None and burn is not None:
            found.append(_finish(snapshot, each, pace_s, paces, quotes, burn, sum(left.values())))
    ordered = sorted(
        found, key=lambda each: (float(f"{each.usd.value:.9g}"), each.lasts_s.value, each.group)
    )
    return Forecast(tuple(ordered), left_s, objective.budget_usd, wind_down_s(snapshot))


def misses(
    snapshot: Snapshot, plan: Plan, *, standing: Collection[Missed] = ()
) -> tuple[Miss, ...] | None:
    """Gives the goals that will be missed by what is known now; None while too little is known.

    What is measured counts at its slow and dear end. What is not measured counts at the middle of
    its prior. It always counts for what would be enough, and for whether a goal is met only while
    the policy is still looking.

    A goal in `standing` was reported as missed before. It counts as met again only with the margin
    of a move to spare, so that a forecast that wavers around a limit is not reported each time.
    """
    objective = snapshot.job.spec.objective
    if objective.deadline_s is None and objective.budget_usd is None:
        return ()
    if (
        snapshot.job.spec.iterations is not None
        and snapshot.job.iteration >= snapshot.job.spec.iterations
    ):
        return ()
    found = forecast(snapshot, plan.candidates)
    # Judge only the groups that the policy may still reach.
    considered = _considered(snapshot, plan, found)
    if not considered:
        return None
    margin = snapshot.limits.margin
    late = _late(snapshot, found, considered, margin if Missed.WILL_BE_LATE in standing else 0.0)
    dear = _dear(
        snapshot,
        found,
        considered,
        margin if Missed.OVER_BUDGET in standing else 0.0,
        is_late=late is not None,
    )
    return tuple(each for each in (late, dear) if each is not None)


def _near(snapshot: Snapshot, candidates: Iterable[Candidate]) -> Snapshot:
    """The snapshot with only the prices of these groups and of what is held.

    A catalogue has thousands more.
    """
    groups = [*(each.group for each in candidates), snapshot.target, snapshot.current]
    wanted = {offering for group in groups if group is not None for offering, _ in group.members}
    wanted |= {node.offering for node in snapshot.nodes}
    return replace(
        snapshot, prices=tuple(each for each in snapshot.prices if each.offering in wanted)
    )


def _finish(
    snapshot: Snapshot,
    candidate: Candidate,
    pace_s: Interval,
    paces: Mapping[Group, Interval],
    quotes: Quotes,
    usd_per_h: float,
    left: int,
) -> Finish:
    origin_s = None
    if snapshot.target:
        origin_s = paces.get(snapshot.target)

    def way(step_s: float) -> tuple[float, float]:
        found = switch_cost(
            snapshot,
            quotes,
            origin=snapshot.target,
            origin_step_s=origin_s.value if origin_s else None,
            to=candidate.group,
            step_s=Interval(step_s),
            iterations=float(left),
        )
        return found.lasts_s, snapshot.spent_usd + snapshot.doubted_usd + found.usd.value

    # Go there and finish, at the middle, the low and the high end of the pace.
    middle = way(pace_s.value)
    low = way(pace_s.lower)
    high = way(pace_s.upper)
    has_ends = pace_s.low is not None and pace_s.high is not None
    lasts_s, dollars = (
        Interval(middle[each], low[each], high[each]) if has_ends else Interval(middle[each])
        for each in (0, 1)
    )
    return Finish(
        candidate.group,
        lasts_s,
        dollars,
        usd_per_h,
        is_measured=candidate.group in paces and candidate.samples > 0,
        chance_late=_chance_late(candidate.group, lasts_s, seconds_left(snapshot)),
        objection=_objection(snapshot, candidate.group, usd_per_h),
    )


def _chance_late(group: Group, lasts_s: Interval, left_s: float | None) -> float | None:
    """The chance that it lasts longer than the time left.

    The logarithm of the duration is taken to be normal, with this 95 % interval.
    """
    if left_s is None or not group.is_on_demand or lasts_s.high is None or lasts_s.value <= 0:
        return None
    if left_s <= 0:
        return 1.0
    deviation = math.log(lasts_s.high / lasts_s.value) / _Z_975
    if deviation <= 0:
        return float(lasts_s.value > left_s)
    return 1 - NormalDist().cdf(math.log(left_s / lasts_s.value) / deviation)


def _objection(snapshot: Snapshot, group: Group, usd_per_h: float) -> str | None:
    spec = snapshot.job.spec
    for offering, _ in group.members:
        if not spec.admits(offering):
            return f"the job does not admit {offering.node_type} {offering.capacity}"
    if group.node_count not in spec.sizes:
        return f"the job does not admit {counted(group.node_count, 'node')}"
    cap = spec.objective.max_usd_per_hour
    if cap is not None and usd_per_h > cap:
        return f"max_usd_per_hour is {price(cap)}"
    return None


def _paces(
    snapshot: Snapshot, candidates: Sequence[Candidate], left: Mapping[str, int]
) -> dict[Group, Interval]:
    """Seconds that one of the iterations left takes on average, on each group whose pace is known.

    A candidate's own pace is that of the phase with most of those iterations. Another phase is
    scaled by the ratio of the two on this group, or else on other groups. A phase that was never
    measured is taken to be as slow.
    """
    focus = focus_of(snapshot.job).training_phase
    total = sum(left.values())
    measured = phase_paces(snapshot.series)

    def ratio(group: Group, phase: str) -> float:
        # By this group if it ran both phases, else by the others.
        own = measured.get(group, {})
        return phase_ratio(
            [own] if {phase, focus} <= own.keys() else measured.values(), phase, focus
        )

    found = {}
    for each in candidates:
        if each.step_s is not None:
            factor = 1.0
            if total:
                factor = (
                    sum(count * ratio(each.group, phase) for phase, count in left.items()) / total
                )
            found[each.group] = each.step_s.scaled(factor)
    return found


def _prior(
    group: Group, paces: Mapping[Group, Interval], types: Mapping[str, NodeType]
) -> Interval | None:
    """What to expect of a group that was not measured, from the nearest one that was."""
    names = [each for each, _ in group.node_types]
    # The same node types at another size, the nearest one.
    alike = {
        known: pace_s
        for known, pace_s in paces.items()
        if [each for each, _ in known.node_types] == names
    }
    if alike:
        known = min(alike, key=lambda each: (abs(each.node_count - group.node_count), each))
        return _resized(alike[known].value, group.node_count / known.node_count)
    # Else other node types, by the power of their hardware.
    power = _power(group, types)
    found = [
        pace_s.value * other[1] / power[1]
        for known, pace_s in paces.items()
        if power is not None
        and (other := _power(known, types)) is not None
        and other[0] == power[0]
    ]
    if not found:
        return None
    middle_s = median(found)
    return Interval(middle_s, middle_s / _SPREAD, middle_s * _SPREAD)


def _resized(step_s: float, times: float) -> Interval:
    """The time of a step on `times` as many nodes.

    >>> [round(each, 3) for each in (_resized(1.0, 2.0).value, _resized(1.0, 2.0).low, _resized(1.0,
    ...     2.0).high)]
    [0.55, 0.5, 1.0]
    """
    ends = sorted((step_s / times, step_s))
    return Interval(step_s * (1 - _SHARED + _SHARED / times), *ends)


def _power(group: Group, types: Mapping[str, NodeType]) -> tuple[str | None, float] | None:
    """What the group computes with (a model of GPU, or None for cores), and how fast.

    None for a mix of kinds.
    """
    kinds = set()
    total = 0.0
    for offering, count in group.members:
        node_type = types.get(offering.node_type)
        if node_type is None:
            return None
        kinds.add(node_type.gpu_model if node_type.gpu_count else None)
        total += count * (node_type.gpu_count or node_type.cores)
    if len(kinds) != 1:
        return None
    kind = kinds.pop()
    # Half a core takes twice the time: the power law holds only above one core.
    return kind, total**_GROWTH if kind is None and total > 1 else total


def _considered(snapshot: Snapshot, plan: Plan, found: Forecast) -> tuple[Finish, ...]:
    """The choices that the policy may still reach.

    Choices that were not measured are among them only while the policy is looking.
    """
    held = plan.candidate(snapshot.target)
    is_looking = (
        plan.action in (Action.START, Action.TRIAL, Action.MOVE)
        or snapshot.target != snapshot.current
        or held is None
        or held.samples < snapshot.limits.trial_windows
    )
    return tuple(each for each in found.choices if is_looking or each.is_measured)


def _late(
    snapshot: Snapshot, found: Forecast, considered: Sequence[Finish], allowance: float
) -> Miss | None:
    left_s = found.left_s
    if left_s is None:
        return None
    if any(_expected_s(each) <= left_s * (1 - allowance) for each in considered):
        return None
    soonest = _soonest(found.choices)
    if _expected_s(soonest) <= left_s:
        # The policy will not try the group that should be in time: name one that it may reach.
        soonest = _soonest(considered)
    ends_s = _expected_s(soonest)
    is_certain = all(each.lasts_s.lower > left_s for each in considered)
    tense = "is" if left_s > 0 else "was"
    over_s = ends_s - left_s
    # A miss that stands is met again only with a margin.
    gap = f"{duration(over_s)} too long" if over_s > 0 else f"only {duration(-over_s)} to spare"
    why = (
        f"the deadline {tense} {ago(left_s, 0.0)}, and the job needs {duration(ends_s)} on "
        f"{_pace_of(soonest)}, {gap}. "
        f"{_would_do(found, soonest)}"
    )
    enough = f"{math.ceil(1.1 * ends_s / 60)}m"
    option = f"--deadline {enough}"
    field = f"objective.deadline: {enough}"
    advice = _advice(snapshot, option, field, "it continues as fast as it can")
    return Miss(Missed.WILL_BE_LATE, why, is_certain, option, advice)


def _dear(
    snapshot: Snapshot,
    found: Forecast,
    considered: Sequence[Finish],
    allowance: float,
    *,
    is_late: bool,
) -> Miss | None:
    budget_usd = found.budget_usd
    if budget_usd is None:
        return None
    # Only the groups on which the money will be spent can exceed the budget.
    pool = _heading_for(snapshot, found, considered, is_late=is_late)
    needed = {each.group: found.needed_usd(each, _expected_usd(each)) for each in pool}
    spare_usd = allowance * max(budget_usd - snapshot.spent_usd, 0.0)
    if any(each <= budget_usd - spare_usd for each in needed.values()):
        return None
    # The cheapest way may be a group that the policy will not try: name that one.
    all_needed = needed | {
        each.group: found.needed_usd(each, _expected_usd(each))
        for each in _heading_for(snapshot, found, found.choices, is_late=is_late)
    }
    if min(all_needed.values()) > budget_usd:
        needed = all_needed
    least = min(
        (each for each in found.choices if each.group in needed),
        key=lambda each: (needed[each.group], each.group),
    )
    least_usd = needed[least.group]
    is_certain = all(found.needed_usd(each, each.usd.lower) > budget_usd for each in pool)
    over_usd = least_usd - budget_usd
    gap = f"{usd(over_usd)} too little" if over_usd > 0 else f"only {usd(-over_usd)} to spare"
    why = (
        f"the budget is {usd(budget_usd)}, and the job needs {usd(least_usd)} on "
        f"{_pace_of(least)}, of which "
        f"{usd(found.needed_usd(least, 0.0))} are kept to end in good order: "
        f"{gap}. {_would_do(found, least)}"
    )
    enough = _rounded_up(1.1 * least_usd)
    option = f"--budget {enough}"
    field = f"objective.budget_usd: {enough}"
    advice = _advice(snapshot, option, field, "it stops at its budget, before it is done")
    return Miss(Missed.OVER_BUDGET, why, is_certain, option, advice)


def _heading_for(
    snapshot: Snapshot, found: Forecast, considered: Sequence[Finish], *, is_late: bool
) -> Sequence[Finish]:
    """The groups on which the money will be spent: those in time, or else as `on_miss` says."""
    if found.left_s is None:
        return considered
    if not is_late:
        return [each for each in considered if _expected_s(each) <= found.left_s] or considered
    if snapshot.job.spec.objective.on_miss is OnMiss.FASTEST:
        return [_soonest(considered)]
    return considered


def _soonest(finishes: Sequence[Finish]) -> Finish:
    return min(finishes, key=lambda each: (_expected_s(each), each.usd.upper, each.group))


def _expected_s(finish: Finish) -> float:
    """The slow end of what is measured. A prior's interval is too wide for that: its middle."""
    if finish.is_measured:
        return finish.lasts_s.upper
    return finish.lasts_s.value


def _expected_usd(finish: Finish) -> float:
    if finish.is_measured:
        return finish.usd.upper
    return finish.usd.value


def _pace_of(finish: Finish) -> str:
    return (
        f"{name(finish.group)} "
        f"({'measured, slow end' if finish.is_measured else 'expected, not measured'})"
    )


def _expected_on(finish: Finish) -> str:
    return name(finish.group) + ("" if finish.is_measured else " (expected, not measured)")


def _would_do(found: Forecast, told: Finish) -> str:
    """The least time and the least dollars that are enough, and what a cap keeps the job from."""
    soonest = _soonest(found.choices)
    cheapest = min(
        found.choices, key=lambda each: (_expected_usd(each), _expected_s(each), each.group)
    )
    parts = [
        f"Least time: {duration(_expected_s(soonest))} for {usd(_expected_usd(soonest))} in all"
    ]
    if soonest.group != told.group:
        parts[0] += f" on {_expected_on(soonest)}"
    least = f"{usd(_expected_usd(cheapest))} in all, {duration(_expected_s(cheapest))}"
    parts.append(f"least cost: {least} on {_expected_on(cheapest)}")
    barred = [
        each
        for each in found.finishes
        if each.objection is not None and each.objection.startswith("max_usd")
    ]
    if barred and found.left_s is not None:
        quickest = min(barred, key=lambda each: (_expected_s(each), each.group))
        if _expected_s(quickest) <= found.left_s < _expected_s(soonest):
            parts.append(
                f"without its cap ({quickest.objection}) {duration(_expected_s(quickest))} at "
                f"{price(quickest.usd_per_h)}/h on {name(quickest.group)}"
            )
    return "; ".join(parts)


def _advice(snapshot: Snapshot, option: str, field: str, otherwise: str) -> str:
    """What gives the job what it needs, with a tenth to spare, and what happens otherwise."""
    spec = snapshot.job.spec
    match spec.objective.on_miss:
        case OnMiss.STOP:
            otherwise = "it stops once this is certain, and keeps its checkpoints"
        case OnMiss.CHEAPEST:
            otherwise = "it continues where an iteration costs least"
    if snapshot.job.phase is JobPhase.SUBMITTED and snapshot.target is None:
        return f"`{field}` would be enough; else {otherwise} (on_miss: {spec.objective.on_miss})"
    return (
        f"`elasticd job limit {spec.name} {option}` gives it enough; else {otherwise} "
        f"(on_miss: {spec.objective.on_miss})"
    )


def _rounded_up(dollars: float) -> str:
    """Dollars rounded up to the cent, or to two figures if they are few.

    >>> _rounded_up(12.341), _rounded_up(0.01234)
    ('12.35', '0.013')
    """
    if dollars >= 0.1:
        places = 2
    else:
        places = 1 - math.floor(math.log10(max(dollars, 1e-9)))
    return f"{math.ceil(dollars * 10**places - 1e-9) / 10**places:.{places}f}"
