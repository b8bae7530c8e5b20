"""The provider whose machines are jobs of Slurm, each of one node that runs our agent."""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
import threading
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from elastic.clock import Clock, SystemClock
from elastic.config import SlurmSettings
from elastic.distribution import Wheel
from elastic.durations import DAY_S, GONE_LISTED_S, HEARTBEAT_S, MINUTE_S, TICK_S
from elastic.errors import CapacityUnavailable, ProviderError, ProviderUnavailable
from elastic.figures import counted, duration
from elastic.model import Means, NodeType, Obstacle, Offering, WayIn
from elastic.providers.base import Instance, InstanceState, LaunchRequest, Trouble
from elastic.providers.blocks import Blocks
from elastic.providers.keeping import (
    REST_LOOK_S,
    Cluster,
    NodeFiles,
    NodeTerms,
    PackedProgram,
    last_line,
    pack,
    write_whole,
)
from elastic.providers.slurm.aside import Aside
from elastic.providers.slurm.batch import options, script
from elastic.providers.slurm.cluster import (
    NodeGroup,
    SlurmConfig,
    SlurmPartition,
    read_config,
    read_nodes,
    read_partitions,
)
from elastic.providers.slurm.commands import SlurmCommands
from elastic.providers.slurm.jobs import (
    SQUEUE,
    SQUEUE_FIELDS,
    JobLabel,
    SlurmJob,
    instances_of,
    read_jobs,
)
from elastic.providers.slurm.memory import JobMemory
from elastic.providers.slurm.node_types import SlurmNodeType, lacking, node_types

# Agents report their own end, so the queue need not be asked at each tick.
LOOK_S = 2 * TICK_S
# A partition that was down, or had other nodes, is one that a person has changed.
_CONFIG_LOOK_S = 5 * MINUTE_S
_PROVIDER_ID = re.compile(r"slurm-\d+(_\d+)?")


class SlurmProvider:
    """Sends a job for each node, and knows it by the job's comment.

    Slurm is asked in a thread, so that a controller that hangs holds no tick up: a look that takes
    longer is taken up by a later tick.
    """

    name = "slurm"
    minimum_billed_s = 0.0
    # The lock of the data folder keeps other daemons of this cluster out.
    lease_register = None

    def __init__(
        self,
        settings: SlurmSettings,
        *,
        commands: SlurmCommands,
        cluster: Cluster,
        memory: Path,
        terms: NodeTerms,
        clock: Clock,
        wheel: Wheel | None = None,
        look_s: float = LOOK_S,
    ) -> None:
        """`memory`: the file that keeps what Slurm forgets. `look_s`: how old a look may be."""
        self.blocks = Blocks()
        self._settings = settings
        self._slurm = commands
        self._cluster = cluster
        self._terms = terms
        self._clock = clock
        self._wheel = wheel
        self._look_s = look_s
        self._folder = settings.folder.expanduser().absolute()
        self._memory = JobMemory(memory)
        self._memory.read()
        self._queue = Aside(self._squeue)
        self._nodes = Aside(self._read_nodes)
        self._looked_at_s: float | None = None
        self._is_stale = True
        self._config: SlurmConfig | None = None
        self._partitions: Mapping[str, SlurmPartition] = {}
        self._config_at_s: float | None = None
        self._types: dict[Offering, SlurmNodeType] = {}
        self._types_at_s: float | None = None
        # Why jobs ended, where that is known for good.
        self._because: dict[str, str] = {}
        # Jobs that were ended because no node was free for them, or a limit was reached.
        self._without_room: set[str] = set()
        self._lock = threading.RLock()

    def node_types(self) -> tuple[NodeType, ...]:
        found = {each.machine.name: each.machine for each in self._known_types().values()}
        return tuple(found.values())

    def offerings(self) -> tuple[Offering, ...]:
        return tuple(self._known_types())

    def prices(self) -> Mapping[Offering, float]:
        """What each offering costs, USD an hour, by the settings or by Slurm's billing units."""
        return {offering: each.usd_per_h for offering, each in self._known_types().items()}

    def launch(self, request: LaunchRequest) -> tuple[Instance, ...]:
        with self._lock:
            self._look_now()
            found = self._memory.with_token(request.token)
            if not found:
                self._submit(request)
                self._look_now()
                found = self._memory.with_token(request.token)
            if not found:
                raise ProviderUnavailable(
                    f"{request.offering}: its job is not listed yet; launch it again"
                )
            label = next(iter(found.values())).label
            assert label is not None
            instances = {each.provider_id: each for each in self._instances()}
            missing = [each for each in label.node_ids if each not in found]
            if missing:
                raise ProviderUnavailable(
                    f"{request.offering}: the jobs of {', '.join(missing)} are not listed yet"
                )
            return tuple(instances[found[each].provider_id] for each in label.node_ids)

    def instances(self) -> tuple[Instance, ...]:
        with self._lock:
            now_s = self._clock.now_s()
            self._look(now_s)
            self._end_what_never_starts(now_s)
            with suppress(ProviderError):
                self._block_what_is_not_free(now_s)
            return tuple(
                each
                for each in self._instances()
                if each.exited_at_s is None or each.exited_at_s >= now_s - GONE_LISTED_S
            )

    def keep_alive(self, provider_ids: Collection[str], *, now_s: float) -> None:
        """Does nothing: no reaper ends jobs but Slurm, at their time limit."""

    def terminate(self, provider_id: str, *, now_s: float) -> None:
        with self._lock:
            if not _PROVIDER_ID.fullmatch(provider_id):
                return
            job = self._memory.jobs.get(provider_id.removeprefix("slurm-"))
            if job is None:
                # Another daemon of this cluster may have sent it since the last look.
                self._look_now()
                job = self._memory.jobs.get(provider_id.removeprefix("slurm-"))
            if job is None or job.instance_state is InstanceState.GONE:
                return
            self._end(job, now_s=now_s)

    def prove_end(self, provider_id: str) -> None:
        """Slurm lets a user cancel its own jobs: that it answers is enough."""
        with self._lock:
            self._look(self._clock.now_s())

    def console(self, provider_id: str) -> str:
        folder = self.log_path(provider_id)
        if folder is None:
            return ""
        # A job's number is in the names of its own files only.
        files = [*self._folder.glob(f"slurm-{provider_id.removeprefix('slurm-')}.log")]
        files.append(Path(folder) / "agent.log")
        texts = []
        for each in files:
            with suppress(OSError):
                texts.append(each.read_text(errors="replace")[-4000:])
        return "".join(texts)

    def troubles(self) -> Mapping[Trouble, str]:
        found = {each.asks.name for each in self._types.values()}
        told = [lacking(each) for each in self._settings.types if each.name not in found]
        if self._types_at_s is None or not told:
            return {}
        look = "sinfo -o '%P %N %f'"
        return {Trouble.NOT_SOLD: f"slurm.types: {'; '.join(told)}; correct them by `{look}`"}

    def log_path(self, provider_id: str) -> str | None:
        job = self._memory.jobs.get(provider_id.removeprefix("slurm-"))
        if job is None or not job.node_id:
            return None
        return str(self._node(job.node_id).path)

    def way_in(self, provider_id: str, *, node_id: str) -> WayIn | None:
        job = self._memory.jobs.get(provider_id.removeprefix("slurm-"))
        # The node itself writes where it is, and the number that srun knows its job by. That shows
        # that it runs, too: the queue may have been looked at before it began.
        place = self._node(node_id).read("place")
        if job is None or place is None or job.instance_state is InstanceState.GONE:
            return None
        return WayIn(
            Means.SLURM,
            target=str(place["job"]),
            folder=shlex.quote(str(place["work"])),
            marks={"ELASTICD_NODE_ID": node_id, "ELASTICD_CLUSTER": self._cluster.name},
        )

    @property
    def calls(self) -> Mapping[str, int]:
        """How often each of Slurm's commands was run."""
        return self._slurm.counts

    # What Slurm says.

    def _squeue(self) -> list[list[str]]:
        command = ("squeue", "--me", "-h", "-r", "-a", "-t", "all", "-o", SQUEUE)
        return self._slurm.rows(*command, fields=SQUEUE_FIELDS)

    def _look(self, now_s: float) -> None:
        """Takes in the queue as it is now, unless that was done lately."""
        age_s = REST_LOOK_S
        if self._looked_at_s is not None:
            age_s = abs(now_s - self._looked_at_s)
        if not self._is_stale and age_s < self._patience_s():
            return
        rows = self._queue.answer(within_s=HEARTBEAT_S)
        if rows is not None:
            self._take_in(rows, now_s=now_s)
        elif age_s >= REST_LOOK_S:
            # What was seen last is true for that long, and no longer.
            raise ProviderUnavailable(
                f"squeue: wanted the queue within {duration(REST_LOOK_S)}, got no answer; look at "
                "`scontrol ping`"
            )

    def _look_now(self) -> None:
        """Takes in the queue as it is after what was just done."""
        self._queue.drop()
        self._take_in(self._squeue(), now_s=self._clock.now_s())

    def _take_in(self, rows: Sequence[Sequence[str]], *, now_s: float) -> None:
        seen = [self._shifted(each) for each in read_jobs(rows, cluster=self._cluster.name)]
        listed = {each.id for each in seen}
        vanished = [
            each
            for each in self._memory.jobs.values()
            if each.instance_state is not InstanceState.GONE and each.id not in listed
        ]
        ended = self._ends_of(vanished)
        told = {each.id for each in ended}
        # A task of an array that is cancelled before it starts is not listed any more.
        ended += [
            replace(each, state="CANCELLED", ended_at_s=now_s)
            for each in vanished
            if each.id not in told and self._node(each.node_id or "none").has("stop")
        ]
        # Where the accounting does not know either, the reconciler waits for the node's silence.
        known = {each.id for each in ended}
        self._memory.forget(each.id for each in vanished if each.id not in known)
        self._memory.looked([*seen, *ended], now_s=now_s)
        self._looked_at_s = now_s
        self._is_stale = False

    def _ends_of(self, vanished: Sequence[SlurmJob]) -> list[SlurmJob]:
        """Jobs that squeue has forgotten, as the accounting knows them."""
        if not vanished:
            return []
        jobs = {each.id: each for each in vanished}
        found = []
        command = ("sacct", "-n", "-P", "-X", "-o", "JobID,State,Start,End,NodeList")
        with suppress(ProviderError):  # there may be no accounting
            for row in self._slurm.rows(*command, "-j", ",".join(jobs), fields=5):
                number, state, start, end, nodes = row
                if number not in jobs or not end.isdigit():
                    continue
                ended = replace(
                    jobs[number],
                    # `CANCELLED by 1000` says who it was.
                    state=state.split()[0],
                    ended_at_s=float(end),
                    nodes="" if nodes == "None assigned" else nodes,
                )
                if start.isdigit():
                    ended = replace(ended, started_at_s=float(start))
                found.append(self._shifted(ended))
        return found

    def _shifted(self, job: SlurmJob) -> SlurmJob:
        """The job with its instants by the daemon's clock, which counts by itself."""
        # In whole seconds, as Slurm's own, so that an instant stays what it was.
        shift_s = round(self._clock.now_s() - SystemClock().now_s())
        if abs(shift_s) < 2:
            return job
        return replace(
            job,
            started_at_s=None if job.started_at_s is None else job.started_at_s + shift_s,
            ended_at_s=None if job.ended_at_s is None else job.ended_at_s + shift_s,
        )

    def _patience_s(self) -> float:
        """How old a look may be: at rest nothing changes without us."""
        for each in self._memory.jobs.values():
            if each.instance_state is not InstanceState.GONE:
                return self._look_s
        return REST_LOOK_S if self._look_s else 0.0

    def _known_types(self) -> dict[Offering, SlurmNodeType]:
        with self._lock:
            now_s = self._clock.now_s()
            if self._types_at_s is None:
                self._note_nodes(self._read_nodes(), now_s=now_s)
            elif not 0 <= now_s - self._types_at_s < REST_LOOK_S:
                nodes = self._nodes.answer(within_s=HEARTBEAT_S)
                if nodes is not None:
                    self._note_nodes(nodes, now_s=now_s)
            return self._types

    def _read_nodes(self) -> tuple[NodeGroup, ...]:
        now_s = self._clock.now_s()
        read_at_s = self._config_at_s
        if read_at_s is None or not 0 <= now_s - read_at_s < _CONFIG_LOOK_S:
            self._config = read_config(self._slurm)
            self._partitions = read_partitions(self._slurm)
            self._config_at_s = now_s
        return read_nodes(self._slurm)

    def _note_nodes(self, nodes: Sequence[NodeGroup], *, now_s: float) -> None:
        assert self._config is not None
        self._types = node_types(self._settings, self._config, self._partitions, nodes)
        self._types_at_s = now_s

    # Buying and ending.

    def _submit(self, request: LaunchRequest) -> None:
        now_s = self._clock.now_s()
        self._note_nodes(self._read_nodes(), now_s=now_s)
        node_type = self._types.get(request.offering)
        if node_type is None:
            on_offer = ", ".join(map(str, self._types)) or "none that the settings name"
            raise ProviderError(
                f"{request.offering}: no such node type; this cluster has {on_offer}",
                bought_nothing=True,
            )
        _refuse_too_many(request, node_type)
        label = JobLabel(
            self._cluster.name,
            request.job_id,
            request.token,
            request.offering.node_type,
            request.offering.capacity.value,
            request.node_ids,
            # In whole seconds, as all instants of Slurm: a job that starts at once does not start
            # before it was sent.
            launched_at_s=float(math.floor(now_s)),
        )
        _remove_old(self._folder, now_s=now_s)
        self._remove_left(now_s=now_s)
        self._write_files(request, node_type)
        # Fewer nodes are free from now on: the next tick looks.
        self._types_at_s = 0.0
        program = self._folder / _program().name
        self._slurm.run(
            "sbatch",
            *options(label, node_type, self._settings, folder=self._folder),
            stdin=script(
                request.node_ids,
                program=program,
                folder=self._folder / "nodes",
                python=self._settings.python,
            ),
        )

    def _write_files(self, request: LaunchRequest, node_type: SlurmNodeType) -> None:
        """Writes what nodes read: the program, elasticd itself, and each node's own files."""
        assert self._config is not None
        program = _program()
        try:
            _write_once(self._folder / program.name, program.content)
            wheel = ""
            environment = ""
            if self._settings.python is None and self._wheel is not None:
                digest = self._wheel.sha256[:12]
                path = self._folder / "wheels" / digest / self._wheel.name
                _write_once(path, self._wheel.content)
                wheel = str(path)
                environment = str(self._folder / "env" / digest)
            for node_id in request.node_ids:
                node = self._node(node_id)
                node.path.mkdir(mode=0o700, parents=True, exist_ok=True)
                # The node itself adds what only it knows.
                node.write("agent", self._terms.agent_config(request))
                order = {
                    **self._terms.order(
                        request,
                        python=self._settings.python,
                        wheel=wheel,
                        environment=environment,
                    ),
                    "marks": {
                        "ELASTICD_NODE_ID": node_id,
                        "ELASTICD_CLUSTER": self._cluster.name,
                    },
                    "notice_s": node_type.notice_s,
                    "kill_wait_s": self._config.kill_wait_s,
                    "grace_of_preemption_s": node_type.grace_s,
                }
                node.write("order", order)
        except OSError as error:
            raise ProviderError(
                f"slurm.folder: wanted to write nodes' files below {self._folder}, got "
                f"{error.strerror}; set it to a folder that all nodes share",
                bought_nothing=True,
            ) from error

    def _end(self, job: SlurmJob, *, now_s: float) -> None:
        if job.node_id:
            with suppress(OSError):
                node = self._node(job.node_id)
                node.path.mkdir(mode=0o700, parents=True, exist_ok=True)
                # The node ends at once, and no other user is said to have cancelled it.
                write_whole(str(node.path / "stop.json"), {"asked_at_s": now_s, "job": job.id})
        self._is_stale = True
        self._slurm.run("scancel", job.id)

    def _end_what_never_starts(self, now_s: float) -> None:
        """Ends jobs that wait for what no time brings, or that should not wait at all."""
        for job in tuple(self._memory.jobs.values()):
            if not job.is_queued or job.label is None:
                continue
            offering = job.label.offering
            node_type = self._types.get(offering)
            obstacle = job.obstacle
            # The scheduler takes its time where nodes are idle, too.
            is_late = now_s - job.label.launched_at_s > REST_LOOK_S
            if obstacle is None and is_late and node_type is not None and not node_type.waits:
                obstacle = Obstacle.CAPACITY
            if obstacle is None:
                continue
            self.blocks.block(offering, obstacle, first_s=REST_LOOK_S, now_s=now_s)
            self._because[job.provider_id] = f"Slurm did not start it: {job.reason}"
            if obstacle in (Obstacle.CAPACITY, Obstacle.QUOTA):
                self._without_room.add(job.provider_id)
            with suppress(ProviderError):
                self._slurm.run("scancel", job.id)
            self._is_stale = True

    def _block_what_is_not_free(self, now_s: float) -> None:
        """Tells policies how many more nodes of each type could start."""
        waiting = Counter(
            each.label.offering
            for each in self._memory.jobs.values()
            if each.is_queued and each.label is not None
        )
        for offering, node_type in self._known_types().items():
            if not node_type.waits:
                most = max(0, node_type.free - waiting[offering])
            elif waiting[offering]:
                # More would only wait behind them.
                most = 0
            else:
                most = node_type.most
            self.blocks.limit(offering, most, for_s=REST_LOOK_S, now_s=now_s)

    # Nodes.

    def _remove_left(self, *, now_s: float) -> None:
        """Removes the files of this cluster's nodes that left no record of their end, a day after
        they were bought: those that never ran, and those that were killed."""
        known = {each.node_id for each in self._memory.jobs.values()}
        for path in self._folder.glob("nodes/*/order.json"):
            # Others may remove the same ones.
            with suppress(OSError, ValueError, KeyError):
                if path.parent.name in known or path.stat().st_mtime > now_s - DAY_S:
                    continue
                # Another daemon may share the folder, and its job may wait for days.
                marks = json.loads(path.read_text())["marks"]
                if marks["ELASTICD_CLUSTER"] == self._cluster.name:
                    shutil.rmtree(path.parent, ignore_errors=True)

    def _node(self, node_id: str) -> NodeFiles:
        return NodeFiles(self._folder / "nodes" / node_id)

    def _instances(self) -> tuple[Instance, ...]:
        jobs = self._memory.jobs.values()
        because = {each.provider_id: self._because_of(each) for each in jobs}
        found = instances_of(jobs, because=because, now_s=self._clock.now_s())
        return tuple(
            replace(each, was_taken=True) if each.provider_id in self._without_room else each
            for each in found
        )

    def _because_of(self, job: SlurmJob) -> str:
        """Why a job ended, by what its node has left; empty if its end was asked for."""
        if job.instance_state not in (InstanceState.GONE, InstanceState.STOPPING):
            return ""
        # Known for good, or by what this daemon itself did.
        if job.provider_id in self._because:
            return self._because[job.provider_id]
        node = self._node(job.node_id or "none")
        why = job.because
        if node.has("stop"):
            why = ""
        elif job.state in ("FAILED", "COMPLETED"):
            ended: Mapping[str, Any] = {}
            with suppress(ValueError, OSError):
                ended = node.read("ended") or {}
            why = str(ended.get("because", "")) or why
            if job.state == "FAILED" and not ended:
                why = last_line(self._folder / f"slurm-{job.id}.log") or why
        if job.instance_state is InstanceState.GONE:
            # It does not change any more, and its files are on a shared file system.
            self._because[job.provider_id] = why
        return why


def _refuse_too_many(request: LaunchRequest, node_type: SlurmNodeType) -> None:
    """Raises CapacityUnavailable for nodes that are not there, or that would wait unwanted."""
    wanted = len(request.node_ids)
    if wanted > node_type.most:
        raise CapacityUnavailable(
            f"{request.offering}: wanted {counted(wanted, 'node')} of partition "
            f"{node_type.asks.partition}, found {node_type.most} that are up and have room",
            bought_nothing=True,
        )
    if not node_type.waits and wanted > node_type.free:
        raise CapacityUnavailable(
            f"{request.offering}: wanted {wanted} idle nodes of partition "
            f"{node_type.asks.partition}, found {node_type.free}; its jobs do not wait",
            bought_nothing=True,
        )


def _remove_old(folder: Path, *, now_s: float) -> None:
    """Removes the files of nodes that ended long ago, and the logs of their jobs."""
    for path in (*folder.glob("nodes/*/ended.json"), *folder.glob("slurm-*.log")):
        # Others may remove the same ones.
        with suppress(OSError):
            if path.stat().st_mtime > now_s - DAY_S:
                continue
            if path.name == "ended.json":
                shutil.rmtree(path.parent, ignore_errors=True)
            else:
                path.unlink()


def _write_once(path: Path, content: bytes) -> None:
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.new")
    partial.write_bytes(content)
    partial.replace(path)


@cache
def _program() -> PackedProgram:
    """The program that this elasticd runs on nodes."""
    return pack("slurm", ["providers/slurm/on_node.py"], main="elastic.providers.slurm.on_node")
