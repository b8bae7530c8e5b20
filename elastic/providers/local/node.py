"""One local node: reads its state, and ends it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from elastic.durations import GLANCE_S
from elastic.errors import ProviderUnavailable
from elastic.providers.base import Instance, InstanceState
from elastic.providers.local import cgroup
from elastic.providers.local.folder import AgentStart, LocalLaunch, NodeFolder
from elastic.providers.local.process import ProcessId, find_family, is_alive, kill, reap

# A tick waits at most 5 s for processes that do not die at once.
_KILL_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class LocalNode:
    """A node's folder, and the processes that belong to it."""

    folder: NodeFolder
    # Names the provider's root, since other roots may have nodes with the same id.
    cluster: str

    def look(self, *, now_s: float) -> Instance | None:
        """The node as it is now; None if nothing was ever started for it."""
        launch = self.folder.launch()
        start = self.folder.start()
        if launch is None or (start is None and not self.folder.stop.exists()):
            return None
        if start is not None and not self.folder.stop.exists() and is_alive(start.process):
            return _instance(launch, start, InstanceState.RUNNING)
        # Workers whose agent is dead would go on for nothing, so the rest is ended at once.
        if self.folder.exited_at_s() is None:
            self.end(now_s=now_s)
        exited_at_s = self.folder.exited_at_s()
        if exited_at_s is None:
            state = InstanceState.STOPPING
        else:
            state = InstanceState.GONE
        return _instance(launch, start, state, exited_at_s)

    def end(self, *, now_s: float) -> None:
        """Kills every process of the node, and records the exit once none is left."""
        # Two looks in a row must find none: one may miss a child whose parent dies during the look.
        launch = self.folder.launch()
        start = self.folder.start()
        if launch is None:
            return
        looks_without = 0
        for _ in range(_KILL_ROUNDS):
            family = self._family(launch, start)
            if family:
                kill(family, patience_s=GLANCE_S)
                looks_without = 0
            else:
                looks_without += 1
            if looks_without == 2:
                self._bury(launch, start, now_s=now_s)
                return

    def _family(self, launch: LocalLaunch, start: AgentStart | None) -> tuple[ProcessId, ...]:
        try:
            members: tuple[int, ...] = ()
            if launch.cgroup is not None:
                members = cgroup.members(launch.cgroup)
            return find_family(
                None if start is None else start.process,
                marks=marks(launch.node_id, self.cluster),
                members=members,
            )
        except OSError as error:
            raise ProviderUnavailable(
                f"{launch.node_id}: its processes cannot be listed: {error}"
            ) from error

    def _bury(self, launch: LocalLaunch, start: AgentStart | None, *, now_s: float) -> None:
        if start is not None:
            reap(start.process)
        if launch.cgroup is not None:
            cgroup.remove(launch.cgroup)
        self.folder.drop_secrets()
        # A node that never ran costs nothing: it ended when it began.
        self.folder.record_exit(now_s=launch.claimed_at_s if start is None else now_s)


def marks(node_id: str, cluster: str) -> Mapping[str, str]:
    """The environment variables by which a node's processes are found."""
    return {"ELASTICD_NODE_ID": node_id, "ELASTICD_CLUSTER": cluster}


def _instance(
    launch: LocalLaunch,
    start: AgentStart | None,
    state: InstanceState,
    exited_at_s: float | None = None,
) -> Instance:
    return Instance(
        provider_id=launch.node_id,
        node_id=launch.node_id,
        job_id=launch.job_id,
        token=launch.token,
        offering=launch.offering,
        state=state,
        launched_at_s=launch.claimed_at_s if start is None else start.launched_at_s,
        exited_at_s=exited_at_s,
    )
