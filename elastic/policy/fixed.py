"""The policy `fixed`: the node type that the job names, at its fewest nodes, or as it is scaled."""

from __future__ import annotations

from collections.abc import Iterator

from elastic.figures import price
from elastic.model import Group, JobPhase, Offering, Plan, Snapshot
from elastic.policy.availability import lack_of
from elastic.policy.evaluation import Evaluations, admits, evaluate_candidates, nothing_to_be_had
from elastic.policy.quotes import burn_usd_per_h
from elastic.policy.words import SEE_PRICES, name, rate


def fixed(snapshot: Snapshot) -> Plan:
    """Gives the plan that starts the fixed choice, goes back to it, or holds it."""
    evaluations = evaluate_candidates(snapshot)
    if snapshot.job.phase is JobPhase.DRAINING or snapshot.job.phase.is_final:
        return evaluations.hold(
            "ending", f"the job {snapshot.job.phase.predicate}: nothing is changed any more"
        )
    wanted = snapshot.job.spec.fixed_node_type
    if wanted is None:
        return evaluations.hold(
            "not_permitted", "the policy fixed needs fixed_node_type, and the job names none"
        )
    # What is held stays, unless it cannot be completed.
    group = _held(evaluations, wanted) or _cheapest(evaluations, wanted)
    if group is not None and snapshot.target == group:
        return evaluations.hold(
            "fixed", f"{name(group)}, as the job fixes it{_measured(evaluations, group)}"
        )
    if group is None:
        return _nothing(evaluations, wanted)
    burn = burn_usd_per_h(group, evaluations.quotes)
    if burn is None:
        return _nothing(evaluations, wanted)
    text = f"{_refused(evaluations, wanted)}{name(group)} at {price(burn)}/h, as the job fixes it"
    return evaluations.change(group, "fixed", text, {"usd_per_h": burn})


def _held(evaluations: Evaluations, node_type: str) -> Group | None:
    """The group that is held already, unless nodes of it are missing and cannot be bought."""
    snapshot = evaluations.snapshot
    if snapshot.target is None:
        return None
    groups = (
        _group(snapshot, each)
        for each, _ in snapshot.target.members
        if each.node_type == node_type and admits(snapshot, each)
    )
    return next(
        (each for each in groups if lack_of(snapshot, each, evaluations.quotes) is None), None
    )


def _cheapest(evaluations: Evaluations, node_type: str) -> Group | None:
    """The group of the cheapest offering that can be bought; of equals the first by name."""
    snapshot = evaluations.snapshot
    fitting = [
        (evaluations.quotes[offering].usd_per_h, offering)
        for offering in _fitting(evaluations, node_type)
        if lack_of(snapshot, _group(snapshot, offering), evaluations.quotes) is None
    ]
    if fitting:
        return _group(snapshot, min(fitting)[1])
    return None


def _nothing(evaluations: Evaluations, node_type: str) -> Plan:
    groups = {
        _group(evaluations.snapshot, offering) for offering in _fitting(evaluations, node_type)
    }
    refused = [
        each for each in evaluations.outlooks if each.group in groups and each.lack is not None
    ]
    if refused:
        return nothing_to_be_had(evaluations, refused)
    if node_type in evaluations.left_out:
        return evaluations.hold(
            "not_permitted", f"{evaluations.left_out[node_type]}: nothing changes"
        )
    text = (
        f"{node_type}: no offering of it is admitted and has a fresh price {SEE_PRICES}, so "
        "nothing changes"
    )
    return evaluations.hold("no_price", text)


def _fitting(evaluations: Evaluations, node_type: str) -> Iterator[Offering]:
    if node_type in evaluations.left_out:
        return iter(())
    return (
        each
        for each in evaluations.quotes
        if each.node_type == node_type and admits(evaluations.snapshot, each)
    )


def _group(snapshot: Snapshot, offering: Offering) -> Group:
    return Group.of(offering, snapshot.job.spec.sizes[0])


def _refused(evaluations: Evaluations, node_type: str) -> str:
    """Why the held group is left although the job fixes its type; empty if it is not left."""
    held = evaluations.of(evaluations.snapshot.target)
    if (
        held is None
        or held.lack is None
        or [node_type] != [each for each, _ in held.group.node_types]
    ):
        return ""
    return f"{held.lack.text}: "


def _measured(evaluations: Evaluations, group: Group) -> str:
    outlook = evaluations.of(group)
    if outlook is None or outlook.iterations_per_usd is None:
        return ""
    return f": {rate(outlook.iterations_per_usd)}"
