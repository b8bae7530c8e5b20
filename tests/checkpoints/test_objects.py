"""Objects in a folder behave as those in a bucket do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from elastic.checkpoints import FolderObjects, Objects
from elastic.checkpoints.s3 import Bucket
from elastic.durations import DAY_S
from elastic.errors import NotFound, StorageUnavailable


@pytest.fixture(params=["folder", "bucket"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Objects:
    if request.param == "folder":
        return FolderObjects(tmp_path / "objects")
    bucket: Bucket = request.getfixturevalue("bucket")
    return bucket


def test_what_was_stored_comes_back_and_is_listed_by_how_its_name_begins(
    objects: Objects, tmp_path: Path
) -> None:
    (tmp_path / "weights").write_bytes(b"1234")
    objects.upload(tmp_path / "weights", "data/g1-n1/abc")
    assert objects.create("manifests/g1.json", b"{}")
    assert objects.names("data/") == ["data/g1-n1/abc"]
    assert sorted(objects.names("")) == ["data/g1-n1/abc", "manifests/g1.json"]
    objects.download("data/g1-n1/abc", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == b"1234"
    size_bytes, pieces = objects.stream("data/g1-n1/abc")
    assert (size_bytes, b"".join(pieces)) == (4, b"1234")


def test_a_name_that_is_taken_keeps_its_content(objects: Objects) -> None:
    assert objects.create("manifests/1", b"first")
    assert not objects.create("manifests/1", b"second")
    assert objects.read("manifests/1") == b"first"


def test_a_small_object_that_a_job_made_huge_is_not_read_whole(objects: Objects) -> None:
    objects.create("manifests/1", b"x" * (5 << 20))
    assert len(objects.read("manifests/1")) == 4 << 20


def test_what_is_not_there_is_not_found_and_may_be_deleted(
    objects: Objects, tmp_path: Path
) -> None:
    objects.delete(["data/none"])
    with pytest.raises(NotFound):
        objects.read("data/none")
    with pytest.raises(NotFound):
        objects.download("data/none", tmp_path / "back")
    with pytest.raises(NotFound):
        objects.stream("data/none")


def test_what_a_lost_node_left_half_stored_is_removed_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = FolderObjects(tmp_path / "objects")
    (tmp_path / "weights").write_bytes(b"1234")

    def lost(arriving: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as node:
        node.setattr("elastic.checkpoints.objects._sync", lost)
        node.setattr(Path, "unlink", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            objects.upload(tmp_path / "weights", "data/g1-n1/abc")
    (left,) = (path for path in (tmp_path / "objects").rglob("*") if path.is_file())
    objects.upload(tmp_path / "weights", "data/g2-n2/abc")
    assert left.exists(), "its node may be slow"
    day_ago_s = left.stat().st_mtime - DAY_S - 1
    os.utime(left, (day_ago_s, day_ago_s))
    objects.upload(tmp_path / "weights", "data/g3-n3/abc")
    assert not left.exists()
    assert sorted(objects.names("")) == ["data/g2-n2/abc", "data/g3-n3/abc"]


def test_a_folder_that_takes_nothing_is_unavailable_storage(tmp_path: Path) -> None:
    (tmp_path / "objects").write_text("a file")
    with pytest.raises(StorageUnavailable, match="wanted to create manifests/1"):
        FolderObjects(tmp_path / "objects").create("manifests/1", b"{}")


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_a_job_lays_in_an_objects_place_is_not_read_for_others(
    tmp_path: Path, kind: str
) -> None:
    secret = tmp_path / "token"
    secret.write_text("the daemon's")
    place = tmp_path / "objects" / "data" / "g000001-node-1" / ("0" * 64)
    place.parent.mkdir(parents=True)
    if kind == "link":
        place.symlink_to(secret)
    else:
        os.mkfifo(place)
    with pytest.raises(StorageUnavailable):
        FolderObjects(tmp_path / "objects").stream(f"data/g000001-node-1/{'0' * 64}")
    with pytest.raises(StorageUnavailable):
        FolderObjects(tmp_path / "objects").read(f"data/g000001-node-1/{'0' * 64}")
