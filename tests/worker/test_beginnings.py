"""Ranks compare where they begin, through a store like torch's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elastic.worker.beginnings import Beginning, why_apart


class MemoryStore:
    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    def set(self, key: str, value: str) -> None:
        self.values[key] = value.encode()

    def check(self, keys: list[str]) -> bool:
        return all(key in self.values for key in keys)

    def get(self, key: str) -> bytes:
        return self.values[key]


def asked_by(rank: int, *beginnings: Beginning, missed: str = "") -> str | None:
    """What this rank finds when all have told; the last to come waits for nobody. `missed` is what the others found."""
    store = MemoryStore()
    for other, each in enumerate(beginnings):
        store.set(f"elasticd/begin/3/{other}", json.dumps([each.iteration, each.read_from]))
        store.set(f"elasticd/begin/3/missed/{other}", missed)
    return why_apart(beginnings[rank], store, rank=rank, world_size=len(beginnings), meeting="3")


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    (tmp_path / "snapshot.pt").touch()
    return str(tmp_path / "snapshot.pt")


def test_ranks_that_read_the_same_save_train(snapshot: str) -> None:
    assert asked_by(1, Beginning(40, snapshot), Beginning(40, snapshot)) is None


def test_ranks_that_read_nothing_train() -> None:
    assert asked_by(0, Beginning(0, None), Beginning(0, None)) is None


def test_ranks_that_read_different_saves_do_not_train(snapshot: str) -> None:
    why = asked_by(0, Beginning(40, snapshot), Beginning(30, snapshot))
    assert why is not None
    assert "rank 1 at 30" in why
    assert "rank 0 at 40" in why


def test_a_rank_whose_node_lacks_the_file_does_not_train() -> None:
    why = asked_by(1, Beginning(40, "snapshot.pt"), Beginning(0, None))
    assert why is not None
    assert "rank 0 at 40" in why
    assert "snapshot.pt, which another rank's node does not have" in why


def test_a_rank_that_leaves_the_reading_to_the_first_one_trains(snapshot: str) -> None:
    assert asked_by(1, Beginning(40, snapshot), Beginning(0, None)) is None


def test_ranks_that_make_no_steps_hold_nobody_up() -> None:
    own = Beginning(40, "snapshot.pt")
    assert why_apart(own, MemoryStore(), rank=0, world_size=2, meeting="3", wait_s=0.0) is None


def test_a_rank_that_has_the_file_hears_from_the_one_that_lacks_it(snapshot: str) -> None:
    assert asked_by(0, Beginning(40, snapshot), Beginning(0, None), missed="it is not there") == "it is not there"
