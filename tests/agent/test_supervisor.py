"""The agent's loop, put together from real parts with nothing to run."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import pytest

from elastic.agent import AgentSettings
from elastic.agent.daemon_client import Refused
from elastic.agent.data import Source
from elastic.agent.disk_outbox import DiskOutbox
from elastic.agent.ingest import Ingest
from elastic.agent.launcher import Launcher
from elastic.agent.lease import Lease
from elastic.agent.log_stream import LogStream
from elastic.agent.memory import Memory
from elastic.agent.preparing import Preparation
from elastic.agent.round_registry import RoundRegistry
from elastic.agent.spawner import WARM_FILE
from elastic.agent.supervisor import Supervisor
from elastic.agent.uploader import Uploaders
from elastic.agent.worker_start import WorkerStart
from elastic.model import AgentState, NodeReport
from elastic.protocol import Assignment, Brings, Heartbeat, HeartbeatReply, NoteMessage
from tests.agent.assignments import ONE
from tests.workloads.session.running import wait_until

NOTHING_NEW = Heartbeat("n1", "i1", 1.0, NodeReport(AgentState.IDLE))


def preparation_of(settings: AgentSettings, brings: Brings) -> Preparation:
    """What is over at once where nothing is brought."""

    def no_source(location: str) -> Source:
        raise AssertionError(location)

    preparation = Preparation(
        brings,
        settings=settings,
        code=None,
        tell=lambda _: None,
        open_source=no_source,
        wake=lambda: None,
    )
    preparation.start()
    return preparation


@contextmanager
def supervised(settings: AgentSettings, launcher: Launcher) -> Iterator[tuple[Supervisor, Ingest]]:
    disk_outbox = DiskOutbox(settings.work_dir / "spool.sqlite")
    ingest = Ingest(settings.socket_path, disk_outbox=disk_outbox)
    ingest.start()
    yield (
        Supervisor(
            settings,
            memory=Memory("n1", "token", 1.0),
            launcher=launcher,
            ingest=ingest,
            disk_outbox=disk_outbox,
            lease=Lease(settings.work_dir, first_s=60.0),
            uploader=Uploaders(),
            rounds=RoundRegistry(wake=lambda: None),
            log_stream=LogStream(settings.log_dir, send=lambda *_: True),
            preparation=preparation_of(settings, Brings()),
            wake_heart=threading.Event(),
        ),
        ingest,
    )
    ingest.stop()
    disk_outbox.close()


class NeverDone(Launcher):
    """A torchrun that waits for others' workers until it is killed."""

    def __init__(self, settings: AgentSettings) -> None:
        super().__init__(settings)
        self.killed = threading.Event()

    def start(self, assignment: Assignment, *, way: WorkerStart, node_id: str) -> None:
        pass

    def exit_code(self, generation: int) -> int | None:
        return 1 if self.killed.is_set() else None

    def kill(self, generation: int) -> None:
        self.killed.set()


def test_a_node_that_gets_nothing_ready_never_says_that_it_does(settings: AgentSettings) -> None:
    with supervised(settings, NeverDone(settings)) as (supervisor, _):
        assert supervisor.heartbeat(sent_at_s=1.0).report.state is AgentState.IDLE


def test_a_node_says_how_much_room_its_disk_has(settings: AgentSettings) -> None:
    with supervised(settings, NeverDone(settings)) as (supervisor, _):
        free_bytes = supervisor.heartbeat(sent_at_s=1.0).report.disk_free_bytes
    assert free_bytes == pytest.approx(shutil.disk_usage(settings.work_dir).free, abs=2**30)


def test_who_is_done_waits_for_no_other_node(
    settings: AgentSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elastic.agent.steering.END_GRACE_S", 0.3)
    launcher = NeverDone(settings)
    with supervised(settings, launcher) as (supervisor, ingest):
        thread = threading.Thread(target=supervisor.run, daemon=True)
        thread.start()
        for assignment in (ONE, None):
            reply = HeartbeatReply(acked_seq=0, lease_s=60.0, assignment=assignment, shutdown=False)
            supervisor.hear(reply, heartbeat=NOTHING_NEW, asked_at=time.monotonic())
            time.sleep(0.5)
            turns = {"kind": "turns", "rank": 0, "generation": ONE.generation, "worker": "w"}
            ingest._take([turns])  # noqa: SLF001
        assert not launcher.killed.is_set()
        said = {
            "kind": "drained",
            "rank": 0,
            "generation": ONE.generation,
            "worker": "w",
            "iteration": None,
        }
        ingest._take([said])  # noqa: SLF001 (as from its socket)
        assert launcher.killed.wait(10), "torchrun would wait 300 s for the other nodes' workers"
        supervisor.leave()
        thread.join(timeout=5.0)


@pytest.mark.parametrize("is_told", [True, False])
def test_workers_that_hang_or_make_no_turn_that_is_seen_are_ended_at_once(
    settings: AgentSettings, is_told: bool
) -> None:
    class Hanging(NeverDone):
        def terminate(self, generation: int) -> None:
            self.killed.set()

    launcher = Hanging(settings)
    with supervised(settings, launcher) as (supervisor, ingest):
        thread = threading.Thread(target=supervisor.run, daemon=True)
        thread.start()
        for assignment in (ONE, None):
            # The daemon's word is heeded whatever the workers do.
            kind = "turns" if is_told else "saved"
            ingest._take([{"kind": kind, "rank": 0, "generation": ONE.generation, "worker": "w"}])  # noqa: SLF001
            reply = HeartbeatReply(
                acked_seq=0,
                lease_s=60.0,
                assignment=assignment,
                shutdown=False,
                needs_signal=is_told and assignment is None,
            )
            supervisor.hear(reply, heartbeat=NOTHING_NEW, asked_at=time.monotonic())
            time.sleep(0.5)
        assert launcher.killed.wait(5), f"a drain's grace is {ONE.drain_grace_s} s"
        supervisor.leave()
        thread.join(timeout=5.0)


def test_a_signal_that_arrives_while_the_daemons_word_is_taken_in_ends_the_agent(
    settings: AgentSettings,
) -> None:
    with supervised(settings, Launcher(settings)) as (supervisor, _):

        class Interrupted:
            round = next_round = None

            @property
            def exit(self) -> None:
                # what the signal's handler does, in the thread that it interrupts
                supervisor.leave()

        def live() -> None:
            reply = HeartbeatReply(acked_seq=0, lease_s=60.0, assignment=None, shutdown=False)
            supervisor.hear(
                reply, heartbeat=cast(Heartbeat, Interrupted()), asked_at=time.monotonic()
            )
            supervisor.run()

        thread = threading.Thread(target=live, daemon=True)
        thread.start()
        thread.join(timeout=5.0)
        assert not thread.is_alive()


def test_a_pause_in_which_an_answer_was_late_or_none_came_is_not_told(
    settings: AgentSettings,
) -> None:
    reply = HeartbeatReply(acked_seq=0, lease_s=60.0, assignment=None, shutdown=False)
    turn = {"kind": "turns", "rank": 0, "generation": 1, "worker": "w"}
    with supervised(settings, Launcher(settings)) as (supervisor, ingest):

        def longest_s() -> float:
            pulse = ingest.reports().pulse
            assert pulse is not None
            return pulse.longest_s

        for is_none in (False, True):
            began_at = time.monotonic()
            ingest.listen_to(1)
            for _ in range(2):
                ingest._take([turn])  # noqa: SLF001 (as from its socket)
                time.sleep(0.2)
            supervisor.hear(reply, heartbeat=NOTHING_NEW, asked_at=time.monotonic())
            assert longest_s() >= 0.2
            if is_none:
                supervisor.hear_nothing(asked_at=began_at)
            else:
                supervisor.hear(reply, heartbeat=NOTHING_NEW, asked_at=began_at - 2.5)
            assert longest_s() == 0.0


def test_messages_that_the_daemon_refuses_are_dropped_and_the_others_are_sent_again(
    settings: AgentSettings,
) -> None:
    window = {
        "kind": "window",
        "rank": 0,
        "generation": 1,
        "world_size": 1,
        "worker": "w",
        "phase": "main",
    }
    window |= {
        "iteration": 1,
        "iterations": 1,
        "elapsed_s": 0.5,
        "is_cold": False,
        "ended_at_s": 1.7e9,
    }
    with supervised(settings, Launcher(settings)) as (supervisor, ingest):
        ingest.listen_to(1)
        ingest._take([dict(window) for _ in range(4)])  # noqa: SLF001 (as from its socket)
        heartbeat = supervisor.heartbeat(sent_at_s=1.0)
        refused = Refused(
            {"windows.1.phase": "no such phase", "windows.1.seq": "nor number", "windows.3": "no"}
        )
        assert supervisor.drop_refused(heartbeat, refused)
        again = supervisor.heartbeat(sent_at_s=2.0)
        assert [each.seq for each in again.windows] == [1, 3]
        assert [
            each.text.rpartition("The last: ")[2]
            for each in again.events
            if isinstance(each, NoteMessage)
        ] == [
            "windows.1.phase: no such phase",
            "windows.3: no",
        ]
        for of_another_kind in (
            {},
            {"report.state": "unknown"},
            {"windows": "too many"},
            {"windows.99.phase": "no"},
        ):
            assert not supervisor.drop_refused(again, Refused(of_another_kind))
        assert supervisor.heartbeat(sent_at_s=3.0).windows == again.windows


class DyingSpawner(Launcher):
    """One whose first spawner dies between the look at it and its order."""

    first_pid: int | None = None

    def warm_up(self) -> None:
        super().warm_up()
        if self.first_pid is None and (pid := self.root_pid()) is not None:
            self.first_pid = pid
            os.kill(pid, signal.SIGKILL)
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def test_a_spawner_that_dies_as_it_is_ordered_is_begun_anew(settings: AgentSettings) -> None:
    launcher = DyingSpawner(settings)
    launcher.prepare(())
    try:
        assert launcher.root_pid() not in (None, launcher.first_pid)
        wait_until((settings.work_dir / WARM_FILE).exists, "the second one to take the order")
    finally:
        launcher.close()
