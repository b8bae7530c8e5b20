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
    offering = _offering(survey, wanted)
    if offering is None:
        text = f"{wanted}: no offering of it is admitted and has a fresh price, so nothing changes"
        return survey.hold("no_price", text)
    group = Group.of(offering, snapshot.job.spec.nodes_max)
    if snapshot.target == group:
        return survey.hold("fixed", f"{name(group)}, as the job fixes it{_measured(survey, group)}")
    action = Action.START if snapshot.target is None else Action.MOVE
    burn = survey.quotes[offering].usd_per_h * group.node_count
    return survey.plan(
        action, group, "fixed", f"{name(group)} at {usd(burn)}/h, as the job fixes it", {"usd_per_h": burn}
    )


def _offering(survey: Survey, node_type: str) -> Offering | None:
    """The one that is held already, else the cheapest; of equals the first by name."""
    target = survey.snapshot.target
    held = {offering for offering, _ in target.members} if target else set()
    fitting = [
        quote
        for quote in survey.quotes.values()
        if quote.offering.node_type == node_type and admits(survey.snapshot, quote.offering)
    ]
    best = min(fitting, key=lambda each: (each.offering not in held, each.usd_per_h, each.offering), default=None)
    return best.offering if best else None


def _measured(survey: Survey, group: Group) -> str:
    outlook = survey.of(group)
    value = outlook.iterations_per_usd if outlook else None
    return f": {rate(value)}" if value else ""
