"""What the settings say against nodes on EC2 is told, and what is in order is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.config import load_settings
from elastic.providers.ec2 import doubts

URL = "http://there:8470"


def told(**settings: object) -> list[str]:
    given = {"provider": "ec2", "host": "10.0.0.5", "checkpoint_root": "s3://training/elasticd"}
    return list(doubts(load_settings(**given | settings), url=URL))


@pytest.fixture(autouse=True)
def no_other_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ELASTICD_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(tmp_path / "data"))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "localhost", "::1"])
def test_an_address_of_this_machine_alone_is_doubted(host: str) -> None:
    (said,) = told(host=host)
    assert f"{URL}, which only this machine can reach" in said
    assert "ELASTICD_HOST" in said


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_an_address_that_stands_for_all_is_doubted(host: str) -> None:
    (said,) = told(host=host)
    assert f"{URL}, which is no address" in said


@pytest.mark.parametrize("host", ["10.0.0.5", "fd00::1", "daemon.example"])
def test_an_address_that_nodes_may_reach_is_not(host: str) -> None:
    assert told(host=host) == []


@pytest.mark.parametrize("root", [None, ""])
def test_checkpoints_on_each_nodes_own_disk_are_doubted(root: str | None, tmp_path: Path) -> None:
    (said,) = told(checkpoint_root=root)
    assert f"checkpoints in {tmp_path / 'data' / 'jobs'} on its own disk" in said
    assert "s3://BUCKET/PREFIX" in said


@pytest.mark.parametrize("root", ["s3://training/elasticd", "/mnt/shared"])
def test_a_place_that_was_chosen_for_checkpoints_is_not(root: str) -> None:
    assert told(checkpoint_root=root) == []
