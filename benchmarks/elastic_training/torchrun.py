"""Plain torchrun elastic: as its documentation shows it, and with every setting that helps."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.elastic_training import plain
from benchmarks.elastic_training.nodes import Nodes, await_listener, running_nodes


@dataclass(frozen=True, slots=True)
class Torchrun:
    """A way to start agents: what goes into --rdzv-conf and the environment, and whether the store
    is elsewhere."""

    conf: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    has_own_store: bool = False

    @contextmanager
    def running(self, *options: str) -> Iterator[Nodes]:
        """Gives nodes that train `plain`, none started yet."""

        def command(nodes: Nodes) -> Sequence[str]:
            if nodes.members and not self.has_own_store:
                # The first agent is to host the store, so that it is known whose death is the
                # store's.
                await_listener(nodes.endpoint)
            conf = [f"--rdzv-conf={self.conf}"] if self.conf else []
            return [
                *(
                    sys.executable,
                    "-m",
                    "torch.distributed.run",
                    "--nnodes=1:3",
                    "--nproc-per-node=1",
                ),
                *(
                    "--rdzv-backend=c10d",
                    f"--rdzv-endpoint={nodes.endpoint}",
                    "--rdzv-id=job",
                    *conf,
                ),
                # A death costs each survivor one restart.
                *(
                    "--local-addr=127.0.0.1",
                    f"--log-dir={nodes.folder / 'torchrun'}",
                    "--max-restarts=100",
                ),
                *(
                    str(Path(plain.__file__).resolve()),
                    str(nodes.folder / "checkpoint.pt"),
                    *options,
                ),
            ]

        with running_nodes(
            command, environment=self.environment, has_store=self.has_own_store
        ) as nodes:
            yield nodes


STOCK = Torchrun()
TUNED = Torchrun(
    conf="is_host=0,last_call_timeout=1,keep_alive_interval=1,keep_alive_max_attempt=3",
    # Without it both agents end when one joins.
    environment={"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"},
    has_own_store=True,
)
