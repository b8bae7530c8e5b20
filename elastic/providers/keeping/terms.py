"""What all nodes on machines of one's own are told, and whose they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from elastic.durations import ANSWER_TIMEOUT_S, DRAIN_GRACE_S, LEASE_S, LONGEST_RETRY_S, REGISTER_S
from elastic.providers.base import LaunchRequest

# At rest, machines change only if others use them, or if they go away. They are asked as often as
# one that is away.
REST_LOOK_S = LONGEST_RETRY_S
# A host answers within milliseconds, and Slurm's controller within a second. A host gives
# nvidia-smi, which may hang, the usual time for an answer, and needs some of its own.
ANSWER_S = 2 * ANSWER_TIMEOUT_S


@dataclass(frozen=True, slots=True)
class NodeTerms:
    """What all nodes are told, whatever they run."""

    checkpoint_root: str
    artifact_root: str
    lease_s: float = LEASE_S
    register_s: float = REGISTER_S
    # The agent's time beyond its lease to end by itself, as on EC2.
    grace_s: float = DRAIN_GRACE_S
    package_index: str | None = None
    # What the agent is run by; None: by the Python that has elasticd.
    agent_command: Sequence[str] | None = None

    def agent_config(self, request: LaunchRequest, **own: object) -> dict[str, object]:
        """The configuration of a node's agent, as far as it is known before its machine is."""
        return request.agent_config(
            checkpoint_root=self.checkpoint_root,
            artifact_root=self.artifact_root,
            lease_s=self.lease_s,
            **own,
        )

    def order(
        self, request: LaunchRequest, *, python: str | None, wheel: str, environment: str
    ) -> dict[str, object]:
        """What a node's keeper is told; `python` is one that has elasticd, None if none has."""
        return {
            "python": python or ("" if self.agent_command else None),
            "agent_command": self.agent_command and list(self.agent_command),
            "wheel": wheel,
            "environment": environment,
            "packages": packages(self.package_index),
            "lease_s": self.lease_s,
            "grace_s": self.grace_s,
            "boot_s": self.register_s,
            "env": dict(request.env),
        }


@dataclass(frozen=True, slots=True)
class Cluster:
    """Whose nodes they are: the name in every claim, and the daemon's place for people."""

    name: str
    place: str


def packages(index: str | None) -> Mapping[str, str]:
    """The variables that tell pip and uv where packages are: in `index`, or torch's own."""
    if index is None:
        return {"UV_TORCH_BACKEND": "auto"}
    host = index.partition("://")[2].partition("/")[0].rpartition("@")[2]
    return {"PIP_INDEX_URL": index, "UV_DEFAULT_INDEX": index, "PIP_TRUSTED_HOST": host}
