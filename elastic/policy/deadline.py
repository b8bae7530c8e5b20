"""A deadline with spot for sale: wait, take spot here or elsewhere, or pay for on-demand.

Every way to continue is priced to the job's end by the value function of `cost_to_go`; the least
expected cost wins. A spot type of several pools counts as one market: when one pool is lost,
another may be up. If there are several types, each is weighed alone, as if the job used only that
one beside on-demand. The least of these costs is an upper bound of what the best decisions cost.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from elastic.figures import duration, usd
from elastic.model import Capacity, Group, NodePhase, Offering, Plan, Pool, Snapshot
from elastic.policy.cost_to_go import CostToGo, Course, DeadlineProblem, SpotState, solve
from elastic.policy.evaluation import Evaluation, Evaluations
from elastic.policy.hazards import Hazards, hazards_of
from elastic.policy.horizon import ROOM_FOR_LOSSES, seconds_left, work_left
from elastic.policy.mixture import is_mix
from elastic.policy.quotes import known_burn_usd_per_h
from elastic.policy.switch_cost import transition_of
from elastic.policy.words import name

_S_PER_H = 3600.0
# Horizons are rounded up to powers of this ratio, so that one solution serves many ticks.
_HORIZON_RATIO = 1.5
# A share of the cost. Waiting while spot can be bought, or leaving one kind of spot for another,
# must save at least this. Smaller gains are within the errors of the programme, and time spent
# waiting is gone.
_PATIENCE = 0.02
# The assumed age of a pool that was up when it was first seen: long spells are met more often.
_UNSEEN_AGE_S = 7200.0
_PRESENT = frozenset({NodePhase.INTENDED, NodePhase.BOOTING, NodePhase.JOINED})

# The code of a reason: this way to the deadline is expected to cost least.
LEAST_COST = "least_cost"
# The code of a reason: nothing is bought now, because spot is expected back in time.
WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class PricedOption:
    """One group, and what the rest of the job is expected to cost if it continues there now.

    None as the group: the job waits.
    """

    group: Group | None
    usd: float


def least_cost(evaluations: Evaluations) -> Plan | None:
    """The plan with the least expected cost to the deadline; None without a deadline, or without
    spot.

    It decides only where the wanted group trains, or where nothing of it exists. It leaves a job
    that will be late on every known group to the later rules: those look for something faster.
    """
    snapshot = evaluations.snapshot
    left_s = seconds_left(snapshot)
    work = work_left(snapshot)
    if left_s is None or left_s <= 0 or not work or not evaluations.focus.is_now:
        return None
    if (
        snapshot.target is not None
        and snapshot.current != snapshot.target
        and not is_free(snapshot)
    ):
        return None
    known = [each for each in evaluations.outlooks if _is_known(each)]
    if snapshot.current is not None and all(
        lasts_s(snapshot, each, work) > left_s for each in known
    ):
        return None
    kinds = _kinds(snapshot, known, work, left_s)
    safe = _safe(snapshot, known, work, left_s)
    if not kinds or (not safe and snapshot.job.spec.capacity.admits(Capacity.ON_DEMAND)):
        return None
    ways = _weigh(evaluations, kinds, safe, work, left_s)
    if ways:
        return _plan(evaluations, ways, left_s)
    return None


@lru_cache(maxsize=4)
def expected_usd(evaluations: Evaluations) -> float | None:
    """The expected dollars for the rest of the job, if it waits for spot and uses it as well as it
    can.

    None without a deadline, or if there is nothing to wait for.
    """
    snapshot = evaluations.snapshot
    left_s = seconds_left(snapshot)
    work = work_left(snapshot)
    if left_s is None or left_s <= 0 or not work or not evaluations.focus.is_now:
        return None
    known = [each for each in evaluations.outlooks if _is_known(each)]
    kinds = _kinds(snapshot, known, work, left_s)
    safe = _safe(snapshot, known, work, left_s)
    if not kinds or not safe:
        return None
    return min(each.usd for each in _weigh(evaluations, kinds, safe, work, left_s))


def is_free(snapshot: Snapshot) -> bool:
    """Whether the job holds no node that stays, and none is on its way.

    A node that is being taken back may train until it goes.
    """
    return not any(node.phase in _PRESENT and node.leaves_at_s is None for node in snapshot.nodes)


def lasts_s(snapshot: Snapshot, outlook: Evaluation, work: float) -> float:
    """Seconds to the end on a group whose pace is known, the way there included."""
    return _start_s(snapshot, outlook.group) + work * _step_s(outlook)


@dataclass(frozen=True, slots=True)
class _Kind:
    """Spot of one node type at one size."""

    # Its pools, the cheapest first.
    outlooks: tuple[Evaluation, ...]
    step_s: float
    # The cheapest price, of a pool that can be bought if there is one.
    usd_per_h: float
    # The pools that can be bought now.
    up: tuple[Evaluation, ...]

    def needs_s(self, snapshot: Snapshot, work: float) -> float:
        """Seconds to the end, the way there included."""
        return min(_start_s(snapshot, each.group) for each in self.outlooks) + work * self.step_s


def _is_known(outlook: Evaluation) -> bool:
    is_plain = len(outlook.group.members) == 1 and not is_mix(outlook.group)
    return (
        is_plain
        and outlook.objection is None
        and outlook.usd_per_h is not None
        and outlook.step_s is not None
    )


def _kinds(
    snapshot: Snapshot, known: Iterable[Evaluation], work: float, left_s: float
) -> list[_Kind]:
    """The kinds of spot that are weighed, cheapest iterations first.

    These are a few of those that can be bought, a few of all, and what is held. A large group has
    dear iterations, but making up for lost time on it costs less than on demand.
    """
    found: dict[object, list[Evaluation]] = {}
    for each in known:
        if _is_spot(each.group):
            found.setdefault(each.group.node_types, []).append(each)
    kinds = []
    for outlooks in found.values():
        outlooks.sort(key=lambda each: (each.usd_per_h or 0.0, each.group))
        step_s = outlooks[0].step_s
        assert step_s is not None, "only what is known is asked"
        up = tuple(each for each in outlooks if each.lack is None)
        # A price counts only if it can be paid now, unless none can.
        cheapest = up or tuple(outlooks)
        kinds.append(_Kind(tuple(outlooks), step_s.value, cheapest[0].usd_per_h or 0.0, up))
    kinds.sort(key=lambda each: (each.step_s * each.usd_per_h, each.outlooks[0].group))
    rests = [(each.step_s, each.needs_s(snapshot, work) * ROOM_FOR_LOSSES) for each in kinds]
    # The few cheapest of all kinds may be down. So the few cheapest that can be bought are weighed,
    # too.
    buyable = [place for place, each in enumerate(kinds) if each.up]
    chosen = {*_few(rests, range(len(kinds)), left_s), *_few(rests, buyable, left_s)}
    held = None
    if snapshot.target:
        held = snapshot.target.node_types
    return [
        each
        for place, each in enumerate(kinds)
        if place in chosen or each.outlooks[0].group.node_types == held
    ]


def _few(rests: Sequence[tuple[float, float]], places: Iterable[int], left_s: float) -> set[int]:
    """The places of three kinds: the cheapest, the cheapest that is in time, and the fastest.

    `places` are ordered from the cheapest on. `rests` are the seconds of a step and of the rest of
    the job.
    """
    front: list[int] = []
    for place in places:
        if not front or rests[place][0] < rests[front[-1]][0]:
            front.append(place)
    in_time = [place for place in front if rests[place][1] <= left_s]
    return {*front[:1], *in_time[:1], *front[-1:]}


def _safe(
    snapshot: Snapshot, known: Iterable[Evaluation], work: float, left_s: float
) -> list[Evaluation]:
    """On-demand groups that can be bought: the cheapest, the cheapest that is in time, and the
    fastest."""
    own = [each for each in known if not _is_spot(each.group) and each.lack is None]
    ordered = sorted(
        own, key=lambda each: (_step_s(each) * (each.usd_per_h or 0.0), _step_s(each), each.group)
    )
    rests = [(_step_s(each), lasts_s(snapshot, each, work)) for each in ordered]
    chosen = sorted(_few(rests, range(len(ordered)), left_s))
    if not any(rests[place][1] <= left_s for place in chosen):
        chosen = chosen[-1:]
    return [ordered[place] for place in chosen]


def _weigh(
    evaluations: Evaluations,
    kinds: Sequence[_Kind],
    safe: Sequence[Evaluation],
    work: float,
    left_s: float,
) -> list[PricedOption]:
    """Each way to continue with its expected cost. What the job holds is among them."""
    snapshot = evaluations.snapshot
    found: dict[Group | None, float] = {}
    for kind in kinds:
        for way in _of_kind(evaluations, kind, safe, work, left_s):
            found[way.group] = min(way.usd, found.get(way.group, math.inf))
    if not is_free(snapshot):
        found.pop(None, None)
    return [PricedOption(group, cost) for group, cost in found.items()]


def _of_kind(
    evaluations: Evaluations, kind: _Kind, safe: Sequence[Evaluation], work: float, left_s: float
) -> Iterator[PricedOption]:
    """The ways of a job that uses this kind of spot alone, beside on-demand."""
    snapshot = evaluations.snapshot
    if safe:
        reference = min(safe, key=_step_s)
    else:
        reference = kind.outlooks[0]
    unit_s = _step_s(reference)
    unit_usd = reference.usd_per_h or 1.0
    pools = {each.offering: each for each in snapshot.pools}
    nodes = kind.outlooks[0].group.node_count

    def course(outlook: Evaluation) -> Course:
        return _course(snapshot, outlook, unit_s, unit_usd)

    # Each pool by its own history, and the one pool that stands for the kind.
    hazards = {each.group: _hazards(pools, snapshot, each.group, nodes) for each in kind.outlooks}
    market, best = _market(snapshot, kind, pools, hazards)
    work_s = work * unit_s
    time_usd = snapshot.job.spec.objective.value_of_time_usd_per_h or 0.0
    # Rounded to few figures, so that one solution serves many ticks and many jobs.
    horizon_s = _up_to(left_s)
    problem = DeadlineProblem(
        safe=tuple(course(each) for each in safe),
        spot=course(best),
        hazards=_of_market(hazards[best.group], len(kind.outlooks)),
        failover=_failover(kind, hazards),
        work=_up_to(work_s),
        left_s=horizon_s,
        time_usd_per_h=_near(time_usd / unit_usd) if time_usd else 0.0,
        asked_from_s=horizon_s / _HORIZON_RATIO,
    )
    solved = solve(problem)
    look_s = snapshot.limits.tick_s
    # The three kinds of ways: wait, on demand, and spot that can be bought.
    yield PricedOption(None, unit_usd * solved.waiting(work_s, left_s, market, look_s=look_s))
    for index, each in enumerate(safe):
        dead_s = _dead_s(snapshot, each.group, each)
        cost = solved.safe(index, work_s, left_s, market, dead_s=dead_s, look_s=look_s)
        yield PricedOption(each.group, unit_usd * cost + _extra_usd(evaluations, each.group))
    for each in kind.up:
        yield PricedOption(
            each.group,
            _spot_usd(evaluations, solved, each, hazards[each.group], work_s, left_s, unit_usd),
        )


def _spot_usd(
    evaluations: Evaluations,
    solved: CostToGo,
    outlook: Evaluation,
    hazards: Hazards,
    work_s: float,
    left_s: float,
    unit_usd: float,
) -> float:
    snapshot = evaluations.snapshot
    age_s = _age_s(snapshot, outlook.group.members[0][0])
    cost = solved.on_spot(
        work_s,
        left_s,
        age_s,
        dead_s=_dead_s(snapshot, outlook.group, outlook),
        look_s=snapshot.limits.tick_s,
    )
    # A pool that is dearer, or lost sooner, than its kind's best is so for as long as it is
    # expected to last.
    spot = solved.problem.spot
    assert spot is not None, "it is weighed as spot"
    lasts_h = min(hazards.life_h(age_s), work_s * spot.step_s / _S_PER_H)
    dearer_usd = ((outlook.usd_per_h or 0.0) - spot.usd_per_h * unit_usd) * lasts_h
    kind_life_h = min(
        (solved.problem.hazards or hazards).life_h(age_s), work_s * spot.step_s / _S_PER_H
    )
    losses = max(0.0, kind_life_h / max(lasts_h, 1e-9) - 1.0)
    start_usd = spot.start_s / _S_PER_H * (outlook.usd_per_h or 0.0)
    return (
        unit_usd * cost
        + max(dearer_usd, 0.0)
        + losses * start_usd
        + _extra_usd(evaluations, outlook.group)
    )


def _course(snapshot: Snapshot, outlook: Evaluation, unit_s: float, unit_usd: float) -> Course:
    """A course in units of the reference: its seconds are those of the reference for the same
    work."""
    way = transition_of(snapshot, None, outlook.group)
    redo_s = snapshot.job.redo_iterations * _step_s(outlook)
    burn = outlook.usd_per_h or 0.0
    move_usd = burn * way.boot_s / _S_PER_H / unit_usd
    return Course(
        step_s=_near(_step_s(outlook) / unit_s),
        usd_per_h=_near(burn / unit_usd),
        start_s=_near(way.boot_s + way.pause_s + redo_s),
        move_s=_near(way.pause_s + redo_s),
        move_usd=_near(move_usd) if move_usd else 0.0,
    )


def _market(
    snapshot: Snapshot,
    kind: _Kind,
    pools: dict[Offering, Pool],
    hazards: dict[Group, Hazards],
) -> tuple[SpotState, Evaluation]:
    """Whether any pool of the kind is up, since when, and the one pool that stands for the kind.

    Its price, its age and its rates belong together. The cheapest price with the age of another
    pool would describe a pool that does not exist.
    """
    if kind.up:
        ages = {each.group: _age_s(snapshot, each.group.members[0][0]) for each in kind.up}
        best = min(
            kind.up,
            key=lambda each: (
                _usd_per_trained_h(snapshot, each, hazards[each.group].life_h(ages[each.group])),
                each.group,
            ),
        )
        return SpotState(True, ages[best.group]), best
    downs = []
    for each in kind.outlooks:
        pool = pools.get(each.group.members[0][0])
        since_s = None
        if pool is not None and pool.is_up is False:
            since_s = pool.since_s
        if since_s is None:
            age_s = _UNSEEN_AGE_S
        else:
            age_s = snapshot.now_s - since_s
        downs.append((age_s, each))
    age_s, best = min(downs, key=lambda each: (each[0], each[1].group))
    return SpotState(False, age_s), best


def _usd_per_trained_h(snapshot: Snapshot, outlook: Evaluation, life_h: float) -> float:
    """What an hour of training costs in a pool that lasts for `life_h`, its start included."""
    way = transition_of(snapshot, None, outlook.group)
    start_h = (way.boot_s + way.pause_s) / _S_PER_H
    return (outlook.usd_per_h or 0.0) * (1 + start_h / life_h)


def _age_s(snapshot: Snapshot, offering: Offering) -> float:
    """Seconds for which a pool is known to have been up."""
    held_s = [
        snapshot.now_s - node.launched_at_s
        for node in snapshot.nodes
        if node.offering == offering and node.launched_at_s is not None and not node.phase.is_gone
    ]
    known_s = [
        _UNSEEN_AGE_S if each.since_s is None else snapshot.now_s - each.since_s
        for each in snapshot.pools
        if each.offering == offering and each.is_up
    ]
    return max([*held_s, *known_s, 0.0])


def _hazards(pools: dict[Offering, Pool], snapshot: Snapshot, group: Group, nodes: int) -> Hazards:
    """The rates of a group that the loss of any node interrupts.

    Nodes of one pool often go together. So n nodes are lost sqrt(n) times as often as one.
    """
    found = hazards_of(pools.get(group.members[0][0]), snapshot.pools, now_s=snapshot.now_s)
    if nodes == 1:
        return found
    return replace(found, lost_per_h=tuple(rate * math.sqrt(nodes) for rate in found.lost_per_h))


def _of_market(hazards: Hazards, pools: int) -> Hazards:
    """The rates of a market, which is back as soon as one of its pools is.

    Pools often go and come together. So n pools are back sqrt(n) times as often as one.
    """
    return replace(
        hazards, back_per_h=tuple(rate * math.sqrt(pools) for rate in hazards.back_per_h)
    )


def _failover(kind: _Kind, hazards: dict[Group, Hazards]) -> float:
    """The chance that another pool of the kind is up when one is lost.

    Half of the pools are taken to go together.
    """
    others = sorted((_up_share(hazards[each.group]) for each in kind.outlooks), reverse=True)[1:]
    all_down = math.prod(1 - share for share in others)
    if others:
        return round(1 - math.sqrt(all_down), 1)
    return 0.0


def _up_share(hazards: Hazards) -> float:
    up_h = hazards.life_h(0.0)
    down_h = hazards.drought_h(0.0)
    return up_h / (up_h + down_h)


def _dead_s(snapshot: Snapshot, group: Group, outlook: Evaluation) -> float:
    """Seconds of the reference's work that going there takes without progress."""
    if snapshot.current == group and snapshot.target == group:
        return 0.0
    way = transition_of(snapshot, snapshot.current, group)
    redo_s = snapshot.job.redo_iterations * _step_s(outlook)
    return way.pause_s + redo_s + (way.boot_s if snapshot.current is None else 0.0)


def _extra_usd(evaluations: Evaluations, group: Group) -> float:
    """What a move costs beyond the dead time of the new group: it boots while the old one trains,
    at the old one's price."""
    snapshot = evaluations.snapshot
    if snapshot.current is None or snapshot.current == group:
        return 0.0
    way = transition_of(snapshot, snapshot.current, group)
    burn = known_burn_usd_per_h(way.added, evaluations.quotes)
    return (burn + _dearer_usd_per_h(evaluations, group)) * way.boot_s / _S_PER_H


def _dearer_usd_per_h(evaluations: Evaluations, group: Group) -> float:
    """How much more the old group costs an hour than a new one of the same node types; 0 if less
    or if they differ."""
    old = evaluations.snapshot.current
    if old is None or old.node_types != group.node_types:
        return 0.0
    quotes = evaluations.quotes
    dearer = known_burn_usd_per_h(old.members, quotes) - known_burn_usd_per_h(group.members, quotes)
    return max(dearer, 0.0)


def _plan(evaluations: Evaluations, ways: Sequence[PricedOption], left_s: float) -> Plan:
    snapshot = evaluations.snapshot
    ordered = sorted(
        ways,
        key=lambda each: (float(f"{each.usd:.6g}"), each.group is None, each.group or Group(())),
    )
    best = ordered[0]
    held = next(
        (each for each in ways if each.group is not None and each.group == snapshot.target), None
    )
    # What trains stays unless leaving it saves enough.
    trains = snapshot.current is not None and snapshot.current == snapshot.target
    if trains and held is not None and held.usd <= best.usd * (1 + _least_gain(held, best)):
        best = held
    if best.group is None:
        # To wait must save enough against spot that can be bought.
        spot = next((each for each in ordered if each.group and _is_spot(each.group)), None)
        if spot is not None and best.usd > (1 - _PATIENCE) * spot.usd:
            best = spot
    # The reason names the best way that was not taken.
    rival = next((each for each in ordered if each.group != best.group), None)
    against = ""
    if rival:
        against = f", against {usd(rival.usd)} {_on(rival.group)}"
    text = (
        f"the rest should cost {usd(best.usd)} {_on(best.group)}{against}; the deadline is in "
        f"{duration(left_s)}"
    )
    numbers = {"expected_usd": best.usd, "left_s": left_s}
    if rival:
        numbers["expected_usd_next"] = rival.usd
    if best.group is None:
        # Not even what the target lacks is bought.
        kept = evaluations.hold(WAITING, f"waits for spot: {text}", numbers)
        return replace(kept, may_buy=False)
    # The target is best: it trains, or its missing nodes are bought again.
    if best.group == snapshot.target:
        if trains:
            return evaluations.hold("best", f"{name(best.group)} stays: {text}", numbers)
        return evaluations.hold(LEAST_COST, f"{name(best.group)} is bought again: {text}", numbers)
    change = "start on" if snapshot.target is None else "move to"
    return evaluations.change(
        best.group, LEAST_COST, f"{change} {name(best.group)}: {text}", numbers
    )


def _least_gain(held: PricedOption, best: PricedOption) -> float:
    """The share of the cost that leaving what trains must save.

    Two ways of one kind of spot are weighed by the same solution. They differ only by what the time
    until the next look costs. Two kinds are weighed separately: they differ by all that is left,
    and by the errors in it.
    """
    if held.group is None or best.group is None or held.group.node_types == best.group.node_types:
        return 1e-6
    if _is_spot(held.group) and _is_spot(best.group):
        return _PATIENCE
    return 1e-6


def _on(group: Group | None) -> str:
    if group is None:
        return "if nothing is bought now"
    return f"on {name(group)}"


def _is_spot(group: Group) -> bool:
    """Whether a group counts as spot: a mix counts as its first offering."""
    return group.members[0][0].capacity is Capacity.SPOT


def _step_s(outlook: Evaluation) -> float:
    assert outlook.step_s is not None, "only what is known is asked"
    return outlook.step_s.value


def _start_s(snapshot: Snapshot, group: Group) -> float:
    way = transition_of(snapshot, snapshot.current, group)
    return way.boot_s + way.pause_s


def _near(value: float) -> float:
    """Two and a half figures: smaller differences decide nothing, and share a solution."""
    if value <= 0:
        return 0.0
    return float(f"{1.02 ** round(math.log(value, 1.02)):.4g}")


def _up_to(value: float) -> float:
    """A horizon, rounded up to a power of `_HORIZON_RATIO`."""
    return float(f"{_HORIZON_RATIO ** math.ceil(math.log(max(value, 1.0), _HORIZON_RATIO)):.6g}")
