"""A script with a torch optimizer, run as an agent runs it: each turn of the job is told of once,
by who made it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from elastic.agent.disk_outbox import DiskOutbox
from elastic.agent.ingest import Ingest, WorkerReports
from elastic.protocol import WindowMessage
from elastic.rendezvous import StoreServer
from tests.certificates import certificate
from tests.docs.pages import blocks
from tests.workloads.session.running import wait_until

LOOP = """
import time
from pathlib import Path
from elastic.workloads.session import Attendance, Session

with Session.join(units, apply, batch=96) as session:
    joined, attendance = session.step, Attendance(session)
    while session.is_member and not Path("goal").exists():
        session.run(compute)
        attendance.turned()
        time.sleep(0.005)
        Path(f"step-{joined}").write_text(f"{session.step} {session.round.world_size}")
"""
"""What follows the page's block."""


class Node:
    """One node's end of it: its intake, and the worker that it has started."""

    def __init__(self, folder: Path, name: str, store: StoreServer) -> None:
        self._spool = DiskOutbox(folder / f"{name}.spool")
        self._intake = Ingest(folder / f"{name}.s", disk_outbox=self._spool)
        self._intake.listen_to(1)
        self._intake.start()
        environment = {
            "ELASTICD_SOCKET": str(folder / f"{name}.s"),
            "ELASTICD_GENERATION": "1",
            "ELASTICD_SESSION_STORE": f"127.0.0.1:{store.port}",
            "ELASTICD_SESSION_CHUNK_BYTES": "1",  # each unit has a step of its own to arrive with
            "ELASTICD_CERTIFICATE": certificate(),
            "ELASTICD_JOB_ID": "job",
            "OMP_NUM_THREADS": "1",
        }
        command = [sys.executable, "-m", "elastic.worker.launch", str(folder / "train.py")]
        self.process = subprocess.Popen(command, env={**os.environ, **environment}, cwd=folder)

    def heard(self) -> tuple[WorkerReports, list[WindowMessage]]:
        """What the worker has said of itself, and the windows that the daemon is told of."""
        self._intake.settle()
        return self._intake.reports(), [
            each for each in self._spool.batch() if isinstance(each, WindowMessage)
        ]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._intake.stop()
        self._spool.close()


@contextmanager
def _nodes(folder: Path, store: StoreServer) -> Iterator[tuple[Node, Node]]:
    """Gives two that train, of which the second has come to the first."""
    started: list[Node] = []

    def come(name: str, world_size: int) -> None:
        started.append(Node(folder, name, store))
        wait_until(lambda: any(text.endswith(f" {world_size}") for text in _said(folder)), name)

    try:
        come("founder", 1)
        come("newcomer", 2)
        yield started[0], started[1]
    finally:
        for each in started:
            each.close()


def _said(folder: Path) -> list[str]:
    return [each.read_text() for each in folder.glob("step-*")]


@pytest.mark.slow
def test_a_newcomer_s_optimizer_that_follows_the_members_tells_of_no_turns(
    tmp_path: Path, store: StoreServer
) -> None:
    (block,) = [each for each in blocks("python") if "torch.optim" in each.text]
    (tmp_path / "train.py").write_text(block.text + LOOP)
    with _nodes(tmp_path, store) as nodes:
        (tmp_path / "goal").touch()
        assert [each.process.wait(60) for each in nodes] == [0, 0]
        (_, turns), (newcomer, followed) = (each.heard() for each in nodes)
        last = max(int(text.split()[0]) for text in _said(tmp_path))
    assert (
        newcomer.has_joined and min(int(each.name[5:]) for each in tmp_path.glob("step-[1-9]*")) > 0
    )
    assert sum(each.iterations for each in [*turns, *followed]) == last, "each once"
    assert all(each.iteration is not None for each in [*turns, *followed])
