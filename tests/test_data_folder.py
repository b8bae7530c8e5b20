"""A data folder is made, or refused with what is in the way."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from elastic.data_folder import found_instead, make_data_folder
from elastic.errors import InvalidInput
from elastic.store import lock


def test_a_new_data_folder_is_its_owners_only(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "data"
    assert found_instead(folder) is None
    make_data_folder(folder)
    make_data_folder(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InvalidInput, match="found a file; choose another with --data-dir"):
        make_data_folder(file)
    with pytest.raises(InvalidInput, match=f"found a file at {re.escape(str(file))};"):
        make_data_folder(file / "data")


def test_a_folder_that_cannot_be_made_is_told() -> None:
    with pytest.raises(InvalidInput, match="wanted a folder that this user may write to, found"):
        make_data_folder(Path("/proc/elasticd"))


def test_a_folder_that_takes_no_lock_is_told() -> None:
    # No file can be made there, not even by root.
    with pytest.raises(InvalidInput, match=r"/proc: wanted a folder .* cannot be written"):
        lock(Path("/proc"))


def test_a_folder_that_may_not_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root may write everywhere, so the kernel's answer is feigned.
    monkeypatch.setattr("os.access", lambda *_: False)
    assert found_instead(tmp_path / "data") == f"that {tmp_path} cannot be written"
