"""Limits of a new job that no present price can meet: it would wait, or stop at once."""

from __future__ import annotations

from collections.abc import Iterator

from elastic.figures import duration, price, usd
from elastic.model import Group, Snapshot
from elastic.policy.guard import start_reserve_usd
from elastic.policy.quotes import burn_usd_per_h, fresh_quotes
from elastic.policy.words import name


def contradictions(snapshot: Snapshot) -> tuple[tuple[str, str], ...]:
    """Gives the field and a sentence for each limit of a new job that all of its candidates exceed.

    Nothing is said while no price is known, because that passes.
    """
    return tuple(_found(snapshot))


def _found(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    spec = snapshot.job.spec
    quotes = fresh_quotes(snapshot)
    # The smallest groups that the job admits, at today's prices.
    unfit = {each.name for each in snapshot.node_types if spec.unfit(each) is not None}
    groups = [
        Group.of(offering, spec.sizes[0])
        for offering in quotes
        if spec.admits(offering) and offering.node_type not in unfit
    ]
    if not groups:
        return
    burn, least = min((burn_usd_per_h(each, quotes) or 0.0, each) for each in groups)
    cap = spec.objective.max_usd_per_hour
    if cap is not None and cap < burn:
        yield (
            "objective.max_usd_per_hour",
            f"wanted at least {price(burn)}, which {name(least)}, the cheapest candidate, costs an "
            f"hour now; got {price(cap)}",
        )
    budget_usd = spec.objective.budget_usd
    needed_usd, seconds = start_reserve_usd(snapshot, burn)
    if budget_usd is not None and budget_usd <= needed_usd:
        yield (
            "objective.budget_usd",
            f"wanted more than {usd(needed_usd)}: {duration(seconds)} of {name(least)}, the "
            "cheapest candidate, are its least bill, or what is kept back to end in good order "
            f"(policy.wind_down_s); got {usd(budget_usd)}",
        )
