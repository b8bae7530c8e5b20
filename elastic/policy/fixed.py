"""The policy `fixed`: the node type that the job names, at its greatest number of nodes, from start to end."""

from __future__ import annotations

from elastic.model import Action, Group, JobPhase, Offering, Plan, Snapshot
from elastic.policy.survey import Survey, admits, take_survey
from elastic.policy.words import name, rate, usd


def fixed(snapshot: Snapshot) -> Plan:
    """Gives the plan that starts the fixed choice, goes back to it, or holds it."""
    survey = take_survey(snapshot)
    if snapshot.job.phase is JobPhase.DRAINING or snapshot.job.phase.is_final:
        return survey.hold("ending", f"the job is {snapshot.job.phase}: nothing is changed any more")
    wanted = snapshot.job.spec.fixed_node_type
    if wanted is None:
        return survey.hold("not_permitted", "the policy fixed needs fixed_node_type, and the job names none")
    offering = _held(snapshot, wanted) or _cheapest(survey, wanted)
    group = None if offering is None else Group.of(offering, snapshot.job.spec.nodes_max)
    if group is not None and snapshot.target == group:
        return survey.hold("fixed", f"{name(group)}, as the job fixes it{_measured(survey, group)}")
    quote = None if offering is None else survey.quotes.get(offering)
    if group is None or quote is None:
        text = f"{wanted}: no offering of it is admitted and has a fresh price, so nothing changes"
        return survey.hold("no_price", text)
    action = Action.START if snapshot.target is None else Action.MOVE
    burn = quote.usd_per_h * group.node_count
    return survey.plan(
        action, group, "fixed", f"{name(group)} at {usd(burn)}/h, as the job fixes it", {"usd_per_h": burn}
    )


def _held(snapshot: Snapshot, node_type: str) -> Offering | None:
    """The offering that is held already; for want of its price nothing moves to another."""
    members = snapshot.target.members if snapshot.target else ()
    return next((each for each, _ in members if each.node_type == node_type and admits(snapshot, each)), None)


def _cheapest(survey: Survey, node_type: str) -> Offering | None:
    """The cheapest offering; of equals the first by name."""
    fitting = [
        quote
        for quote in survey.quotes.values()
        if quote.offering.node_type == node_type and admits(survey.snapshot, quote.offering)
    ]
    best = min(fitting, key=lambda each: (each.usd_per_h, each.offering), default=None)
    return best.offering if best else None


def _measured(survey: Survey, group: Group) -> str:
    outlook = survey.of(group)
    value = outlook.iterations_per_usd if outlook else None
    return f": {rate(value)}" if value else ""
