"""The torchrun command line and environment of an assignment, as pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import elastic.worker
from elastic.agent.settings import AgentSettings
from elastic.agent.steering import WORKERS_END_S
from elastic.agent.worker_start import WorkerStart, workload_module
from elastic.model import Mode
from elastic.protocol import Assignment

FORKED_WORKER = Path(elastic.worker.__file__).with_name("forked.py")
# How often a thread looks for the others before it sleeps. By default it looks for a millisecond.
# Beside a busy neighbour it burns the time that the others need: two threads are then slower than
# one, up to 30 times. So few looks cost nothing on idle cores (benchmarks/core_scaling.py). libgomp
# itself takes as many where threads outnumber cores.
SPIN_COUNT = {"GOMP_SPINCOUNT": "1000"}
FRESH_WORKER = "elastic.worker.begin"
# All three are those of elastic.workloads.torchrun.
RENDEZVOUS_BACKEND = "elasticd"
ALONE = "alone"
CERTIFICATE_FILE = "certificate.pem"
SESSION_STORE_FILE = "session-store"
SAVES_PREFIX = "saves-g"

# keep_alive: two beats are at worst twice the interval apart, and with two attempts a late one has
# split a group in two. last_call: how long a group that could still grow waits for more nodes.
RENDEZVOUS_SETTINGS = "last_call_timeout=5,keep_alive_interval=1,keep_alive_max_attempt=3"


def torchrun_arguments(
    assignment: Assignment, *, way: WorkerStart, settings: AgentSettings
) -> list[str]:
    """The arguments after ``python -m elastic.workloads.torchrun``.

    Where to meet is no part of them: every user of the machine may read a process's arguments.
    """
    return [
        *_group(assignment, mode=way.mode),
        f"--nproc-per-node={assignment.nproc_per_node}",
        f"--rdzv-backend={RENDEZVOUS_BACKEND}",
        f"--local-addr={settings.advertise_host}",
        # One folder per generation, start and worker, in which a worker leaves its last error.
        f"--log-dir={torchrun_dir(settings)}",
        f"--max-restarts={assignment.max_restarts}",
        # After SIGTERM workers have this long. Then torchrun kills them, before the agent kills
        # torchrun.
        f"--shutdown-timeout={int(WORKERS_END_S)}",
        *_worker(is_forked=way.is_preloaded),
        way.kind,
        *way.arguments,
    ]


def _group(assignment: Assignment, *, mode: Mode) -> list[str]:
    """One torchrun per node, all in one group.

    In a session it is a group of this node alone: its workers meet the other nodes' in it.
    """
    if mode is Mode.LIVE:
        return ["--nnodes=1:1"]
    return [
        f"--nnodes={assignment.nnodes_min}:{assignment.nnodes_max}",
        f"--rdzv-conf={RENDEZVOUS_SETTINGS}",
    ]


def _worker(*, is_forked: bool) -> list[str]:
    """What torchrun runs as a worker.

    A forked worker has torch already, because torchrun imported it. The import costs 1.2 to 2 s of
    processor time at every start and restart (benchmarks/agent_start.py).
    """
    # Without the two dashes torchrun takes a script's --n, for example, for an abbreviated option
    # of its own.
    if is_forked:
        return ["--start-method=fork", "--run-path", "--", str(FORKED_WORKER)]
    return ["--module", "--", FRESH_WORKER]


def preloads(command: Sequence[str]) -> list[str]:
    """The modules that the spawner imports before it forks, because every worker would.

    Our workloads keep the imports of their training in a module of that name.

    >>> preloads(["-m", "elastic.workloads.esrgan"])
    ['elastic.workloads.esrgan.training']
    """
    module = workload_module(command)
    # Every torch optimizer imports torch._dynamo when it is made: 1 to 1.5 s
    # (benchmarks/agent_start.py).
    if module:
        return [f"{module}.training"]
    return ["torch._dynamo"]


def torchrun_dir(settings: AgentSettings) -> Path:
    """The folder in which torchrun gives each worker a folder at each start."""
    return settings.work_dir / "torchrun"


def certificate_file(settings: AgentSettings) -> Path:
    """The file of the job's key and certificate, for torchrun and its workers."""
    return settings.work_dir / CERTIFICATE_FILE


def session_store_file(settings: AgentSettings) -> Path:
    """The file in which a session's members find the job's store, whose address may change."""
    return settings.work_dir / SESSION_STORE_FILE


def has_barrier(assignment: Assignment, settings: AgentSettings) -> bool:
    """Whether a folder has to be filled before a worker begins."""
    return settings.storage is not None or assignment.outputs != ()


def saves_file(settings: AgentSettings, generation: int) -> Path:
    """The file of marks of what the job has saved; workers add their own."""
    return settings.work_dir / f"{SAVES_PREFIX}{generation}"


def as_here(assignment: Assignment, *, cores: int, inherited: Mapping[str, str]) -> Assignment:
    """The assignment with no more threads than this machine runs at once.

    The machine may have fewer cores than its node type says.

    A lab's node has a share of a core, which it states in OpenMP's own variable.
    """
    limit = inherited.get("OMP_THREAD_LIMIT", "")
    if limit.isdecimal():
        allowed = int(limit)
    else:
        allowed = assignment.threads
    return replace(
        assignment,
        threads=max(1, min(assignment.threads, allowed, cores // assignment.nproc_per_node)),
    )


def torchrun_environment(
    assignment: Assignment,
    *,
    settings: AgentSettings,
    node_id: str,
    drain_file: Path,
    inherited: Mapping[str, str],
    interface: str = "",
    outfit: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """The whole environment of torchrun and its workers; the job's variables override the node's.

    `outfit` names what was prepared for the job. Other nodes reach this one by `interface`; empty:
    not known.
    """
    # gloo would take the address that this machine's name leads to. On Debian and Ubuntu that is
    # 127.0.1.1, where no other node finds it.
    gloo = {"GLOO_SOCKET_IFNAME": interface} if interface else {}
    rate = assignment.interruptions_per_h
    # The rate is the whole group's, if all nodes were like this one.
    mode = assignment.mode
    alike = assignment.nnodes_max * assignment.nproc_per_node
    return {
        **gloo,
        **inherited,
        "OMP_NUM_THREADS": str(assignment.threads),
        **SPIN_COUNT,
        "PYTHONUNBUFFERED": "1",
        **settings.env,
        **outfit,
        **assignment.env,
        # torch's own store for workers is open to everybody, and with it a node that joins ends
        # every agent after 60 s. elastic.workloads.torchrun serves another.
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
        "ELASTICD_RDZV_ENDPOINT": assignment.rdzv_endpoint if mode is Mode.RESTART else ALONE,
        "ELASTICD_RDZV_ID": assignment.rdzv_id,
        "ELASTICD_CERTIFICATE": str(certificate_file(settings)),
        "ELASTICD_SOCKET": str(settings.socket_path),
        "ELASTICD_DRAIN_FILE": str(drain_file),
        "ELASTICD_LOG": str(settings.log_dir / f"g{assignment.generation}"),
        "ELASTICD_SAVES": str(saves_file(settings, assignment.generation)),
        "ELASTICD_BATCH": assignment.batch or "",
        "ELASTICD_CHECKPOINT_DIR": str(settings.checkpoint_root / assignment.checkpoint_dir),
        "ELASTICD_ARTIFACT_DIR": str(settings.artifact_root / assignment.artifact_dir),
        "ELASTICD_JOB_ID": assignment.job_id,
        "ELASTICD_NODE_ID": node_id,
        "ELASTICD_GENERATION": str(assignment.generation),
        # A script may train in a session or not by whether it is given a store: in mode restart
        # there is none.
        "ELASTICD_SESSION_STORE": str(session_store_file(settings)) if mode is Mode.LIVE else "",
        "ELASTICD_SESSION_HOST": settings.advertise_host,
        # In a session each member reports its own rate, and members come and go. The group's rate
        # is their sum. The workers of one node share its rate.
        "ELASTICD_SESSION_LOSSES_PER_H": "" if rate is None else f"{rate / alike:.6g}",
        "ELASTICD_ROUNDS": str(settings.rounds_path) if mode is Mode.LIVE else "",
        "ELASTICD_INTERRUPTIONS_PER_H": "" if rate is None else f"{rate:.6g}",
        # Empty where no folder needs filling: one that was inherited would be another node's.
        "ELASTICD_BARRIER": str(settings.barrier_path) if has_barrier(assignment, settings) else "",
    }
