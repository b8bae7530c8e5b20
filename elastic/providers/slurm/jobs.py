"""Jobs of Slurm as nodes: what stands in a job's comment, and what its state means."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from elastic.errors import InvalidInput
from elastic.model import Capacity, Obstacle, Offering
from elastic.protocol import from_json
from elastic.providers.base import Instance, InstanceState

# Job or array task, state, why it waits, start, end, nodes, name, comment: the last one may hold
# anything.
SQUEUE = "%i|%T|%r|%S|%e|%N|%j|%k"
SQUEUE_FIELDS = 8
NAME = "elasticd"

_STATES: Mapping[str, InstanceState] = {
    "PENDING": InstanceState.PENDING,
    "CONFIGURING": InstanceState.PENDING,
    "RUNNING": InstanceState.RUNNING,
    "SUSPENDED": InstanceState.RUNNING,
    "STOPPED": InstanceState.RUNNING,
    "RESIZING": InstanceState.RUNNING,
    "SIGNALING": InstanceState.RUNNING,
    "COMPLETING": InstanceState.STOPPING,
    "STAGE_OUT": InstanceState.STOPPING,
    "CANCELLED": InstanceState.GONE,
    "COMPLETED": InstanceState.GONE,
    "BOOT_FAIL": InstanceState.GONE,
    "DEADLINE": InstanceState.GONE,
    "FAILED": InstanceState.GONE,
    "NODE_FAIL": InstanceState.GONE,
    "OUT_OF_MEMORY": InstanceState.GONE,
    "PREEMPTED": InstanceState.GONE,
    "TIMEOUT": InstanceState.GONE,
    "REVOKED": InstanceState.GONE,
}
_BECAUSE = {
    "CANCELLED": "it was cancelled by somebody (scancel)",
    "PREEMPTED": "Slurm gave its node to jobs that go first",
    "TIMEOUT": "its time limit was reached",
    "NODE_FAIL": "its node failed",
    "BOOT_FAIL": "its node did not boot",
    "OUT_OF_MEMORY": "it needed more memory than its job had",
    "DEADLINE": "its deadline was reached",
}
# Reasons for which a job waits for its turn, and which pass by themselves (squeue's manual, JOB
# REASON CODES). Others than these and limits need a person.
_PATIENT = frozenset(
    (
        *("None", "Priority", "Resources", "BeginTime", "Cleaning", "Prolog", "Dependency"),
        *("Reservation", "ReqNodeNotAvail", "NodeDown", "Licenses", "SystemFailure"),
        *("BurstBufferResources", "BurstBufferStageIn", "JobArrayTaskLimit"),
        # Not a code, but what squeue says while all nodes are busy for others or out of service.
        "Nodes required for job are DOWN",
    )
)


@dataclass(frozen=True, slots=True)
class JobLabel:
    """What elasticd writes into a job's comment: whose it is, and which nodes it was sent for."""

    cluster: str
    job_id: str
    token: str
    node_type: str
    capacity: str
    node_ids: tuple[str, ...]
    launched_at_s: float

    @property
    def offering(self) -> Offering:
        return Offering(self.node_type, Capacity(self.capacity))

    @property
    def comment(self) -> str:
        return json.dumps({NAME: 1} | asdict(self), separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class SlurmJob:
    """One job, or one task of an array, that is a node of ours."""

    id: str
    state: str
    reason: str
    started_at_s: float | None
    ended_at_s: float | None
    nodes: str
    # None: the name says that it is ours, and the comment was lost.
    label: JobLabel | None

    @property
    def provider_id(self) -> str:
        return f"slurm-{self.id}"

    @property
    def node_id(self) -> str:
        """The node that it is: a task of an array is the node of its number."""
        if self.label is None:
            return ""
        task = self.id.partition("_")[2] or "0"
        if task.isdigit() and int(task) < len(self.label.node_ids):
            return self.label.node_ids[int(task)]
        return ""

    @property
    def instance_state(self) -> InstanceState:
        # What an unknown state means costs money until it is known.
        return _STATES.get(self.state, InstanceState.RUNNING)

    @property
    def is_queued(self) -> bool:
        return self.state == "PENDING"

    @property
    def obstacle(self) -> Obstacle | None:
        """What keeps it waiting that does not pass by itself; None while it waits for its turn."""
        reason = self.reason.partition(",")[0].strip("()")
        if not self.is_queued or reason in _PATIENT:
            return None
        if reason.startswith(("QOS", "Assoc", "QOSMax", "MaxJobs")):
            return Obstacle.QUOTA
        if reason in ("PartitionDown", "PartitionInactive"):
            # Such as before maintenance: other partitions may take it, and this one later.
            return Obstacle.CAPACITY
        return Obstacle.FORBIDDEN

    @property
    def because(self) -> str:
        """Why it ended, by Slurm's word; empty if it ended by itself in good order."""
        if self.state in _BECAUSE:
            return _BECAUSE[self.state]
        if self.state == "FAILED":
            return "its agent failed"
        return ""


def read_jobs(rows: Iterable[Sequence[str]], *, cluster: str) -> tuple[SlurmJob, ...]:
    """The jobs among squeue's rows that are nodes of this cluster's daemons."""
    found = []
    for row in rows:
        job = _job(row)
        if job is None or (job.label is None and row[6] != job_name(cluster)):
            continue
        if job.label is None or job.label.cluster == cluster:
            found.append(job)
    return tuple(found)


def job_name(cluster: str) -> str:
    """The name of all jobs of a cluster: it tells them apart where their comment is lost."""
    return f"{NAME}-{cluster}"


def instances_of(
    jobs: Iterable[SlurmJob], *, because: Mapping[str, str], now_s: float
) -> tuple[Instance, ...]:
    """Every job as an instance. `because`: why some of them ended, where more is known.

    A node is the first job that was sent for it. A second one, sent after an answer was lost, gets
    a token of no launch, so that it is ended as an orphan.
    """
    found: list[Instance] = []
    nodes: set[tuple[str, str]] = set()
    for job in sorted(jobs, key=_age):
        instance = _instance(job, because.get(job.provider_id), now_s=now_s)
        key = instance.token, instance.node_id
        if key in nodes:
            instance = replace(instance, node_id="", token=f"{instance.token}:second:{job.id}")
        nodes.add(key)
        found.append(instance)
    return tuple(found)


def _age(job: SlurmJob) -> tuple[int, ...]:
    return tuple(int(part) for part in job.id.split("_") if part.isdigit())


def _instance(job: SlurmJob, because: str | None, *, now_s: float) -> Instance:
    state = job.instance_state
    label = job.label
    launched_at_s = now_s
    if label is not None:
        launched_at_s = label.launched_at_s
    never_ran = state is InstanceState.GONE and not job.nodes
    billed_from_s = job.started_at_s
    if job.is_queued:
        # A job in the queue costs nothing up to now.
        billed_from_s = now_s
    exited_at_s = None
    if state is InstanceState.GONE:
        exited_at_s = max(job.ended_at_s or launched_at_s, launched_at_s)
        billed_from_s = exited_at_s if never_ran else billed_from_s
    why = ""
    if state in (InstanceState.GONE, InstanceState.STOPPING):
        why = job.because if because is None else because
    return Instance(
        provider_id=job.provider_id,
        node_id=job.node_id,
        job_id="" if label is None else label.job_id,
        token=f"none:{job.id}" if label is None else label.token,
        offering=Offering("unknown") if label is None else label.offering,
        state=state,
        launched_at_s=launched_at_s,
        exited_at_s=exited_at_s,
        billed_from_s=None if billed_from_s is None else max(billed_from_s, launched_at_s),
        never_ran=never_ran,
        ended_because=why,
        was_taken=job.state == "PREEMPTED",
        is_queued=job.is_queued,
    )


def _job(row: Sequence[str]) -> SlurmJob | None:
    number, state, reason, start, end, nodes, name, comment = row
    if not name.startswith(NAME):
        return None
    return SlurmJob(
        number, state, reason, _instant(start), _instant(end), nodes.strip(), _label(comment)
    )


def _label(comment: str) -> JobLabel | None:
    try:
        told = json.loads(comment)
        return from_json(JobLabel, told) if NAME in told else None
    except (ValueError, TypeError, InvalidInput):
        return None


def _instant(text: str) -> float | None:
    if text.isdigit():
        return float(text)
    return None
