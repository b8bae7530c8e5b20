"""What is carried of the folder that a job's workers run in."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from elastic.archive import pack, unpack
from elastic.checkpoints import UNSEEN, File, WorkingFolder
from elastic.checkpoints.working import FolderState, Held


class Node:
    """A node's disk with a job's code on it."""

    def __init__(self, disk: Path) -> None:
        self.disk = disk
        self.code = disk / "work/code"
        sent = disk / "mine"
        sent.mkdir(parents=True)
        (sent / "train.py").write_text("train")
        (sent / "start.pt").write_text("as sent")
        archive = pack(sent)
        (disk / "work").mkdir()
        (disk / "work/code.zip").write_bytes(archive.content)
        unpack(archive.content, self.code)

    def folder(self, globs: Sequence[str] | None = None) -> WorkingFolder:
        work = self.disk / "work"
        return WorkingFolder(
            self.code,
            memory=work / "memory.json",
            code=work / "code.zip",
            staging=work / "staging",
            globs=globs,
        )


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def held(
    folder: WorkingFolder,
    *,
    before: FolderState | None = None,
    previous: Mapping[str, File] | None = None,
) -> Held:
    now = folder.see()
    return folder.hold_still(now.files, now, before=before, previous=previous or {})


def test_a_file_whose_name_cannot_be_listed_is_no_output_and_is_known(node: Node) -> None:
    os.close(os.open(bytes(node.code) + b"/old\xff.bin", os.O_CREAT))
    folder = node.folder(["*.bin", "*.txt"])
    for name in (b"bad\xff.bin", b"new\nline.txt", b"not\nwanted.pt", b"good.bin"):
        os.close(os.open(bytes(node.code) + b"/" + name, os.O_CREAT))
    seen = folder.see()
    assert seen.unprintable == ("bad\udcff.bin", "new\nline.txt")
    assert list(seen.files) == ["good.bin"]
    # A new object of the folder recalls what was there first.
    assert node.folder(["*.bin"]).see().unprintable == ("bad\udcff.bin",)


def test_what_was_there_before_the_first_worker_is_no_output_until_it_changes(node: Node) -> None:
    assert dict(node.folder().see().files) == {}
    (node.code / "start.pt").write_text("trained further")
    (node.code / "runs").mkdir()
    (node.code / "runs/log.txt").write_text("epoch 1")
    assert set(node.folder().see().files) == {"start.pt", "runs/log.txt"}, (
        "an agent that starts again knows it too"
    )


def test_caches_hidden_and_half_written_files_are_left_out(node: Node) -> None:
    folder = node.folder()
    for name in ("__pycache__/net.pyc", ".git/HEAD", ".env", "model.pt.tmp", "kept.txt"):
        (node.code / name).parent.mkdir(exist_ok=True)
        (node.code / name).write_text("x")
    assert set(folder.see().files) == {"kept.txt"}


def test_hidden_names_that_results_cannot_do_without_are_outputs(node: Node) -> None:
    folder = node.folder()
    for name in ("ckpt/.metadata", "ckpt/__0_0.distcp", "run/.hydra/config.yaml"):
        (node.code / name).parent.mkdir(parents=True, exist_ok=True)
        (node.code / name).write_text("x")
    assert set(folder.see().files) == {
        "ckpt/.metadata",
        "ckpt/__0_0.distcp",
        "run/.hydra/config.yaml",
    }


def test_only_named_files_are_outputs_where_some_are_named(node: Node) -> None:
    folder = node.folder(["*.pt", "runs"])
    for name in ("best.pt", "cache.bin", "runs/a/log.txt"):
        (node.code / name).parent.mkdir(parents=True, exist_ok=True)
        (node.code / name).write_text("x")
    assert set(folder.see().files) == {"best.pt", "runs/a/log.txt"}


def test_a_link_is_carried_as_what_it_leads_to_but_never_out_of_the_folder(
    node: Node, tmp_path: Path
) -> None:
    folder = node.folder()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file").write_text("secret")
    (node.code / "step-2.pt").write_text("weights")
    (node.code / "last.pt").symlink_to("step-2.pt")
    (node.code / "leak").symlink_to(tmp_path / "secret")
    (node.code / "out").symlink_to(tmp_path / "outside")
    assert {each.path: each.link.read_text() for each in held(folder).files} == {
        "last.pt": "weights",
        "step-2.pt": "weights",
    }


def test_a_file_is_not_written_through_a_link_that_stands_in_its_way(
    node: Node, tmp_path: Path
) -> None:
    folder = node.folder()
    (tmp_path / "outside").mkdir()
    (node.code / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "arrived").write_text("from another node")
    folder.put(tmp_path / "arrived", "out/a.txt")
    assert (node.code / "out/a.txt").read_text() == "from another node"
    assert list((tmp_path / "outside").iterdir()) == []


def test_of_a_file_that_is_being_written_the_version_before_stays(node: Node) -> None:
    folder = node.folder()
    (node.code / "snapshot.pt").write_text("epoch 1")
    (node.code / "new.pt").write_text("begun")
    before = folder.see()
    (node.code / "snapshot.pt").write_text("epoch 2, half of")
    (node.code / "new.pt").write_text("still being written")
    old = File("snapshot.pt", 7, "a" * 64, "data/g000001-n1/" + "a" * 64)
    found = held(folder, before=before, previous={"snapshot.pt": old})
    assert (found.files, found.kept, found.is_whole) == ((), (old,), False)
    found = held(folder, before=folder.see())
    assert ([each.path for each in found.files], found.is_whole) == (
        ["new.pt", "snapshot.pt"],
        True,
    )


def test_a_log_that_never_rests_is_carried_as_far_as_it_has_grown(node: Node) -> None:
    folder = node.folder()
    log, other, old = (
        node.code / "metrics.csv",
        node.code / "state.bin",
        File("metrics.csv", 1, "a" * 64, "data/x"),
    )

    def seen_after(line: str, *, other_content: str) -> Held:
        before = folder.see()
        with log.open("a") as file:
            file.write(line)
        other.write_text(other_content)
        with (node.code / "half.ckpt").open("ab") as file:
            file.write(b"\0 a checkpoint that takes long to write")
        return held(folder, before=before, previous={"metrics.csv": old})

    first = seen_after("1,0.9\n", other_content="weights of step 1")
    assert (first.files, first.kept, first.is_whole) == ((), (old,), False), (
        "it might be half of a file"
    )
    second = seen_after("2,0.8\n", other_content="of step 2: weights")
    assert [(each.path, each.link.read_text()) for each in second.files] == [
        ("metrics.csv", "1,0.9\n2,0.8\n")
    ]
    assert not second.is_whole, "what is written anew waits"
    with log.open("a") as file:
        file.write("3,0.7\n")
    assert second.files[0].link.read_text() == "1,0.9\n2,0.8\n", "the copy is still"
    assert second.files[0].look.modified_at_ns < log.stat().st_mtime_ns
    log.write_text("begun anew, and longer than it was before\n")
    assert not seen_after("1\n", other_content="x").files


def test_a_zip_without_its_end_is_torn_however_long_it_rests(node: Node) -> None:
    folder = node.folder()
    path = node.code / "snapshot.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.pkl", b"x" * 10_000)
    assert held(folder).is_whole
    assert held(folder, before=UNSEEN).is_whole, "its end shows that nobody writes to it any more"
    whole = path.read_bytes()
    path.write_bytes(whole[:5_000])  # as a worker leaves it that was killed in torch.save
    assert (held(folder).files, held(folder).is_whole) == ((), False)


def test_a_folder_that_is_being_made_waits_as_a_whole(node: Node) -> None:
    folder = node.folder()
    (node.code / "checkpoint-5").mkdir()
    (node.code / "checkpoint-5/model.safetensors").write_text("first of two")
    before = folder.see()
    os.utime(node.code / "checkpoint-5", (1, 1))  # as the second file does that comes into it
    assert not held(folder, before=before).files
    assert held(folder, before=folder.see()).is_whole


def test_outputs_that_do_not_belong_go_and_code_is_as_it_was_sent(node: Node) -> None:
    folder = node.folder()
    for name in ("start.pt", "stale.pt", "kept.pt"):
        (node.code / name).write_text("this node's own")
    folder.keep_only({"kept.pt"})
    assert (node.code / "start.pt").read_text() == "as sent"
    assert set(folder.see().files) == {"kept.pt"}
    assert set(node.folder().see().files) == {"kept.pt"}, "what was restored is no output"


def test_a_file_gets_the_time_at_which_it_was_written_elsewhere(node: Node) -> None:
    folder = node.folder()
    (node.code / "a.pt").write_text("x")
    folder.stamp("a.pt", 1_600_000_000_000_000_123)
    assert os.stat(node.code / "a.pt").st_mtime_ns == 1_600_000_000_000_000_123
