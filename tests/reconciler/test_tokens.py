"""Tokens stand and fall with the secret they are derived from."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from elastic.errors import InvalidInput
from elastic.reconciler import NodeTokens, kept_secret, secret_in
from elastic.store import open_store
from tests.empty_database import lay_out


def test_a_secret_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "data" / "secret"
    made = secret_in(path)
    assert secret_in(path) == made == path.read_bytes()
    assert len(made) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == ["secret"]


def test_an_empty_secret_is_refused_for_anybody_could_forge_its_tokens(tmp_path: Path) -> None:
    (tmp_path / "secret").touch(mode=0o600)
    with pytest.raises(InvalidInput, match="remove the file"):
        secret_in(tmp_path / "secret")


def test_a_secret_that_can_be_neither_read_nor_made_is_told_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "raw").write_bytes(b"\xff" * 32)
    for name, found in (
        ("folder", "a folder"),
        ("raw", "what is no text in UTF-8"),
        ("raw/secret", "a file where its folder should be"),
    ):
        with pytest.raises(InvalidInput, match=rf"/{name}: wanted a file .*, found {found}: move"):
            secret_in(tmp_path / name)
    with pytest.raises(InvalidInput, match=r"/proc/none: wanted .*, it cannot be written"):
        secret_in(Path("/proc/none"))


def test_a_nodes_token_speaks_for_that_node_alone_and_on_its_machine_alone() -> None:
    tokens, other = NodeTokens(b"one"), NodeTokens(b"another")
    token = tokens.node_token("node-1", "i-1")
    assert tokens.node_of(token, "i-1") == "node-1"
    assert tokens.node_of(token, "i-2") is None
    assert tokens.node_of(token.replace("node-1", "node-2"), "i-1") is None
    assert other.node_of(token, "i-1") is None
    assert tokens.node_of("", "i-1") is None


def test_a_join_token_admits_the_machines_of_its_launch_alone() -> None:
    tokens = NodeTokens(b"one")
    token = tokens.join_token("launch-1")
    assert tokens.launch_of(token) == "launch-1"
    assert tokens.launch_of(token.replace("launch-1", "launch-2")) is None
    assert NodeTokens(b"another").launch_of(token) is None
    assert tokens.launch_of("") is None


def test_two_daemons_on_one_database_share_a_secret_without_copying_files(tmp_path: Path) -> None:
    store = open_store(lay_out(tmp_path / "elasticd.db"))
    first, second = tmp_path / "first" / "secret", tmp_path / "second" / "secret"
    made = kept_secret(store, "secret", first)
    assert kept_secret(store, "secret", second) == made == first.read_bytes() == second.read_bytes()
    assert stat.S_IMODE(second.stat().st_mode) == 0o600


def test_the_secret_of_a_data_folder_goes_on_in_a_database_that_has_none(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of-before")
    store = open_store(lay_out(tmp_path / "elasticd.db"))
    assert kept_secret(store, "secret", tmp_path / "secret") == b"of-before"
    (tmp_path / "secret").write_text("of-another-database")
    assert kept_secret(store, "secret", tmp_path / "secret") == b"of-before"
    assert (tmp_path / "secret").read_text() == "of-before"


def test_a_token_that_its_user_replaced_comes_into_force_and_an_old_one_does_not(
    tmp_path: Path,
) -> None:
    store = open_store(lay_out(tmp_path / "elasticd.db"))
    here, there = tmp_path / "here", tmp_path / "there"
    old = kept_secret(store, "token", here, is_replaceable=True)
    assert kept_secret(store, "token", there, is_replaceable=True) == old
    here.write_text("rotated")
    assert kept_secret(store, "token", here, is_replaceable=True) == b"rotated"
    assert kept_secret(store, "token", there, is_replaceable=True) == b"rotated"
    assert there.read_bytes() == b"rotated"
