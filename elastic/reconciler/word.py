"""The only word a node ever hears: what it is to run, whether it is to go, how long it may live on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from elastic.model import (
    Batch,
    Generation,
    Job,
    JobPhase,
    JobSpec,
    Node,
    NodePhase,
    Offering,
    Tier,
    interruptions_per_h,
)


@dataclass(frozen=True, slots=True)
class Assignment:
    """One generation as a member is told to run it; `command` is the argv after torchrun's own options.

    `nproc_per_node` workers run on this very node, each on `threads` threads; `world_size` counts all members'.
    `stored_iteration` is that of the newest checkpoint that is stored, None if none is, or the node has begun.
    `outputs` are the globs of what is carried home to `output_dir`, None for everything new. `saves`
    are marks of files that the script saved, each with the iterations done by then; none once the node has begun.
    `max_restarts` is torchrun's: it would start a script again without a look at why it ended, the daemon looks first.
    """

    job_id: str
    generation: int
    command: tuple[str, ...]
    env: Mapping[str, str]
    nnodes_min: int
    nnodes_max: int
    nproc_per_node: int
    threads: int
    world_size: int
    rdzv_endpoint: str
    rdzv_id: str
    drain_grace_s: float
    checkpoint_dir: str
    artifact_dir: str
    output_dir: str
    outputs: tuple[str, ...] | None
    max_restarts: int = 0
    tier: Tier = Tier.T1
    interruptions_per_h: float | None = None
    stored_iteration: int | None = None
    batch: Batch | None = None
    saves: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Word:
    """The reply to a heartbeat: no assignment means to drain and wait, with `needs_signal` to end workers at once."""

    lease_s: float
    assignment: Assignment | None = None
    shutdown: bool = False
    needs_signal: bool = False


@dataclass(frozen=True, slots=True)
class JobFolders:
    """Where a job keeps its checkpoints, what people look at, and the outputs of its working folder."""

    root: Path

    def checkpoints(self, job_id: str) -> Path:
        return self.root / job_id / "checkpoints"

    def artifacts(self, job_id: str) -> Path:
        return self.root / job_id / "artifacts"

    def outputs(self, job_id: str) -> Path:
        return self.root / job_id / "outputs"


def word_for(
    node: Node,
    job: Job,
    generation: Generation | None,
    *,
    stored_iteration: int | None = None,
    saves: Mapping[str, int] | None = None,
    lease_s: float,
) -> Word:
    """Gives the word for a node as the recorded facts stand."""
    if node.phase is NodePhase.TERMINATING or node.phase.is_gone or job.phase.is_final:
        return Word(lease_s=lease_s, shutdown=True)
    if generation is None or job.phase is JobPhase.DRAINING or not _has_part_in(generation, node):
        return Word(lease_s=lease_s, needs_signal=generation is not None and generation.hangs)
    return Word(lease_s=lease_s, assignment=_assignment(job, generation, node, stored_iteration, saves or {}))


def _has_part_in(generation: Generation, node: Node) -> bool:
    return node.id in generation.node_ids and generation.drain_at_s is None and generation.ended_at_s is None


def _assignment(
    job: Job, generation: Generation, node: Node, stored_iteration: int | None, saves: Mapping[str, int]
) -> Assignment:
    """The node's offering stands for all members': they differ in a session alone, where each says its own."""
    folders = JobFolders(Path())  # below the root that the node was started with
    nnodes = len(generation.node_ids)
    return Assignment(
        job_id=job.id,
        generation=generation.number,
        command=job.spec.command,
        env=_environment(job.spec, node.offering),
        nnodes_min=min(job.spec.nodes_min, nnodes),
        nnodes_max=nnodes,
        nproc_per_node=node.workers.processes,
        threads=node.workers.threads,
        world_size=generation.world_size,
        rdzv_endpoint=generation.rdzv_endpoint,
        rdzv_id=f"{job.id}-g{generation.number}",
        drain_grace_s=job.spec.drain_grace_s,
        checkpoint_dir=str(folders.checkpoints(job.id)),
        artifact_dir=str(folders.artifacts(job.id)),
        output_dir=str(folders.outputs(job.id)),
        # What elasticd brings along writes nothing beside itself.
        outputs=job.spec.outputs if job.spec.workload is None else (),
        tier=job.spec.tier,
        interruptions_per_h=interruptions_per_h([node.offering] * nnodes),
        stored_iteration=stored_iteration,
        batch=job.spec.batch,
        saves=saves,
    )


def _environment(spec: JobSpec, offering: Offering) -> dict[str, str]:
    """The job's own variables, its precision, and what a session must know of this node type's memory."""
    environment = dict(spec.env)
    if spec.precision is not None:
        environment["ELASTICD_PRECISION"] = spec.precision
    if (most := spec.most_samples.get(offering.node_type)) is not None:
        environment["ELASTICD_SESSION_MOST_SAMPLES"] = str(most)
    return environment
