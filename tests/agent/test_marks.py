"""Which saved files belong to which iteration, as a node knows when its workers start."""

from __future__ import annotations

import os
from pathlib import Path

from elastic.agent.marks import MOST_OWN_MARKS, add_marks, lay_marks, newest_marks
from elastic.model import MOST_SAVES
from elastic.worker.saves import Saves


def test_a_worker_knows_what_another_rank_of_its_node_saved_before(tmp_path: Path) -> None:
    (tmp_path / "rank1.pt").write_bytes(bytes(100))
    lay_marks(tmp_path / "saves-g1", {})
    saves = Saves(str(tmp_path / "saves-g1"), tell=lambda _mark, _iteration: None)
    saves.begin()
    saves.turn(1350)
    saves.saved(tmp_path / "rank1.pt")
    lay_marks(tmp_path / "saves-g2", {"9-00000000": 1400})
    later = Saves(str(tmp_path / "saves-g2"), tell=lambda _mark, _iteration: None)
    later.read(str(tmp_path / "rank1.pt"))
    assert later.begin() == 1350


def test_the_daemon_has_the_last_word_of_a_save_and_old_ones_are_forgotten(tmp_path: Path) -> None:
    first, second = tmp_path / "saves-g1", tmp_path / "saves-g2"
    first.write_text("".join(f"{each:x}-00000000 1\n" for each in range(MOST_OWN_MARKS + 10)))
    os.utime(first, (1.0, 1.0))
    lay_marks(second, {"20-00000000": 7})
    lines = second.read_text().splitlines()
    assert (len(lines), lines[0], lines[-1]) == (
        MOST_OWN_MARKS + 1,
        "a-00000000 1",
        "20-00000000 7",
    )


def test_marks_that_came_with_files_are_laid_beside_the_daemon_s_and_the_later_counts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "saves-g2"
    lay_marks(path, {"1-00000000": 100, "2-00000000": 200})
    add_marks(path, {"1-00000000": 90, "2-00000000": 250, "3-00000000": 300})
    assert newest_marks(path) == {"1-00000000": 100, "2-00000000": 250, "3-00000000": 300}
    before = path.read_text()
    add_marks(path, {"3-00000000": 300})
    assert path.read_text() == before, "nothing is new"


def test_only_whole_lines_of_marks_are_read_and_only_the_newest(tmp_path: Path) -> None:
    path = tmp_path / "saves-g1"
    assert newest_marks(path) == {}
    lines = [f"{each:x}-00000000 {each}\n" for each in range(1000)]
    path.write_text("".join([*lines, "a mark of another version 1001\n", "3e8-00000000 10"]))
    assert list(newest_marks(path).items()) == [
        (f"{each:x}-00000000", each) for each in range(1000 - MOST_SAVES, 1000)
    ]
