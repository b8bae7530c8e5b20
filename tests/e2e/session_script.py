"""A training script that uses a session: exact arithmetic, a line for every turn, a checkpoint when
it ends.

A turn takes `pause_s` on every rank, and `core_s` of a whole core for each of a rank's samples:
waited for by the quota of the local node, so that a node type is as fast as its quota says however
busy the machine is.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from elastic.worker import drained, finished
from elastic.workloads.adam import Adam
from elastic.workloads.checkpoint import Checkpoints
from elastic.workloads.session import Attendance, Session, SessionStep

BATCH = 12


def main(total: int, pause_s: float, core_s: float = 0.0) -> None:
    torch.manual_seed(7)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3)).double()
    adam = Adam(list(model.parameters()), b1=0.9, b2=0.999)
    checkpoints = Checkpoints(
        Path(os.environ["ELASTICD_CHECKPOINT_DIR"]), "session", "", os.environ["ELASTICD_JOB_ID"]
    )
    begun = _restored(checkpoints, adam)
    sample_s = core_s / _quota() if core_s else 0.0

    def apply(gradients: Sequence[Tensor | None], step: int) -> None:
        adam.step(gradients, lr=1e-3)

    def compute(turn: SessionStep) -> Sequence[Tensor]:
        time.sleep(pause_s + sample_s * len(turn.places()))
        chance = torch.Generator()
        rows = []
        for place in turn.places():
            chance.manual_seed(place)
            rows.append(torch.randn(8, generator=chance, dtype=torch.float64))
        x = torch.stack(rows) if rows else torch.zeros(0, 8, dtype=torch.float64)
        return torch.autograd.grad(model(x).square().sum() / turn.batch, list(model.parameters()))

    with Session.join(adam.units(), apply, batch=BATCH, step=begun) as session:

        def keep() -> None:
            checkpoints.save(session.step, {"units": [list(unit) for unit in adam.units()]})

        attendance = Attendance(session)
        _tell(session, "joined")
        while session.is_member and (session.step < total or not session.finish(keep)):
            session.run(compute)
            must_stop = attendance.turned()
            _tell(session, "turn")
            if must_stop and session.step < total:
                keep()
                break
        step, is_member = session.step, session.is_member
        _tell(session, "ends" if is_member else "left")
    finished(step) if is_member and step >= total else drained(step)


def _quota() -> float:
    """The cores of the local node that this worker runs on."""
    bought = Path(os.environ["ELASTICD_DRAIN_FILE"]).parents[1] / "launch.json"
    return float(json.loads(bought.read_text())["cpu"])


def _restored(checkpoints: Checkpoints, adam: Adam) -> int:
    found = checkpoints.newest()
    if found is None:
        return 0
    step, state, _ = found
    with torch.no_grad():
        for live, kept in zip(adam.units(), state["units"], strict=True):
            for tensor, value in zip(live, kept, strict=True):
                tensor.copy_(value)
    return step


def _tell(session: Session, event: str) -> None:
    line = {"event": event, "at_s": time.time(), "pid": os.getpid(), "step": session.step}
    line["node"] = os.environ["ELASTICD_NODE_ID"]
    if session.is_member:
        line |= {"world_size": session.round.world_size, "digest": session.digest()}
    with (Path(os.environ["ELASTICD_ARTIFACT_DIR"]) / "turns.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), *(float(each) for each in sys.argv[2:]))
