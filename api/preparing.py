"""Says which step on the way to training each node takes, and how long that usually takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from elastic.figures import duration
from elastic.model import AgentState, Boot, Node, NodePhase
from elastic.store import Store


def preparing_of(store: Store, nodes: Iterable[Node], *, now_s: float) -> tuple[str, ...]:
    """The step that each of a job's living nodes takes before it can train; none once it can.

    What is usual is the median: of boots by machines of its type, for any job. What a node prepares
    its job brings, so there the job's own earlier nodes count.
    """
    living = [each for each in nodes if not each.phase.is_gone]
    boots: Sequence[Boot] = ()
    if any(each.phase is NodePhase.BOOTING for each in living):
        boots = store.nodes.boots()
    prepared_s: list[float] = []
    for job_id in {each.job_id for each in living if each.preparing is not None}:
        earlier = store.nodes.listed(job_id, include_gone=True)
        prepared_s += [each.prepared_s for each in earlier if each.prepared_s is not None]
    steps = (_step(each, boots, prepared_s, now_s) for each in living)
    return tuple(each for each in steps if each)


def _step(node: Node, boots: Sequence[Boot], prepared_s: Sequence[float], now_s: float) -> str:
    match node.phase:
        case NodePhase.INTENDED:
            return _timed(f"buying {node.id}", now_s - node.intended_at_s, ())
        case NodePhase.BOOTING:
            began_s = node.launched_at_s or node.intended_at_s
            of_type = [each for each in boots if each.node_type == node.offering.node_type]
            alike = [each.boot_s for each in of_type if each.image == node.image]
            usual = alike or [each.boot_s for each in of_type]
            return _timed(f"booting {node.id}", now_s - began_s, usual)
        case NodePhase.JOINED if node.preparing is not None and node.prepares_since_s is not None:
            what = f"{node.preparing.what} on {node.id}"
            return _timed(what, now_s - node.prepares_since_s, prepared_s)
        case NodePhase.JOINED if node.agent_state is AgentState.WARMING:
            return f"loading its modules on {node.id}"
        case _:
            return ""


def _timed(what: str, elapsed_s: float, usual_s: Sequence[float]) -> str:
    text = f"{what}, {duration(max(elapsed_s, 0.0))}"
    if usual_s:
        text += f" of about {duration(median(usual_s))}"
    return text
