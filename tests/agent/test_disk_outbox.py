"""What workers said survives the agent and the daemon's silence, exactly once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from elastic.agent.disk_outbox import DiskOutbox
from elastic.protocol import NoteMessage


def window() -> dict[str, Any]:
    return {
        "kind": "window",
        "worker": "w",
        "generation": 1,
        "phase": "main",
        "is_cold": False,
        "iteration": None,
        "iterations": 1,
        "elapsed_s": 0.5,
        "world_size": 1,
        "ended_at_s": 1.7e9,
    }


@pytest.fixture
def disk_outbox(tmp_path: Path) -> Iterator[DiskOutbox]:
    with closing(DiskOutbox(tmp_path / "spool")) as result:
        yield result


def test_numbers_go_on_after_everything_was_acknowledged_and_the_agent_restarted(
    tmp_path: Path,
) -> None:
    with closing(DiskOutbox(tmp_path / "spool")) as first:
        first.add([window(), window()])
        first.acknowledge(2)
    with closing(DiskOutbox(tmp_path / "spool")) as second:
        second.add([window()])
        assert [message.seq for message in second.batch()] == [3]


def test_what_is_not_acknowledged_is_sent_again(disk_outbox: DiskOutbox) -> None:
    disk_outbox.add([window(), window(), window()])
    assert [message.seq for message in disk_outbox.batch()] == [1, 2, 3]
    disk_outbox.acknowledge(2)
    assert [message.seq for message in disk_outbox.batch()] == [3]


def test_a_batch_is_bounded_and_oldest_first(disk_outbox: DiskOutbox) -> None:
    disk_outbox.add([window() for _ in range(50)])
    assert [message.seq for message in disk_outbox.batch(limit=3)] == [1, 2, 3]


def test_events_keep_their_place_among_windows(disk_outbox: DiskOutbox) -> None:
    disk_outbox.add([window(), {"kind": "note", "text": "x"}, window()] * 40)
    rows = disk_outbox.batch(limit=1000)
    assert [row.kind for row in rows] == ["window", "note", "window"] * 40


def test_a_row_that_the_daemon_would_refuse_keeps_no_other_waiting(disk_outbox: DiskOutbox) -> None:
    disk_outbox.add(
        [window(), window() | {"world_size": 2_000_000}, {"kind": "confetti"}, window()]
    )
    assert [message.seq for message in disk_outbox.batch()] == [1, 4]
    assert disk_outbox.dropped == 2 and len(disk_outbox) == 4, (
        "the two windows, and a note of each that is gone"
    )
    disk_outbox.acknowledge(4)
    first, second = disk_outbox.batch()
    assert isinstance(first, NoteMessage) and isinstance(second, NoteMessage)
    assert (
        "1 so far" in first.text
        and "WindowMessage, found world_size: wanted less than or equal to 1000000" in first.text
    )
    assert "2 so far" in second.text
