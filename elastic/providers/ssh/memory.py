"""What is remembered of a host while it does not answer, also over a restart of the daemon."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from elastic.errors import InvalidInput
from elastic.model import Offering
from elastic.protocol import from_json
from elastic.providers.base import Instance, InstanceState
from elastic.providers.keeping import write_whole
from elastic.providers.ssh.hosts import Host

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HostMemory:
    """One host as it was seen last."""

    host: Host
    # What `Attendant.facts` found; None if it never answered.
    facts: Fields | None = None
    # Its nodes of this cluster, as `Attendant.look` lists them.
    nodes: tuple[Fields, ...] = ()
    # Launches whose outcome is not known.
    unsure: tuple[Fields, ...] = ()
    # Nodes whose end was asked for while the host did not answer.
    ending: tuple[str, ...] = ()
    claim: Fields | None = None
    disk_free_bytes: int | None = None

    @property
    def living(self) -> tuple[Fields, ...]:
        """Nodes that run, or may run."""
        alive = tuple(each for each in self.nodes if each["state"] != "gone")
        return (*alive, *self.unsure)

    @property
    def has_engine(self) -> bool:
        """Whether containers can run there, as far as is known."""
        return not str((self.facts or {}).get("engine", "none")).startswith("none")

    def instances(self, because: str = "") -> tuple[Instance, ...]:
        """Its nodes. `because`: why the host does not answer now; empty if it does."""
        return tuple(self._instance(each, because) for each in (*self.nodes, *self.unsure))

    def looked(self, answer: Fields) -> HostMemory:
        """The memory after an answer to `look`."""
        nodes = tuple(answer["nodes"])
        alive = {each["node_id"] for each in nodes if each["state"] != "gone"}
        return replace(
            self,
            nodes=nodes,
            unsure=(),
            ending=tuple(each for each in self.ending if each in alive),
            claim=answer["claim"],
            disk_free_bytes=answer["disk_free_bytes"],
        )

    def _instance(self, node: Fields, because: str) -> Instance:
        state = _STATES[node["state"]]
        if node["node_id"] in self.ending and state is not InstanceState.GONE:
            state = InstanceState.STOPPING
        why = node.get("because", "")
        if state is InstanceState.STOPPING and because:
            why = because
        elif why:
            why = f"{self.host.name}: {why}"
        return Instance(
            provider_id=provider_id(node["node_id"], self.host.name),
            node_id=node["node_id"],
            job_id=node["job_id"],
            token=node["token"],
            offering=Offering(node["node_type"]),
            state=state,
            launched_at_s=node["launched_at_s"],
            exited_at_s=node.get("exited_at_s"),
            ended_because=why,
        )


@dataclass(slots=True)
class Memories:
    """The memories of all hosts, in a folder of one file each."""

    folder: Path
    _written: dict[str, HostMemory] = field(default_factory=dict)

    def read(self) -> dict[str, HostMemory]:
        """What an earlier daemon has written."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = {}
        for path in sorted(self.folder.glob("*.json")):
            # A damaged memory is none: the host itself knows.
            with suppress(ValueError, InvalidInput):
                memory = from_json(HostMemory, json.loads(path.read_text()))
                found[memory.host.name] = memory
        self._written = dict(found)
        return found

    def write(self, memory: HostMemory) -> None:
        """Keeps it, if it is news."""
        if self._written.get(memory.host.name) == memory:
            return
        name = sha256(memory.host.name.encode()).hexdigest()[:16]
        write_whole(str(self.folder / f"{name}.json"), asdict(memory))
        self._written[memory.host.name] = memory


def same_machine(name: str, answer: Fields, machines: Mapping[str, Sequence[str]]) -> str:
    """What is wrong with a host that an earlier one is, by its answer; empty if none is it."""
    for other, machine in machines.items():
        if other != name and machine == answer["machine"]:
            return f"it is the same machine as {other}; take one of them out of your hosts"
    return ""


def provider_id(node_id: str, host: str) -> str:
    """The name of a node's machine: what runs there, and where."""
    return f"{node_id}@{host}"


_STATES: Mapping[str, InstanceState] = {
    "pending": InstanceState.PENDING,
    "running": InstanceState.RUNNING,
    "stopping": InstanceState.STOPPING,
    "gone": InstanceState.GONE,
}
