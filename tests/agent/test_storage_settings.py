from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from elastic.agent import read_settings
from elastic.checkpoints import Location
from elastic.errors import InvalidInput


def written(folder: Path, **more: Any) -> Path:
    path = folder / "agent.json"
    path.touch(mode=0o600)
    fields = {
        "instance_id": "n1",
        "daemon_url": "http://d",
        "join_token": "j",
        "work_dir": str(folder),
        "advertise_host": "h",
        "checkpoint_root": "s3://training/elasticd",
        "artifact_root": "s3://training/elasticd",
    }
    path.write_text(json.dumps(fields | more))
    return path


def test_with_a_bucket_the_folders_are_the_nodes_own(tmp_path: Path) -> None:
    settings = read_settings(written(tmp_path, region="eu-west-1"))
    assert (settings.storage, settings.region) == (Location("training", "elasticd"), "eu-west-1")
    assert settings.checkpoint_root == settings.artifact_root == tmp_path / "jobs"


def test_a_shared_folder_stays_where_it_is(tmp_path: Path) -> None:
    settings = read_settings(
        written(tmp_path, checkpoint_root="/shared", artifact_root="/pictures")
    )
    assert (settings.storage, str(settings.checkpoint_root)) == (None, "/shared")
    assert str(settings.artifact_root) == "/pictures"


@pytest.mark.parametrize("more", [{"checkpoint_root": "s3://X"}, {"artifact_root": "/pictures"}])
def test_a_bucket_that_makes_no_sense_is_refused(tmp_path: Path, more: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        read_settings(written(tmp_path, **more))
