"""The candidates of one decision, each with what is known of its speed, its price and the rest of the job on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from elastic.model import Action, Candidate, Group, Interval, Offering, Plan, Reason, Sample, Snapshot
from elastic.policy.horizon import OPEN_HORIZON_S, Focus, focus_of
from elastic.policy.passage import Passage, passage
from elastic.policy.quotes import Quotes, burn_usd_per_h, fresh_quotes
from elastic.policy.words import name, usd
from elastic.throughput import estimate_step_s, iterations_per_usd, predict_step_s

_S_PER_H = 3600.0
# Fewer windows than this may agree by chance.
_LEAST_WINDOWS = 5


@dataclass(frozen=True, slots=True)
class Outlook:
    """One candidate. `step_s` is measured, or predicted from other sizes if `samples` is 0, or None.

    It is settled when its windows are enough to rank by; `objection` is why the job may not run on it, if it may not.
    """

    group: Group
    samples: int
    step_s: Interval | None
    is_settled: bool
    usd_per_h: float | None
    objection: str | None
    passage: Passage | None

    @property
    def is_choice(self) -> bool:
        return self.objection is None and self.usd_per_h is not None

    @property
    def iterations_per_usd(self) -> Interval | None:
        if self.step_s is None or self.usd_per_h is None:
            return None
        return iterations_per_usd(self.usd_per_h, self.step_s)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A settled choice, priced to the end of the job. `usd_per_iteration` counts the owner's time too."""

    group: Group
    step_s: Interval
    usd_per_h: float
    iterations_per_usd: Interval
    usd_per_iteration: Interval
    passage: Passage

    @property
    def order(self) -> tuple[float, float, Group]:
        """Least cost first; costs that agree to nine figures are equal, then the smaller burn and the name decide."""
        return float(f"{self.passage.cost_usd:.9g}"), self.usd_per_h, self.group


@dataclass(frozen=True, slots=True)
class Survey:
    """Everything a decision weighs. `iterations_left` is of the focus phase, None while no horizon can be told."""

    snapshot: Snapshot
    quotes: Quotes
    focus: Focus
    iterations_left: float | None
    outlooks: tuple[Outlook, ...]

    def of(self, group: Group | None) -> Outlook | None:
        return next((each for each in self.outlooks if each.group == group), None)

    @property
    def choices(self) -> tuple[Outlook, ...]:
        return tuple(each for each in self.outlooks if each.is_choice)

    @property
    def settled(self) -> tuple[Ranked, ...]:
        """The choices that can be ranked, best first."""
        found = [self.ranked(each) for each in self.choices if each.is_settled]
        return tuple(sorted((each for each in found if each is not None), key=lambda each: each.order))

    def ranked(self, outlook: Outlook) -> Ranked | None:
        """The outlook with everything known that a ranking needs; None if something is missing."""
        value, step_s, way = outlook.iterations_per_usd, outlook.step_s, outlook.passage
        if value is None or step_s is None or way is None or outlook.usd_per_h is None:
            return None
        time_usd_per_h = self.snapshot.job.spec.objective.value_of_time_usd_per_h or 0.0
        per_iteration = _scaled(step_s, (outlook.usd_per_h + time_usd_per_h) / _S_PER_H)
        return Ranked(outlook.group, step_s, outlook.usd_per_h, value, per_iteration, way)

    def plan(
        self, action: Action, target: Group | None, code: str, text: str, numbers: Mapping[str, float] | None = None
    ) -> Plan:
        """A plan with this survey's candidates."""
        candidates = tuple(self._candidate(each) for each in self.outlooks)
        return Plan(action, target, Reason(code, text, dict(numbers or {})), candidates)

    def hold(self, code: str, text: str, numbers: Mapping[str, float] | None = None) -> Plan:
        """A plan that leaves the target as it is."""
        return self.plan(Action.HOLD, self.snapshot.target, code, text, numbers)

    def _candidate(self, outlook: Outlook) -> Candidate:
        way, left = outlook.passage, self.iterations_left
        return Candidate(
            group=outlook.group,
            training_phase=self.focus.training_phase,
            samples=outlook.samples,
            usd_per_h=outlook.usd_per_h,
            step_s=outlook.step_s,
            iterations_per_usd=outlook.iterations_per_usd,
            effective_iterations_per_usd=left / way.usd.value if way and left and way.usd.value > 0 else None,
            remaining_usd=way.usd.value if way else None,
            remaining_s=way.lasts_s if way else None,
        )


def take_survey(snapshot: Snapshot) -> Survey:
    """Weighs every candidate of the snapshot's job."""
    quotes, focus = fresh_quotes(snapshot), focus_of(snapshot.job)
    samples = _samples_by_group(snapshot, focus.training_phase)
    measured = {group: step_s for group, own in samples.items() if (step_s := estimate_step_s(own)) is not None}
    groups = _groups(snapshot, quotes, measured)
    steps_s = {group: measured.get(group) or _predicted(group, measured) for group in groups}
    left = _iterations_left(snapshot, quotes, focus, {group: measured[group] for group in groups if group in measured})
    outlooks = []
    for group in groups:
        step_s, windows = steps_s[group], len(samples.get(group, ()))
        burn = burn_usd_per_h(group, quotes)
        outlooks.append(
            Outlook(
                group=group,
                samples=windows,
                step_s=step_s,
                is_settled=group in measured and _is_settled(snapshot, windows, measured[group]),
                usd_per_h=burn,
                objection=objection_to(snapshot, group, burn),
                passage=_passage(snapshot, quotes, measured, group, step_s, left) if burn is not None else None,
            )
        )
    return Survey(snapshot, quotes, focus, left, tuple(outlooks))


def objection_to(snapshot: Snapshot, group: Group, burn: float | None) -> str | None:
    """Why the job may not run on `group`, for a person; None if it may. An unknown price is no objection."""
    spec = snapshot.job.spec
    for offering, _ in group.members:
        if not admits(snapshot, offering):
            return f"the job does not admit {offering.node_type} {offering.capacity}"
    if not spec.nodes_min <= group.node_count <= spec.nodes_max:
        return f"{group.node_count} nodes are not within {spec.nodes_min} to {spec.nodes_max}"
    cap = spec.objective.max_usd_per_hour
    if cap is not None and burn is not None and burn > cap:
        return f"{name(group)} burns {usd(burn)}/h, above the cap of {usd(cap)}/h"
    return None


def admits(snapshot: Snapshot, offering: Offering) -> bool:
    """Whether the job's spec lets it run on this offering."""
    spec = snapshot.job.spec
    return (not spec.node_types or offering.node_type in spec.node_types) and spec.capacity.admits(offering.capacity)


def _samples_by_group(snapshot: Snapshot, training_phase: str) -> dict[Group, list[Sample]]:
    """The windows of the focus phase alone: a warm-up's rate says nothing of what follows."""
    found: dict[Group, list[Sample]] = {}
    for series in snapshot.series:
        if series.training_phase == training_phase:
            found.setdefault(series.group, []).extend(series.samples)
    return found


def _groups(snapshot: Snapshot, quotes: Quotes, measured: Iterable[Group]) -> list[Group]:
    """Every group worth a line: of each admitted, priced offering the counts of interest; and what is held."""
    held = [group for group in (snapshot.target, snapshot.current) if group is not None]
    known = [*measured, *held]
    found = {
        Group.of(offering, count)
        for offering in quotes
        if admits(snapshot, offering)
        for count in _counts(snapshot, offering, known)
    }
    return sorted(found | set(held))


def _counts(snapshot: Snapshot, offering: Offering, known: Iterable[Group]) -> set[int]:
    """The least and the most nodes, doublings between, and what is known with its neighbours: few, yet within reach."""
    least, most = snapshot.job.spec.nodes_min, snapshot.job.spec.nodes_max
    counts = {least, most}
    count = least
    while (count := 2 * count) < most:
        counts.add(count)
    for group in known:
        if [each for each, _ in group.members] == [offering]:
            counts |= {group.node_count - 1, group.node_count, group.node_count + 1}
    return {count for count in counts if least <= count <= most}


def _predicted(group: Group, measured: Mapping[Group, Interval]) -> Interval | None:
    if len(group.members) > 1:
        return None
    offering = group.members[0][0]
    sizes = {
        each.node_count: step_s.value for each, step_s in measured.items() if [o for o, _ in each.members] == [offering]
    }
    return predict_step_s(sizes, group.node_count)


def _iterations_left(
    snapshot: Snapshot, quotes: Quotes, focus: Focus, measured: Mapping[Group, Interval]
) -> float | None:
    """Iterations that can still pay for a change: those left of the phase, but no more than the budget can buy."""
    left: float | None = focus.iterations_left
    if left is None:
        reference = measured.get(snapshot.target) if snapshot.target else None
        pace_s = min((step_s.value for step_s in measured.values()), default=None)
        pace_s = reference.value if reference else pace_s
        left = None if pace_s is None else max(float(snapshot.job.iteration), OPEN_HORIZON_S / pace_s)
    budget = snapshot.job.spec.objective.budget_usd
    burns = {group: burn_usd_per_h(group, quotes) for group in measured}
    rates = [iterations_per_usd(burn, measured[group]).value for group, burn in burns.items() if burn is not None]
    if left is None or budget is None or not rates:
        return left
    return min(left, max(0.0, budget - snapshot.spent_usd) * max(rates))


def _is_settled(snapshot: Snapshot, windows: int, step_s: Interval) -> bool:
    """Enough windows, or an interval so narrow that two of a margin's difference cannot overlap."""
    if windows >= snapshot.limits.trial_windows:
        return True
    is_narrow = step_s.high is not None and step_s.high <= step_s.value * (1 + snapshot.limits.margin / 2)
    return windows >= _LEAST_WINDOWS and is_narrow


def _passage(
    snapshot: Snapshot,
    quotes: Quotes,
    measured: Mapping[Group, Interval],
    to: Group,
    step_s: Interval | None,
    iterations: float | None,
) -> Passage | None:
    if step_s is None or iterations is None:
        return None
    origin_step_s = measured.get(snapshot.target) if snapshot.target else None
    return passage(
        snapshot,
        quotes,
        origin=snapshot.target,
        origin_step_s=origin_step_s.value if origin_step_s else None,
        to=to,
        step_s=step_s,
        iterations=iterations,
    )


def _scaled(interval: Interval, factor: float) -> Interval:
    low = None if interval.low is None else interval.low * factor
    high = None if interval.high is None else interval.high * factor
    return Interval(interval.value * factor, low, high)
