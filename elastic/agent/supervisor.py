"""The agent's loop: it compares what is wanted with what runs, and takes one step at a time."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from dataclasses import replace
from pathlib import Path

from elastic.agent.daemon_client import Refused
from elastic.agent.disk_outbox import DiskOutbox
from elastic.agent.ending import as_stored, exit_of
from elastic.agent.ingest import Ingest, WorkerReports
from elastic.agent.launcher import Launcher
from elastic.agent.lease import Lease
from elastic.agent.log_stream import LogStream
from elastic.agent.memory import Memory, remember
from elastic.agent.owner import Owner
from elastic.agent.preparing import Preparation
from elastic.agent.round_registry import RoundRegistry
from elastic.agent.settings import AgentSettings
from elastic.agent.steering import (
    Action,
    GoOn,
    Order,
    RunningGeneration,
    StartAssignment,
    Wanted,
    awaits_word,
    hears_no_drain,
    is_last_moment,
    is_outside,
    node_state,
    steer,
)
from elastic.agent.throttle import tree
from elastic.agent.torchrun import torchrun_dir
from elastic.agent.uploader import STORE_PATIENCE_S, Uploader
from elastic.agent.usage import UsageMeter
from elastic.agent.worker_start import choose_way, is_fork_distrusted
from elastic.bounds import as_unicode
from elastic.durations import GLANCE_S, HEARTBEAT_S, LOOK_S, MINUTE_S
from elastic.model import AgentState, Exit, Mode, NodeReport, Notice, Outcome, Preparing
from elastic.protocol import Assignment, Heartbeat, HeartbeatReply, WindowMessage
from elastic.worker.last_error import MAX_TEXT

# The log stream sends again what was not answered once a second: three attempts.
LOGS_PATIENCE_S = 3 * LOOK_S
log = logging.getLogger(__name__)


class Supervisor:
    """One node's life after registration.

    The heart's thread calls ``heartbeat`` and ``hear``, the main thread ``run``.
    """

    def __init__(
        self,
        settings: AgentSettings,
        *,
        memory: Memory,
        launcher: Launcher,
        ingest: Ingest,
        disk_outbox: DiskOutbox,
        lease: Lease,
        uploader: Uploader,
        rounds: RoundRegistry,
        log_stream: LogStream,
        preparation: Preparation,
        wake_heart: threading.Event,
    ) -> None:
        self._settings = settings
        self._memory = memory
        self._launcher = launcher
        self._ingest = ingest
        self._disk_outbox = disk_outbox
        self._owner = Owner(disk_outbox)
        self._lease = lease
        self._uploader = uploader
        self._rounds = rounds
        self._log_stream = log_stream
        self._preparation = preparation
        self._usage = UsageMeter(tree(launcher.root_pid))
        self._is_prepared = self._is_unfit = False
        self._wake_heart = wake_heart
        self._lock = threading.Lock()
        self._wanted = Wanted()
        self._must_leave = False
        self._group: RunningGeneration | None = None
        self._wake = threading.Event()
        # The last generations whose exit, and whose saving, was reported.
        self._told_exit_of: int | None = None
        self._told_saving_of: int | None = None
        self._notice: Notice | None = None
        self._goes_at: float | None = None
        self._ending: Exit | None = None
        self._ended_at: float | None = None
        self._logs_until = self._bounded_at = 0.0
        self._is_warm = launcher.is_warm
        # A job that brings nothing needs no preparation, and the node never reports one.
        self._look_at_preparation()
        if memory.running is not None:
            self._adopt(memory.running)

    def run(self) -> None:
        """Runs until the node leaves and all its processes have ended."""
        while not self._step():
            self._wake.wait(GLANCE_S)
            self._wake.clear()

    def leave(self) -> None:
        """Makes the agent drain and end, as a shutdown does.

        A signal may call it anywhere, so it takes no lock.
        """
        self._must_leave = True

    def notice(self, notice: Notice, *, left_s: float | None) -> None:
        """Notes an announcement by the cloud; `left_s` is the machine's remaining time, or None."""
        with self._lock:
            self._notice = notice
            if left_s is None:
                self._goes_at = None
            else:
                self._goes_at = time.monotonic() + left_s
        self._wake.set()
        self._wake_heart.set()

    def hear(self, reply: HeartbeatReply, *, heartbeat: Heartbeat, asked_at: float) -> None:
        """Handles the daemon's answer to a heartbeat sent at ``asked_at``, monotonic."""
        # A slower answer may have waited for the network.
        if time.monotonic() - asked_at > 2 * HEARTBEAT_S:
            self._ingest.was_unanswered(since=asked_at)
        self._disk_outbox.acknowledge(reply.acked_seq)
        self._lease.renew(reply.lease_s, asked_at=asked_at)
        self._rounds.is_stored(heartbeat.round, heartbeat.next_round)
        with self._lock:
            if heartbeat.exit is not None:
                self._told_exit_of = heartbeat.exit.generation
            self._wanted = Wanted(
                assignment=reply.assignment, is_known=True, needs_signal=reply.needs_signal
            )
        if reply.shutdown:
            self.leave()
        self._wake.set()

    @property
    def is_hurried(self) -> bool:
        """Whether a new directive from the daemon is likely soon."""
        with self._lock:
            group = self._group
            ended_at = self._ended_at
        return awaits_word(
            group, self._ingest.reports().pulse, ended_at=ended_at, now=time.monotonic()
        )

    def hear_nothing(self, *, asked_at: float) -> None:
        """The daemon has not answered a heartbeat sent at ``asked_at``, monotonic."""
        self._rounds.is_unanswered()
        self._ingest.was_unanswered(since=asked_at)

    def drop_refused(self, heartbeat: Heartbeat, refused: Refused) -> bool:
        """Drops the messages for which the daemon refused a heartbeat; False if it named none."""
        named = {f"windows.{place}": each.seq for place, each in enumerate(heartbeat.windows)}
        named |= {f"events.{place}": each.seq for place, each in enumerate(heartbeat.events)}
        found: dict[int | None, str] = {}
        for field, why in refused.faults.items():
            found.setdefault(named.get(".".join(field.split(".")[:2])), f"{field}: {why}")
        found.pop(None, None)  # faults that concern no worker's message
        for seq, why in found.items():
            self._disk_outbox.drop(why, seq=seq)
        return bool(found)

    def heartbeat(self, *, sent_at_s: float) -> Heartbeat:
        """The node's next heartbeat, at an instant of its clock."""
        with self._lock:
            group = self._group
            last_exit = self._memory.last_exit
            notice = self._notice
            has_news = self._has_news_of_exit()
            is_warm = self._is_warm
            is_saving = self._ending is not None
            is_prepared = self._is_prepared
            is_unfit = self._is_unfit
        # Read the exit before the batch: once the exit is known, all its windows are in the outbox
        # on disk.
        said = self._disk_outbox.batch()
        heard = self._ingest.reports()
        # What a worker says before it is a member of its session does not say that it is one.
        has_heard = (
            heard.has_joined if group is not None and group.is_in_session else heard.any_word
        )
        state = node_state(
            group,
            has_heard_workers=has_heard,
            has_news_of_exit=has_news,
            is_warm=is_warm,
            is_saving=is_saving,
            is_prepared=is_prepared,
        )
        newest_round, next_round = self._rounds.news()
        generation = None
        if group is not None:
            generation = group.number
        elif last_exit is not None:
            generation = last_exit.generation
        preparing = None
        if state is AgentState.PREPARING:
            preparing = self._prepares(is_unfit=is_unfit)
        return Heartbeat(
            node_id=self._memory.node_id,
            instance_id=self._settings.instance_id,
            sent_at_s=sent_at_s,
            report=NodeReport(
                state=state,
                generation=generation,
                saving_s=self._uploader.saving_s,
                mode=self._memory.mode if group else None,
                is_preloaded=self._memory.is_preloaded if group else None,
                pulse=heard.pulse if group else None,
                preparing=preparing,
                disk_free_bytes=shutil.disk_usage(self._settings.work_dir).free,
                usage=self._usage.read(),
            ),
            exit=last_exit if group is None else None,
            notice=notice,
            round=newest_round,
            next_round=next_round,
            windows=tuple(each for each in said if isinstance(each, WindowMessage)),
            events=tuple(each for each in said if not isinstance(each, WindowMessage)),
        )

    def _step(self) -> bool:
        """Takes one step; True when the agent must end."""
        now = time.monotonic()
        self._look_at_preparation()
        self._look_at_spawner()
        if self._lease.is_over and not self._must_leave:
            log.warning("the lease ran out, unanswered or not renewed: draining and leaving")
            self.leave()
        with self._lock:
            wanted = self._now_wanted(now)
            group = self._group
            last_exit = self._memory.last_exit
            is_end_told = not self._has_news_of_exit()
        if group is not None:
            group = self._seen_afresh(group, wanted, now)
            # Keep it: the next look needs to know since when each condition holds.
            self._set_group(group)
        ended = last_exit.generation if last_exit else None
        action = steer(
            wanted=wanted, group=group, ended_generation=ended, is_end_told=is_end_told, now=now
        )
        if group is not None:
            self._change(group, action, now)
        elif isinstance(action, StartAssignment) and self._is_prepared:
            self._start(action.assignment)
        return action is Order.LEAVE

    def _change(self, group: RunningGeneration, action: Action, now: float) -> None:
        """Applies a step to the running generation."""
        match action:
            case GoOn(assignment):
                self._go_on(assignment, group)
            case Order.ASK_TO_DRAIN:
                self._launcher.ask_to_drain(group.generation)
                self._set_group(replace(group, drain_asked_at=now))
            case Order.TERMINATE:
                self._launcher.terminate(group.generation)
                self._set_group(replace(group, terminated_at=now))
            case Order.KILL:
                self._launcher.kill(group.generation)
            case Order.COLLECT:
                self._collect(group)

    def _look_at_preparation(self) -> None:
        if self._is_prepared or self._is_unfit or not self._preparation.is_over:
            return
        if self._preparation.failure is not None:
            if not self._logs_until:
                self._hurry_logs()
            if self._are_logs_awaited():
                return
        else:
            self._launcher.equip(self._preparation.outfit)
        with self._lock:
            self._is_unfit = self._preparation.failure is not None
            self._is_prepared = not self._is_unfit
            self._is_warm = self._launcher.is_warm
        self._wake_heart.set()

    def _prepares(self, *, is_unfit: bool) -> Preparing:
        """What this node prepares; a failure is reported once the log lines about it are sent."""
        preparation = self._preparation
        return Preparing(
            what=as_unicode(preparation.what, most=MAX_TEXT),
            elapsed_s=time.monotonic() - preparation.since_s,
            failure=as_unicode(preparation.failure or "") if is_unfit else "",
        )

    def _hurry_logs(self) -> None:
        self._log_stream.hurry()
        self._logs_until = time.monotonic() + LOGS_PATIENCE_S

    def _are_logs_awaited(self) -> bool:
        """Whether the last log lines are still to be sent.

        Once the daemon knows the end, it may end this machine.
        """
        return self._log_stream.is_behind and time.monotonic() < self._logs_until

    def _look_at_spawner(self) -> None:
        if not self._is_warm and self._launcher.is_warm:
            with self._lock:
                self._is_warm = True
            self._wake_heart.set()

    def _now_wanted(self, now: float) -> Wanted:
        """The daemon's directive, and what overrides it."""
        assignment = self._memory.running or self._wanted.assignment
        grace_s = 0.0
        if assignment is not None:
            grace_s = assignment.drain_grace_s
        saving_s = self._uploader.saving_s or 0.0
        is_last = is_last_moment(goes_at=self._goes_at, grace_s=grace_s, saving_s=saving_s, now=now)
        must_drain = is_last or self._uploader.must_drain
        return replace(self._wanted, must_leave=self._must_leave, must_drain=must_drain)

    def _adopt(self, assignment: Assignment) -> None:
        began = self._memory.began or assignment.generation
        log.info(
            "adopting generation %s, which an earlier agent began in %s",
            assignment.generation,
            began,
        )
        self._ingest.listen_to(began)
        self._log_stream.begin(began)
        self._uploader.begin(replace(assignment, generation=began))
        drain_asked_at = None
        if self._launcher.drain_file(began).exists():
            drain_asked_at = time.monotonic()
        self._group = RunningGeneration(
            generation=began,
            grace_s=assignment.drain_grace_s,
            drain_asked_at=drain_asked_at,
            is_in_session=self._memory.mode is Mode.LIVE,
            is_foreign=choose_way(assignment, code_dir=self._settings.code_dir).is_foreign,
            is_adopted=True,
        )
        if self._group.is_in_session:
            self._go_on(assignment, self._group)

    def _start(self, assignment: Assignment) -> None:
        log.info("starting generation %s: %s", assignment.generation, " ".join(assignment.command))
        self._ingest.listen_to(assignment.generation)
        self._log_stream.begin(assignment.generation)
        self._uploader.begin(assignment)
        way = choose_way(
            assignment, code_dir=self._settings.code_dir, distrusts_fork=self._memory.distrusts_fork
        )
        self._owner.hear_way(way)
        self._memory = replace(
            self._memory,
            running=assignment,
            last_exit=None,
            mode=way.mode,
            is_preloaded=way.is_preloaded,
            began=assignment.generation,
        )
        remember(self._memory, self._settings.work_dir)
        self._launcher.start(assignment, way=way, node_id=self._memory.node_id)
        is_in_session = way.mode is Mode.LIVE
        group = RunningGeneration(
            generation=assignment.generation,
            grace_s=assignment.drain_grace_s,
            is_in_session=is_in_session,
            is_foreign=way.is_foreign,
        )
        self._set_group(group)
        if is_in_session:
            self._serve(assignment)
        self._wake_heart.set()

    def _go_on(self, assignment: Assignment, group: RunningGeneration) -> None:
        """Moves workers that are in a session to another generation; they notice it themselves."""
        log.info(
            "generation %s: the workers of generation %s go on",
            assignment.generation,
            group.generation,
        )
        self._launcher.tell_store(assignment.rdzv_endpoint)
        self._memory = replace(self._memory, running=assignment)
        remember(self._memory, self._settings.work_dir)
        self._serve(assignment)
        self._uploader.serve(assignment.generation)
        self._set_group(replace(group, serves=assignment.generation))
        self._wake_heart.set()

    def _serve(self, assignment: Assignment) -> None:
        self._ingest.serve(assignment.generation, world_size=assignment.world_size)
        self._log_stream.serve(assignment.generation)

    def _seen_afresh(
        self, group: RunningGeneration, wanted: Wanted, now: float
    ) -> RunningGeneration:
        heard = self._ingest.reports()
        # At each step it would cost 0.2 % of a core.
        if now - self._bounded_at >= LOOK_S:
            self._log_stream.bound(group.generation)
            self._bounded_at = now
        self._tell_of_starts(group, heard)
        done_at = group.all_said_last_word_at
        left_at = group.all_left_at
        is_astray = is_outside(group, has_trained=heard.has_trained, has_joined=heard.has_joined)
        grace_s = group.grace_s
        if wanted.must_leave:
            # A node whose lease is over may delay no other, which its daemon may already pay for.
            grace_s = min(grace_s, MINUTE_S)
        have_all_said = heard.last_word_ranks >= self._workers()
        have_all_left = heard.left >= self._workers()
        return replace(
            group,
            is_alive=self._launcher.exit_code(group.generation) is None,
            needs_signal=heard.needs_signal
            or wanted.needs_signal
            or hears_no_drain(
                group,
                any_word=heard.any_word,
                has_turned=heard.pulse is not None,
                has_joined=heard.has_joined,
            ),
            grace_s=grace_s,
            all_said_last_word_at=(done_at or now) if have_all_said else None,
            all_left_at=(left_at or now) if have_all_left else None,
            outside_since=(group.outside_since or now) if is_astray else None,
        )

    def _tell_of_starts(self, group: RunningGeneration, heard: WorkerReports) -> None:
        running = self._memory.running
        # A shell script may run one program after the other: its starts are no restarts.
        if running is not None and not group.is_foreign:
            is_alone = running.nnodes_max == 1 or group.is_in_session
            self._owner.hear_starts(heard.starts, log_path=self._log_path(group), is_alone=is_alone)

    def _workers(self) -> int:
        """How many workers torchrun runs here."""
        assert self._memory.running is not None
        return self._memory.running.nproc_per_node

    def _collect(self, group: RunningGeneration) -> None:
        """Ends a generation once its last checkpoint is stored; each step looks again."""
        if self._ending is None:
            self._ending = self._exit_of(group)
            self._uploader.finish(
                group.generation, is_clean=self._ending.outcome is not Outcome.FAILED
            )
            self._hurry_logs()
        if self._are_logs_awaited():
            return
        if self._must_leave:
            patience_s = MINUTE_S
        else:
            patience_s = STORE_PATIENCE_S
        verdict = self._uploader.verdict(group.generation, patience_s=patience_s)
        if verdict is None:
            self._tell_that_it_saves(group)
            return
        report = as_stored(self._ending, verdict)
        self._ending = None
        log.info(
            "generation %s has ended: %s, exit code %s",
            report.generation,
            report.outcome.value,
            report.exit_code,
        )
        distrusts_fork = is_fork_distrusted(
            self._memory.distrusts_fork,
            is_preloaded=self._memory.is_preloaded,
            outcome=report.outcome,
            has_heard_workers=self._ingest.reports().any_word,
            were_refused=verdict.refusal is not None,
            error=report.error,
        )
        self._memory = replace(
            self._memory,
            running=None,
            last_exit=report,
            mode=None,
            is_preloaded=None,
            distrusts_fork=distrusts_fork,
        )
        remember(self._memory, self._settings.work_dir)
        # A new directive is likely soon: see `is_hurried`.
        self._ended_at = time.monotonic()
        self._set_group(None)
        self._wake_heart.set()

    def _tell_that_it_saves(self, group: RunningGeneration) -> None:
        if self._told_saving_of != group.generation:
            self._told_saving_of = group.generation
            self._wake_heart.set()

    def _exit_of(self, group: RunningGeneration) -> Exit:
        exit_code = self._launcher.exit_code(group.generation) or 0
        # Workers that outlived torchrun would train beside the next generation.
        self._launcher.kill(group.generation)
        self._log_stream.bound(group.generation)
        self._ingest.settle()
        heard = self._ingest.reports()
        return exit_of(
            group,
            heard,
            exit_code=exit_code,
            workers=self._workers(),
            log_path=self._log_path(group),
            torchrun_dir=torchrun_dir(self._settings),
        )

    def _log_path(self, group: RunningGeneration) -> Path:
        return self._launcher.log_path(group.generation)

    def _has_news_of_exit(self) -> bool:
        last_exit = self._memory.last_exit
        return last_exit is not None and last_exit.generation != self._told_exit_of

    def _set_group(self, group: RunningGeneration | None) -> None:
        with self._lock:
            self._group = group
