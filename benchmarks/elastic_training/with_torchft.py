"""torchft as its documents say: a lighthouse, and replicas that each have a manager.

It is no dependency: give it an environment of its own, which the benchmark looks for at
`build/torchft`:

    python -m venv build/torchft
    build/torchft/bin/pip install -c constraints.txt numpy torchft-nightly
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.elastic_training.nodes import Nodes, await_listener, running_nodes

PYTHON = Path("build/torchft/bin/python")
ROOT = Path(__file__).resolve().parents[2]
_HEARD = ("--heartbeat_timeout_ms", "1000")  # as soon as a session misses a member
LIGHTHOUSE = (
    "--min_replicas",
    "1",
    "--quorum_tick_ms",
    "100",
    "--join_timeout_ms",
    "10000",
    *_HEARD,
)


@dataclass(frozen=True, slots=True)
class Torchft:
    """The interpreter that has torchft."""

    python: Path

    @property
    def is_installed(self) -> bool:
        """Whether that interpreter is there and imports it."""
        if not self.python.exists():
            return False
        command = [str(self.python), "-c", "import torchft"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    @contextmanager
    def running(self, *options: str) -> Iterator[Nodes]:
        """Gives replicas, none started yet, and their lighthouse as the store."""

        def command(nodes: Nodes) -> Sequence[str]:
            member = "benchmarks.elastic_training.torchft_member"
            return [str(self.python), "-m", member, f"http://{nodes.endpoint}", *options]

        with running_nodes(
            command, environment={"PYTHONPATH": str(ROOT)}, has_store=False
        ) as nodes:
            with (nodes.folder / "lighthouse.err").open("wb") as output:
                start = [
                    str(self.python.with_name("torchft_lighthouse")),
                    *LIGHTHOUSE,
                    "--bind",
                    nodes.endpoint,
                ]
                nodes.store = subprocess.Popen(start, stdout=output, stderr=output)
            await_listener(nodes.endpoint)
            yield nodes
