"""The reply to a heartbeat: what the node must run, whether it must go, and how long it may
live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from elastic.model import (
    Generation,
    Job,
    JobPhase,
    JobSpec,
    Node,
    NodePhase,
    Offering,
    interruptions_per_h,
)
from elastic.protocol import Assignment, HeartbeatReply


@dataclass(frozen=True, slots=True)
class JobFolders:
    """Where a job keeps its checkpoints, its artifacts and its outputs."""

    root: Path

    def checkpoints(self, job_id: str) -> Path:
        return self.root / job_id / "checkpoints"

    def artifacts(self, job_id: str) -> Path:
        return self.root / job_id / "artifacts"

    def outputs(self, job_id: str) -> Path:
        return self.root / job_id / "outputs"


def reply_for(
    node: Node,
    job: Job,
    generation: Generation | None,
    *,
    stored_iteration: int | None = None,
    saves: Mapping[str, int] | None = None,
    certificate: str = "",
    env: Mapping[str, str] | None = None,
    lease_s: float,
    acked_seq: int = 0,
) -> HeartbeatReply:
    """Gives the reply to a node's heartbeat as the recorded facts stand.

    `env` are the job's variables with their secrets opened; None if it has no secrets.
    """
    if node.phase is NodePhase.TERMINATING or node.phase.is_gone or job.phase.is_final:
        return HeartbeatReply(lease_s, acked_seq, shutdown=True)
    if generation is None or job.phase is JobPhase.DRAINING or not _has_part_in(generation, node):
        return HeartbeatReply(
            lease_s, acked_seq, needs_signal=generation is not None and generation.hangs
        )
    assignment = _assignment(
        job,
        generation,
        node,
        stored_iteration=stored_iteration,
        saves=saves or {},
        certificate=certificate,
        env=job.spec.env if env is None else env,
    )
    return HeartbeatReply(lease_s, acked_seq, assignment)


def _has_part_in(generation: Generation, node: Node) -> bool:
    return (
        node.id in generation.node_ids
        and generation.drain_at_s is None
        and generation.ended_at_s is None
    )


def _assignment(
    job: Job,
    generation: Generation,
    node: Node,
    *,
    stored_iteration: int | None,
    saves: Mapping[str, int],
    certificate: str,
    env: Mapping[str, str],
) -> Assignment:
    """The assignment of a node.

    The interruption rate assumes that all members are bought as this node is. They differ only in a
    session, where each member reports its own.
    """
    folders = JobFolders(Path())  # below the root that the node was started with
    nnodes = len(generation.node_ids)
    return Assignment(
        job_id=job.id,
        generation=generation.number,
        command=job.spec.command,
        env=_environment(env, job.spec, node.offering),
        nnodes_min=min(job.spec.nodes_min, nnodes),
        nnodes_max=nnodes,
        nproc_per_node=node.workers.processes,
        threads=node.workers.threads,
        world_size=generation.world_size,
        rdzv_endpoint=generation.rdzv_endpoint,
        rdzv_id=f"{job.id}-g{generation.number}",
        certificate=certificate,
        drain_grace_s=job.spec.drain_grace_s,
        checkpoint_dir=str(folders.checkpoints(job.id)),
        artifact_dir=str(folders.artifacts(job.id)),
        output_dir=str(folders.outputs(job.id)),
        # A workload of elasticd writes nothing into its working folder.
        outputs=job.spec.outputs if job.spec.workload is None else (),
        mode=job.spec.mode,
        preload=job.spec.preload,
        interruptions_per_h=interruptions_per_h([node.offering] * nnodes),
        stored_iteration=stored_iteration,
        batch=job.spec.batch,
        saves=saves,
    )


def _environment(env: Mapping[str, str], spec: JobSpec, offering: Offering) -> dict[str, str]:
    """The job's own variables, its precision, and what a session must know of this node type's
    memory."""
    environment = dict(env)
    if spec.precision is not None:
        environment["ELASTICD_PRECISION"] = spec.precision
    if (most := spec.most_samples.get(offering.node_type)) is not None:
        environment["ELASTICD_SESSION_MOST_SAMPLES"] = str(most)
    return environment
