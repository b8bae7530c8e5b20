"""Getting from the group that trains to another and finishing there: how long, and for how much."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from elastic.model import Boot, Group, Interval, Offering, Snapshot, Switch
from elastic.policy.quotes import Quotes, known_burn_usd_per_h

_S_PER_H = 3600.0

Members = tuple[tuple[Offering, int], ...]


@dataclass(frozen=True, slots=True)
class Losses:
    """What it adds to each second of training that machines are taken back (`losses`)."""

    # Seconds from a launch until the machine is taken back, on average.
    life_s: float
    # Seconds without training.
    seconds: float
    usd: float


NO_LOSSES = Losses(math.inf, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class SwitchCost:
    """The rest of the job on one group, and the way there."""

    # Dollars that train nothing, or train again what was trained before.
    switch_usd: float
    # For how long training stands still.
    switch_s: float
    # All dollars, with the interval of the step time.
    usd: Interval
    # The same, plus the owner's value of the time.
    cost_usd: float
    # Seconds to the last of the iterations that are priced.
    phase_s: float
    # Seconds to the last iteration, of other training phases too.
    lasts_s: float
    # The same at the slow end of the interval.
    worst_s: float
    # How many iterations are done again.
    redone: float = 0.0
    losses: Losses = NO_LOSSES
    # Dollars of all that the losses add.
    losses_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Transition:
    """What a change of group takes."""

    # The nodes that must be bought.
    added: Members
    # The nodes of both groups.
    union: Members
    # Until the slowest new node is ready.
    boot_s: float
    # For how long training stands still.
    pause_s: float
    # What the network charges for what the new nodes download.
    fetch_usd: float = 0.0

    def usd(self, quotes: Quotes) -> float:
        """Dollars that train nothing: the new nodes' boot, then both groups during the
        standstill."""
        boot_usd = known_burn_usd_per_h(self.added, quotes) * self.boot_s
        pause_usd = known_burn_usd_per_h(self.union, quotes) * self.pause_s
        return (boot_usd + pause_usd) / _S_PER_H + self.fetch_usd


def transition_of(snapshot: Snapshot, origin: Group | None, to: Group) -> Transition:
    """What going from `origin` to `to` takes, as earlier changes measured, or else as assumed.

    None as the origin: the job holds nothing.
    """
    before = {}
    if origin:
        before = dict(origin.members)
    if before == dict(to.members):
        return Transition((), to.members, 0.0, 0.0)
    after = dict(to.members)
    offerings = sorted({*before, *after})
    added = tuple(
        (each, after[each] - before.get(each, 0))
        for each in sorted(after)
        if after[each] > before.get(each, 0)
    )
    # During the pause the nodes of both groups are paid.
    union = tuple((each, max(before.get(each, 0), after.get(each, 0))) for each in offerings)
    boot_s = 0.0
    if added:
        boot_s = _boot_s(snapshot, added, to)
    return Transition(added, union, boot_s, _pause_s(snapshot, to), _fetch_usd(snapshot, added))


def switch_cost(
    snapshot: Snapshot,
    quotes: Quotes,
    *,
    origin: Group | None,
    origin_step_s: float | None,
    to: Group,
    step_s: Interval,
    iterations: float,
    other_work: float = 0.0,
    losses: Losses = NO_LOSSES,
) -> SwitchCost:
    """Prices `iterations` on `to`, coming from `origin`.

    `other_work` is what follows after them there: so many more, which take time and are not priced.

    The old group trains while the new nodes boot. Then both stand still for the pause. Then `to`
    does again what the move loses, and finishes. A launch is billed for at least the provider's
    minimum.
    """
    transition = transition_of(snapshot, origin, to)
    time_usd_per_h = snapshot.job.spec.objective.value_of_time_usd_per_h or 0.0
    # While the new nodes boot, the old group trains.
    before_s, done = (
        _meanwhile(transition.boot_s, origin_step_s, iterations)
        if origin
        else (transition.boot_s, 0.0)
    )
    redone = 0.0
    if origin is not None and origin != to:
        redone = redone_by_a_move(snapshot, done)
    # What is left for the new group, with what the move loses.
    rest = iterations - done + redone
    switch_usd = transition.usd(quotes)
    to_usd_per_h = known_burn_usd_per_h(to.members, quotes)
    added_usd_per_h = known_burn_usd_per_h(transition.added, quotes)
    before_usd_per_h = 0.0
    if origin:
        before_usd_per_h = known_burn_usd_per_h(origin.members, quotes)
    redo_usd = to_usd_per_h * redone * step_s.value / _S_PER_H
    before_usd = before_usd_per_h * before_s / _S_PER_H

    def phase_s(pace_s: float) -> float:
        return before_s + transition.pause_s + rest * pace_s * (1 + losses.seconds)

    def dollars(pace_s: float) -> float:
        rest_s = rest * pace_s
        # The rest of a least bill that training does not use.
        unused_s = max(
            0.0, snapshot.limits.minimum_billed_s - transition.boot_s - transition.pause_s - rest_s
        )
        trained_usd = to_usd_per_h * rest_s / _S_PER_H + losses.usd * rest_s
        unused_usd = added_usd_per_h * unused_s / _S_PER_H
        return switch_usd + before_usd + trained_usd + unused_usd

    low_usd = None if step_s.low is None else dollars(step_s.low)
    high_usd = None if step_s.high is None else dollars(step_s.high)
    usd = Interval(dollars(step_s.value), low_usd, high_usd)
    # The time at the middle and at the slow end, and the owner's value of it.
    slow_s = step_s.value if step_s.high is None else step_s.high
    return SwitchCost(
        switch_usd=switch_usd + redo_usd,
        switch_s=transition.pause_s,
        usd=usd,
        cost_usd=usd.value + time_usd_per_h * phase_s(step_s.value) / _S_PER_H,
        phase_s=phase_s(step_s.value),
        lasts_s=phase_s(step_s.value) + other_work * step_s.value,
        worst_s=phase_s(slow_s) + other_work * slow_s,
        redone=redone,
        losses=losses,
        losses_usd=losses.usd * rest * step_s.value,
    )


def redone_by_a_move(snapshot: Snapshot, done_meanwhile: float) -> float:
    """Iterations that have to be done again after a move.

    For a script that always begins at 0 these include the ones made before the move.
    """
    redo = float(snapshot.job.redo_iterations)
    if snapshot.job.always_begins_at_zero:
        return redo + done_meanwhile
    return redo


def _meanwhile(
    boot_s: float, origin_step_s: float | None, iterations: float
) -> tuple[float, float]:
    """While the new nodes boot: how many seconds the old group trains, and how many iterations it
    does."""
    if origin_step_s is None:
        return boot_s, 0.0
    return min(boot_s, iterations * origin_step_s), min(boot_s / origin_step_s, iterations)


def _pause_s(snapshot: Snapshot, to: Group) -> float:
    pauses = [(switch, switch.pause_s) for switch in snapshot.switches]
    return _nearest(pauses, to, otherwise_s=snapshot.limits.switch_pause_prior_s)


def _boot_s(snapshot: Snapshot, added: Members, to: Group) -> float:
    """Seconds until the slowest of the new nodes has joined and has prepared what the job brings.

    As the boots of nodes of all jobs, or else as this job's earlier changes. What the job brings is
    prepared by each node after that, as its nodes took.
    """
    known = [boot_s(snapshot, node_type, nodes) for node_type, nodes in _by_type(added).items()]
    slowest_s = max((each for each in known if each is not None), default=0.0)
    if None in known:
        boots = [(switch, switch.boot_s) for switch in snapshot.switches if switch.boot_s > 0]
        assumed_s = _nearest(boots, to, otherwise_s=snapshot.limits.boot_prior_s)
        slowest_s = max(slowest_s, assumed_s)
    prepared = [node.prepared_s for node in snapshot.nodes if node.prepared_s is not None]
    if prepared:
        return slowest_s + median(prepared)
    return slowest_s


def _fetch_usd(snapshot: Snapshot, added: Members) -> float:
    usd_per_gib = snapshot.limits.usd_per_gib_received
    if not usd_per_gib:
        return 0.0
    gib = sum(
        nodes * received_gib(snapshot, node_type) for node_type, nodes in _by_type(added).items()
    )
    return gib * usd_per_gib


def _by_type(members: Members) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    for offering, nodes in members:
        counts[offering.node_type] += nodes
    return counts


def _nearest(measured: Sequence[tuple[Switch, float]], to: Group, *, otherwise_s: float) -> float:
    """The median of the nearest changes: to this very group; else to its node types; else all.

    If there is no change, what is assumed.
    """
    if not measured:
        return otherwise_s
    found = [seconds for switch, seconds in measured if switch.to_group == to]
    if not found:
        types = {offering.node_type for offering, _ in to.members}
        found = [
            seconds
            for switch, seconds in measured
            if any(offering.node_type in types for offering, _ in switch.to_group.members)
        ]
    return float(median(found or [seconds for _, seconds in measured]))


# Older boots no longer count: images, mirrors and what is installed change.
_NEWEST = 16
_GIB = 2**30


def boot_s(snapshot: Snapshot, node_type: str, nodes: int) -> float | None:
    """Seconds until the slowest of `nodes` new machines has joined; None if no boot is known."""
    alike = _alike(snapshot, node_type)
    if alike:
        return slowest_s([each.boot_s for each in alike], nodes)
    return None


def received_gib(snapshot: Snapshot, node_type: str) -> float:
    """What a new machine downloads during its set-up, in GiB; 0 if no boot is known."""
    told = [
        each.setup.received_bytes for each in _alike(snapshot, node_type) if each.setup is not None
    ]
    if told:
        return median(told) / _GIB
    return 0.0


def slowest_s(seconds: Iterable[float], nodes: int) -> float:
    """What the slowest of `nodes` machines takes, given what each of others took.

    That is the quantile n / (n + 1), which the largest of n draws has on average (David and
    Nagaraja, Order Statistics, 2003, section 2.3): the median for one machine, and the slow end for
    many.

    >>> [slowest_s([30, 40, 50, 60, 200], nodes) for nodes in (1, 3, 99)]
    [50.0, 60.0, 194.4]
    """
    ordered = sorted(seconds)
    place = (len(ordered) - 1) * nodes / (nodes + 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _alike(snapshot: Snapshot, node_type: str) -> Sequence[Boot]:
    """Boots of this type from its present image; else of this type; else from this image."""
    if not snapshot.boots:
        return ()
    image = next((each.image for each in snapshot.node_types if each.name == node_type), None)
    of_image = [each for each in snapshot.boots if each.image == image]
    of_type = [each for each in snapshot.boots if each.node_type == node_type]
    both = [each for each in of_image if each.node_type == node_type]
    return (both or of_type or of_image)[:_NEWEST]
