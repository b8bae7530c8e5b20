"""The token is found, shown, replaced, and never lies open."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from elastic.cli.token import write_token
from elastic.client import Connection, read_token
from elastic.errors import InvalidInput, Unauthorized
from tests.cli.commands import runner
from tests.full_disk import a_full_disk


def test_a_written_token_is_its_owners_only(tmp_path: Path) -> None:
    write_token(tmp_path / "data" / "token", "abc")
    assert read_token(tmp_path / "data" / "token") == "abc"
    assert stat.S_IMODE((tmp_path / "data" / "token").stat().st_mode) == 0o600


def test_a_token_that_finds_the_disk_full_leaves_the_old_one_and_nothing_else(
    tmp_path: Path,
) -> None:
    write_token(tmp_path / "token", "old")
    with a_full_disk(), pytest.raises(InvalidInput, match=str(tmp_path)):
        write_token(tmp_path / "token", "new")
    assert read_token(tmp_path / "token") == "old"
    assert list(tmp_path.iterdir()) == [tmp_path / "token"]


def test_rotate_replaces_the_token_of_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(tmp_path))
    run = runner(capsys)
    assert run("token", "rotate").status == 0
    first = run("token", "show").out
    assert run("token", "rotate").status == 0
    assert len(first) > 40
    assert run("token", "show").out != first
    assert run("token", "show", "--path").out == f"{tmp_path / 'token'}\n"


def test_no_token_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(Unauthorized, match=str(tmp_path / "token")):
        read_token(tmp_path / "token")


def test_the_environments_token_needs_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELASTICD_TOKEN", "from-elsewhere")
    with Connection(url="http://127.0.0.1:1").open() as client:
        assert client.url == "http://127.0.0.1:1"
