"""Who is given up because its training hangs, who is only waited for, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from elastic.workloads.session.links import HangDetector, Status

LOOK_S = 0.25
BEFORE = {"slow": Status(3, 10, begun=5), "other": Status(3, 10, begun=5)}


def _told(
    *,
    hang_s: float = 10.0,
    turns: int = 10,
    turn_s: float = 0.1,
    tell: Callable[[str], None] = lambda _: None,
) -> HangDetector:
    hang_detector = HangDetector(hang_s, tell=tell)
    for turn in range(turns + 1):
        # Before the first end of one nothing is known of how long it took.
        hang_detector.turn_ended(now_s=turn * turn_s)
    hang_detector.hung(Status(3, 10, begun=5), BEFORE, now_s=0.0)
    return hang_detector


def _waited(
    hang_detector: HangDetector, wait_s: float, *, slow: Status, own: Status, look_s: float = LOOK_S
) -> frozenset[str]:
    others, found = {"slow": slow, "other": own}, frozenset[str]()
    for look in range(int(wait_s / look_s) + 1):
        found = hang_detector.hung(own, others, now_s=1.0 + look * look_s)
    return found


WAITING = Status(3, 20, begun=30)
BEHIND = Status(3, 20, begun=29)


def test_gives_up_who_alone_has_not_come_to_the_sum_for_the_bound() -> None:
    assert _waited(_told(), 9.5, slow=BEHIND, own=WAITING) == frozenset()
    assert _waited(_told(), 10.5, slow=BEHIND, own=WAITING) == {"slow"}


def test_old_words_accuse_nobody_however_short_the_bound() -> None:
    assert _waited(_told(hang_s=1.0), 2.5, slow=BEHIND, own=WAITING) == frozenset()
    assert _waited(_told(hang_s=1.0), 3.5, slow=BEHIND, own=WAITING) == {"slow"}


def test_gives_up_who_has_not_come_to_the_round() -> None:
    assert _waited(_told(), 10.5, slow=Status(2, 20, begun=99), own=Status(3, 20, begun=1)) == {
        "slow"
    }


def test_waits_longer_where_turns_are_long() -> None:
    assert _waited(_told(turn_s=2.0), 39.0, slow=BEHIND, own=WAITING) == frozenset()
    assert _waited(_told(turn_s=2.0), 41.0, slow=BEHIND, own=WAITING) == {"slow"}


@pytest.mark.parametrize(
    ("hang_detector", "slow"),
    [(_told(hang_s=0.0), BEHIND), (_told(), WAITING)],
    ids=["switched off", "it has come"],
)
def test_gives_nobody_up(hang_detector: HangDetector, slow: Status) -> None:
    assert _waited(hang_detector, 100.0, slow=slow, own=WAITING) == frozenset()


@pytest.mark.parametrize(
    ("turns", "slow"),
    [(5, BEHIND), (10, Status(3, 11, begun=29)), (10, Status(0, 0, begun=0))],
    ids=["usual turns unknown", "it has made no two turns yet", "it has not come to a round"],
)
def test_who_may_still_be_compiling_is_given_up_after_three_times_the_bound(
    turns: int, slow: Status
) -> None:
    assert _waited(_told(turns=turns), 29.0, slow=slow, own=WAITING) == frozenset()
    assert _waited(_told(turns=turns), 31.0, slow=slow, own=WAITING) == {"slow"}


def test_tells_after_30_s_who_is_waited_for_and_then_once_in_a_while() -> None:
    said: list[str] = []
    _waited(_told(hang_s=0.0, tell=said.append), 29.0, slow=BEHIND, own=WAITING)
    assert said == []
    _waited(_told(hang_s=0.0, tell=said.append), 100.0, slow=BEHIND, own=WAITING)
    why = (
        "turn 20 waits for member slow (sums begun in round 3: this process 30, slow 29, other 30)"
    )
    assert said == [f"session: {why}; for {after} now" for after in ("30 s", "1 min 30 s")]


def test_tells_once_of_who_is_given_up() -> None:
    said: list[str] = []
    _waited(_told(tell=said.append), 20.0, slow=BEHIND, own=WAITING)
    assert len(said) == 1 and said[0].startswith(
        "session: gives up slow: turn 20 waits for member slow (sums begun in"
    )


def test_who_keeps_the_others_waiting_says_so_itself() -> None:
    said: list[str] = []
    hang_detector = _told(tell=said.append)
    for look in range(130):
        hang_detector.hung(BEHIND, {"other": WAITING}, now_s=1.0 + look * LOOK_S, is_waiting=False)
    assert len(said) == 1 and said[0].startswith(
        "session: the others wait for this process in turn 20 ("
    )


def test_long_turns_are_no_standstill() -> None:
    said: list[str] = []
    _waited(_told(turn_s=20.0, tell=said.append), 59.0, slow=BEHIND, own=WAITING)
    assert said == []


def test_nothing_is_said_where_all_compute() -> None:
    said: list[str] = []
    hang_detector = _told(tell=said.append)
    for look in range(400):
        hang_detector.hung(WAITING, {"other": WAITING}, now_s=1.0 + look * LOOK_S, is_waiting=False)
    assert said == []


def test_time_in_which_this_process_was_stopped_does_not_count() -> None:
    assert _waited(_told(), 90.0, slow=BEHIND, own=WAITING, look_s=30.0) == frozenset()


def test_time_begins_anew_with_every_sum() -> None:
    hang_detector = _told()
    assert _waited(hang_detector, 8.0, slow=BEHIND, own=WAITING) == frozenset()
    assert _waited(hang_detector, 8.0, slow=WAITING, own=Status(3, 21, begun=31)) == frozenset()
