"""The agent's loop, put together from real parts with nothing to run."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from elastic.agent.carriage import SharedFolder
from elastic.agent.intake import Intake
from elastic.agent.launcher import Launcher
from elastic.agent.lease import Lease
from elastic.agent.memory import Memory
from elastic.agent.rounds import RoundBook
from elastic.agent.settings import AgentSettings
from elastic.agent.spool import Spool
from elastic.agent.supervisor import Supervisor
from elastic.agent.wire import HeartbeatReply


def test_a_signal_that_arrives_while_the_daemons_word_is_taken_in_ends_the_agent(tmp_path: Path) -> None:
    settings = AgentSettings(
        instance_id="n1",
        daemon_url="http://127.0.0.1:1",
        join_token="",
        work_dir=tmp_path,
        advertise_host="127.0.0.1",
        checkpoint_root=tmp_path,
        artifact_root=tmp_path,
    )
    spool = Spool(tmp_path / "spool.sqlite")
    intake = Intake(settings.socket_path, spool=spool)
    intake.start()
    supervisor = Supervisor(
        settings,
        memory=Memory("n1", "token", 1.0),
        launcher=Launcher(settings),
        intake=intake,
        spool=spool,
        lease=Lease(tmp_path, first_s=60.0),
        carriage=SharedFolder(),
        rounds=RoundBook(wake=lambda: None),
        wake_heart=threading.Event(),
    )

    class Interrupted(dict[str, Any]):
        def __getitem__(self, name: str) -> object:
            supervisor.leave()  # what the signal's handler does, in the thread that it interrupts
            return super().__getitem__(name)

    def live() -> None:
        reply = HeartbeatReply(acked_seq=0, lease_s=60.0, assignment=None, shutdown=False)
        supervisor.hear(reply, report=Interrupted(exit=None, round=None, claim=None), asked_at=time.monotonic())
        supervisor.run()

    thread = threading.Thread(target=live, daemon=True)
    thread.start()
    thread.join(timeout=5.0)
    assert not thread.is_alive()
    intake.stop()
    spool.close()
