"""A manifest is read as it was written, by versions before and after."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elastic.checkpoints import CheckpointIndex, FolderObjects, Manifest, Place, Writer, commit
from elastic.checkpoints.manifest import from_json, to_json
from elastic.errors import CheckpointDamaged
from elastic.model import MOST_SAVES

PLACE = Place(3, 17)
MANIFEST = Manifest(
    job_id="job",
    generation=3,
    sequence=17,
    node_id="n1",
    attempt="a",
    iteration=None,
    committed_at_s=1.0,
    files=(),
    saves={"1-00000000": 400, "2-00000000": 500},
)


def test_marks_of_saves_are_read_as_they_were_written() -> None:
    found = from_json(to_json(MANIFEST), place=PLACE, job_id="job")
    assert found == MANIFEST
    assert list(found.saves) == list(MANIFEST.saves), "the newest last"


def test_a_manifest_writes_no_line_of_its_own_into_the_daemons_log() -> None:
    fields = json.loads(to_json(MANIFEST)) | {"job_id": "b\n2026-11-28 \x1b[2Kforged"}
    with pytest.raises(CheckpointDamaged) as caught:
        from_json(json.dumps(fields).encode(), place=PLACE, job_id="job")
    assert str(caught.value).endswith("found one of b\\x0a2026-11-28 forged")


def test_a_manifest_of_an_older_version_has_no_marks() -> None:
    fields = json.loads(to_json(MANIFEST))
    del fields["saves"]
    assert from_json(json.dumps(fields).encode(), place=PLACE, job_id="job").saves == {}


@pytest.mark.parametrize("saves", [17, ["1-00000000"], {"1-00000000": "many"}])
def test_marks_that_are_none_are_damage(saves: object) -> None:
    fields = json.loads(to_json(MANIFEST)) | {"saves": saves}
    with pytest.raises(CheckpointDamaged, match="wanted a manifest"):
        from_json(json.dumps(fields).encode(), place=PLACE, job_id="job")


def test_a_commit_keeps_the_newest_marks_of_the_one_before(tmp_path: Path) -> None:
    index = CheckpointIndex(FolderObjects(tmp_path), job_id="job")

    def committed(saves: dict[str, int]) -> dict[str, int]:
        manifest = commit(
            index, (), saves=saves, writer=Writer(1, "n1"), iteration=None, committed_at_s=1.0
        )
        return dict(manifest.saves)

    assert committed({"1-0": 10, "2-0": 20}) == {"1-0": 10, "2-0": 20}
    assert list(committed({"3-0": 30, "1-0": 40}).items()) == [
        ("2-0", 20),
        ("3-0", 30),
        ("1-0", 40),
    ]
    many = {f"{each:x}-0": each for each in range(100, 100 + MOST_SAVES)}
    assert committed(many) == many
