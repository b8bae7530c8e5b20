"""Who is given up because its training hangs, and who is only waited for."""

from __future__ import annotations

import pytest

from elastic.workloads.session.links import Status
from elastic.workloads.session.patience import Patience

LOOK_S = 0.25
BEFORE = {"slow": Status(3, 10, begun=5), "other": Status(3, 10, begun=5)}


def _told(*, hang_s: float = 10.0, turns: int = 10, turn_s: float = 0.1) -> Patience:
    patience = Patience(hang_s)
    for _ in range(turns):
        patience.turned(turn_s)
    patience.hung(Status(3, 10, begun=5), BEFORE, now_s=0.0)
    return patience


def _waited(patience: Patience, wait_s: float, *, slow: Status, own: Status, look_s: float = LOOK_S) -> frozenset[str]:
    others, found = {"slow": slow, "other": own}, frozenset[str]()
    for look in range(int(wait_s / look_s) + 1):
        found = patience.hung(own, others, now_s=1.0 + look * look_s)
    return found


WAITING = Status(3, 20, begun=30)
BEHIND = Status(3, 20, begun=29)


def test_gives_up_who_alone_has_not_come_to_the_sum_for_the_bound() -> None:
    assert _waited(_told(), 9.5, slow=BEHIND, own=WAITING) == frozenset()
    assert _waited(_told(), 10.5, slow=BEHIND, own=WAITING) == {"slow"}


def test_gives_up_who_has_not_come_to_the_generation() -> None:
    assert _waited(_told(), 10.5, slow=Status(2, 20, begun=99), own=Status(3, 20, begun=1)) == {"slow"}


def test_waits_longer_where_turns_are_long() -> None:
    assert _waited(_told(turn_s=2.0), 39.0, slow=BEHIND, own=WAITING) == frozenset()
    assert _waited(_told(turn_s=2.0), 41.0, slow=BEHIND, own=WAITING) == {"slow"}


@pytest.mark.parametrize(
    ("patience", "slow"),
    [
        (_told(hang_s=0.0), BEHIND),
        (_told(turns=5), BEHIND),
        (_told(), Status(3, 11, begun=29)),
        (_told(), WAITING),
    ],
    ids=["switched off", "usual turns unknown", "it has made no two turns yet", "it has come"],
)
def test_gives_nobody_up(patience: Patience, slow: Status) -> None:
    assert _waited(patience, 100.0, slow=slow, own=WAITING) == frozenset()


def test_time_in_which_this_process_was_stopped_does_not_count() -> None:
    assert _waited(_told(), 90.0, slow=BEHIND, own=WAITING, look_s=30.0) == frozenset()


def test_time_begins_anew_with_every_sum() -> None:
    patience = _told()
    assert _waited(patience, 8.0, slow=BEHIND, own=WAITING) == frozenset()
    assert _waited(patience, 8.0, slow=WAITING, own=Status(3, 21, begun=31)) == frozenset()
