"""The heartbeat of a node whose daemon goes away and comes back."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest

from elastic.agent.daemon_client import DaemonClient
from elastic.agent.disk_outbox import BATCH_ROWS
from elastic.agent.heart import Heart
from elastic.agent.supervisor import Supervisor
from elastic.protocol import Heartbeat, HeartbeatReply
from tests.workloads.session.running import wait_until


class Daemon:
    """One that answers while it listens, and refuses while it is told to."""

    def __init__(self) -> None:
        self.is_there, self.refuses = False, False
        self.beats = self.looks = 0

    def is_listening(self) -> bool:
        self.looks += 1
        return self.is_there

    def heartbeat(self, heartbeat: Heartbeat, *, node_token: str) -> HeartbeatReply | None:
        self.beats += 1
        return cast(HeartbeatReply, object()) if self.is_there and not self.refuses else None


def _heart(
    daemon: Daemon,
    *,
    interval_s: float,
    is_hurried: bool = False,
    waiting: int = 0,
    hear: Callable[..., None] = lambda reply, **_: None,
) -> Heart:
    supervisor = SimpleNamespace(
        heartbeat=lambda *, sent_at_s: SimpleNamespace(windows=[None] * waiting, events=[]),
        hear=hear,
        hear_nothing=lambda **_: None,
        is_hurried=is_hurried,
    )
    heart = Heart(
        cast(DaemonClient, daemon),
        cast(Supervisor, supervisor),
        node_token="t",
        interval_s=interval_s,
        wake=threading.Event(),
        wall_s=lambda: 0.0,
    )
    heart.start()
    return heart


@pytest.mark.timeout(60)
def test_a_daemon_that_listens_again_hears_of_its_node_before_the_next_beat_is_due() -> None:
    daemon = Daemon()
    heart = _heart(daemon, interval_s=5.0)
    wait_until(lambda: daemon.looks >= 2, "looks for the daemon")
    assert daemon.beats == 1
    daemon.is_there = True
    wait_until(lambda: daemon.beats == 2, "the next beat")
    assert daemon.looks < 5, "it came before the interval was over"
    heart.stop()


@pytest.mark.timeout(60)
def test_a_daemon_that_listens_and_refuses_is_asked_no_more_often() -> None:
    daemon = Daemon()
    daemon.is_there = daemon.refuses = True
    heart = _heart(daemon, interval_s=1000.0)
    wait_until(lambda: daemon.looks == 1, "a look")
    assert daemon.beats == 1
    heart.stop()
    assert (daemon.beats, daemon.looks) == (2, 1), "and a last word"


@pytest.mark.timeout(60)
def test_a_word_that_is_soon_to_come_is_asked_for_more_often() -> None:
    daemon = Daemon()
    daemon.is_there = True
    calm, hurried = _heart(daemon, interval_s=1000.0), Daemon()
    hurried.is_there = True
    heart = _heart(hurried, interval_s=0.4, is_hurried=True)
    begun_s = time.monotonic()
    wait_until(lambda: hurried.beats == 4, "four beats")
    assert 0.25 < time.monotonic() - begun_s < 0.9, "a quarter of the interval apart"
    assert daemon.beats == 1
    for each in (heart, calm):
        each.stop()


@pytest.mark.timeout(60)
def test_an_answer_that_fails_here_is_asked_for_no_more_often_and_keeps_no_node_alive() -> None:
    def full(_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    daemon = Daemon()
    daemon.is_there = True
    heart = _heart(daemon, interval_s=1000.0, waiting=BATCH_ROWS, hear=full)
    wait_until(lambda: daemon.looks == 1, "a rest")
    heart.stop()
    assert daemon.beats == 2, "and a last word"


@pytest.mark.timeout(60)
def test_what_is_more_than_one_report_holds_follows_at_once() -> None:
    heard: list[object] = []
    daemon = Daemon()
    daemon.is_there = True
    heart = _heart(
        daemon, interval_s=0.5, waiting=BATCH_ROWS, hear=lambda reply, **_: heard.append(reply)
    )
    begun_s = time.monotonic()
    wait_until(lambda: len(heard) >= 20, "many beats")
    assert time.monotonic() - begun_s < 5.0
    daemon.is_there = False
    heart.stop()
