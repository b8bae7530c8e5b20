"""A file that announces the end of a machine: read as the metadata service is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elastic.agent import read_settings
from elastic.agent.imds import SpotAction
from elastic.agent.watcher import NoticeFile, Watcher
from elastic.errors import ProviderUnavailable
from elastic.model import Notice, NoticeKind


def test_nothing_is_announced_before_there_is_a_file(tmp_path: Path) -> None:
    notices = NoticeFile(tmp_path / "notice.json")
    assert notices.spot_action() is None
    assert notices.rebalance() is None


def test_an_earlier_end_is_told_again(tmp_path: Path) -> None:
    path = tmp_path / "notice.json"
    taken: list[Notice] = []
    watcher = Watcher(NoticeFile(path), taken.append, wall_s=lambda: 50.0)
    for action, at_s in (("time limit", 900.0), ("time limit", 900.0), ("scancel", 60.0)):
        path.write_text(json.dumps({"action": action, "at_s": at_s}))
        watcher.look()
    assert [(each.kind, each.action, each.at_s) for each in taken] == [
        (NoticeKind.INTERRUPTION, "time limit", 900.0),
        (NoticeKind.INTERRUPTION, "scancel", 60.0),
    ]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"action": "x", "at_s": "soon"}'])
def test_a_damaged_file_is_no_all_clear(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notice.json"
    path.write_text(text)
    with pytest.raises(ProviderUnavailable, match="wanted an action"):
        NoticeFile(path).spot_action()


def test_the_settings_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "agent.json"
    fields = {
        "instance_id": "slurm-7",
        "daemon_url": "https://10.0.0.5:8471",
        "join_token": "secret",
        "work_dir": str(tmp_path),
        "advertise_host": "10.0.0.6",
        "checkpoint_root": "/shared",
        "artifact_root": "/shared",
        "notice_file": str(tmp_path / "notice.json"),
    }
    path.write_text(json.dumps(fields))
    path.chmod(0o600)
    assert read_settings(path).notice_file == tmp_path / "notice.json"
    del fields["notice_file"]
    path.write_text(json.dumps(fields))
    assert read_settings(path).notice_file is None


def test_actions_are_values(tmp_path: Path) -> None:
    path = tmp_path / "notice.json"
    path.write_text('{"action": "preemption", "at_s": 5}')
    assert NoticeFile(path).spot_action() == SpotAction("preemption", 5.0)
