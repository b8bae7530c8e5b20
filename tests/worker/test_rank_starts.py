"""Ranks compare where they begin, through a store like torch's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elastic.worker.rank_starts import RankComparison, RankStart, compare
from elastic.worker.replicas import Replica


class MemoryStore:
    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    def set(self, key: str, value: str) -> None:
        self.values[key] = value.encode()

    def check(self, keys: list[str]) -> bool:
        return all(key in self.values for key in keys)

    def get(self, key: str) -> bytes:
        return self.values[key]


def compared_by(
    rank: int, *beginnings: RankStart, missed: str = "", replicas: tuple[Replica, ...] = ()
) -> RankComparison:
    """What this rank finds when all have told; the last to come waits for nobody. `missed` is what
    the others found."""
    store = MemoryStore()
    held = replicas or (Replica(),) * len(beginnings)
    for other, each in enumerate(beginnings):
        store.set(f"elasticd/begin/3/{other}", json.dumps([each.iteration, each.read_from]))
        store.set(
            f"elasticd/begin/3/held/{other}",
            json.dumps([missed, held[other].optimizer, held[other].weights]),
        )
    return compare(
        beginnings[rank],
        store,
        rank=rank,
        world_size=len(beginnings),
        meeting="3",
        replica=lambda: held[rank],
    )


def asked_by(
    rank: int, *beginnings: RankStart, missed: str = "", replicas: tuple[Replica, ...] = ()
) -> str | None:
    """Why this rank may not train."""
    return compared_by(rank, *beginnings, missed=missed, replicas=replicas).why_apart


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    (tmp_path / "snapshot.pt").touch()
    return str(tmp_path / "snapshot.pt")


def test_ranks_that_read_the_same_save_train(snapshot: str) -> None:
    assert asked_by(1, RankStart(40, snapshot), RankStart(40, snapshot)) is None


def test_ranks_that_read_nothing_train() -> None:
    assert asked_by(0, RankStart(0, None), RankStart(0, None)) is None


def test_ranks_that_read_different_saves_do_not_train(snapshot: str) -> None:
    why = asked_by(0, RankStart(40, snapshot), RankStart(30, snapshot))
    assert why is not None
    assert "rank 1 at 30" in why
    assert "rank 0 at 40" in why


def test_a_rank_whose_node_lacks_the_file_does_not_train() -> None:
    why = asked_by(1, RankStart(40, "snapshot.pt"), RankStart(0, None))
    assert why is not None
    assert "rank 0 at 40" in why
    assert "read snapshot.pt. Another rank's node does not have that file" in why


def test_a_rank_that_leaves_the_reading_to_the_first_one_trains(snapshot: str) -> None:
    assert asked_by(1, RankStart(40, snapshot), RankStart(0, None)) is None


def test_ranks_that_make_no_steps_hold_nobody_up() -> None:
    own = RankStart(40, "snapshot.pt")
    found = compare(own, MemoryStore(), rank=0, world_size=2, meeting="3", wait_s=0.0)
    assert found == RankComparison(why_apart=None, iteration=None)


def test_a_rank_that_has_the_file_hears_from_the_one_that_lacks_it(snapshot: str) -> None:
    assert (
        asked_by(0, RankStart(40, snapshot), RankStart(0, None), missed="it is not there")
        == "it is not there"
    )


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_whose_optimizer_has_made_no_step_does_not_train_with_one_that_goes_on(
    snapshot: str, rank: int
) -> None:
    apart = (Replica("500 steps", "same"), Replica("no state", "same"))
    why = asked_by(rank, RankStart(500, snapshot), RankStart(0, None), replicas=apart)
    assert why is not None
    assert why.startswith(
        f"ranks begin at different iterations: rank 0 at 500, because it read {snapshot}. Rank 1 "
        "read"
    )
    assert "its optimizer has no state, and rank 0's has 500 steps" in why


def test_a_rank_with_other_weights_than_the_one_that_goes_on_does_not_train(snapshot: str) -> None:
    why = asked_by(
        0,
        RankStart(0, None),
        RankStart(500, snapshot),
        replicas=(Replica(None, "a"), Replica(None, "b")),
    )
    assert why is not None
    assert "rank 1 at 500" in why
    assert "its weights differ from rank 1's" in why


def test_a_rank_that_got_weights_and_optimizer_from_the_first_one_trains_and_counts_as_that_does(
    snapshot: str,
) -> None:
    alike = (Replica("500 steps", "same"), Replica("500 steps", "same"))
    found = compared_by(1, RankStart(500, snapshot), RankStart(0, None), replicas=alike)
    assert found == RankComparison(why_apart=None, iteration=500)


@pytest.mark.parametrize("untold", [Replica(None, "a"), Replica("500 steps", None), Replica()])
def test_what_a_rank_cannot_tell_says_nothing_against_it(snapshot: str, untold: Replica) -> None:
    assert (
        asked_by(
            0,
            RankStart(500, snapshot),
            RankStart(0, None),
            replicas=(Replica("500 steps", "a"), untold),
        )
        is None
    )


def test_ranks_of_which_each_has_read_its_own_file_may_hold_different_things(snapshot: str) -> None:
    shards = (Replica("500 steps", "a"), Replica("no state", "b"))
    assert asked_by(0, RankStart(500, snapshot), RankStart(500, snapshot), replicas=shards) is None
