"""Values to store."""

from __future__ import annotations

from dataclasses import replace

from elastic.model import (
    Action,
    Group,
    Job,
    Node,
    Offering,
    Plan,
    Reason,
    Snapshot,
    Window,
)
from elastic.store import (
    Store,
)

HALF = Offering("local.half")


def window(
    node: Node, seq: int, *, iteration: int | None = None, generation: int = 1, **changes: object
) -> Window:
    base = Window(
        node_id=node.id,
        seq=seq,
        generation=generation,
        world_size=1,
        phase="main",
        iteration=iteration,
        iterations=2,
        elapsed_s=0.5,
        is_cold=False,
        ended_at_s=200.0 + seq,
    )
    return replace(base, **changes)  # type: ignore[arg-type]  # tests name the fields they are about


def snapshot(store: Store, job: Job, *, now_s: float = 300.0) -> Snapshot:
    return Snapshot(
        now_s=now_s,
        job=job,
        target=store.jobs.target(job.id),
        current=None,
        nodes=(),
        node_types=(),
        prices=(),
        series=(),
        switches=(),
        changes=(),
        spent_usd=0.1 + 0.2,
    )


def plan(
    action: Action = Action.HOLD, code: str = "measuring", target: Group | None = None
) -> Plan:
    return Plan(action, target, Reason(code, "because", {"gain": 0.1}))
