"""Watching for notices: each is told once, and silence is no all-clear."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from elastic.agent.imds import Imds
from elastic.agent.watcher import Watcher
from elastic.model import Notice, NoticeKind
from tests.agent.metadata import FakeMetadata, serve_metadata

NOTICE = Notice(
    NoticeKind.INTERRUPTION, noticed_at_s=50.0, at_s=1_505_722_920.0, action="terminate"
)


@pytest.fixture
def metadata() -> Iterator[FakeMetadata]:
    with serve_metadata() as served:
        yield served


@pytest.fixture
def taken() -> list[Notice]:
    return []


@pytest.fixture
def watcher(metadata: FakeMetadata, taken: list[Notice]) -> Watcher:
    return Watcher(Imds(metadata.url), taken.append, wall_s=lambda: 50.0)


def test_nothing_is_told_while_nothing_is_announced(watcher: Watcher, taken: list[Notice]) -> None:
    watcher.look()
    assert taken == []


def test_a_notice_is_told_once(
    watcher: Watcher, taken: list[Notice], metadata: FakeMetadata
) -> None:
    metadata.announce("terminate", at="2017-09-18T08:22:00Z")
    watcher.look()
    watcher.look()
    assert taken == [NOTICE]


def test_a_recommendation_is_told_and_then_the_interruption(
    watcher: Watcher, taken: list[Notice], metadata: FakeMetadata
) -> None:
    metadata.recommend_rebalance(at="2017-09-18T08:20:00Z")
    watcher.look()
    metadata.announce("terminate", at="2017-09-18T08:22:00Z")
    watcher.look()
    del metadata.documents["meta-data/spot/instance-action"]
    watcher.look()
    assert taken == [Notice(NoticeKind.REBALANCE, noticed_at_s=50.0), NOTICE]


def test_a_service_that_falls_silent_takes_nothing_back(
    watcher: Watcher, taken: list[Notice], metadata: FakeMetadata
) -> None:
    metadata.is_enabled = False
    metadata.forget_tokens()
    watcher.look()
    watcher.look()
    assert taken == []
    metadata.is_enabled = True
    metadata.announce("terminate", at="2017-09-18T08:22:00Z")
    watcher.look()
    assert taken == [NOTICE]


def test_the_thread_looks_by_itself_and_outlives_what_goes_wrong(metadata: FakeMetadata) -> None:
    heard = threading.Event()
    calls: list[Notice] = []

    def take(notice: Notice) -> None:
        calls.append(notice)
        heard.set()
        raise RuntimeError("no room for it")

    watcher = Watcher(Imds(metadata.url), take, wall_s=lambda: 50.0, interval_s=0.01)
    watcher.start()
    metadata.announce("terminate", at="2017-09-18T08:22:00Z")
    assert heard.wait(5.0)
    heard.clear()
    metadata.announce("stop", at="2017-09-18T08:22:00Z")
    assert heard.wait(5.0)
    watcher.stop()
    assert [each.action for each in calls] == ["terminate", "stop"]
