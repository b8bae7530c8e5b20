"""The provider of local nodes: process trees on this machine with a share of CPU time each."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from elastic.clock import Clock
from elastic.durations import DAY_S, GONE_LISTED_S, LEASE_S, TRANSFER_TIMEOUT_S
from elastic.errors import CapacityUnavailable, ProviderError, ProviderUnavailable
from elastic.figures import counted, size
from elastic.model import Means, NodeType, Offering, WayIn
from elastic.providers.base import Instance, InstanceState, LaunchRequest, Trouble
from elastic.providers.blocks import Blocks
from elastic.providers.keeping import spawn
from elastic.providers.local import cgroup
from elastic.providers.local.cgroup import CpuCgroups
from elastic.providers.local.node import LocalLaunch, LocalNode, marks

_NODE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
# What an agent and a Python that has loaded torch take at least.
_NODE_BYTES = 300 << 20
# Old folders that one purchase removes: more than it adds.
_MOST_REMOVED = 16


class LocalProvider:
    """Starts each node as a detached `agent_command --config PATH`; nodes outlive the daemon.

    All that is known of a node is in `root/nodes/<node_id>`, so that all providers with the same
    `root` see the same. A node's processes are found by ELASTICD_NODE_ID and ELASTICD_CLUSTER in
    their environment, by descent, and by the node's control group. With `cgroups=None` the agent
    keeps the quota; see `find_cpu_cgroups`. Agents run in `cwd`, by default where this process
    runs. A script runs in its job's own folder.
    """

    name = "local"
    minimum_billed_s = 0.0
    # The lock of the data folder already keeps other daemons out.
    lease_register = None

    def __init__(
        self,
        root: Path,
        types: Sequence[NodeType],
        *,
        clock: Clock,
        cgroups: CpuCgroups | None,
        python: str = sys.executable,
        agent_command: Sequence[str] | None = None,
        cwd: Path | None = None,
        checkpoint_root: str | None = None,
        artifact_root: str | None = None,
        lease_s: float = LEASE_S,
        gone_visible_s: float = GONE_LISTED_S,
        meminfo: Path = Path("/proc/meminfo"),
    ) -> None:
        self.blocks = Blocks()
        self._meminfo = meminfo
        self._root = root.absolute()
        self._types = {node_type.name: node_type for node_type in types}
        self._clock = clock
        self._cgroups = cgroups
        self._python = python
        self._agent_command = tuple(agent_command or (python, "-m", "elastic.agent"))
        self._cwd = (cwd or Path.cwd()).absolute()
        self._checkpoint_root = checkpoint_root or str(self._root / "checkpoints")
        self._artifact_root = artifact_root or str(self._root / "artifacts")
        self._lease_s = lease_s
        self._gone_visible_s = gone_visible_s
        self._nodes = self._root / "nodes"
        self._tokens = self._root / "tokens"
        for folder in (self._root, self._nodes, self._tokens):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._cluster = _cluster_of(self._root)
        self._gone: dict[str, Instance] = {}

    def node_types(self) -> tuple[NodeType, ...]:
        return tuple(self._types.values())

    def offerings(self) -> tuple[Offering, ...]:
        return tuple(Offering(name) for name in self._types)

    def launch(self, request: LaunchRequest) -> tuple[Instance, ...]:
        # All of them must be startable before the first one is started.
        claimed = [(node, self._recorded(node, request)) for node in self._claim(request)]
        return tuple(self._started(node, launch, request) for node, launch in claimed)

    def _recorded(self, node: LocalNode, request: LaunchRequest) -> LocalLaunch:
        launch = node.launch()
        if launch is None:
            raise ProviderUnavailable(
                f"{node.path}: wanted the node's record, found none; launch it again"
            )
        if launch.token != request.token:
            raise ProviderError(
                f"{launch.node_id}: was launched under another token; a new launch needs a new "
                "node id"
            )
        return launch

    def _started(self, node: LocalNode, launch: LocalLaunch, request: LaunchRequest) -> Instance:
        # A node that was ended before it was started stays so: the end was asked for later.
        if not node.is_started and not node.is_stopped:
            self._spawn(node, launch, request)
        instance = node.look(now_s=self._clock.now_s())
        if instance is None:
            raise ProviderUnavailable(
                f"{launch.node_id}: wanted a started agent, found none; launch it again"
            )
        return instance

    def instances(self) -> tuple[Instance, ...]:
        now_s = self._clock.now_s()
        try:
            names = sorted(name for name in os.listdir(self._nodes) if _NODE_ID.fullmatch(name))
        except OSError as error:
            raise ProviderUnavailable(
                f"{self._nodes}: wanted the folders of the local nodes, found {error}"
            ) from error
        found = (self._gone.get(name) or self._look(name, now_s=now_s) for name in names)
        return tuple(
            instance
            for instance in found
            if instance is not None and self._is_recent(instance, now_s)
        )

    def keep_alive(self, provider_ids: Collection[str], *, now_s: float) -> None:
        """Does nothing: no reaper ends local nodes."""

    def terminate(self, provider_id: str, *, now_s: float) -> None:
        node = self._node(provider_id)
        if node is not None and node.exited_at_s() is None:
            # On record before anything is killed: a daemon that dies in between ends it at the next
            # look.
            node.stop(now_s=now_s)
            node.end(now_s=now_s)

    def prove_end(self, provider_id: str) -> None:
        """Does nothing: a user's own processes can always be ended."""

    def console(self, provider_id: str) -> str:
        return ""  # its logs are files, which `log_path` names

    def troubles(self) -> Mapping[Trouble, str]:
        return {}

    def log_path(self, provider_id: str) -> str | None:
        node = self._node(provider_id)
        if node is None:
            return None
        return str(node.files.agent_log.parent)

    def way_in(self, provider_id: str, *, node_id: str) -> WayIn | None:
        node = self._node(provider_id)
        if node is None or node.is_stopped or node.exited_at_s() is not None:
            return None
        launch = node.launch()
        cgroup = ""
        if launch is not None and launch.cgroup is not None:
            cgroup = str(launch.cgroup)
        return WayIn(
            Means.PROCESSES,
            target="",
            folder=shlex.quote(str(node.files.work)),
            # With these it ends as all of the node's processes do.
            marks=marks(node_id, self._cluster),
            boot_id=spawn.boot_id(),
            machine=socket.gethostname(),
            cgroup=cgroup,
        )

    def _claim(self, request: LaunchRequest) -> tuple[LocalNode, ...]:
        """The folders of the nodes that the token buys."""
        # A link is made in one step, and ties the token to its nodes.
        link = self._link(request.token)
        if not link.is_symlink():
            for node_id in request.node_ids:
                if not _NODE_ID.fullmatch(node_id):
                    raise ProviderError(
                        f"{node_id!r}: a local node's id is wanted as 1 to 100 of A-Z a-z 0-9 _ -"
                    )
            self._node_type(request.offering)
            self._require_room(request)
            self._remove_old()
            with suppress(FileExistsError):
                link.symlink_to(" ".join(request.node_ids))
        nodes = tuple(LocalNode(self._nodes / name, self._cluster) for name in _named_by(link))
        for node in nodes:
            if node.launch() is None:
                node.create(self._to_be_launched(request, node.path.name))
        return nodes

    def _remove_old(self) -> None:
        """Removes the folders of nodes that have been gone for a day: a job's working folder may
        have gigabytes.

        Some at each purchase, so that none takes long.
        """
        now_s = self._clock.now_s()
        old = [
            (instance.exited_at_s, name)
            for name, instance in self._gone.items()
            if instance.exited_at_s is not None and instance.exited_at_s < now_s - DAY_S
        ]
        for _, name in sorted(old)[:_MOST_REMOVED]:
            launch = LocalNode(self._nodes / name, self._cluster).launch()
            shutil.rmtree(self._nodes / name, ignore_errors=True)
            del self._gone[name]
            if launch is not None:
                link = self._link(launch.token)
                with suppress(OSError):
                    if not any((self._nodes / each).exists() for each in _named_by(link)):
                        link.unlink()

    def _link(self, token: str) -> Path:
        return self._tokens / hashlib.sha256(token.encode()).hexdigest()

    def _node_type(self, offering: Offering) -> NodeType:
        if offering not in self.offerings():
            on_offer = ", ".join(self._types) or "none"
            raise ProviderError(
                f"{offering}: no such local offering; the node types on offer are {on_offer}",
                bought_nothing=True,
            )
        return self._types[offering.node_type]

    def _require_room(self, request: LaunchRequest) -> None:
        """Raises CapacityUnavailable for nodes that would fill this machine's memory."""
        nodes = len(request.node_ids)
        free_bytes = self._free_bytes()
        if free_bytes is None or nodes * _NODE_BYTES <= free_bytes:
            return
        fit = free_bytes // _NODE_BYTES
        self.blocks.block(request.offering, nodes=fit + 1, now_s=self._clock.now_s())
        raise CapacityUnavailable(
            f"{nodes} x {request.offering}: a local node takes {size(_NODE_BYTES)} of memory or "
            f"more, and this machine has {size(free_bytes)} left: wanted at most "
            f"{counted(fit, 'node')}; ask for fewer, or end what else runs here",
            bought_nothing=True,
        )

    def _free_bytes(self) -> int | None:
        """Memory that programs could be given without others being pushed out; None where the
        kernel does not tell."""
        with suppress(OSError):
            for line in self._meminfo.read_text().splitlines():
                name, _, value = line.partition(":")
                if name == "MemAvailable":
                    return int(value.split()[0]) << 10  # the kernel's kB are KiB
        return None

    def _to_be_launched(self, request: LaunchRequest, node_id: str) -> LocalLaunch:
        return LocalLaunch(
            node_id=node_id,
            job_id=request.job_id,
            token=request.token,
            offering=request.offering,
            cpu=self._node_type(request.offering).cpu,
            cgroup=None
            if self._cgroups is None
            else self._cgroups.path(f"{self._cluster}-{node_id}"),
            claimed_at_s=self._clock.now_s(),
        )

    def _spawn(self, node: LocalNode, launch: LocalLaunch, request: LaunchRequest) -> None:
        """Starts the agent, once only, by a short-lived program of its own."""
        node.files.write("agent", self._agent_config(node, launch, request))
        path = node.path
        order = spawn.SpawnOrder(
            lock=str(path / "lock"),
            process=str(path / "process.json"),
            vetoes=[str(path / "stop.json"), str(path / "exit.json")],
            cgroup=None if launch.cgroup is None else str(launch.cgroup),
            argv=[*self._agent_command, "--config", str(path / "agent.json")],
            env=_inherited() | dict(request.env) | dict(marks(launch.node_id, self._cluster)),
            cwd=str(self._cwd),
            log=str(node.files.agent_log),
            launched_at_s=self._clock.now_s(),
        )
        # Isolated and without site packages: it begins in milliseconds, and no file beside it is
        # imported.
        command = (self._python, "-I", "-S", spawn.__file__)
        try:
            if launch.cgroup is not None and self._cgroups is not None:
                self._cgroups.create(launch.cgroup.name, cpu=launch.cpu)
            subprocess.run(
                command,
                input=json.dumps(order).encode(),
                capture_output=True,
                check=True,
                timeout=TRANSFER_TIMEOUT_S,
            )
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise ProviderUnavailable(
                f"{launch.node_id}: its agent could not be started: {said}"
            ) from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ProviderUnavailable(
                f"{launch.node_id}: its agent could not be started: {error}"
            ) from error

    def _agent_config(
        self, node: LocalNode, launch: LocalLaunch, request: LaunchRequest
    ) -> dict[str, object]:
        return request.agent_config(
            checkpoint_root=self._checkpoint_root,
            artifact_root=self._artifact_root,
            lease_s=self._lease_s,
            instance_id=launch.node_id,
            work_dir=str(node.files.work),
            shared_cache=str(self._nodes.parent / "cache"),
            advertise_host="127.0.0.1",
            cpu_quota=launch.cpu if launch.cgroup is None else None,
        )

    def _look(self, name: str, *, now_s: float) -> Instance | None:
        """The node as it is now."""
        node = LocalNode(self._nodes / name, self._cluster)
        instance = node.look(now_s=now_s)
        if instance is not None and instance.state is InstanceState.GONE:
            # It stays gone, so its folder is not read again.
            self._gone[name] = instance
            launch = node.launch()
            if launch is not None and launch.cgroup is not None:
                # It may have been busy when the exit was recorded.
                cgroup.remove(launch.cgroup)
        return instance

    def _is_recent(self, instance: Instance, now_s: float) -> bool:
        return instance.exited_at_s is None or instance.exited_at_s >= now_s - self._gone_visible_s

    def _node(self, provider_id: str) -> LocalNode | None:
        node = LocalNode(self._nodes / provider_id, self._cluster)
        if _NODE_ID.fullmatch(provider_id) and node.path.is_dir():
            return node
        return None


def _named_by(link: Path) -> list[str]:
    """The nodes that a token's link names."""
    return os.readlink(link).split(" ")


def _cluster_of(root: Path) -> str:
    """The root's own name, since another root on this machine may have a node of the same id."""
    path = root / "cluster"
    if path.exists():
        return path.read_text()
    partial = root / f"cluster.{uuid.uuid4().hex}"
    partial.write_text(uuid.uuid4().hex[:12])
    with suppress(FileExistsError):
        # A link fails where the name is taken: of two daemons that begin at once, one name holds
        # for both.
        os.link(partial, path)
    partial.unlink()
    return path.read_text()


def _inherited() -> dict[str, str]:
    """This process's environment without the daemon's configuration (its token, its database)."""
    return {name: value for name, value in os.environ.items() if not name.startswith("ELASTICD_")}
