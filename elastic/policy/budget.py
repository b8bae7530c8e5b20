"""What a job's budget must still cover: its end in good order, and the way to another group."""

from __future__ import annotations

from elastic.model import Group, Snapshot
from elastic.policy.quotes import Quotes, known_burn_usd_per_h
from elastic.policy.switch_cost import transition_of

_S_PER_H = 3600.0


def wind_down_s(snapshot: Snapshot) -> float:
    """Seconds of burn that are kept back to end in good order: the setting, but at least a drain's
    grace."""
    return max(snapshot.limits.wind_down_s, snapshot.job.spec.drain_grace_s)


def start_reserve_usd(snapshot: Snapshot, usd_per_h: float) -> tuple[float, float]:
    """Dollars that a start must leave of the budget, and for how many seconds.

    They pay for its end, and at least for its least bill.
    """
    seconds = max(wind_down_s(snapshot), snapshot.limits.minimum_billed_s)
    return usd_per_h * seconds / _S_PER_H, seconds


def change_usd(snapshot: Snapshot, quotes: Quotes, origin: Group | None, to: Group) -> float:
    """Dollars that going from `origin` to `to` may take until the job has ended in good order.

    None as the origin: a start. `quotes` are what nodes may cost at most.
    """
    transition = transition_of(snapshot, origin, to)
    burn = known_burn_usd_per_h(transition.union, quotes)
    needed_usd = transition.usd(quotes) + burn * wind_down_s(snapshot) / _S_PER_H
    # A node that is left at once is still billed for the provider's minimum.
    there_s = transition.boot_s + transition.pause_s + wind_down_s(snapshot)
    unused_s = max(snapshot.limits.minimum_billed_s - there_s, 0.0)
    return needed_usd + known_burn_usd_per_h(transition.added, quotes) * unused_s / _S_PER_H


def covers(snapshot: Snapshot, usd: float) -> bool:
    """Whether the rest of the budget is more than `usd`; always without a budget.

    Prices that are not believed count as if they were true.
    """
    budget_usd = snapshot.job.spec.objective.budget_usd
    return budget_usd is None or snapshot.spent_usd + snapshot.doubted_usd + usd < budget_usd
