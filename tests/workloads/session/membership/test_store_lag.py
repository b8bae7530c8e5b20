"""Who is left out because it does not see the rounds that are to be built, and who is only waited
for."""

from __future__ import annotations

from collections.abc import Mapping

from elastic.liveness import ROUND_BOUNDS
from elastic.workloads.session.links import Status
from elastic.workloads.session.membership import SharedState
from elastic.workloads.session.membership.store_lag import StoreLag, blind, is_alone_blind
from elastic.workloads.session.rendezvous import View
from elastic.workloads.session.state import SessionTerms
from tests.workloads.session.meetings import met

LOOK_S = 0.05
URGENT_S, CALM_S = ROUND_BOUNDS.suspect.least_s, ROUND_BOUNDS.stalled.least_s
MEMBERS = ("a", "b", "c")
BLIND, SEEING = Status(4, seen=4), Status(4, seen=5)


def _shared(*, is_lost: bool = False) -> SharedState:
    shared = SharedState(SessionTerms(12, None, 0, ""), current=met(4, MEMBERS, 0))
    shared.is_lost = is_lost
    return shared


def _after(
    wait_s: float,
    others: Mapping[str, Status],
    *,
    shared: SharedState | None = None,
    members: tuple[str, ...] = MEMBERS,
    number: int = 5,
    look_s: float = LOOK_S,
) -> frozenset[str]:
    """Gives who is left out once a round of `members` has waited for so long, as "a" sees it."""
    store_lag, found, view = (
        StoreLag(),
        frozenset[str](),
        View(number, members, (), is_closed=False),
    )
    for look in range(int(wait_s / look_s) + 1):
        found = store_lag.unseeing(shared or _shared(), view, others, now_s=100.0 + look * look_s)
    return found


def test_leaves_out_soon_whoever_keeps_training_from_going_on() -> None:
    others = {"b": BLIND, "c": SEEING}
    assert _after(URGENT_S - 0.5, others, shared=_shared(is_lost=True)) == frozenset()
    assert _after(URGENT_S + 0.5, others, shared=_shared(is_lost=True)) == {"b"}


def test_leaves_out_soon_whoever_keeps_another_from_leaving() -> None:
    assert _after(URGENT_S + 0.5, {"b": BLIND, "c": SEEING}, members=("a", "b")) == {"b"}


def test_has_hang_detector_where_only_newcomers_wait() -> None:
    others, members = {"b": BLIND, "c": SEEING, "d": SEEING}, (*MEMBERS, "d")
    assert _after(CALM_S - 0.5, others, members=members) == frozenset()
    assert _after(CALM_S + 0.5, others, members=members) == {"b"}


def test_a_member_that_was_left_out_makes_nothing_urgent() -> None:
    late, store_lag = {"b": BLIND, "c": Status(4, seen=0)}, StoreLag()
    for look in range(int((URGENT_S + 0.5) / LOOK_S)):
        view = View(6, ("a", "c"), (), is_closed=False)
        assert not store_lag.unseeing(_shared(), view, late, now_s=100.0 + look * LOOK_S)


def test_leaves_nobody_out_while_no_change_is_due() -> None:
    assert not _after(100.0, {"b": Status(4, seen=0), "c": Status(4, seen=4)}, number=4)


def test_a_newcomer_leaves_nobody_out() -> None:
    assert not _after(100.0, {"b": BLIND}, shared=SharedState(SessionTerms(12, None, 0, "")))


def test_time_in_which_the_store_did_not_answer_does_not_count() -> None:
    assert not _after(50.0, {"b": BLIND, "c": BLIND}, shared=_shared(is_lost=True), look_s=10.0)


def test_who_sees_one_round_of_many_is_waited_for_anew() -> None:
    store_lag, shared = StoreLag(), _shared(is_lost=True)
    for look in range(200):
        number = 5 + look // 20
        seen = number - (look % 20 < 19)
        view = View(number, MEMBERS, (), is_closed=False)
        assert not store_lag.unseeing(
            shared, view, {"b": Status(4, seen=seen)}, now_s=100.0 + look * LOOK_S
        )


def test_who_alone_has_lost_the_store_knows_it_by_the_others_words() -> None:
    assert is_alone_blind(Status(4, seen=0), {"b": BLIND, "c": Status(4, seen=0)})
    assert not is_alone_blind(Status(4, seen=0), {"b": Status(4, seen=0)}), "none answers anybody"
    assert not is_alone_blind(Status(4, seen=4), {"b": BLIND})
    assert blind({"b": BLIND, "c": Status(4, seen=0)}) == {"c"}
