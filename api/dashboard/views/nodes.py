"""Shows nodes: their types, their states, their cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from api.dashboard.views.parts import (
    NODE_TONES,
    Badge,
    Instant,
    Number,
    dollars,
    instant,
    instant_or_none,
    words,
)
from elastic.durations import HEARTBEAT_S
from elastic.figures import duration, moment, number, percent, size
from elastic.liveness import silence_bounds
from elastic.model import LedgerRow, Node, NodePhase

# Twice the time after which the daemon takes a node for silent: then a person should look.
_SILENT_AFTER_S = 2 * silence_bounds(heartbeat_s=HEARTBEAT_S).stalled.least_s


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One node."""

    id: str
    job_id: str
    node_type: str
    detail: str
    phase: Badge
    agent: str
    # None before its agent's first heartbeat.
    heartbeat: Instant | None
    intended: Instant
    lived: str
    usd: Number
    reason: str
    is_gone: bool
    is_silent: bool
    # Of its end, by the cloud; empty if there is none.
    notice: str
    # What it uses of its cores, memory, GPUs and network; empty where that is not known.
    usage: tuple[str, ...] = ()
    # The command that opens a shell there; empty where nothing of it runs.
    enter: str = ""


def node_rows(
    nodes: Sequence[Node], ledger: Sequence[LedgerRow], *, now_s: float
) -> tuple[NodeRow, ...]:
    """Nodes as a table shows them; their costs come from the ledger."""
    cost_usd: dict[str, float] = defaultdict(float)
    for row in ledger:
        cost_usd[row.node_id] += row.usd(now_s)
    return tuple(_row(node, cost_usd.get(node.id), now_s) for node in nodes)


def _row(node: Node, cost_usd: float | None, now_s: float) -> NodeRow:
    return NodeRow(
        id=node.id,
        job_id=node.job_id,
        node_type=node.offering.node_type,
        detail=_detail(node),
        phase=Badge(words(node.phase), NODE_TONES[node.phase]),
        agent=_agent(node),
        heartbeat=instant_or_none(node.heartbeat_at_s, now_s),
        intended=instant(node.intended_at_s, now_s),
        lived=_lived(node, now_s),
        usd=dollars(cost_usd),
        reason=node.reason,
        is_gone=node.phase.is_gone,
        is_silent=_is_silent(node, now_s),
        notice=_notice(node, now_s),
        usage=_usage(node),
        enter=_enter(node),
    )


def _detail(node: Node) -> str:
    detail = f"{node.offering.capacity} · {node.offering.zone}"
    if node.disk_free_bytes is not None and not node.phase.is_gone:
        detail += f" · {size(node.disk_free_bytes)} disk free"
    if node.setup is None:
        return detail
    return (
        f"{detail} · set up in {duration(node.setup.elapsed_s)}, {size(node.setup.received_bytes)}"
    )


def _is_silent(node: Node, now_s: float) -> bool:
    heard_at_s = node.heartbeat_at_s
    return (
        node.phase is NodePhase.JOINED
        and heard_at_s is not None
        and now_s - heard_at_s > _SILENT_AFTER_S
    )


def _notice(node: Node, now_s: float) -> str:
    if node.notice is None or node.phase.is_gone:
        return ""
    if node.leaves_at_s is None:
        return "rebalance recommended"
    return f"leaves at {moment(node.leaves_at_s, now_s)} ({node.notice.cause})"


def _enter(node: Node) -> str:
    if node.phase in (NodePhase.BOOTING, NodePhase.JOINED):
        return f"elasticd node ssh {node.id}"
    return ""


def _usage(node: Node) -> tuple[str, ...]:
    usage = node.usage
    if usage is None or node.phase is not NodePhase.JOINED:
        return ()
    given = node.workers.processes * node.workers.threads
    cores = "core" if given == 1 else "cores"
    parts = [f"{number(usage.cores)} of {given} {cores}", f"memory {percent(usage.memory)}"]
    if usage.gpu is not None:
        gpu = f"GPU {percent(usage.gpu)}"
        if usage.gpu_memory is not None:
            gpu += f", its memory {percent(usage.gpu_memory)}"
        parts.append(gpu)
    received = f"in {size(usage.received_bytes_per_s)}/s"
    return (*parts, f"{received}, out {size(usage.sent_bytes_per_s)}/s")


def _agent(node: Node) -> str:
    if node.agent_state is None:
        return "no heartbeat yet"
    generation = ""
    if node.agent_generation is not None:
        generation = f", generation {node.agent_generation}"
    return f"{node.agent_state}{generation}"


def _lived(node: Node, now_s: float) -> str:
    if node.launched_at_s is None:
        return "–"
    if node.terminated_at_s is None:
        end_s = now_s
    else:
        end_s = node.terminated_at_s
    return duration(max(end_s - node.launched_at_s, 0.0))
