"""The rules by which `best_value` searches: how long it measures a trial, and what it tries
next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from elastic.durations import WINDOW_S
from elastic.figures import duration, number, percent, usd
from elastic.model import Action, Group, Interval, Plan
from elastic.policy.beliefs import ANOTHER_DAY, Belief, beliefs_of, measured
from elastic.policy.evaluation import Evaluation, Evaluations, Ranked
from elastic.policy.horizon import seconds_left
from elastic.policy.spells import spells
from elastic.policy.switch_cost import transition_of
from elastic.policy.trial import (
    Offer,
    best_to_compare_with,
    is_answer,
    is_on_trial,
    is_used_up,
    known,
    no_time_left,
    spent_on_trials_usd,
    trial_cap_usd,
    trial_offers,
)
from elastic.policy.words import name, rate
from elastic.throughput import NodeTypes

_S_PER_H = 3600.0
_Z_95 = 1.96


def still_measuring(evaluations: Evaluations) -> Plan | None:
    """Holds while too little is known about what trains.

    It leaves a trial that is clearly worse, or that has used up its money.
    """
    target = evaluations.snapshot.target
    held = evaluations.of(target)
    if target is None or held is None or held.is_settled:
        return None
    # With another group to compare, a trial may be over already.
    others = known(evaluations, other_than=target)
    mine = evaluations.ranked(held) if held.samples else None
    if others:
        # Clearly better: measured well enough, whatever its windows.
        if mine is not None and _is_clear(mine, others[0]):
            return None
        why = _why_it_is_over(evaluations, held, mine, others[0])
        if why is not None:
            return _next_trial(evaluations, others[0]) or _back(evaluations, others[0], why)
        if (
            mine is not None
            and is_on_trial(evaluations.snapshot)
            and is_used_up(evaluations, others[0])
        ):
            return None
    # If the missing windows take longer than a boot, a trial of another group may be worth more.
    if mine is not None and not _is_soon(evaluations, held, mine):
        trial = _next_trial(evaluations, best_to_compare_with(evaluations))
        if trial is not None:
            return trial
        if is_on_trial(evaluations.snapshot) and others and mine.order <= others[0].order:
            # The trial has won: the group is kept, as if it had been chosen without one.
            return None
    limit = evaluations.snapshot.limits.trial_windows
    so_far = ""
    if held.samples and held.iterations_per_usd:
        so_far = f": {rate(held.iterations_per_usd)} so far"
    text = (
        f"measuring {name(target)} in {evaluations.focus.training_phase}, {held.samples} of "
        f"{limit} windows{so_far}"
    )
    return evaluations.hold(
        "measuring", text, {"windows": float(held.samples), "windows_wanted": float(limit)}
    )


def try_another(evaluations: Evaluations) -> Plan | None:
    """Tries what is worth most. With nothing left to try, goes back from a trial to a better
    group."""
    best = best_to_compare_with(evaluations)
    trial = _next_trial(evaluations, best)
    if trial is not None or best.group == evaluations.snapshot.target or not is_answer(evaluations):
        return trial
    # A trial asked a question. Once it is answered, the way back needs no margin: it only has to
    # pay.
    return _back(evaluations, best, f"it is no better than {name(best.group)}")


def most_promising_by_earlier_runs(evaluations: Evaluations) -> Evaluation | None:
    """The choice whose iterations cost least by what earlier runs of the program measured; None if
    none did.

    With a deadline it is chosen among those that meet it at the slow end of the belief. If none
    does, it is chosen among the fastest.
    """
    # Only types that earlier runs measured, by what is believed of them now.
    told = {each.group.node_types for each in evaluations.snapshot.earlier}
    known = [each for each in evaluations.choices if each.group.node_types in told]
    beliefs: Mapping[NodeTypes, Belief] = {}
    if known:
        beliefs = beliefs_of(evaluations)
    time_usd_per_h = evaluations.snapshot.job.spec.objective.value_of_time_usd_per_h or 0.0
    believed = [
        (each, beliefs[each.group.node_types]) for each in known if each.group.node_types in beliefs
    ]
    if not believed:
        return None
    left_s = seconds_left(evaluations.snapshot)
    iterations = evaluations.iterations_left
    if left_s is not None and iterations is not None:
        iterations += evaluations.other_work
        in_time = [pair for pair in believed if pair[1].quantile_s(_Z_95) * iterations <= left_s]
        believed = in_time or _fastest(evaluations, believed, iterations, left_s)

    def usd_per_iteration(pair: tuple[Evaluation, Belief]) -> tuple[float, Group]:
        outlook, belief = pair
        return ((outlook.usd_per_h or 0.0) + time_usd_per_h) * belief.step_s, outlook.group

    return min(believed, key=usd_per_iteration)[0]


def _fastest(
    evaluations: Evaluations,
    believed: Sequence[tuple[Evaluation, Belief]],
    iterations: float,
    left_s: float,
) -> list[tuple[Evaluation, Belief]]:
    """The fastest choice as it was measured, and those that another day may show to be as fast.

    If it was fast enough for the deadline, so were these.
    """
    # Of several measurements of one type, the slowest.
    measured_s = {
        each.node_types: each.step_s
        for each in sorted(measured(evaluations), key=lambda each: each.step_s)
    }
    steps_s = {
        outlook.group: measured_s.get(outlook.group.node_types, belief.step_s)
        for outlook, belief in believed
    }
    most_s = min(steps_s.values()) * (1 + ANOTHER_DAY)
    alike = [pair for pair in believed if steps_s[pair[0].group] <= most_s]
    return [pair for pair in alike if steps_s[pair[0].group] * iterations <= left_s] or alike


def _is_soon(evaluations: Evaluations, held: Evaluation, mine: Ranked) -> bool:
    """Whether the missing windows take no longer than a boot, which any trial costs."""
    windows = evaluations.snapshot.limits.trial_windows - held.samples
    return windows * _window_s(mine) <= transition_of(evaluations.snapshot, None, held.group).boot_s


def _window_s(mine: Ranked) -> float:
    """Seconds until a window closes."""
    return max(WINDOW_S, mine.step_s.value)


def _is_clear(mine: Ranked, best: Ranked) -> bool:
    """Whether its dearest bound is still cheaper than the other's cheapest."""
    high = mine.usd_per_iteration.high
    low = best.usd_per_iteration.low
    return high is not None and low is not None and high < low


def _why_it_is_over(
    evaluations: Evaluations, held: Evaluation, mine: Ranked | None, best: Ranked
) -> str | None:
    """Why what trains is not measured any longer, for a person; None if it is."""
    if _is_dominated(evaluations, held, mine, best):
        return f"it is dearer than {name(best.group)}, {rate(best.iterations_per_usd)}"
    if not is_on_trial(evaluations.snapshot) or (mine is not None and mine.order <= best.order):
        return None
    if no_time_left(evaluations, best):
        return f"{name(best.group)} is needed now to be in time"
    if is_used_up(evaluations, best):
        spent_usd = spent_on_trials_usd(evaluations)
        cap_usd = trial_cap_usd(evaluations, best)
        return f"trials have cost {usd(spent_usd)}, their share is {usd(cap_usd)}"
    return None


def _is_dominated(
    evaluations: Evaluations, held: Evaluation, mine: Ranked | None, best: Ranked
) -> bool:
    """Whether it loses even at its best; with a deadline, it must also be the slower one.

    The first window may still be a cold one. If a second costs less than the boot of the way back,
    the job waits for it.
    """
    least_s = _least_step_s(evaluations, held)
    if (
        held.samples == 1
        and mine is not None
        and _window_s(mine) < transition_of(evaluations.snapshot, held.group, best.group).boot_s
    ):
        return False
    if held.usd_per_h is None or least_s is None:
        return False
    time_usd_per_h = evaluations.snapshot.job.spec.objective.value_of_time_usd_per_h or 0.0
    if (held.usd_per_h + time_usd_per_h) * least_s / _S_PER_H <= best.usd_per_iteration.value:
        return False
    return seconds_left(evaluations.snapshot) is None or least_s > best.step_s.value


def _least_step_s(evaluations: Evaluations, held: Evaluation) -> float | None:
    """The shortest time that an iteration may take there, in seconds.

    Windows show it; before the first one, the time that has passed without an iteration does. None
    if nothing is known.
    """
    if held.samples:
        belief = beliefs_of(evaluations).get(held.group.node_types)
        assert held.step_s is not None, "windows tell a step time"
        if belief is None:
            return held.step_s.value
        return belief.quantile_s(-_Z_95)
    last = max(spells(evaluations.snapshot), key=lambda each: each.change.at_s, default=None)
    if last is None or last.group != held.group:
        least_s = 0.0
    else:
        least_s = last.least_step_s(evaluations.snapshot)
    return least_s or None


def _next_trial(evaluations: Evaluations, best: Ranked) -> Plan | None:
    worth = [offer for offer in trial_offers(evaluations, best) if offer.verdict.is_worth]
    if worth:
        return _trial(evaluations, best, worth[0])
    return None


def _trial(evaluations: Evaluations, best: Ranked, offer: Offer) -> Plan:
    redone = "training continues"
    if offer.redone:
        redone = (
            f"{number(offer.redone)} iterations are done again, for {usd(offer.redo_usd)} of that"
        )
    every = ""
    if evaluations.snapshot.limits.trial_of_every:
        every = "; every candidate gets a trial"
    text = (
        f"try {name(offer.group)}: {_promise(offer, best)}; "
        f"the trial costs about {usd(offer.trial_usd)}, and {redone}{every}"
    )
    cheaper = offer.cheaper
    bounds = {"cheaper_low": cheaper.low, "cheaper_high": cheaper.high}
    numbers = {
        "expected_step_s": offer.step_s,
        "cheaper": cheaper.value,
        **{key: value for key, value in bounds.items() if value is not None},
        "worth_usd": offer.worth_usd,
        "best_usd": best.switch_cost.usd.value,
        "trial_usd": offer.trial_usd,
        "trials_usd": spent_on_trials_usd(evaluations),
        "trials_cap_usd": trial_cap_usd(evaluations, best),
        "iterations_left": evaluations.iterations_left or 0.0,
    }
    return evaluations.plan(Action.TRIAL, offer.group, "trial", text, numbers)


def _promise(offer: Offer, best: Ranked) -> str:
    """What is expected of a trial, with bounds: a share of an iteration's cost, or a multiple of
    it."""
    if offer.lasts_s is not None:
        need = f"{number(offer.step_s)} s an iteration"
        return f"together they should need {need} and could finish in {duration(offer.lasts_s)}"
    cheaper = offer.cheaper
    than = f"than on {name(best.group)}"
    if cheaper.low is None or cheaper.high is None:
        return "nothing that was measured compares with it"
    if cheaper.value >= 0:
        return f"an iteration should cost {percent(cheaper.value)} less {than} ({_bounds(cheaper)})"
    if cheaper.high > 0:
        return (
            f"an iteration may cost up to {percent(cheaper.high)} less {than} ({_bounds(cheaper)})"
        )
    return f"it should be faster, for {number(1 - cheaper.value)} times as much an iteration {than}"


def _bounds(cheaper: Interval) -> str:
    assert cheaper.low is not None and cheaper.high is not None
    dearest = f"{percent(cheaper.low)} less"
    if cheaper.low < 0:
        dearest = f"{number(1 - cheaper.low)} times as much"
    return f"{percent(cheaper.high)} less to {dearest}"


def _back(evaluations: Evaluations, best: Ranked, why: str) -> Plan | None:
    """Ends a trial if the best known group finishes for less, the way back included."""
    target = evaluations.snapshot.target
    assert target is not None
    held = evaluations.of(target)
    mine = None
    if held is not None and held.samples:
        mine = evaluations.ranked(held)
    if mine is not None and mine.order <= best.order:
        return None
    text = (
        f"the trial of {name(target)} ends: {why}; back to {name(best.group)}, "
        f"{rate(best.iterations_per_usd)}"
    )
    spent_usd = spent_on_trials_usd(evaluations)
    cap_usd = trial_cap_usd(evaluations, best)
    numbers = {"trials_usd": spent_usd, "trials_cap_usd": cap_usd}
    return evaluations.plan(Action.MOVE, best.group, "trial_over", text, numbers)
