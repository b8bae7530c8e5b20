"""A script that fills its node's disk ends by its own error, and the agent lives to report it."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from elastic.agent.disk_outbox import DiskOutbox
from elastic.agent.files import read_json, write_json
from elastic.worker.last_error import FILE_NAME, leave_error
from elastic.worker.reserve import (
    PIECE_BYTES,
    RESERVE_BYTES,
    RESERVE_FILE,
    keep_reserve,
    makes_room,
)


@pytest.fixture
def fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Fills the disk for all that is written as JSON, until a piece of the reserve is given back."""
    dump = json.dump

    def full() -> None:
        left = (tmp_path / RESERVE_FILE).stat().st_size

        def write(*arguments: Any, **options: Any) -> None:
            if (tmp_path / RESERVE_FILE).stat().st_size == left:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            dump(*arguments, **options)

        monkeypatch.setattr("json.dump", write)

    keep_reserve(str(tmp_path))
    return full


def test_the_reserve_is_given_back_piece_by_piece(tmp_path: Path) -> None:
    assert not makes_room(str(tmp_path)), "none was kept"
    keep_reserve(str(tmp_path))
    pieces = RESERVE_BYTES // PIECE_BYTES
    assert (tmp_path / RESERVE_FILE).stat().st_blocks * 512 >= RESERVE_BYTES
    assert [makes_room(str(tmp_path)) for _ in range(pieces + 1)] == [True] * pieces + [False]
    keep_reserve(str(tmp_path))
    assert makes_room(str(tmp_path)), "an agent that starts again keeps all of it again"


def test_an_agent_writes_down_what_it_must_as_often_as_the_disk_fills(
    tmp_path: Path, fill: Callable[[], None]
) -> None:
    for code in range(RESERVE_BYTES // PIECE_BYTES):
        fill()
        write_json(tmp_path / "group.json", {"exit_code": code})
        assert read_json(tmp_path / "group.json") == {"exit_code": code}
    fill()
    with pytest.raises(OSError, match="No space left"):
        write_json(tmp_path / "group.json", {"exit_code": 1})


def test_messages_are_kept_and_reported_while_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(DiskOutbox(tmp_path / "spool")) as outbox:
        database: sqlite3.Connection = outbox._db  # noqa: SLF001 (only SQLite fills it so)
        database.execute("PRAGMA max_page_count = 4")

        def make_room(folder: str) -> bool:
            database.execute("PRAGMA max_page_count = 1000")
            return folder == str(tmp_path)

        monkeypatch.setattr("elastic.agent.disk_outbox.makes_room", make_room)
        outbox.add({"kind": "note", "text": "x" * 1000} for _ in range(20))
        assert len(outbox.batch()) == 20


def test_the_script_s_error_says_that_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fill: Callable[[], None]
) -> None:
    monkeypatch.setenv("ELASTICD_SOCKET", str(tmp_path / "workers.socket"))
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(tmp_path / "error.json"))
    fill()
    leave_error(OSError(errno.ENOSPC, "No space left on device"))
    assert "No space left" in (read_json(tmp_path / FILE_NAME) or {})["text"]
