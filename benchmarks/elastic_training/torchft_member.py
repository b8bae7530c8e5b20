"""A replica that trains under torchft as its own example does: a manager, its
DistributedDataParallel and optimizer.

python -m benchmarks.elastic_training.torchft_member LIGHTHOUSE [--pause 0.04] [--width 400]
[--depth 2]

It runs in an environment of its own that has torchft (see `with_torchft.py`) and nothing of
elasticd's. Asked to stop by SIGTERM it ends after the step in flight. Each step is a line in the
file that STEP_LOG names.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from datetime import timedelta
from typing import Any

import torch
from torch import nn
from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch forgets to export it

from benchmarks.elastic_training.plain import BATCH, ITEMS, data, network


def main() -> None:
    """Trains until it is stopped."""
    parser = argparse.ArgumentParser()
    parser.add_argument("lighthouse")
    parser.add_argument("--pause", type=float, default=0.04)
    parser.add_argument("--width", type=int, default=400)
    parser.add_argument("--depth", type=int, default=2)
    options = parser.parse_args()
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    torch.set_num_threads(1)
    parent = os.getppid()
    replica = _Replica(options.lighthouse, network(options.width, options.depth))
    with open(os.environ["STEP_LOG"], "a", buffering=1) as log:
        print(json.dumps({"at_s": time.time(), "event": "warm"}), file=log)
        replica.enter()
        while not asked and os.getppid() == parent:
            if replica.turn(options.pause):
                print(
                    json.dumps({"at_s": time.time(), "event": "step", **replica.place()}), file=log
                )
        replica.manager.shutdown(wait=False)
    sys.stdout.flush()
    os._exit(0)


class _Replica:
    """One replica group of one process, with a store of its own as torchrun would give it."""

    def __init__(self, lighthouse: str, model: nn.Module) -> None:
        self._lighthouse, self._model = lighthouse, model
        self._x, self._y = data()
        self._adam = torch.optim.Adam(model.parameters(), lr=1e-3)
        # Everything that a first step makes is made before the others see this replica, as a
        # session's newcomer does.
        model(self._x[:4]).sum().backward()
        self._adam.zero_grad()
        self._store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)

    def enter(self) -> None:
        """Makes the manager, by which others learn of this replica."""
        import torchft  # type: ignore[import-not-found,unused-ignore]  # of its own environment

        self._group = torchft.ProcessGroupGloo(timeout=timedelta(seconds=5))
        self.manager = torchft.Manager(
            pg=self._group,
            min_replica_size=1,
            load_state_dict=self._load,
            state_dict=self._state,
            replica_id=f"replica_{os.getpid()}",
            timeout=timedelta(seconds=30),
            rank=0,
            world_size=1,
            store_addr="127.0.0.1",
            store_port=self._store.port,
            lighthouse_addr=self._lighthouse,
            hostname="127.0.0.1",
        )
        self._trained = torchft.DistributedDataParallel(self.manager, self._model)
        self._optimizer = torchft.Optimizer(self.manager, self._adam)

    def turn(self, pause_s: float) -> bool:
        """One step; False where it was not committed."""
        step = self.manager.current_step()
        share = BATCH // max(1, self.manager.num_participants()) if step else 4
        places = [place % ITEMS for place in range(step * share, (step + 1) * share)]
        self._optimizer.zero_grad()
        time.sleep(pause_s)
        loss = nn.functional.cross_entropy(self._trained(self._x[places]), self._y[places])
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()
        return bool(self.manager.current_step() > step)

    def place(self) -> dict[str, Any]:
        """What the log says of a step."""
        # The group's own size: one whose state is still being brought up is in it, and counts as
        # come.
        size, quorum = self._group.size(), self.manager._quorum_id  # noqa: SLF001 (there is no public name)
        return {
            "step": self.manager.current_step(),
            "generation": quorum,
            "rank": os.getpid(),
            "world_size": size,
        }

    def _state(self) -> dict[str, Any]:
        return {"model": self._model.state_dict(), "optimizer": self._adam.state_dict()}

    def _load(self, state: dict[str, Any]) -> None:
        self._model.load_state_dict(state["model"])
        self._adam.load_state_dict(state["optimizer"])


if __name__ == "__main__":
    main()
