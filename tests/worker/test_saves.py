"""What a script saves, and where one begins that reads it back."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from elastic.worker.saves import Saves, mark_of


class Script:
    """A process of a job whose marks lie in a file, as its agent keeps them; `told` is what the
    daemon hears."""

    def __init__(self, marks: Path) -> None:
        self.told: list[tuple[str, int]] = []
        self.now_s = 0.0
        self.saves = Saves(
            str(marks),
            tell=lambda mark, iteration: self.told.append((mark, iteration)),
            now=lambda: self.now_s,
        )

    def opens(self, path: Path, flags: int = os.O_RDONLY) -> None:
        """What Python's audit says as the script opens a file."""
        self.saves._hear("open", (str(path), None, flags))  # noqa: SLF001 (Python calls it so)

    def writes(self, path: Path, content: bytes, flags: int = os.O_WRONLY | os.O_CREAT) -> None:
        self.opens(path, flags)
        path.write_bytes(content)


def weights(epoch: int) -> bytes:
    return b"\x80\x00" + bytes([epoch]) * 5000


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    return tmp_path / "marks"


def saved_at(marks: Path, path: Path, iteration: int, content: bytes) -> Script:
    script = Script(marks)
    script.saves.begin()
    script.saves.turn(iteration)
    script.writes(path, content)
    script.saves.turn(iteration + 1)
    script.saves.turn(iteration + 2)
    return script


def test_a_script_begins_where_it_saved_the_file_that_it_reads(marks: Path, tmp_path: Path) -> None:
    saved_at(marks, tmp_path / "snapshot.pt", 40, weights(4))
    later = Script(marks)
    later.opens(tmp_path / "snapshot.pt")
    assert (later.saves.begin(), later.saves.read_from) == (40, str(tmp_path / "snapshot.pt"))


def test_a_script_that_reads_nothing_it_saved_begins_at_0(marks: Path, tmp_path: Path) -> None:
    saved_at(marks, tmp_path / "snapshot.pt", 40, weights(4))
    (tmp_path / "pretrained.pt").write_bytes(weights(9))
    later = Script(marks)
    later.opens(tmp_path / "pretrained.pt")
    assert (later.saves.begin(), later.saves.read_from) == (0, None)


def test_a_file_is_known_under_another_name_and_at_another_time(
    marks: Path, tmp_path: Path
) -> None:
    saved_at(marks, tmp_path / "snapshot.pt", 40, weights(4))
    shutil.copyfile(tmp_path / "snapshot.pt", tmp_path / "elsewhere")
    os.utime(tmp_path / "elsewhere", (0, 0))
    later = Script(marks)
    later.opens(tmp_path / "elsewhere")
    assert later.saves.begin() == 40


def test_of_several_files_the_newest_tells(marks: Path, tmp_path: Path) -> None:
    saved_at(marks, tmp_path / "last.pt", 40, weights(4))
    saved_at(marks, tmp_path / "best.pt", 30, weights(3))
    later = Script(marks)
    later.opens(tmp_path / "last.pt")
    later.opens(tmp_path / "best.pt")
    assert later.saves.begin() == 40


def test_a_file_that_is_written_beside_and_renamed_is_found(marks: Path, tmp_path: Path) -> None:
    script = Script(marks)
    script.saves.begin()
    script.saves.turn(7)
    script.writes(tmp_path / "new.tmp", weights(1))
    script.saves._hear("os.rename", (str(tmp_path / "new.tmp"), str(tmp_path / "new.pt"), -1, -1))  # noqa: SLF001
    (tmp_path / "new.tmp").rename(tmp_path / "new.pt")
    script.saves.turn(8)
    assert script.told == [(mark_of(str(tmp_path / "new.pt")), 7)]


def test_a_folder_that_is_renamed_takes_its_files_along(marks: Path, tmp_path: Path) -> None:
    script = Script(marks)
    (tmp_path / "tmp-5").mkdir()
    script.saves.begin()
    script.saves.turn(5)
    script.writes(tmp_path / "tmp-5" / "model.bin", weights(1))
    move = (str(tmp_path / "tmp-5"), str(tmp_path / "checkpoint-5"), -1, -1)
    script.saves._hear("os.rename", move)  # noqa: SLF001
    (tmp_path / "tmp-5").rename(tmp_path / "checkpoint-5")
    script.saves.close()
    assert [iteration for _, iteration in script.told] == [5]


@pytest.mark.parametrize(
    ("content", "flags"),
    [(b'{"loss": 0.5}', os.O_WRONLY), (weights(1), os.O_WRONLY | os.O_APPEND), (b"", os.O_WRONLY)],
    ids=["text", "a log", "an empty file"],
)
def test_what_is_no_checkpoint_counts_for_nothing(
    marks: Path, tmp_path: Path, content: bytes, flags: int
) -> None:
    script = Script(marks)
    script.saves.begin()
    script.writes(tmp_path / "file", content, flags)
    script.saves.turn(1)
    assert script.told == []


@pytest.mark.parametrize(
    "head", [b"\x89PNG\r\n", b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF\0\0\0\0WAVE", b"\0\0\0\x20ftyp"]
)
def test_a_picture_that_is_saved_keeps_no_training(
    marks: Path, tmp_path: Path, head: bytes
) -> None:
    script = saved_at(marks, tmp_path / "sample", 40, head + weights(4))
    assert script.told == []


def test_what_is_written_before_the_first_turn_holds_no_training(
    marks: Path, tmp_path: Path
) -> None:
    script = Script(marks)
    script.writes(tmp_path / "dataset.bin", weights(1))
    script.saves.begin()
    script.saves.turn(1)
    assert script.told == []


def test_what_is_read_later_does_not_say_where_it_began(marks: Path, tmp_path: Path) -> None:
    saved_at(marks, tmp_path / "snapshot.pt", 40, weights(4))
    later = Script(marks)
    assert later.saves.begin() == 0
    later.opens(tmp_path / "snapshot.pt")
    assert later.saves.begin() == 0


@pytest.mark.parametrize("name", ["work/last.pt", "jobs/last.pt"])
def test_every_node_finds_the_file_that_a_rank_of_another_one_has_read(
    marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Both folders may lie at another path on each node, and a script may leave the first."""

    def on(node: str) -> Script:
        for folder in ("work/out", "jobs"):
            (tmp_path / node / folder).mkdir(parents=True)
        monkeypatch.chdir(tmp_path / node / "work")
        monkeypatch.setenv("ELASTICD_CHECKPOINT_DIR", str(tmp_path / node / "jobs"))
        return Script(marks)

    on("n0")
    saved_at(marks, tmp_path / "n0" / name, 40, weights(4))
    first = on("n1")
    shutil.copy(tmp_path / "n0" / name, tmp_path / "n1" / name)
    first.opens(tmp_path / "n1" / name)
    second = on("n2")
    monkeypatch.chdir("out")
    assert first.saves.read_from is not None
    assert not second.saves.has(first.saves.read_from)
    shutil.copy(tmp_path / "n0" / name, tmp_path / "n2" / name)
    assert second.saves.has(first.saves.read_from)


def test_a_file_that_a_thread_writes_slowly_is_looked_at_again(marks: Path, tmp_path: Path) -> None:
    script = Script(marks)
    script.saves.begin()
    script.saves.turn(10)
    script.writes(tmp_path / "half", weights(1)[:2000])
    script.saves.turn(11)
    (tmp_path / "half").write_bytes(weights(1))
    script.saves.turn(12)
    later = Script(marks)
    later.opens(tmp_path / "half")
    assert later.saves.begin() == 10


def test_a_file_that_a_thread_writes_for_many_turns_is_known_once_it_is_complete(
    marks: Path, tmp_path: Path
) -> None:
    script = Script(marks)
    script.saves.begin()
    script.saves.turn(10)
    script.opens(tmp_path / "slow", os.O_WRONLY)
    for turn in range(1, 100):
        (tmp_path / "slow").write_bytes(weights(1)[: 50 * turn])
        script.now_s = turn / 10
        script.saves.turn(10 + turn)
    assert len(script.told) < 10, "a file that always grows is looked at more and more seldom"
    (tmp_path / "slow").write_bytes(weights(1))
    script.now_s = 20.0
    script.saves.turn(200)
    later = Script(marks)
    later.opens(tmp_path / "slow")
    assert later.saves.begin() == 10


def test_a_file_that_is_still_written_at_the_end_is_looked_at_once_more(
    marks: Path, tmp_path: Path
) -> None:
    script = Script(marks)
    script.saves.begin()
    script.opens(tmp_path / "slow", os.O_WRONLY)
    for turn in range(1, 4):
        (tmp_path / "slow").write_bytes(weights(1)[: 1000 * turn])
        script.saves.turn(turn)
    (tmp_path / "slow").write_bytes(weights(1))
    script.saves.close()
    assert mark_of(str(tmp_path / "slow")) == script.told[-1][0]


def test_a_file_that_is_saved_again_while_it_is_looked_at_counts_from_the_later_turn(
    marks: Path, tmp_path: Path
) -> None:
    path = tmp_path / "latest.pt"
    script = Script(marks)
    script.saves.begin()
    script.writes(path, weights(1)[:1000])
    for turn in (1, 2):
        path.write_bytes(weights(1)[: 1000 * turn])
        script.saves.turn(turn)
    path.write_bytes(weights(2))
    script.saves.saved(path)
    script.now_s = 5.0
    script.saves.turn(3)
    assert script.told[-1] == (mark_of(str(path)), 2)


def test_a_file_that_a_thread_opens_while_a_turn_ends_is_known(
    marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To find a whole path, Python asks for the working folder, and lets other threads go on."""
    monkeypatch.chdir(tmp_path)
    script = Script(marks)
    script.saves.begin()
    script.saves.turn(10)
    script.writes(tmp_path / "other", weights(1))
    getcwd = os.getcwd

    def slowly() -> str:
        script.saves.turn(11)
        return getcwd()

    monkeypatch.setattr("os.getcwd", slowly)
    script.opens(Path("snapshot.pt"), os.O_WRONLY)
    monkeypatch.undo()
    (tmp_path / "snapshot.pt").write_bytes(weights(2))
    script.saves.turn(12)
    assert script.told[-1] == (mark_of(str(tmp_path / "snapshot.pt")), 11)


def test_what_a_script_opens_is_never_disturbed(marks: Path, tmp_path: Path) -> None:
    script = Script(marks)
    script.saves.begin()
    for path in (7, b"\xff", None, "/dev/null", tmp_path / "not there"):
        script.saves._hear("open", (path, "w", os.O_WRONLY))  # noqa: SLF001
    script.saves.turn(1)
    assert script.told == []


def test_contents_that_differ_at_either_end_have_other_marks(tmp_path: Path) -> None:
    path, found = tmp_path / "file", set()
    for head, tail in ((b"\0a", b"a"), (b"\0b", b"a"), (b"\0a", b"b")):
        path.write_bytes(head + b"\0" * 300_000 + tail)
        found.add(mark_of(str(path)))
    assert len(found) == 3


def test_weights_that_are_saved_where_nothing_is_carried_home_are_told_once(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "code", tmp_path / "elsewhere"
    told: list[str] = []
    saves = Saves(
        None, tell=lambda mark, iteration: None, folders=(str(home),), tell_outside=told.append
    )
    for folder in (home, elsewhere):
        folder.mkdir()
        (folder / "last.pt").write_bytes(weights(1))
    (tmp_path / "link").symlink_to(home)
    saves.saved(elsewhere / "last.pt")
    assert told == [], "before it trains it saves nothing that it has learnt"
    saves.begin()
    saves.saved(home / "last.pt")
    saves.saved(tmp_path / "link" / "last.pt")
    assert told == []
    saves.saved(elsewhere / "last.pt")
    saves.saved(elsewhere / "last.pt")
    assert told == [str(elsewhere / "last.pt")]
