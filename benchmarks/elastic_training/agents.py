"""An unmodified script on our agents, preloaded or not: a change of generation, planned or not, as
the script sees it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.elastic_training import plain
from benchmarks.elastic_training.gaps import Found, NoChange
from benchmarks.elastic_training.nodes import Nodes
from benchmarks.elastic_training.scenarios import AROUND, seen
from elastic.agent.processes import kill_group
from tests.agent.conftest import FakeDaemon, Node, World
from tests.workloads.session.running import Member

HEARTBEAT_S = 1.0  # the daemon's default


@dataclass(slots=True)
class Agents:
    """Idle agents, and who of them trains: those that the newest generation names."""

    world: World
    daemon: _Daemon
    preload: bool
    agents: list[Node] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    generation: int = 0

    def begin(self, count: int) -> list[Member]:
        """Assigns the next generation to the first so many; the others are told that they have
        nothing to do."""
        self.generation += 1
        self.daemon.chosen = {f"n{number}" for number in range(count)}
        script = [str(Path(plain.__file__).resolve()), str(self.world.folder / "checkpoint.pt")]
        self.world.assign(
            *script,
            generation=self.generation,
            nnodes_min=1,
            nnodes_max=count,
            preload=self.preload,
        )
        return self.members[:count]


@cache
def join_and_leave(preload: bool, *, bound_s: float) -> tuple[Found, Found]:
    """Two nodes train; a third that waits is let in, and then is to leave."""
    with _running(preload) as (agents, nodes):
        stay = agents.begin(2)
        nodes.await_world(stay, further=AROUND)
        began_s = time.time()
        join = seen(nodes, stay, agents.begin(3), began_s=began_s, bound_s=bound_s)
        if isinstance(join, NoChange):
            return join, join
        nodes.await_world(agents.members, further=AROUND)
        began_s = time.time()
        return join, seen(nodes, stay, agents.begin(2), began_s=began_s, bound_s=bound_s)


def second(preload: bool, *, bound_s: float) -> Found:
    """One node trains, a second comes in: on two cores each node has one of its own, as machines
    do."""
    with _running(preload, count=2) as (agents, nodes):
        stay = agents.begin(1)
        nodes.await_world(stay, further=AROUND)
        began_s = time.time()
        return seen(nodes, stay, agents.begin(2), began_s=began_s, bound_s=bound_s)


def kill(preload: bool, *, bound_s: float) -> Found:
    """Three nodes train; one is killed with all it runs."""
    with _running(preload) as (agents, nodes):
        members = agents.begin(3)
        nodes.await_world(members, further=AROUND)
        lost = next(
            index for index, member in enumerate(members) if index and member.last["rank"] != 0
        )
        began_s = time.time()
        agents.agents[lost].kill_agent_only()
        _end_group(agents.agents[lost])
        stay = [member for index, member in enumerate(members) if index != lost]
        return seen(nodes, stay, stay, began_s=began_s, bound_s=bound_s)


class _Daemon(FakeDaemon):
    """Assigns to those that are chosen, and hears from each as often as the daemon does."""

    def __init__(self) -> None:
        self.chosen: set[str] = set()
        super().__init__()

    def answer(self, path: str, body: dict[str, Any], token: str) -> tuple[int, dict[str, Any]]:
        status, content = super().answer(path, body, token)
        if "heartbeat_interval_s" in content:
            return status, {**content, "heartbeat_interval_s": HEARTBEAT_S}
        if body.get("node_id") not in self.chosen and "assignment" in content:
            return status, {**content, "assignment": None}
        return status, content


@contextmanager
def _running(preload: bool, *, count: int = 3) -> Iterator[tuple[Agents, Nodes]]:
    with tempfile.TemporaryDirectory() as name:
        folder, daemon = Path(name), _Daemon()
        world = World(folder, daemon)
        agents = Agents(world, daemon, preload)
        nodes = Nodes(folder, _not_to_be_started, members=agents.members)
        try:
            for number in range(count):
                log = folder / f"node-{number}.jsonl"
                agents.agents.append(
                    world.node(f"n{number}", env={"GLOO_SOCKET_IFNAME": "lo", "STEP_LOG": str(log)})
                )
                agents.members.append(Member(agents.agents[-1].process, log))
                log.with_suffix(".err").touch()
            world.wait_for(lambda: len(_idle(daemon)) == count)
            yield agents, nodes
        finally:
            for agent in agents.agents:
                _end_group(agent)
            world.end()


def _idle(daemon: FakeDaemon) -> set[str]:
    return {beat["node_id"] for beat in daemon.heartbeats if beat["report"]["state"] == "idle"}


def _end_group(agent: Node) -> None:
    if "pid" in agent.group():
        kill_group(agent.group()["pid"], socket_path=str(agent.work_dir / "workers.socket"))


def _not_to_be_started(nodes: Nodes) -> Sequence[str]:
    raise NotImplementedError("agents are started all at once")
