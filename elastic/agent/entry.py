"""Builds an agent, registers it and runs it to its end."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from elastic.agent.asking import ask_until_answered, bring_code
from elastic.agent.daemon_client import DaemonClient
from elastic.agent.data import Source
from elastic.agent.disk_outbox import DiskOutbox
from elastic.agent.heart import Heart
from elastic.agent.imds import Imds, imds_url
from elastic.agent.ingest import Ingest
from elastic.agent.launcher import Launcher
from elastic.agent.lease import Lease
from elastic.agent.log_stream import LogStream
from elastic.agent.mask import Mask
from elastic.agent.memory import Memory, recall, remember
from elastic.agent.preparing import Preparation
from elastic.agent.round_registry import RoundRegistry, open_round_registry
from elastic.agent.settings import AgentSettings, read_settings
from elastic.agent.supervisor import Supervisor
from elastic.agent.throttle import Throttle, tree
from elastic.agent.uploader_setup import open_uploader
from elastic.agent.watcher import CANCELLED, POLL_S, Announcements, NoticeFile, Watcher
from elastic.checkpoints import parse_location
from elastic.clock import Clock, SystemClock
from elastic.durations import HEARTBEAT_S
from elastic.errors import InvalidInput
from elastic.log_line import LogPiece
from elastic.model import Notice
from elastic.protocol import LogBatch, Registered
from elastic.worker.reserve import keep_reserve

log = logging.getLogger(__name__)


def run_agent(config: Path) -> int:
    """Runs this node's agent, and returns its exit code.

    0 after a shutdown or the end of its lease, 1 if it never registered.
    """
    settings = read_settings(config)
    settings.work_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    keep_reserve(str(settings.work_dir))
    lease = Lease(settings.work_dir, first_s=settings.lease_s)
    if settings.notice_file is not None:
        # Slurm, which announces an end here, may signal every process at once. Workers would die
        # in mid-turn. All that this agent starts inherits the mask.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    launcher = Launcher(settings)
    launcher.warm_up()
    throttle = _throttle(settings, launcher)
    try:
        mask = Mask()
        with DaemonClient(
            *settings.daemon_urls,
            instance_id=settings.instance_id,
            certificate=settings.daemon_certificate,
            mask=mask,
        ) as client:
            # An agent that restarts has registered already.
            memory = recall(settings.work_dir)
            try:
                registered = None
                if memory is None:
                    registered = _register(settings, client, lease)
            except InvalidInput as error:
                log.error("%s cannot be this node's daemon: %s", settings.daemon_url, error)
                return 1
            if registered is not None:
                memory = _first_memory(registered, settings.work_dir)
            if memory is None:
                log.error(
                    "%s did not let this node register before its lease ran out",
                    settings.daemon_url,
                )
                return 1
            brings = memory.brings
            mask.add(brings.env[name] for name in brings.secrets if name in brings.env)
            command = () if registered is None else registered.command
            if brings.image is None:
                launcher.prepare(command)
            else:
                launcher.rest(command)
            if not _has_code(settings, client, memory, lease):
                log.error(
                    "%s did not give this node its job's code before its lease ran out",
                    settings.daemon_url,
                )
                return 1
            _live(settings, client=client, memory=memory, launcher=launcher, lease=lease, mask=mask)
            return 0
    finally:
        if throttle is not None:
            throttle.stop()
        launcher.close()


def _throttle(settings: AgentSettings, launcher: Launcher) -> Throttle | None:
    if settings.cpu_quota is None:
        return None
    throttle = Throttle(quota=settings.cpu_quota, members=tree(launcher.root_pid))
    throttle.start()
    return throttle


def _register(settings: AgentSettings, client: DaemonClient, lease: Lease) -> Registered | None:
    def ask() -> Registered | None:
        asked_at = time.monotonic()
        registered = client.register(settings.join_token, setup=settings.setup)
        if registered is not None:
            lease.renew(registered.lease_s, asked_at=asked_at)
        return registered

    return ask_until_answered(ask, lease)


def _first_memory(registered: Registered, work_dir: Path) -> Memory:
    memory = Memory(
        registered.node_id,
        registered.node_token,
        registered.heartbeat_interval_s,
        code=registered.code,
        brings=registered.brings,
    )
    remember(memory, work_dir)
    return memory


def _has_code(settings: AgentSettings, client: DaemonClient, memory: Memory, lease: Lease) -> bool:
    def fetch() -> bytes | None:
        return client.code(node_id=memory.node_id, node_token=memory.node_token)

    return memory.code is None or bring_code(settings, memory.code, fetch=fetch, lease=lease)


def _live(
    settings: AgentSettings,
    *,
    client: DaemonClient,
    memory: Memory,
    launcher: Launcher,
    lease: Lease,
    mask: Mask,
) -> None:
    wake_heart = threading.Event()
    clock = SystemClock()
    disk_outbox = DiskOutbox(settings.work_dir / "spool.sqlite")
    with (
        closing(disk_outbox),
        open_uploader(settings, say=disk_outbox.add, wall_s=clock.now_s, mask=mask) as uploader,
    ):
        registry = RoundRegistry(wake=wake_heart.set)
        ingest = Ingest(
            settings.socket_path, disk_outbox=disk_outbox, uploader=uploader, saw_round=registry.saw
        )
        round_server = open_round_registry(settings.rounds_path, registry)
        log_stream = _log_stream(settings, client, memory, ingest, mask)
        preparation = _preparation(settings, memory, disk_outbox, wake_heart, mask)
        preparation.start()
        supervisor = Supervisor(
            settings,
            memory=memory,
            launcher=launcher,
            ingest=ingest,
            disk_outbox=disk_outbox,
            lease=lease,
            uploader=uploader,
            rounds=registry,
            log_stream=log_stream,
            preparation=preparation,
            wake_heart=wake_heart,
        )
        heart = Heart(
            client,
            supervisor,
            node_token=memory.node_token,
            interval_s=memory.heartbeat_interval_s,
            wake=wake_heart,
            wall_s=clock.now_s,
        )
        watcher = None
        if settings.imds:
            watcher = _watcher(Imds(imds_url()), POLL_S, supervisor, clock)
        elif settings.notice_file is not None:
            # Reading a file costs nothing, and minutes of notice may be seconds here.
            watcher = _watcher(NoticeFile(settings.notice_file), HEARTBEAT_S, supervisor, clock)
        signal.signal(signal.SIGTERM, lambda *_: supervisor.leave())
        ingest.take_leftovers()
        ingest.start()
        round_server.start()
        heart.start()
        log_stream.start()
        if watcher is not None:
            watcher.start()
        try:
            supervisor.run()
        finally:
            if watcher is not None:
                watcher.stop()
            preparation.stop()
            # Before the last heartbeat: once the daemon receives it, it may end this machine.
            log_stream.stop()
            heart.stop()
            round_server.stop()
            ingest.stop()


def _log_stream(
    settings: AgentSettings, client: DaemonClient, memory: Memory, ingest: Ingest, mask: Mask
) -> LogStream:
    def send(seq: int, pieces: Sequence[LogPiece]) -> bool | None:
        batch = LogBatch(memory.node_id, settings.instance_id, seq, tuple(pieces))
        return client.send_logs(batch, node_token=memory.node_token)

    return LogStream(settings.log_dir, send=send, session_ranks=ingest.session_ranks, mask=mask)


def _preparation(
    settings: AgentSettings,
    memory: Memory,
    disk_outbox: DiskOutbox,
    wake: threading.Event,
    mask: Mask,
) -> Preparation:
    def tell(text: str) -> None:
        disk_outbox.add([{"kind": "note", "text": text, "at_s": SystemClock().now_s()}])
        wake.set()

    def open_source(location: str) -> Source:
        # Import boto3 only on a node whose job has data in a bucket: the import takes long.
        from elastic.checkpoints.s3 import Bucket, connect

        return Bucket(connect(region=settings.region), parse_location(location))

    return Preparation(
        memory.brings,
        settings=settings,
        code=memory.code,
        tell=tell,
        open_source=open_source,
        wake=wake.set,
        mask=mask,
        has_workers=memory.running is not None,
    )


def _watcher(
    announcements: Announcements, interval_s: float, supervisor: Supervisor, clock: Clock
) -> Watcher:
    def take(notice: Notice) -> None:
        supervisor.notice(
            notice, left_s=None if notice.at_s is None else notice.at_s - clock.now_s()
        )
        if notice.action == CANCELLED:
            # Its end has begun: the sooner this node is empty, the sooner others have it.
            supervisor.leave()

    return Watcher(announcements, take, wall_s=clock.now_s, interval_s=interval_s)
