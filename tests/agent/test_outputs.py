"""Nodes of one job begin from one state of the working folder, and what the first rank writes comes
home."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.agent import AgentSettings
from elastic.agent.marks import newest_marks
from elastic.agent.outputs import OutputUploader, TooMuch
from elastic.agent.torchrun import saves_file
from elastic.checkpoints import CheckpointIndex, FolderObjects, Look
from elastic.errors import Superseded
from elastic.model import Mode
from elastic.protocol import Assignment
from tests.agent.assignments import ONE

JOB = replace(ONE, outputs=None, nnodes_max=2)


class Node:
    """One node's disk; `in_generation` gives what its agent works with then."""

    def __init__(self, disk: Path, name: str) -> None:
        self.settings = AgentSettings(
            instance_id=name,
            daemon_url="http://127.0.0.1:1",
            join_token="t",
            work_dir=disk / name,
            advertise_host="127.0.0.1",
            checkpoint_root=disk,
            artifact_root=disk,
        )
        self.objects = FolderObjects(disk / "home")
        self.settings.work_dir.mkdir(parents=True)

    def in_generation(self, generation: int, job: Assignment = JOB) -> OutputUploader:
        return OutputUploader(
            replace(job, generation=generation), settings=self.settings, objects=self.objects
        )

    def lead(self, generation: int, *, meeting: str = "", job: Assignment = JOB) -> OutputUploader:
        outputs = self.in_generation(generation, job)
        outputs.lead(now_s=1.0, tell=print)
        if meeting:
            outputs.announce(meeting)
        return outputs

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.settings.code_dir / name).write_text(text)

    def mark(self, line: str, *, generation: int = 1) -> None:
        """What a worker notes as it saves a file."""
        with saves_file(self.settings, generation).open("a") as file:
            file.write(f"{line}\n")

    def marks(self, generation: int) -> dict[str, int]:
        return newest_marks(saves_file(self.settings, generation))

    def read(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.settings.code_dir.iterdir()}


@pytest.fixture
def node(tmp_path: Path) -> Callable[[str], Node]:
    return lambda name: Node(tmp_path, name)


def home(node: Node) -> set[str]:
    index = CheckpointIndex(node.objects, job_id="j")
    newest = index.kept(index.places())[:1]
    return {file.path for manifest in newest for file in manifest.files}


def test_a_second_node_begins_with_the_file_that_the_first_one_wrote(
    node: Callable[[str], Node],
) -> None:
    a, b = node("a"), node("b")
    alone = a.lead(1)
    a.write(snapshot="epoch 4")
    alone.carry(is_still=True, now_s=2.0)
    a.lead(2, meeting="a:1")
    assert b.in_generation(2).follow("a:1")
    assert a.read() == b.read() == {"snapshot": "epoch 4"}
    written_at = [(each.settings.code_dir / "snapshot").stat().st_mtime_ns for each in (a, b)]
    assert written_at[0] == written_at[1]


def test_a_node_waits_for_the_first_ranks_word_of_its_own_start(
    node: Callable[[str], Node],
) -> None:
    a, b = node("a"), node("b")
    a.lead(1, meeting="a:1")
    assert not b.in_generation(1).follow("a:2"), "torchrun has started them again, elsewhere"
    assert not b.in_generation(2).follow("a:1"), "of another generation"
    assert b.in_generation(1).follow("a:1")


def test_what_another_node_wrote_itself_goes_where_the_first_rank_has_none(
    node: Callable[[str], Node],
) -> None:
    a, b = node("a"), node("b")
    a.lead(1, meeting="a:1")
    b.in_generation(1).follow("a:1")
    b.write(snapshot="its own first rank on this node")
    a.lead(2, meeting="a:2")
    b.in_generation(2).follow("a:2")
    assert b.read() == a.read() == {}


def test_after_a_crash_on_the_first_ranks_node_its_newest_files_are_the_others_too(
    node: Callable[[str], Node],
) -> None:
    a, b = node("a"), node("b")
    a.lead(1, meeting="a:1")
    b.in_generation(1).follow("a:1")
    a.write(snapshot="epoch 5")
    a.lead(1, meeting="a:2")  # torchrun starts all workers again, in the same generation
    b.in_generation(1).follow("a:2")
    assert b.read() == {"snapshot": "epoch 5"}


def test_after_the_first_ranks_node_is_lost_the_others_go_on_from_what_is_home(
    node: Callable[[str], Node],
) -> None:
    a, b = node("a"), node("b")
    leading = a.lead(1, meeting="a:1")
    b.in_generation(1).follow("a:1")
    a.write(snapshot="epoch 3")
    leading.carry(is_still=True, now_s=2.0)
    a.write(snapshot="epoch 4")
    b.write(snapshot="epoch 4 by another rank")
    b.lead(2)
    assert b.read() == {"snapshot": "epoch 3"}
    b.write(snapshot="epoch 5")
    b.in_generation(2).carry(is_still=True, now_s=3.0)
    with pytest.raises(Superseded):
        leading.carry(is_still=True, now_s=3.0)


def test_files_that_only_another_ranks_node_holds_are_known(node: Callable[[str], Node]) -> None:
    a, b = node("a"), node("b")
    leading, following = a.lead(1, meeting="a:1"), b.in_generation(1)
    following.follow("a:1")
    a.write(shard_0="rank 0's", both="of each rank")
    b.write(shard_1="rank 1's", both="of each rank")
    leading.carry(is_still=True, now_s=1001.0)
    assert following.only_here(now_s=1000.0) == (), "the first rank's may be on its way"
    a.write(shard_0="rank 0's next")
    b.write(shard_1="rank 1's next")
    leading.carry(is_still=True, now_s=1060.0)
    assert following.only_here(now_s=1061.0) == ("shard_1",)


def test_a_file_that_is_removed_is_removed_everywhere(node: Callable[[str], Node]) -> None:
    a, b = node("a"), node("b")
    leading = a.lead(1)
    a.write(old="1", new="2")
    leading.carry(is_still=True, now_s=2.0)
    b.lead(2)
    (b.settings.code_dir / "old").unlink()
    b.in_generation(2).carry(is_still=True, now_s=3.0)
    a.lead(3)
    assert a.read() == {"new": "2"}


def test_a_torn_file_gives_way_to_the_version_before_on_its_own_node_too(
    node: Callable[[str], Node],
) -> None:
    a = node("a")
    leading = a.lead(1)
    a.write(snapshot="epoch 1", first="whole")
    leading.carry(is_still=True, now_s=2.0)
    a.write(snapshot="PK\x03\x04 torch.save was killed here", other="PK\x03\x04 and here")
    a.lead(2)
    assert a.read() == {"snapshot": "epoch 1", "first": "whole"}


class DyingObjects(FolderObjects):
    """Lets the agent die where it brings a file."""

    def download(self, name: str, path: Path) -> None:
        raise KeyboardInterrupt


def test_a_folder_that_was_half_filled_is_not_taken_for_the_newest(
    node: Callable[[str], Node], tmp_path: Path
) -> None:
    a, b = node("a"), node("b")
    leading = a.lead(1)
    a.write(one="1", two="2")
    leading.carry(is_still=True, now_s=2.0)
    b.objects = DyingObjects(tmp_path / "home")
    with pytest.raises(KeyboardInterrupt):
        b.lead(2)
    b.objects = FolderObjects(tmp_path / "home")
    b.lead(2)
    assert b.read() == {"one": "1", "two": "2"}
    assert home(b) == {"one", "two"}


def test_a_later_generation_does_not_read_all_files_again(node: Callable[[str], Node]) -> None:
    a, digests = node("a"), dict[Look, str]()
    leading = OutputUploader(JOB, settings=a.settings, objects=a.objects, digests=digests)
    leading.lead(now_s=1.0, tell=print)
    a.write(one="1")
    leading.carry(is_still=True, now_s=2.0)
    (look,) = digests
    digests[look] = "0" * 64  # were the file read again, it would not be this
    following = OutputUploader(
        replace(JOB, generation=2), settings=a.settings, objects=a.objects, digests=digests
    )
    assert following.carry(is_still=True, now_s=3.0), "another digest is another file"


def test_nothing_new_makes_no_new_manifest(node: Callable[[str], Node]) -> None:
    a = node("a")
    leading = a.lead(1)
    a.write(one="1")
    assert leading.carry(is_still=True, now_s=2.0)
    assert not leading.carry(is_still=True, now_s=3.0)
    a.lead(2)
    assert len(CheckpointIndex(a.objects, job_id="j").places()) == 1


def test_a_file_is_carried_once_it_rests_while_workers_run(node: Callable[[str], Node]) -> None:
    a = node("a")
    leading = a.lead(1)
    a.write(log="line")
    assert not leading.carry(is_still=False, now_s=2.0), "it may be half written"
    assert leading.carry(is_still=False, now_s=7.0)
    assert home(a) == {"log"}


def test_more_than_is_carried_by_default_is_an_error_that_says_what_to_do(
    node: Callable[[str], Node],
) -> None:
    a = node("a")
    leading = a.lead(1)
    with (a.settings.code_dir / "huge.bin").open("wb") as file:
        file.truncate(6 << 30)  # takes no room: nothing is written
    with pytest.raises(
        TooMuch,
        match=r"holds 6 GiB of new files, the largest huge.bin .* name the files to .*`outputs:`",
    ):
        leading.carry(is_still=False, now_s=2.0)
    named = a.in_generation(1, replace(JOB, outputs=("*.pt",)))
    assert not named.carry(is_still=False, now_s=2.0)
    a.write(one="1")
    few = OutputUploader(
        replace(JOB, outputs=("*",)), settings=a.settings, objects=a.objects, most_files=1
    )
    with pytest.raises(TooMuch, match="holds 2 new files"):
        few.carry(is_still=False, now_s=2.0)


def test_a_quick_look_finds_what_is_too_much(node: Callable[[str], Node]) -> None:
    a = node("a")
    few = OutputUploader(JOB, settings=a.settings, objects=a.objects, most_files=2)
    few.lead(now_s=1.0, tell=print)
    (a.settings.code_dir / "samples").mkdir()
    for name in ("one", "two", "three.tmp", ".hidden"):
        (a.settings.code_dir / "samples" / name).touch()
    few.check()
    (a.settings.code_dir / "samples" / "three").touch()
    with pytest.raises(TooMuch, match="holds 3 new files"):
        few.check()
    OutputUploader(
        replace(JOB, outputs=("*.pt",)), settings=a.settings, objects=a.objects, most_files=2
    ).check()


def test_in_a_session_a_later_first_rank_drops_nothing_that_an_earlier_one_wrote(
    node: Callable[[str], Node],
) -> None:
    job = replace(JOB, mode=Mode.LIVE)
    a, b = node("a"), node("b")
    on_a, on_b = a.lead(1, job=job), b.lead(1, job=job)
    assert not on_a.is_writer
    on_a.join(1)
    a.write(sample="of a", shared="of a")
    on_a.carry(is_still=True, session_round=1, now_s=2.0)
    b.write(shared="of b")
    on_b.join(2)
    on_b.carry(is_still=True, session_round=2, now_s=3.0)
    assert home(b) == {"sample", "shared"}


def test_which_state_a_generation_begins_with_is_kept_in_one_small_file(
    node: Callable[[str], Node],
) -> None:
    a = node("a")
    a.lead(1, meeting="a:1")
    a.lead(2, meeting="a:2")
    (name,) = a.objects.names("beginnings/")
    assert json.loads(a.objects.read(name)) == {"place": None}


def test_marks_of_what_was_saved_come_with_the_files_to_every_node(
    node: Callable[[str], Node],
) -> None:
    a, b, c = node("a"), node("b"), node("c")
    outputs = a.lead(1)
    a.write(snapshot="epoch 4")
    a.mark("1-00000000 400")
    outputs.carry(is_still=True, now_s=2.0)
    b.lead(2, meeting="b:1")
    assert c.in_generation(2).follow("b:1")
    assert b.marks(2) == c.marks(2) == {"1-00000000": 400}


def test_what_is_saved_outside_of_the_folder_is_known_to_the_next_node_by_its_mark(
    node: Callable[[str], Node],
) -> None:
    a, b = node("a"), node("b")
    outputs = a.lead(1)
    for done in (400, 500):
        a.mark(f"{done:x}-00000000 {done}")
        assert outputs.carry(is_still=False, now_s=2.0)
        assert not outputs.carry(is_still=False, now_s=3.0), "nothing is new"
    b.lead(2)
    assert b.marks(2) == {"190-00000000": 400, "1f4-00000000": 500}


def test_a_mark_waits_for_the_file_that_is_being_written(node: Callable[[str], Node]) -> None:
    a = node("a")
    outputs = a.lead(1)
    a.write(snapshot="epoch 4")
    a.mark("1-00000000 400")
    assert not outputs.carry(is_still=False, now_s=2.0), "an empty state must not come before it"
    assert outputs.carry(is_still=False, now_s=3.0)
    assert home(a) == {"snapshot"}


def save_steps(code: Path, name: str, *steps: str) -> None:
    for step in steps:
        (code / step).mkdir()
        (code / step / name).write_text(step)


def lead_to(code: Path, to: Path | str) -> None:
    (code / "latest").unlink(missing_ok=True)
    (code / "latest").symlink_to(to)


def test_a_link_to_the_newest_checkpoint_leads_to_it_on_every_node(
    node: Callable[[str], Node],
) -> None:
    a, b = node("a"), node("b")
    alone = a.lead(1)
    code = a.settings.code_dir
    save_steps(code, "model.pt", "step-1", "step-2")
    lead_to(code, code / "step-1")
    (code / "last.pt").symlink_to("step-1/model.pt")
    assert alone.carry(is_still=True, now_s=2.0)
    lead_to(code, code / "step-2")
    assert alone.carry(is_still=True, now_s=3.0), "the link alone has changed"
    assert not alone.carry(is_still=True, now_s=4.0)
    assert {"last.pt", "step-2/model.pt"} <= home(a)
    a.lead(2, meeting="a:1")
    assert b.in_generation(2).follow("a:1")
    for each in (a, b):
        code = each.settings.code_dir
        assert (code / "latest/model.pt").read_text() == "step-2"
        assert (code / "latest").resolve() == code.resolve() / "step-2"
        assert (code / "last.pt").is_symlink()


def test_a_link_to_what_is_still_being_written_leads_where_it_led_before(
    node: Callable[[str], Node],
) -> None:
    a, b = node("a"), node("b")
    alone = a.lead(1)
    code = a.settings.code_dir
    save_steps(code, "model.bin", "step-1")
    lead_to(code, "step-1")
    alone.carry(is_still=True, now_s=2.0)
    save_steps(code, "model.bin", "step-2")
    lead_to(code, "step-2")
    alone.carry(is_still=False, now_s=3.0)
    b.lead(2)
    assert (b.settings.code_dir / "latest/model.bin").read_text() == "step-1"
