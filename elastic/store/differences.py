"""Says in words how a job's spec differs from the one before."""

from __future__ import annotations

from collections.abc import Iterator

from elastic.figures import instant, usd
from elastic.model import JobSpec, Objective


def differences(old: JobSpec, new: JobSpec) -> Iterator[str]:
    """What users may change in a job's spec, as far as it is different now."""
    if new.code != old.code:
        yield "with other code"
    if new.image != old.image:
        yield f"in image {new.image}"
    if new.requirements != old.requirements:
        yield "with other requirements"
    if new.outputs != old.outputs:
        yield "with other outputs"
    if new.setup != old.setup:
        yield "with other setup"
    if (new.nodes_min, new.nodes_max) != (old.nodes_min, old.nodes_max):
        yield (
            f"{new.nodes_min} to {new.nodes_max} nodes instead of {old.nodes_min} to "
            f"{old.nodes_max}"
        )
    if new.nodes_wanted != old.nodes_wanted:
        yield f"{_wanted(new)} instead of {_wanted(old)}"
    if new.fixed_node_type is not None and new.fixed_node_type != old.fixed_node_type:
        yield f"only {new.fixed_node_type} from now on"
    if new.priority != old.priority:
        yield f"priority {new.priority} instead of {old.priority}"
    yield from _limits(old.objective, new.objective)


def _wanted(spec: JobSpec) -> str:
    if spec.nodes_wanted is None:
        return "as many nodes as the policy chooses"
    if spec.nodes_wanted == 1:
        return "1 node"
    return f"{spec.nodes_wanted} nodes"


def _limits(before: Objective, objective: Objective) -> Iterator[str]:
    if objective.budget_usd is not None and objective.budget_usd != before.budget_usd:
        instead = ""
        if before.budget_usd is not None:
            instead = f" instead of {usd(before.budget_usd)}"
        yield f"budget {usd(objective.budget_usd)}{instead}"
    if objective.deadline_s is not None and objective.deadline_s != before.deadline_s:
        instead = ""
        if before.deadline_s is not None:
            instead = f" instead of {instant(before.deadline_s)}"
        yield f"deadline {instant(objective.deadline_s)}{instead}"
