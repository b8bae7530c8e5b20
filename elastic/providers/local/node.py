"""One local node: its folder, by which any daemon, even a restarted one, knows it, and its end.

- `launch.json`: what was bought, with which token. It exists as soon as the folder does.
- `agent.json`: the agent's configuration, with the join token, for the owner only. It is written
  before each attempt to start the agent.
- `process.json`: the agent's process. It exists as soon as the process does (see `spawn`).
- `stop.json`: the node's end was asked for.
- `exit.json`: the node is gone, and when. The first one that proves it writes it.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elastic.errors import ProviderUnavailable
from elastic.model import Offering
from elastic.protocol import from_json, to_json
from elastic.providers.base import Instance, InstanceState
from elastic.providers.keeping import NodeFiles, is_alive, make_once, reap
from elastic.providers.local import cgroup


@dataclass(frozen=True, slots=True)
class LocalLaunch:
    """What was bought."""

    node_id: str
    job_id: str
    token: str
    offering: Offering
    # In cores.
    cpu: float
    # The control group that limits it to these; None: the agent does.
    cgroup: Path | None
    # When the token was first used; the agent may have started later, or never.
    claimed_at_s: float


@dataclass(frozen=True, slots=True)
class LocalNode:
    """A node's folder, which exists as a whole or not at all, and its processes."""

    path: Path
    # Names the provider's root, since other roots may have nodes with the same id.
    cluster: str

    @property
    def files(self) -> NodeFiles:
        return NodeFiles(self.path)

    @property
    def is_stopped(self) -> bool:
        """Whether the node's end was asked for."""
        return self.files.has("stop")

    @property
    def is_started(self) -> bool:
        """Whether its agent was ever started."""
        return self._record("process") is not None

    def create(self, launch: LocalLaunch) -> None:
        """Makes the folder in one step, unless another daemon has made it."""
        # Filled beside and renamed: the folder is complete as soon as it exists.
        beside = tempfile.mkdtemp(prefix=f".{launch.node_id}.", dir=self.path.parent)
        partial = NodeFiles(Path(beside))
        partial.agent_log.parent.mkdir(parents=True)
        partial.write("launch", to_json(launch))
        try:
            partial.path.rename(self.path)
        except OSError:
            shutil.rmtree(partial.path)
            if not self.path.is_dir():
                raise

    def launch(self) -> LocalLaunch | None:
        """What was bought; None if there is no such node."""
        record = self._record("launch")
        return None if record is None else from_json(LocalLaunch, record)

    def exited_at_s(self) -> float | None:
        """When the node was gone; None until that is proven."""
        record = self._record("exit")
        return None if record is None else float(record["exited_at_s"])

    def stop(self, *, now_s: float) -> None:
        """Records that the node's end was asked for; after this its agent is never started."""
        self.files.write("stop", {"asked_at_s": now_s})
        with open(self.path / "lock", "a") as lock:
            # A start in progress holds the lock until it is recorded. Later ones see the stop.
            fcntl.flock(lock, fcntl.LOCK_EX)

    def look(self, *, now_s: float) -> Instance | None:
        """The node as it is now; None if nothing was ever started for it."""
        launch = self.launch()
        start = self._record("process")
        if launch is None or (start is None and not self.is_stopped):
            return None
        process = self.files.process()
        state = InstanceState.RUNNING
        exited_at_s = None
        if self.is_stopped or process is None or not is_alive(process):
            # Workers whose agent is dead would go on for nothing, so the rest is ended at once.
            if self.exited_at_s() is None:
                self.end(now_s=now_s)
            exited_at_s = self.exited_at_s()
            state = InstanceState.STOPPING if exited_at_s is None else InstanceState.GONE
        return Instance(
            provider_id=launch.node_id,
            node_id=launch.node_id,
            job_id=launch.job_id,
            token=launch.token,
            offering=launch.offering,
            state=state,
            launched_at_s=launch.claimed_at_s if start is None else start["launched_at_s"],
            exited_at_s=exited_at_s,
        )

    def end(self, *, now_s: float) -> None:
        """Kills every process of the node, and records the exit once none is left."""
        launch = self.launch()
        if launch is None:
            return
        group = launch.cgroup
        try:
            is_over = self.files.end_processes(
                marks(launch.node_id, self.cluster),
                members=lambda: () if group is None else cgroup.members(group),
            )
        except (OSError, ValueError) as error:
            raise ProviderUnavailable(
                f"{launch.node_id}: its processes cannot be listed: {error}"
            ) from error
        if is_over:
            self._bury(launch, now_s=now_s)

    def _bury(self, launch: LocalLaunch, *, now_s: float) -> None:
        process = self.files.process()
        if process is not None:
            reap(process)
        if launch.cgroup is not None:
            cgroup.remove(launch.cgroup)
        # Only a living node needs these: tokens, the job's key, its secrets, disk space. What
        # workers' errors say may quote a secret.
        for name in ("agent.json", "work/agent.json", "work/certificate.pem", "work/reserve"):
            (self.path / name).unlink(missing_ok=True)
        shutil.rmtree(self.files.work / "torchrun", ignore_errors=True)
        # A node that never ran costs nothing: it ended when it began.
        exited_at_s = launch.claimed_at_s if process is None else now_s
        make_once(self.path / "exit.json", {"exited_at_s": exited_at_s})

    def _record(self, name: str) -> dict[str, Any] | None:
        try:
            return self.files.read(name)
        except (OSError, ValueError) as error:
            raise ProviderUnavailable(
                f"{self.path}: wanted the record of a local node, found a file that cannot be read "
                f"({error}); if no process of that node is left, move its folder away"
            ) from error


def marks(node_id: str, cluster: str) -> Mapping[str, str]:
    """The environment variables by which a node's processes are found."""
    return {"ELASTICD_NODE_ID": node_id, "ELASTICD_CLUSTER": cluster}
