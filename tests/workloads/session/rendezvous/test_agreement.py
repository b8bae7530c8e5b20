"""What a member decides about membership from what it sees."""

from __future__ import annotations

from dataclasses import replace

from elastic.workloads.session.rendezvous import MAX_MEMBERS, MemberView, Move, decide
from elastic.workloads.session.rendezvous.agreement import HOLD, AgreedMove

CALM = MemberView(
    "b", 4, ("a", "b", "c"), known=4, known_members=("a", "b", "c"), trained=("a", "b", "c")
)


def test_holds_while_nothing_changes() -> None:
    assert decide(CALM) == HOLD


def test_publishes_the_next_round_without_the_dead() -> None:
    assert decide(replace(CALM, gone=frozenset({"c"}))) == AgreedMove(Move.PUBLISH, ("a", "b"), 5)


def test_heeds_no_death_of_somebody_who_is_no_member_any_more() -> None:
    assert decide(replace(CALM, gone=frozenset({"z"}))) == HOLD


def test_takes_itself_out_when_it_leaves_and_is_done_when_it_is_out() -> None:
    leaving = replace(CALM, is_leaving=True)
    assert decide(leaving) == AgreedMove(Move.PUBLISH, ("a", "c"), 5)
    assert decide(replace(leaving, round=5, participants=("a", "c"))) == HOLD


def test_takes_all_who_have_arrived_into_one_round() -> None:
    verdict = decide(replace(CALM, arrived=frozenset({"d", "e"}), gone=frozenset({"a"})))
    assert verdict == AgreedMove(Move.PUBLISH, ("b", "c", "d", "e"), 5)


def test_publishes_the_same_members_again_when_they_are_stuck() -> None:
    assert decide(replace(CALM, is_stuck=True)) == AgreedMove(Move.PUBLISH, ("a", "b", "c"), 5)


def test_starts_over_when_a_newer_round_has_left_it_out() -> None:
    assert decide(replace(CALM, round=5, participants=("a", "c"))).move is Move.REJOIN


def test_puts_the_truth_back_where_the_store_has_forgotten_it() -> None:
    forgetful = replace(CALM, round=0, participants=(), gone=frozenset({"a"}))
    assert decide(forgetful) == AgreedMove(Move.PUBLISH, ("b", "c"), 5)


def test_puts_nothing_back_when_a_newer_round_was_recorded_than_it_ever_saw() -> None:
    forgetful = replace(CALM, round=0, participants=())
    assert decide(replace(forgetful, floor=5)).move is Move.REJOIN
    assert decide(replace(forgetful, floor=4)) == AgreedMove(Move.PUBLISH, ("a", "b", "c"), 5)
    assert decide(replace(forgetful, floor=4, registered=6)) == AgreedMove(
        Move.PUBLISH, ("a", "b", "c"), 7
    )


def test_the_last_member_stays_though_it_wants_to_leave() -> None:
    alone = replace(
        CALM, participants=("b",), known_members=("b",), trained=("b",), is_leaving=True
    )
    assert decide(alone) == HOLD
    assert decide(replace(CALM, is_leaving=True, gone=frozenset({"a", "c"}))) == AgreedMove(
        Move.PUBLISH, ("b",), 5
    )
    with_newcomer = replace(alone, arrived=frozenset({"d"}))
    assert decide(with_newcomer) == AgreedMove(Move.PUBLISH, ("b", "d"), 5), "which may yet be lost"
    joined = replace(alone, round=5, participants=("b", "d"), known=5, known_members=("b", "d"))
    assert decide(joined) == HOLD, "until both have changed over"
    assert decide(replace(joined, trained=("b", "d"))) == AgreedMove(Move.PUBLISH, ("d",), 6)
    assert decide(replace(joined, gone=frozenset({"d"}))) == AgreedMove(Move.PUBLISH, ("b",), 6)


def test_admits_no_more_members_than_messages_have_room_for() -> None:
    members = tuple(f"m{index:04}" for index in range(MAX_MEMBERS - 1))
    nearly_full = MemberView(
        "m0000", 4, members, known=4, known_members=members, arrived=frozenset({"n1", "n2"})
    )
    assert decide(nearly_full) == AgreedMove(Move.PUBLISH, (*members, "n1"), 5)
    full = replace(nearly_full, participants=(*members, "n1"), arrived=frozenset({"n2"}))
    assert decide(full) == HOLD
    assert decide(replace(full, gone=frozenset({"n1"}))) == AgreedMove(
        Move.PUBLISH, (*members, "n2"), 5
    )
