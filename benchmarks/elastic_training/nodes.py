"""Nodes of this machine that train under torchrun or torchft: processes with a log of steps, and
what befalls them."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.workloads.session.running import Member

LAUNCH_S = 120.0  # torchrun as it comes waits 30 s for more nodes to come

# Serves torch's own store at a port of 127.0.0.1.
_STORE = """
import sys, threading
from torch.distributed import TCPStore
store = TCPStore("127.0.0.1", int(sys.argv[1]), is_master=True, wait_for_workers=False)
threading.Event().wait()
"""


class NeverCame(Exception):
    """What was waited for did not come; `has_ended` says that it never would have."""

    def __init__(self, what: str, waited_s: float, *, has_ended: bool) -> None:
        super().__init__(what)
        self.waited_s, self.has_ended = waited_s, has_ended


@dataclass(slots=True)
class Nodes:
    """All nodes there ever were, and where the store or the like stands that they meet by."""

    folder: Path
    command: Callable[[Nodes], Sequence[str]]
    environment: Mapping[str, str] = field(default_factory=dict)
    endpoint: str = ""
    store: subprocess.Popen[bytes] | None = None
    members: list[Member] = field(default_factory=list)

    def start(self, count: int = 1) -> list[Member]:
        """Starts nodes; they need seconds to train."""
        started = []
        for _ in range(count):
            log = self.folder / f"node-{len(self.members)}.jsonl"
            environment = {
                **os.environ,
                "OMP_NUM_THREADS": "1",
                "STEP_LOG": str(log),
                **self.environment,
            }
            with log.with_suffix(".err").open("wb") as output:
                process = subprocess.Popen(
                    self.command(self), env=environment, stdout=output, stderr=output
                )
            self.members.append(Member(process, log))
            started.append(self.members[-1])
        return started

    def await_world(
        self, members: Sequence[Member], *, further: int = 3, bound_s: float = LAUNCH_S
    ) -> None:
        """Waits until exactly these train together, and have gone some steps; raises NeverCame."""

        def is_so() -> bool:
            return all(member.last["world_size"] == len(members) for member in members)

        self.await_so(is_so, f"a world of {len(members)}", members, bound_s=bound_s)
        goal = max(member.last["step"] for member in members) + further
        self.await_so(
            lambda: all(m.last["step"] >= goal for m in members),
            f"step {goal}",
            members,
            bound_s=bound_s,
        )

    def await_so(
        self, is_so: Callable[[], bool], what: str, members: Sequence[Member], *, bound_s: float
    ) -> None:
        """Waits for something of these members; raises NeverCame."""
        began_s = time.monotonic()
        while not is_so():
            waited_s = time.monotonic() - began_s
            has_ended = all(member.process.poll() is not None for member in members)
            if has_ended or waited_s > bound_s:
                raise NeverCame(f"waited for {what}: {self.tell()}", waited_s, has_ended=has_ended)
            time.sleep(0.05)

    def tell(self) -> str:
        """What the nodes said last."""
        return "\n".join(
            m.log.with_suffix(".err").read_text(errors="replace")[-1500:] for m in self.members
        )


@contextmanager
def running_nodes(
    command: Callable[[Nodes], Sequence[str]],
    *,
    environment: Mapping[str, str],
    has_store: bool,
    folder: Path | None = None,
) -> Iterator[Nodes]:
    """Gives nodes that meet by a store on this machine, in a process of its own or to be started by
    a node."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        nodes = Nodes(Path(name), command, environment, f"127.0.0.1:{free_port()}")
        if has_store:
            port = nodes.endpoint.rpartition(":")[2]
            nodes.store = subprocess.Popen([sys.executable, "-c", _STORE, port])
            await_listener(nodes.endpoint)
        try:
            yield nodes
        finally:
            for member in nodes.members:
                befall(member, signal.SIGKILL)
                member.process.wait()
            if nodes.store is not None:
                nodes.store.kill()
                nodes.store.wait()


def befall(member: Member, number: signal.Signals) -> None:
    """Sends a signal to a node's first process, and to all it has started where the signal is one
    that nobody hears."""
    tree = [psutil.Process(member.process.pid)] if member.process.poll() is None else []
    if number is not signal.SIGTERM:
        tree += [child for process in tree for child in process.children(recursive=True)]
        # A worker may have outlived the agent that started it.
        tree += [
            psutil.Process(pid)
            for pid in {event["generation"] for event in member.steps()}
            if _is_ours(pid)
        ]
    for process in tree:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(number)


def await_listener(endpoint: str, *, bound_s: float = 60.0) -> None:
    """Waits until somebody listens at `host:port`; raises TimeoutError."""
    host, port = endpoint.rsplit(":", 1)
    until_s = time.monotonic() + bound_s
    while time.monotonic() < until_s:
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nobody listened at {endpoint} within {bound_s:.0f} s")


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _is_ours(pid: int) -> bool:
    with contextlib.suppress(psutil.Error):
        return any("elastic_training" in part for part in psutil.Process(pid).cmdline())
    return False
