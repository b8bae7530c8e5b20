"""The purse: divides what all jobs may cost among them, and holds each job's plan to its share.

Jobs are served in an order. A higher priority comes first. Within a priority a job comes first
whose time slice has begun, then those that wait, longest first, then those whose slice is over. So
each gets its slice, and none is so short that most of it is a boot. Each job gets its cheapest
group first. What is left makes jobs larger: first the job of which a dollar buys most. Only then
comes the next priority.

A job that has waited for `_PATIENCE` slices comes before all others, for one slice on its cheapest
group: a low priority waits, but not for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from elastic.figures import count, percent, price, usd
from elastic.model import Action, CalendarUnit, Cap, Claim, Group, Plan, Reason, Share, Snapshot
from elastic.policy.evaluation import fitting
from elastic.policy.quotes import Quotes, dearest_quotes, known_burn_usd_per_h
from elastic.policy.switch_cost import transition_of
from elastic.policy.words import name

# The code of a reason: the purse leaves the job less than it wants.
PURSE = "purse"

_S_PER_H = 3600.0
# A tenth of an hour's cap is kept back: for machines of two groups while one takes over from the
# other, and for a price that rises until machines are given back.
_KEPT_BACK = 0.1
# Changes of groups may use half of that, so that a rising price finds the other half.
_FOR_CHANGES = 0.5
# A job need not rest while the purse has so much more than it and those before it need.
_SPARE = 0.2
# So many time slices a job waits before it comes first, whatever its priority.
_PATIENCE = 2
_EQUAL = 1 + 1e-9


@dataclass(slots=True)
class _Money:
    """What is not yet given to a job: dollars an hour at one time, and dollars of days and
    months."""

    usd_per_h: float
    # How long each day or month still lasts, with what it has left.
    left: list[tuple[float, float]] = field(default_factory=list)

    def pays(self, usd_per_h: float, for_s: float) -> bool:
        if usd_per_h > self.usd_per_h * _EQUAL:
            return False
        return all(
            usd_per_h * min(for_s, rest_s) / _S_PER_H <= left_usd for rest_s, left_usd in self.left
        )

    def take(self, usd_per_h: float, for_s: float) -> None:
        self.usd_per_h -= usd_per_h
        self.keep(usd_per_h, for_s)

    def keep(self, usd_per_h: float, for_s: float) -> None:
        """Keeps dollars for what is already running."""
        self.left = [
            (rest_s, left_usd - usd_per_h * min(for_s, rest_s) / _S_PER_H)
            for rest_s, left_usd in self.left
        ]


def rate_usd_per_h(caps: Iterable[Cap], *, now_s: float) -> float:
    """What all machines together may cost an hour now, by the hour's cap.

    What has been spent of the hour beyond nine tenths is saved in the rest of it.

    >>> rate_usd_per_h([Cap(CalendarUnit.HOUR, 2.0, spent_usd=0.5, ends_at_s=3600.0)], now_s=900.0)
    1.8
    >>> rate_usd_per_h([Cap(CalendarUnit.HOUR, 2.0, spent_usd=1.5, ends_at_s=3600.0)], now_s=1800.0)
    1.0
    """
    found = inf
    for cap in caps:
        if cap.unit is CalendarUnit.HOUR:
            rest_s = max(cap.ends_at_s - now_s, 1.0)
            saved = max(cap.usd - cap.spent_usd, 0.0) * _S_PER_H / rest_s
            found = min(found, cap.usd * (1 - _KEPT_BACK), saved)
    return found


def divide(
    caps: Sequence[Cap],
    claims: Sequence[Claim],
    *,
    wind_down_s: float,
    cooldown_s: float,
    ahead_s: float,
    now_s: float,
) -> dict[str, Share]:
    """Gives each job that wants machines its share, by its id.

    Together they are never more than the caps allow. `wind_down_s` is how long a machine may go on
    to cost once its job must end. A job that has just given its machines back rests for
    `cooldown_s`, or else each small move of a price would end and begin it again. It need not rest
    while there is a fifth more than it and those served before it need. Of days and months, what a
    higher priority needs within `ahead_s` is kept from lower ones.
    """
    whole = rate_usd_per_h(caps, now_s=now_s)
    left = [
        (max(cap.ends_at_s - now_s, 0.0), cap.usd - cap.spent_usd)
        for cap in caps
        if cap.unit is not CalendarUnit.HOUR
    ]
    money = _Money(whole, left)
    # Machines that no plan wants burn until they are gone.
    for claim in claims:
        if not claim.wanted_usd_per_h:
            money.take(claim.held_usd_per_h, wind_down_s)
    wanting = [each for each in claims if each.wanted_usd_per_h]
    granted: dict[str, float] = {}
    before: dict[str, tuple[int, float]] = {}
    first = [each for each in wanting if _is_overdue(each, now_s)]
    first.sort(key=lambda each: (not _has_begun(each, now_s), -_wait_s(each, now_s), each.job_id))
    # One that does not fit yet begins next: until then no other job does, or small ones would keep
    # a large one out.
    alone = _Money(whole, left)
    may_begin = True
    for claim in first:
        _grant_least(claim, money, granted, before, wind_down_s, cooldown_s, now_s, may_begin)
        fits_alone = alone.pays(claim.least_usd_per_h, max(wind_down_s, claim.slice_s))
        may_begin = may_begin and (granted[claim.job_id] > 0 or not fits_alone)
    for priority in sorted({each.priority for each in wanting}, reverse=True):
        level = [each for each in wanting if each.priority == priority]
        level.sort(key=lambda each: _order(each, now_s))
        for claim in level:
            if claim.job_id not in granted:
                _grant_least(
                    claim, money, granted, before, wind_down_s, cooldown_s, now_s, may_begin
                )
        level.sort(key=lambda each: (-(each.done_per_usd or 0.0), each.job_id))
        for claim in level:
            _grow(claim, money, granted, wind_down_s)
        for claim in level:
            rest_s = ahead_s if claim.lasts_s is None else min(claim.lasts_s, ahead_s)
            money.keep(granted[claim.job_id], max(rest_s - wind_down_s, 0.0))
    return _shares(caps, claims, granted, before, whole, wind_down_s, now_s)


def _grant_least(
    claim: Claim,
    money: _Money,
    granted: dict[str, float],
    before: dict[str, tuple[int, float]],
    wind_down_s: float,
    cooldown_s: float,
    now_s: float,
    may_begin: bool,
) -> None:
    """Gives a job its cheapest group, if that is left.

    A job without machines gets it only if `may_begin`, and once it has rested.
    """
    paid = [each for each in granted.values() if each]
    before[claim.job_id] = len(paid), sum(paid)
    for_s = wind_down_s
    if not claim.held_usd_per_h:
        for_s = max(wind_down_s, claim.slice_s)
        spare_usd_per_h = (claim.least_usd_per_h + sum(paid)) * _SPARE
        has_room = money.pays(claim.least_usd_per_h + spare_usd_per_h, for_s)
        rests = claim.rests and not has_room and now_s - claim.since_s < cooldown_s
        may_begin = may_begin and not rests
    is_kept_out = not (may_begin or claim.held_usd_per_h)
    if is_kept_out or not money.pays(claim.least_usd_per_h, for_s):
        granted[claim.job_id] = 0.0
        return
    granted[claim.job_id] = claim.least_usd_per_h
    money.take(claim.least_usd_per_h, wind_down_s)


def _grow(claim: Claim, money: _Money, granted: dict[str, float], wind_down_s: float) -> None:
    """Gives a job that has its cheapest group as much more as it wants, and as is left."""
    if not granted[claim.job_id]:
        return
    more = min(claim.wanted_usd_per_h - granted[claim.job_id], max(money.usd_per_h, 0.0))
    if more > 0 and money.pays(more, wind_down_s):
        granted[claim.job_id] += more
        money.take(more, wind_down_s)


def _order(claim: Claim, now_s: float) -> tuple[int, int, float, str]:
    """Where a job stands in its priority: the smallest comes first."""
    slices = 0
    if _has_begun(claim, now_s) or (claim.held_usd_per_h and not claim.keeps_work):
        place = 0
    elif not claim.held_usd_per_h:
        place = 1
        slices = int(_wait_s(claim, now_s) / max(claim.slice_s, 1.0))
    else:
        place = 2
    # Of those that have waited for as many slices, the one of which a dollar buys most; what is not
    # known is measured first.
    buys = inf if claim.done_per_usd is None else claim.done_per_usd
    return place, -slices, -buys, claim.job_id


def _has_begun(claim: Claim, now_s: float) -> bool:
    """Whether its time slice has begun and is not over."""
    return claim.held_usd_per_h > 0 and now_s - claim.since_s < claim.slice_s


def _wait_s(claim: Claim, now_s: float) -> float:
    if claim.held_usd_per_h:
        return claim.waited_s
    return now_s - claim.since_s


def _is_overdue(claim: Claim, now_s: float) -> bool:
    """Whether a job comes first because it has waited, or has its time slice for that."""
    if claim.held_usd_per_h and not _has_begun(claim, now_s):
        return False
    return _wait_s(claim, now_s) >= _PATIENCE * max(claim.slice_s, 1.0)


def _shares(
    caps: Sequence[Cap],
    claims: Sequence[Claim],
    granted: Mapping[str, float],
    before: Mapping[str, tuple[int, float]],
    whole: float,
    wind_down_s: float,
    now_s: float,
) -> dict[str, Share]:
    burning = sum(each.held_usd_per_h for each in claims)
    free = max(whole - burning, 0.0)
    running = sum(bool(each.held_usd_per_h) for each in claims)
    change_usd = _for_changes_usd(caps, burning, wind_down_s, now_s) / max(running, 1)
    tightest = min(caps, key=lambda cap: _lasts_h(cap, burning, now_s))
    shares: dict[str, Share] = {}
    # What is free goes to jobs in the order in which they were served.
    for job_id, usd_per_h in granted.items():
        claim = next(each for each in claims if each.job_id == job_id)
        more = min(max(usd_per_h - claim.held_usd_per_h, 0.0), free)
        free -= more
        count, taken = before[job_id]
        shares[job_id] = Share(
            usd_per_h=usd_per_h,
            wanted_usd_per_h=claim.wanted_usd_per_h,
            free_usd_per_h=more,
            change_usd=change_usd,
            purse_usd_per_h=None if whole == inf else whole,
            before=count,
            before_usd_per_h=taken,
            unit=tightest.unit,
            ends_at_s=tightest.ends_at_s,
            left_usd=max(tightest.usd - tightest.spent_usd, 0.0),
            done_per_usd=claim.done_per_usd,
        )
    return shares


def _lasts_h(cap: Cap, burning: float, now_s: float) -> float:
    """How far a cap's rest goes, against the time that it must last: the least one binds."""
    rest_s = max(cap.ends_at_s - now_s, 1.0)
    return (cap.usd - cap.spent_usd) / (max(burning, 1e-9) * rest_s)


def _for_changes_usd(
    caps: Sequence[Cap], burning: float, wind_down_s: float, now_s: float
) -> float:
    """Dollars that changes of groups may cost beyond what the machines burn that run."""
    found = inf
    for cap in caps:
        rest_s = max(cap.ends_at_s - now_s, 0.0)
        if cap.unit is not CalendarUnit.HOUR:
            rest_s = min(rest_s, wind_down_s)
        left_usd = cap.usd - cap.spent_usd - burning * rest_s / _S_PER_H
        found = min(found, max(left_usd, 0.0) * _FOR_CHANGES)
    return found


def claim_of(snapshot: Snapshot, plan: Plan | None) -> Claim:
    """What a job asks of the purse, if `plan` is what its policy wants; None: no machines."""
    quotes = dearest_quotes(snapshot)
    job = snapshot.job
    paid = [(node.offering, 1) for node in snapshot.nodes if not node.phase.is_gone]
    held = known_burn_usd_per_h(paid, quotes)
    wanted = 0.0
    chosen = None
    if snapshot.target is not None:
        # What it decided to hold counts before it is bought.
        held = max(held, known_burn_usd_per_h(snapshot.target.members, quotes))
    if plan is not None and plan.target is not None and plan.action is not Action.STOP:
        wanted = known_burn_usd_per_h(plan.target.members, quotes)
        chosen = plan.candidate(plan.target)
    since_s, waited_s, rests = _history(snapshot)
    total = job.spec.iterations
    done_per_usd = None
    if chosen is not None and chosen.iterations_per_usd is not None and total is not None:
        done_per_usd = chosen.iterations_per_usd.value / total
    return Claim(
        job_id=job.id,
        name=job.spec.name,
        priority=job.spec.priority,
        least_usd_per_h=min(_cheapest_usd_per_h(snapshot, plan, quotes), wanted),
        wanted_usd_per_h=wanted,
        held_usd_per_h=held,
        since_s=since_s,
        waited_s=waited_s,
        slice_s=_slice_s(snapshot),
        rests=rests,
        keeps_work=not job.is_restarted_by_a_move,
        done_per_usd=done_per_usd,
        lasts_s=None if chosen is None else chosen.remaining_s,
    )


def _cheapest_usd_per_h(snapshot: Snapshot, plan: Plan | None, quotes: Quotes) -> float:
    """What the cheapest candidate costs that the job may begin with now."""
    if plan is None:
        return 0.0
    own = snapshot.job.spec.objective.max_usd_per_hour or inf
    buyable = [
        each.group
        for each in plan.candidates
        if each.usd_per_h is not None and each.usd_per_h <= own and each.unavailable is None
    ]
    burns = [known_burn_usd_per_h(each.members, quotes) for each in fitting(snapshot, buyable)]
    return min(burns, default=inf)


def _history(snapshot: Snapshot) -> tuple[float, float, bool]:
    """Since when a job holds machines or waits, how long it waited before, and whether it rests."""
    since_s = snapshot.job.submitted_at_s
    waited_s = 0.0
    code = ""
    has_group = False
    for change in snapshot.changes:
        if (change.to_group is not None) == has_group:
            continue
        has_group = change.to_group is not None
        waited_s = change.at_s - since_s if has_group else 0.0
        since_s = change.at_s
        code = change.code
    return since_s, waited_s, code == PURSE


def _slice_s(snapshot: Snapshot) -> float:
    """How long a start must last, so that at most the margin of it is a boot and a pause."""
    limits = snapshot.limits
    start_s = limits.boot_prior_s + limits.switch_pause_prior_s
    if snapshot.switches:
        newest = snapshot.switches[-1]
        start_s = newest.boot_s + newest.pause_s
    return max(limits.cooldown_s, start_s / limits.margin if limits.margin else 0.0)


def within_share(snapshot: Snapshot) -> Snapshot:
    """The snapshot for a policy that must choose within the job's share of a short purse."""
    share = snapshot.share
    if share is None or not share.is_short or not share.usd_per_h:
        return snapshot
    spec = snapshot.job.spec
    own = spec.objective.max_usd_per_hour
    # The share is a sum of floats, and a group that costs just that fits.
    most = share.usd_per_h * _EQUAL
    if own is not None:
        most = min(own, most)
    objective = replace(spec.objective, max_usd_per_hour=most)
    return replace(snapshot, job=replace(snapshot.job, spec=replace(spec, objective=objective)))


def heed_purse(snapshot: Snapshot, plan: Plan) -> Plan:
    """Gives `plan`, or as much of it as the purse pays: fewer machines, or none for now."""
    share = snapshot.share
    if share is None or plan.target is None or plan.action is Action.STOP:
        return plan
    quotes = dearest_quotes(snapshot)
    burn = known_burn_usd_per_h(plan.target.members, quotes)
    if burn > share.usd_per_h * _EQUAL:
        return _kept(
            snapshot, plan, f"{name(plan.target)} costs {price(burn)}/h, and {_leaves(share)}"
        )
    if plan.target != snapshot.target and (why := _why_not_free(snapshot, plan.target)) is not None:
        return _kept(snapshot, plan, why)
    return _with_share(plan, share)


def _why_not_free(snapshot: Snapshot, wanted: Group) -> str | None:
    """Why a change within the job's share waits for what others give back; None if it need not."""
    share = snapshot.share
    assert share is not None, "only a purse limits"
    quotes = dearest_quotes(snapshot)
    way = transition_of(snapshot, snapshot.target, wanted)
    added = known_burn_usd_per_h(way.added, quotes)
    beyond = added - share.free_usd_per_h
    if beyond <= added * (_EQUAL - 1):
        return None
    if snapshot.target is None:
        return (
            f"{price(share.usd_per_h)}/h of the purse are this job's, and other jobs' machines "
            f"still use {price(beyond)}/h of that"
        )
    # Beyond what is free, machines of two groups run until the new one has taken over.
    beyond_usd = beyond * (way.boot_s + way.pause_s) / _S_PER_H
    if beyond_usd <= share.change_usd:
        return None
    return (
        f"the purse leaves {usd(share.change_usd)} for a change, and this one costs "
        f"{usd(beyond_usd)} while the machines of both groups run"
    )


def _kept(snapshot: Snapshot, plan: Plan, why: str) -> Plan:
    """A plan that goes on with what is held, or with nothing if that is too much for the purse."""
    share = snapshot.share
    assert share is not None, "only a purse limits"
    group = snapshot.target
    if group is not None:
        held = known_burn_usd_per_h(group.members, dearest_quotes(snapshot))
        if held > share.usd_per_h * _EQUAL:
            group = None
    if group is not None:
        action = Action.HOLD
        what = f"{name(group)} is kept"
    elif snapshot.target is None:
        action = Action.HOLD
        what = "waits"
    else:
        action = Action.PAUSE
        what = "pauses after its next checkpoint"
    return replace(
        plan,
        action=action,
        target=group,
        reason=Reason(PURSE, f"{what}: {why}", _numbers(share)),
        limited_by=(*plan.limited_by, PURSE),
    )


def _with_share(plan: Plan, share: Share) -> Plan:
    """Says in the reason that the purse is short, where the job got less than it wants."""
    if not share.is_short:
        return plan
    text = f"{plan.reason.text} ({_leaves(share)}; it wants {price(share.wanted_usd_per_h)}/h)"
    numbers = {**plan.reason.numbers, **_numbers(share)}
    return replace(
        plan,
        reason=replace(plan.reason, text=text, numbers=numbers),
        limited_by=tuple(dict.fromkeys((*plan.limited_by, PURSE))),
    )


def _leaves(share: Share) -> str:
    """What the purse leaves the job, in words."""
    rate = share.purse_usd_per_h
    # What may burn at once binds, or else the dollars of a day or month.
    is_by_rate = share.unit is CalendarUnit.HOUR or (
        rate is not None and share.wanted_usd_per_h > (rate - share.before_usd_per_h) * _EQUAL
    )
    if rate is not None and is_by_rate:
        whole = f"of {price(rate)}/h"
    else:
        whole = f"of the {usd(share.left_usd)} left of this {share.unit}"
    said = f"the purse leaves it {price(share.usd_per_h)}/h {whole}"
    if share.before == 1:
        said += f": 1 job comes first, with {price(share.before_usd_per_h)}/h"
    elif share.before:
        said += f": {count(share.before)} jobs come first, with {price(share.before_usd_per_h)}/h"
    if share.done_per_usd is not None and share.done_per_usd < 1:
        said += f"; a dollar buys {percent(share.done_per_usd)} of this job"
    elif share.done_per_usd is not None:
        said += f"; all of this job costs about {usd(1 / share.done_per_usd)}"
    return said


def _numbers(share: Share) -> dict[str, float]:
    numbers = {
        "share_usd_per_h": share.usd_per_h,
        "wanted_usd_per_h": share.wanted_usd_per_h,
        "jobs_before": float(share.before),
    }
    if share.purse_usd_per_h is not None:
        numbers["purse_usd_per_h"] = share.purse_usd_per_h
    return numbers
