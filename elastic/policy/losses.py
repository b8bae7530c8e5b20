"""What it costs, without a deadline, that spot is taken back again and again.

With a deadline the value function of `deadline` counts it. Only pools that were seen to take
machines back have such costs: of the others nothing is known, and they are tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from elastic.model import Group, Offering, Snapshot
from elastic.policy.hazards import hazards_of
from elastic.policy.quotes import Quotes, burn_usd_per_h
from elastic.policy.switch_cost import NO_LOSSES, Losses, transition_of

_S_PER_H = 3600.0
# Of a machine's life, training gets at least this share: a machine may outlive what is expected.
_LEAST_TRAINED = 0.05
# What is usual of pools weighs as much as so many losses.
_PRIOR_LOSSES = 0.5


@dataclass(frozen=True, slots=True)
class LossHistory:
    """What is known of losses at one decision."""

    # Expected hours from a launch until the machine is taken back, of the pools that took some.
    lives_h: Mapping[Offering, float]
    # What it costs to start on demand after a loss; 0 if the job may not.
    fallback_usd: float


NO_HISTORY = LossHistory({}, 0.0)


def loss_history(snapshot: Snapshot, quotes: Quotes, groups: Iterable[Group]) -> LossHistory:
    """Gives what the pools have shown; nothing for a job with a deadline."""
    if snapshot.job.spec.objective.deadline_s is not None:
        return NO_HISTORY
    expected_h = hazards_of(None).life_h(0.0)
    lives_h = {
        each.offering: (sum(each.up.seconds) / _S_PER_H + _PRIOR_LOSSES * expected_h)
        / (sum(each.up.ended) + _PRIOR_LOSSES)
        for each in snapshot.pools
        if any(each.up.ended)
    }
    starts = [
        burn * transition_of(snapshot, None, group).boot_s / _S_PER_H
        for group in groups
        if group.is_on_demand and (burn := burn_usd_per_h(group, quotes)) is not None
    ]
    return LossHistory(lives_h, min(starts, default=0.0))


def losses_of(snapshot: Snapshot, quotes: Quotes, history: LossHistory, group: Group) -> Losses:
    """What losses add to each second that the group trains.

    Each loss costs a start there, and one on demand meanwhile. Nodes of one pool often go together:
    n nodes are lost sqrt(n) times as often as one.
    """
    lives_s = [
        history.lives_h[offering] * _S_PER_H / math.sqrt(nodes)
        for offering, nodes in group.members
        if offering in history.lives_h
    ]
    if not lives_s or (burn := burn_usd_per_h(group, quotes)) is None:
        return NO_LOSSES
    life_s = min(lives_s)
    way = transition_of(snapshot, None, group)
    start_s = way.boot_s + way.pause_s
    trained_s = max(life_s - start_s, _LEAST_TRAINED * life_s)
    loss_usd = burn * start_s / _S_PER_H + history.fallback_usd
    return Losses(life_s, start_s / trained_s, loss_usd / trained_s)
