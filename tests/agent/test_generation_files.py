"""What a generation's folder and its bucket hold, and by which iteration it is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from elastic.agent import AgentSettings
from elastic.agent.generation_files import GenerationFiles
from elastic.agent.torchrun import saves_file
from elastic.checkpoints import CheckpointIndex, Manifest
from elastic.checkpoints.s3 import Bucket, connect
from tests.agent.assignments import ONE
from tests.checkpoints.bucket import Wire, new_bucket, serve_s3


class Node:
    """A machine whose folder was filled, from an empty bucket, and that bucket."""

    def __init__(self, folder: Path, bucket: Bucket, client: Any, wire: Wire) -> None:
        settings = AgentSettings(
            "n1", "http://127.0.0.1:1", "token", folder, "127.0.0.1", folder / "c", folder / "a"
        )
        self.generation_files = GenerationFiles(
            ONE, settings=settings, client=client, storage=bucket.location
        )
        self.folder = folder / "c" / ONE.checkpoint_dir
        self.saves_file = saves_file(settings, ONE.generation)
        self.wire = wire
        self._index = CheckpointIndex(
            Bucket(client, bucket.location.below(ONE.checkpoint_dir)), job_id=ONE.job_id
        )
        self.folder.mkdir(parents=True)
        self.generation_files.bring(tell=print)

    def carry(self, iteration: int | None) -> bool:
        return self.generation_files.carry(iteration=iteration, now_s=1.0)

    def manifests(self) -> list[Manifest]:
        return list(self._index.manifests(self._index.places()))


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Node]:
    with serve_s3() as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        client = connect(region="us-east-1")
        bucket, wire = new_bucket(client)
        yield Node(tmp_path, bucket, client, wire)


def test_a_word_that_comes_late_names_what_is_stored_already(node: Node) -> None:
    (node.folder / "weights.pt").write_text("of 20")
    assert node.carry(None), "it had come to rest before anybody told of it"
    sent = node.wire.asked["PutObject"]
    assert node.carry(20)
    assert node.manifests()[0].iteration == 20
    assert node.wire.asked["PutObject"] - sent == 1, "the manifest alone is sent"
    assert not node.carry(20) and not node.carry(None), "nothing is new"


def test_what_is_stored_twice_by_its_names_takes_no_earlier_checkpoints_place(node: Node) -> None:
    for iteration in (20, 40, 60):
        (node.folder / "weights.pt").write_text(f"of {iteration}")
        node.carry(iteration - 20 or None)
        node.carry(iteration)
    assert [each.iteration for each in node.manifests()] == [60, 40, 40]
    assert len({each.files for each in node.manifests()}) == 2


def test_marks_of_what_was_saved_come_with_a_checkpoint(node: Node) -> None:
    (node.folder / "weights.pt").write_text("of 20")
    node.saves_file.write_text("1-00000000 20\n")
    assert node.carry(None)
    node.saves_file.unlink()
    node.generation_files.bring(tell=print)
    assert node.saves_file.read_text() == "1-00000000 20\n"


def test_a_log_in_the_folder_that_never_rests_keeps_no_checkpoint_from_being_stored(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = node.folder / "train.log"

    def looks() -> bool:
        with log.open("a") as file:
            file.write("a line\n")
        return node.generation_files.has_come_to_rest()

    assert not any(looks() for _ in range(5)), "the log alone is nothing to store at once"
    weights = node.folder / "weights.pt"
    weights.write_bytes(b"\0half")
    assert not looks()
    weights.write_bytes(b"\0 and whole")
    assert not looks(), "it is still being written"
    assert looks()
    upload = Bucket.upload

    def upload_slowly(bucket: Bucket, path: Path, name: str) -> None:
        looks()
        upload(bucket, path, name)

    monkeypatch.setattr(Bucket, "upload", upload_slowly)
    assert node.carry(None)
    assert {each.path for each in node.manifests()[0].files} == {"train.log", "weights.pt"}
    assert not looks()


def test_a_link_that_leads_elsewhere_is_a_checkpoint_of_its_own(node: Node) -> None:
    for step in (1, 2):
        (node.folder / f"step-{step}.pt").write_text(str(step))
    (node.folder / "latest.pt").symlink_to("step-1.pt")
    assert node.carry(None)
    (node.folder / "latest.pt").unlink()
    (node.folder / "latest.pt").symlink_to("step-2.pt")
    node.generation_files.has_come_to_rest()
    assert node.generation_files.has_come_to_rest()
    assert node.carry(None)
    assert node.manifests()[0].links == {"latest.pt": "step-2.pt"}
    assert not node.generation_files.has_come_to_rest()
