"""What workers said survives the agent and the daemon's silence, exactly once and within a
bound."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from elastic.agent.disk_outbox import DiskOutbox
from elastic.protocol import NoteMessage, WindowMessage


def window(
    turns: int = 1, *, phase: str = "main", worker: str = "w", is_cold: bool = False
) -> dict[str, Any]:
    return {
        "kind": "window",
        "worker": worker,
        "generation": 1,
        "phase": phase,
        "is_cold": is_cold,
        "iteration": None,
        "iterations": turns,
        "elapsed_s": 0.5 * turns,
        "world_size": 1,
        "ended_at_s": 1.7e9,
    }


def windows(disk_outbox: DiskOutbox) -> list[WindowMessage]:
    return [each for each in disk_outbox.batch(limit=1000) if isinstance(each, WindowMessage)]


@pytest.fixture
def disk_outbox(tmp_path: Path) -> Iterator[DiskOutbox]:
    with closing(DiskOutbox(tmp_path / "spool", max_rows=100)) as result:
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


def test_a_long_silence_halves_the_resolution_and_keeps_the_totals(disk_outbox: DiskOutbox) -> None:
    for _ in range(1000):
        disk_outbox.add([window()])
    rows = windows(disk_outbox)
    assert len(rows) <= 100
    assert sum(row.iterations for row in rows) == 1000
    assert sum(row.elapsed_s for row in rows) == pytest.approx(500.0)
    assert [row.seq for row in rows] == sorted(row.seq for row in rows)


def test_what_may_have_reached_the_daemon_is_never_joined(disk_outbox: DiskOutbox) -> None:
    disk_outbox.add([window() for _ in range(60)])
    sent = disk_outbox.batch(limit=60)
    disk_outbox.add([window() for _ in range(60)])
    rows = windows(disk_outbox)
    assert rows[:60] == sent
    assert sum(row.iterations for row in rows) == 120
    assert len(rows) == 90


@pytest.mark.parametrize("other", [{"phase": "gan"}, {"worker": "v"}, {"is_cold": True}])
def test_windows_that_differ_in_kind_are_not_joined(
    disk_outbox: DiskOutbox, other: dict[str, Any]
) -> None:
    disk_outbox.add([window(), window(**other)] * 60)
    rows = windows(disk_outbox)
    assert [row.iterations for row in rows] == [1] * 120


def test_events_keep_their_place_among_windows(disk_outbox: DiskOutbox) -> None:
    disk_outbox.add([window(), {"kind": "note", "text": "x"}, window()] * 40)
    rows = disk_outbox.batch(limit=1000)
    assert sum(row.kind == "note" for row in rows) == 40
    assert sum(getattr(row, "iterations", 0) for row in rows) == 80


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


def test_windows_whose_sum_does_not_fit_are_dropped_when_they_are_sent(
    disk_outbox: DiskOutbox,
) -> None:
    disk_outbox.add([window(turns=2**52) for _ in range(102)])
    assert [
        message.kind for message in disk_outbox.batch(limit=1000)
    ] == [] and disk_outbox.dropped == 51
