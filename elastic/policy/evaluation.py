"""The candidates of one decision, each with its speed, its price and the rest of the job on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from elastic.durations import HOUR_S
from elastic.figures import counted, price, usd
from elastic.model import (
    Action,
    Candidate,
    Group,
    Interval,
    Job,
    JobSpec,
    NodeType,
    Offering,
    Plan,
    Reason,
    Sample,
    Snapshot,
    Workers,
    workers_on,
)
from elastic.policy.availability import UNAVAILABLE, Lack, combined, lack_of, until
from elastic.policy.budget import change_usd, covers
from elastic.policy.horizon import Focus, focus_of, seconds_left, work_left
from elastic.policy.losses import NO_HISTORY, LossHistory, loss_history, losses_of
from elastic.policy.mixture import is_mix, may_mix, mixes
from elastic.policy.quotes import Quotes, burn_usd_per_h, dearest_quotes, fresh_quotes
from elastic.policy.switch_cost import NO_LOSSES, SwitchCost, switch_cost
from elastic.policy.words import kept, name
from elastic.throughput import (
    NodeTypes,
    estimate_step_s,
    iterations_per_usd,
    predict_mixed_step_s,
    predict_step_s,
)

_S_PER_H = 3600.0
# Fewer windows than this may agree by chance.
_LEAST_WINDOWS = 5


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One candidate, with what is known of it."""

    group: Group
    # How many windows measured it. With 0 its step time is predicted from other sizes.
    samples: int
    # None if its pace is neither measured nor predicted.
    step_s: Interval | None
    # Whether it has enough windows to be ranked.
    is_settled: bool
    usd_per_h: float | None
    # Why the job may not run on it, for a person; None if it may.
    objection: str | None
    # Going there and finishing there; None if pace, price or work is not known.
    switch_cost: SwitchCost | None
    # Why it cannot be completed now; None if it can.
    lack: Lack | None
    iterations_per_usd: Interval | None = field(init=False)
    """Computed from the price and the step time; None unless both are known."""

    def __post_init__(self) -> None:
        value = None
        if self.step_s is not None and self.usd_per_h is not None:
            value = iterations_per_usd(self.usd_per_h, self.step_s)
        object.__setattr__(self, "iterations_per_usd", value)

    @property
    def is_choice(self) -> bool:
        return self.objection is None and self.usd_per_h is not None and self.lack is None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A choice with a known pace, priced to the end of the job."""

    group: Group
    step_s: Interval
    usd_per_h: float
    iterations_per_usd: Interval
    # It includes the owner's value of time.
    usd_per_iteration: Interval
    switch_cost: SwitchCost
    # By how much it would miss the deadline.
    late_s: float

    @property
    def order(self) -> tuple[float, float, float, Group]:
        """What is in time first, then the least late; of those the least cost.

        Costs that agree to nine figures are equal: then the smaller burn decides, then the name.
        """
        return self.late_s, float(f"{self.switch_cost.cost_usd:.9g}"), self.usd_per_h, self.group


# No slots: cached properties are stored on the instance.
@dataclass(frozen=True, eq=False)
class Evaluations:
    """Everything that a decision weighs."""

    snapshot: Snapshot
    quotes: Quotes
    # The training phase whose speed decides.
    focus: Focus
    # Of the focus phase; None while no horizon is known.
    iterations_left: float | None
    # Of other phases: so many of the focus phase would take as long. A deadline counts these too.
    other_work: float
    outlooks: tuple[Evaluation, ...]
    # What a node of each type runs.
    workers: Mapping[str, Workers]
    # Why nodes of a type cannot run the job.
    left_out: Mapping[str, str]
    # What the budget cannot pay for at a start: the objection to each of these groups.
    beyond_budget: Mapping[Group, str] = field(default_factory=dict)

    def of(self, group: Group | None) -> Evaluation | None:
        if group is None:
            return None
        return self._by_group.get(group)

    @cached_property
    def _by_group(self) -> Mapping[Group, Evaluation]:
        return {each.group: each for each in self.outlooks}

    @cached_property
    def types(self) -> Mapping[str, NodeType]:
        """The node types that are sold, by name."""
        return {each.name: each for each in self.snapshot.node_types}

    @cached_property
    def measured(self) -> tuple[Evaluation, ...]:
        """The candidates that have windows."""
        return tuple(each for each in self.outlooks if each.samples and each.step_s is not None)

    @cached_property
    def choices(self) -> tuple[Evaluation, ...]:
        return tuple(each for each in self.outlooks if each.is_choice)

    @cached_property
    def unmixed(self) -> Evaluations:
        """The same without mixes, unless only mixes can be chosen."""
        plain = replace(
            self, outlooks=tuple(each for each in self.outlooks if not is_mix(each.group))
        )
        if plain.choices:
            return plain
        return self

    @cached_property
    def settled(self) -> tuple[Ranked, ...]:
        """The choices that can be ranked, best first."""
        found = [self.ranked(each) for each in self.choices if each.is_settled]
        return tuple(
            sorted((each for each in found if each is not None), key=lambda each: each.order)
        )

    def ranked(self, outlook: Evaluation) -> Ranked | None:
        """The outlook with what a ranking needs; None if something is not known."""
        # Only what is, is remembered: a rule may ask for an altered candidate, too.
        if outlook is not self._by_group.get(outlook.group):
            return self._ranked(outlook)
        if outlook.group not in self._rankings:
            self._rankings[outlook.group] = self._ranked(outlook)
        return self._rankings[outlook.group]

    @cached_property
    def _rankings(self) -> dict[Group, Ranked | None]:
        """What `ranked` has found: a decision asks for the same few groups many times."""
        return {}

    def _ranked(self, outlook: Evaluation) -> Ranked | None:
        value = outlook.iterations_per_usd
        step_s = outlook.step_s
        way = outlook.switch_cost
        if value is None or step_s is None or way is None or outlook.usd_per_h is None:
            return None
        time_usd_per_h = self.snapshot.job.spec.objective.value_of_time_usd_per_h or 0.0
        usd_per_s = (outlook.usd_per_h + time_usd_per_h) / _S_PER_H
        per_iteration = step_s.scaled(usd_per_s)
        late_s, _ = promise_of(self.snapshot, way)
        return Ranked(outlook.group, step_s, outlook.usd_per_h, value, per_iteration, way, late_s)

    def plan(
        self,
        action: Action,
        target: Group | None,
        code: str,
        text: str,
        numbers: Mapping[str, float] | None = None,
    ) -> Plan:
        """A plan with these candidates."""
        candidates = tuple(self._candidate(each) for each in self.outlooks)
        return Plan(
            action,
            target,
            Reason(code, text, dict(numbers or {})),
            candidates,
            left_out=self.left_out,
        )

    def change(
        self, target: Group, code: str, text: str, numbers: Mapping[str, float] | None = None
    ) -> Plan:
        """A plan that moves to a group, or starts on it where nothing is held."""
        action = Action.START if self.snapshot.target is None else Action.MOVE
        return self.plan(action, target, code, text, numbers)

    def hold(self, code: str, text: str, numbers: Mapping[str, float] | None = None) -> Plan:
        """A plan that leaves the target as it is."""
        return self.plan(Action.HOLD, self.snapshot.target, code, text, numbers)

    def _candidate(self, outlook: Evaluation) -> Candidate:
        way = outlook.switch_cost
        left = self.iterations_left
        # Without an end the rest of the job is a guess, and is not shown.
        has_end = self.snapshot.job.spec.iterations is not None
        return Candidate(
            group=outlook.group,
            training_phase=self.focus.training_phase,
            samples=outlook.samples,
            usd_per_h=outlook.usd_per_h,
            step_s=outlook.step_s,
            iterations_per_usd=outlook.iterations_per_usd,
            effective_iterations_per_usd=left / way.usd.value
            if way and left and way.usd.value > 0
            else None,
            remaining_usd=way.usd.value if way and has_end else None,
            remaining_s=way.phase_s if way and has_end else None,
            unavailable=outlook.lack.text if outlook.lack else None,
            workers=tuple(
                self.workers[name] for name, _ in outlook.group.node_types if name in self.workers
            ),
        )


def evaluate_candidates(snapshot: Snapshot) -> Evaluations:
    """Weighs every candidate of the snapshot's job."""
    quotes = fresh_quotes(snapshot)
    focus = focus_of(snapshot.job)
    samples = _samples_by_types(snapshot, focus.training_phase)
    measured = _measured(snapshot, samples)
    workers = _workers(snapshot)
    left_out = _left_out(snapshot)
    groups = _groups(snapshot, quotes, measured, left_out)
    left, other_work = _iterations_left(snapshot, quotes, focus, groups, measured)
    losses = NO_HISTORY
    if any(any(pool.up.ended) for pool in snapshot.pools):
        losses = loss_history(snapshot, quotes, groups)
    outlooks = []
    for group in groups:
        types = group.node_types
        windows = len(samples[types]) if types in measured else 0
        step_s = (
            measured.get(types)
            or _predicted(types, measured)
            or _predicted_mix(snapshot, group, measured)
        )
        burn = burn_usd_per_h(group, quotes)
        outlooks.append(
            Evaluation(
                group=group,
                samples=windows,
                step_s=step_s,
                is_settled=types in measured and _is_settled(snapshot, windows, measured[types]),
                usd_per_h=burn,
                objection=_objection(snapshot, group, burn, workers, left_out),
                switch_cost=_switch_cost(
                    snapshot, quotes, measured, group, step_s, left, other_work, losses
                )
                if burn is not None
                else None,
                lack=lack_of(snapshot, group, quotes),
            )
        )
    beyond_budget = _beyond_budget(snapshot, outlooks)
    for place, each in enumerate(outlooks):
        if each.group in beyond_budget:
            outlooks[place] = replace(each, objection=beyond_budget[each.group])
    return Evaluations(
        snapshot,
        quotes,
        focus,
        left,
        other_work,
        _shortened(snapshot, outlooks),
        workers,
        left_out,
        beyond_budget,
    )


def _beyond_budget(snapshot: Snapshot, outlooks: Iterable[Evaluation]) -> Mapping[Group, str]:
    """Objections to the groups that a job cannot start on and still end within its budget.

    If all are too dear, the cheapest gets none, of those that can be bought if there are any: the
    guard stops the job there.
    """
    if snapshot.target is not None or snapshot.job.spec.objective.budget_usd is None:
        return {}
    quotes = dearest_quotes(snapshot)
    usd_of = {
        each.group: change_usd(snapshot, quotes, None, each.group)
        for each in outlooks
        if each.objection is None and each.usd_per_h is not None
    }
    spared = {group for group, needed_usd in usd_of.items() if covers(snapshot, needed_usd)}
    if not spared:
        ordered = sorted(
            (each.lack is not None, usd_of[each.group], each.group)
            for each in outlooks
            if each.group in usd_of
        )
        spared = {group for _, _, group in ordered[:1]}
    return {
        group: f"{name(group)} is beyond the budget: its start and its end take {usd(needed_usd)}"
        for group, needed_usd in usd_of.items()
        if group not in spared
    }


def fitting(snapshot: Snapshot, groups: Iterable[Group]) -> tuple[Group, ...]:
    """Those of the groups that the job may run on, whatever they cost."""
    workers = _workers(snapshot)
    left_out = _left_out(snapshot)
    return tuple(
        each
        for each in groups
        if all(snapshot.job.spec.admits(offering) for offering, _ in each.members)
        and _objection(snapshot, each, None, workers, left_out) is None
    )


def promise_of(snapshot: Snapshot, way: SwitchCost) -> tuple[float, float]:
    """By how many seconds it would be late, then what it costs (USD): less is better."""
    left_s = seconds_left(snapshot)
    late_s = 0.0
    if left_s is not None:
        late_s = max(way.lasts_s - left_s, 0.0)
    return float(f"{late_s:.9g}"), float(f"{way.cost_usd:.9g}")


def most_promising(snapshot: Snapshot, outlooks: Iterable[Evaluation]) -> Evaluation | None:
    """The choice that promises most, among those with a known switch cost; of equals the first by
    name."""
    promises = [
        (promise_of(snapshot, each.switch_cost), each.group, each)
        for each in outlooks
        if each.is_choice and each.switch_cost
    ]
    best = min(promises, key=lambda each: each[:2], default=None)
    return None if best is None else best[2]


def nothing_to_be_had(evaluations: Evaluations, wanted: Sequence[Evaluation]) -> Plan:
    """The plan that waits, because none of `wanted` can be bought now, until the first of them
    can."""
    lack = combined(each.lack for each in wanted if each.lack is not None)
    what = kept(evaluations.snapshot.target)
    return evaluations.hold(UNAVAILABLE, f"{lack.text}: {what}, and waits", until(lack.until_s))


def _workers(snapshot: Snapshot) -> dict[str, Workers]:
    """What nodes of each type run.

    A node that exists runs what it was bought for, even if its type is no longer sold.
    """
    asked = snapshot.job.spec.nproc_per_node
    bought = {node.offering.node_type: node.workers for node in snapshot.nodes}
    return {each.name: workers_on(asked, each) for each in snapshot.node_types} | bought


def _left_out(snapshot: Snapshot) -> dict[str, str]:
    """Why nodes of a type cannot run the job, for the types that the job names, or else for all."""
    spec = snapshot.job.spec
    wanted = [
        each for each in snapshot.node_types if not spec.node_types or each.name in spec.node_types
    ]
    return {each.name: why for each in wanted if (why := spec.unfit(each)) is not None}


def _objection(
    snapshot: Snapshot,
    group: Group,
    burn: float | None,
    workers: Mapping[str, Workers],
    left_out: Mapping[str, str],
) -> str | None:
    """Why the job may not run on `group`, for a person; None if it may.

    An unknown price is no objection.
    """
    spec = snapshot.job.spec
    for offering, _ in group.members:
        if not admits(snapshot, offering):
            return f"the job does not admit {offering.node_type} {offering.capacity}"
        if offering.node_type in left_out:
            return left_out[offering.node_type]
    if group.node_count not in spec.sizes:
        least = spec.sizes[0]
        most = spec.sizes[-1]
        if least < most:
            wanted = f"{least} to {most} nodes"
        else:
            wanted = counted(most, "node")
        return f"the job asks for {wanted}, not {group.node_count}"
    if (misfit := _batch_misfit(spec, group, workers)) is not None:
        return misfit
    cap = spec.objective.max_usd_per_hour
    if cap is not None and burn is not None and burn > cap:
        return f"{name(group)} burns {price(burn)}/h, above the cap of {price(cap)}/h"
    return None


def _batch_misfit(spec: JobSpec, group: Group, workers: Mapping[str, Workers]) -> str | None:
    """Why the job's batch cannot be divided over the group's workers.

    None if it can, or if the workers are not known.
    """
    batch = spec.global_batch
    if batch is None or any(each not in workers for each, _ in group.node_types):
        return None
    counts = [(each, count * workers[each].processes) for each, count in group.node_types]
    world_size = sum(count for _, count in counts)
    held = spec.held_by(counts)
    if batch < world_size:
        return (
            f"{name(group)} runs {world_size} workers, and a batch has {batch:,} samples: one for "
            "each is wanted"
        )
    if held is not None and held < batch:
        return f"{name(group)} holds {held:,} samples, and a batch has {batch:,}"
    return None


def admits(snapshot: Snapshot, offering: Offering) -> bool:
    """Whether the job's spec lets it run on this offering."""
    spec = snapshot.job.spec
    return (not spec.node_types or offering.node_type in spec.node_types) and spec.capacity.admits(
        offering.capacity
    )


def _samples_by_types(snapshot: Snapshot, training_phase: str) -> dict[NodeTypes, list[Sample]]:
    """The windows of the focus phase alone: a warm-up's speed says nothing of what follows."""
    found: dict[NodeTypes, list[Sample]] = {}
    for series in snapshot.series:
        if series.training_phase == training_phase:
            found.setdefault(series.group.node_types, []).extend(series.samples)
    return found


def _groups(
    snapshot: Snapshot, quotes: Quotes, measured: Iterable[NodeTypes], left_out: Mapping[str, str]
) -> list[Group]:
    """Every group that is compared: the counts of interest of each admitted, priced offering, what
    is held, and mixes.

    A group that is proposed has one offering, and so one zone: gradients that cross zones cost more
    than the computing.
    """
    held = [group for group in (snapshot.target, snapshot.current) if group is not None]
    known = [*measured, *(group.node_types for group in held)]
    admitted = [
        each for each in quotes if admits(snapshot, each) and each.node_type not in left_out
    ]
    found = {
        Group.of(offering, count)
        for offering in admitted
        for count in _counts(snapshot, offering, known)
    }
    return sorted(found | set(held) | mixes(snapshot, admitted))


def _measured(
    snapshot: Snapshot, samples: Mapping[NodeTypes, Sequence[Sample]]
) -> dict[NodeTypes, Interval]:
    """The step time that the windows show, by node types.

    While a swap's old and new nodes train together, shares settle: those few windows are no
    measurement of a mix.
    """
    found = {
        types: step_s
        for types, own in samples.items()
        if (step_s := estimate_step_s(own)) is not None
    }
    if not may_mix(snapshot):
        return found
    wanted = None
    if snapshot.target:
        wanted = snapshot.target.node_types
    return {
        types: step_s
        for types, step_s in found.items()
        if len(types) == 1 or types == wanted or _is_settled(snapshot, len(samples[types]), step_s)
    }


def _shortened(snapshot: Snapshot, outlooks: Sequence[Evaluation]) -> tuple[Evaluation, ...]:
    """Keeps only the most promising of the mixes that are not measured: the cheapest in time, or
    else the soonest.

    There are more mixes than a person reads, and each trial costs money. Once one is measured, the
    next best may follow.
    """
    held = (snapshot.target, snapshot.current)
    open_mixes = [
        each
        for each in outlooks
        if is_mix(each.group) and not each.is_settled and each.group not in held
    ]
    best = most_promising(snapshot, open_mixes)
    left_out = {each.group for each in open_mixes if best is None or each.group != best.group}
    return tuple(each for each in outlooks if each.group not in left_out)


def _counts(snapshot: Snapshot, offering: Offering, known: Iterable[NodeTypes]) -> set[int]:
    """How many nodes to compare: the fewest, the most, doublings between, and neighbours of known
    sizes.

    That is few, yet every size is within reach.
    """
    sizes = snapshot.job.spec.sizes
    least = sizes[0]
    most = sizes[-1]
    counts = {least, most}
    count = least
    while (count := 2 * count) < most:
        counts.add(count)
    for types in known:
        if [each for each, _ in types] == [offering.node_type]:
            size = types[0][1]
            counts |= {size - 1, size, size + 1}
    return {count for count in counts if count in sizes}


def _predicted(types: NodeTypes, measured: Mapping[NodeTypes, Interval]) -> Interval | None:
    if len(types) > 1:
        return None
    ((node_type, size),) = types
    sizes = {
        each[0][1]: step_s.value
        for each, step_s in measured.items()
        if [name for name, _ in each] == [node_type]
    }
    return predict_step_s(sizes, size)


def _predicted_mix(
    snapshot: Snapshot, group: Group, measured: Mapping[NodeTypes, Interval]
) -> Interval | None:
    if not (is_mix(group) and may_mix(snapshot)):
        return None
    return predict_mixed_step_s(
        {types: step_s.value for types, step_s in measured.items()}, group.node_types
    )


def _iterations_left(
    snapshot: Snapshot,
    quotes: Quotes,
    focus: Focus,
    groups: Iterable[Group],
    all_measured: Mapping[NodeTypes, Interval],
) -> tuple[float | None, float]:
    """Iterations that can still pay for a change: those left of the phase, but at most what the
    budget buys.

    The second is what other phases have left, in such iterations; 0 without a deadline or an end.
    """
    left: float | None = focus.iterations_left
    measured = {
        group: all_measured[group.node_types]
        for group in groups
        if group.node_types in all_measured
    }
    # Without an end: as many iterations as were done, or an hour of them at the target's pace.
    if left is None and measured:
        pace_s = min(step_s.value for step_s in measured.values())
        if snapshot.target in measured:
            pace_s = measured[snapshot.target].value
        # It is assumed to go on for as long again as it has, and for an hour at least.
        left = max(float(snapshot.job.iteration), HOUR_S / pace_s)
    budget = snapshot.job.spec.objective.budget_usd
    # What is left of the budget buys at most so many iterations, on the group where they are
    # cheapest.
    burns = {group: burn_usd_per_h(group, quotes) for group in measured}
    rates = [
        iterations_per_usd(burn, measured[group]).value
        for group, burn in burns.items()
        if burn is not None
    ]
    work = None
    if snapshot.job.spec.objective.deadline_s is not None:
        work = work_left(snapshot)
    if budget is not None and rates:
        bought = max(0.0, budget - snapshot.spent_usd) * max(rates)
        left = None if left is None else min(left, bought)
        work = None if work is None else min(work, bought)
    if left is None or work is None:
        return left, 0.0
    return left, work - left


def bought_iterations(job: Job, candidates: Iterable[Candidate]) -> float | None:
    """The iterations that these candidates were weighed for, if the budget buys no more of them.

    None if what remains on them is all that is left of the job, or if that is not known.
    """
    left = focus_of(job).iterations_left
    if left is None or job.spec.objective.budget_usd is None:
        return None
    for each in candidates:
        # Both are of the same iterations, on every candidate.
        if each.effective_iterations_per_usd is not None and each.remaining_usd is not None:
            weighed = each.effective_iterations_per_usd * each.remaining_usd
            # Rounding is no limit.
            return weighed if round(weighed) < left else None
    return None


def _is_settled(snapshot: Snapshot, windows: int, step_s: Interval) -> bool:
    """Enough windows, or few with an interval so narrow that a difference of the margin would
    show."""
    if windows >= snapshot.limits.trial_windows:
        return True
    is_narrow = step_s.high is not None and step_s.high <= step_s.value * (
        1 + snapshot.limits.margin / 2
    )
    return windows >= _LEAST_WINDOWS and is_narrow


def _switch_cost(
    snapshot: Snapshot,
    quotes: Quotes,
    measured: Mapping[NodeTypes, Interval],
    to: Group,
    step_s: Interval | None,
    iterations: float | None,
    other_work: float,
    losses: LossHistory,
) -> SwitchCost | None:
    if step_s is None or iterations is None:
        return None
    origin_step_s = None
    if snapshot.target is not None and snapshot.target.node_types in measured:
        origin_step_s = measured[snapshot.target.node_types].value
    found = NO_LOSSES
    if losses.lives_h:
        found = losses_of(snapshot, quotes, losses, to)
    return switch_cost(
        snapshot,
        quotes,
        origin=snapshot.target,
        origin_step_s=origin_step_s,
        to=to,
        step_s=step_s,
        iterations=iterations,
        other_work=other_work,
        losses=found,
    )
