"""What a node lays out for its workers before they start."""

from __future__ import annotations

import os
from pathlib import Path

from elastic.agent.launcher import MOST_OWN_MARKS, lay_marks
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
