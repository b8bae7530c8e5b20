"""What an agent does next, case by case."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elastic.agent.steering import (
    HURRY_S,
    TERM_GRACE_S,
    GoOn,
    Order,
    RunningGeneration,
    StartAssignment,
    Wanted,
    awaits_word,
    hears_no_drain,
    is_last_moment,
    is_outside,
    node_state,
    outcome_of,
    steer,
)
from elastic.durations import END_GRACE_S, MOMENT_S
from elastic.model import AgentState, Outcome, Pulse
from elastic.protocol import Assignment
from tests.agent.assignments import ONE

TWO = replace(ONE, generation=2)
GROUP = RunningGeneration(generation=1, grace_s=30.0)
DRAINING = replace(GROUP, drain_asked_at=100.0)


def next_step(
    wanted: Assignment | None,
    group: RunningGeneration | None,
    *,
    now: float = 100.0,
    leave: bool = False,
) -> object:
    return steer(
        wanted=Wanted(assignment=wanted, is_known=True, must_leave=leave), group=group, now=now
    )


def test_a_word_is_awaited_where_turns_are_overdue_and_after_the_end_but_not_for_ever() -> None:
    def awaits(
        group: RunningGeneration | None,
        pulse: Pulse | None = None,
        *,
        ended_at: float | None = None,
    ) -> bool:
        return awaits_word(group, pulse, ended_at=ended_at, now=100.0)

    assert awaits(GROUP, Pulse(1.1, 0.5))
    assert not awaits(GROUP) and not awaits(GROUP, Pulse(1.1, 1.0)), (
        "it pauses for as long at times"
    )
    assert not awaits(GROUP, Pulse(HURRY_S, 0.5)), "none has come"
    assert not awaits(replace(GROUP, is_in_session=True), Pulse(1.1, 0.5))
    assert (
        awaits(None, ended_at=99.0)
        and not awaits(None)
        and not awaits(None, ended_at=99.0 - HURRY_S)
    )


def test_an_idle_node_starts_what_it_is_assigned() -> None:
    assert next_step(ONE, None) == StartAssignment(ONE)


def test_an_idle_node_without_an_assignment_waits() -> None:
    assert next_step(None, None) == Order.WAIT


def test_what_is_wanted_goes_on() -> None:
    assert next_step(ONE, GROUP) == Order.WAIT


@pytest.mark.parametrize("wanted", [None, TWO])
def test_what_is_no_longer_wanted_drains(wanted: Assignment | None) -> None:
    assert next_step(wanted, GROUP) == Order.ASK_TO_DRAIN


def test_what_runs_goes_on_while_the_daemon_has_not_spoken() -> None:
    assert steer(wanted=Wanted(), group=GROUP, now=0.0) == Order.WAIT


def test_a_node_that_must_leave_drains_first_even_if_the_daemon_has_not_spoken() -> None:
    assert steer(wanted=Wanted(must_leave=True), group=GROUP, now=0.0) == Order.ASK_TO_DRAIN
    assert steer(wanted=Wanted(must_leave=True), group=None, now=0.0) == Order.LEAVE


def test_a_node_that_must_leave_starts_nothing() -> None:
    assert next_step(ONE, None, leave=True) == Order.LEAVE


def test_a_node_that_is_about_to_be_taken_back_drains_and_starts_nothing_but_stays() -> None:
    goes = Wanted(assignment=ONE, is_known=True, must_drain=True)
    assert steer(wanted=goes, group=GROUP, now=0.0) == Order.ASK_TO_DRAIN
    assert steer(wanted=goes, group=None, now=0.0) == Order.WAIT
    assert steer(wanted=replace(goes, must_leave=True), group=None, now=0.0) == Order.LEAVE


def test_the_last_moment_to_drain_leaves_the_whole_grace() -> None:
    assert not is_last_moment(goes_at=None, grace_s=30.0, now=1e9)
    assert not is_last_moment(goes_at=200.0, grace_s=30.0, now=164.0)
    assert is_last_moment(goes_at=200.0, grace_s=30.0, now=165.0)
    assert is_last_moment(goes_at=200.0, grace_s=600.0, now=80.0)


def test_a_drain_gets_its_grace_and_then_a_signal() -> None:
    assert next_step(TWO, DRAINING, now=129.0) == Order.WAIT
    assert next_step(TWO, DRAINING, now=130.0) == Order.TERMINATE


def test_a_drain_that_is_no_longer_wanted_is_finished_all_the_same() -> None:
    assert next_step(ONE, DRAINING, now=130.0) == Order.TERMINATE


def test_workers_that_cannot_agree_on_a_step_get_their_signal_at_once() -> None:
    assert next_step(TWO, replace(DRAINING, needs_signal=True), now=100.1) == Order.TERMINATE


def test_workers_that_wait_to_join_their_session_get_their_signal_at_once_without_failing() -> None:
    """They look for no drain before their first turn, and hold nothing of what the members have
    come to."""
    waiting = replace(GROUP, is_in_session=True)
    assert next_step(None, waiting) == Order.ASK_TO_DRAIN
    assert hears_no_drain(waiting, any_word=True, has_turned=False, has_joined=False), (
        "it may have reported its start"
    )
    asked = replace(waiting, drain_asked_at=100.0, needs_signal=True)
    assert next_step(None, asked, now=100.1) == Order.TERMINATE
    assert (
        outcome_of(last_words=frozenset(), have_all_said=False, exit_code=1, was_draining=True)
        is Outcome.DRAINED
    )


@pytest.mark.parametrize("is_in_session", [True, False])
def test_workers_that_may_have_turns_behind_them_get_no_signal_before_their_grace_is_over(
    is_in_session: bool,
) -> None:
    group = replace(GROUP, is_in_session=is_in_session)
    adopted = replace(group, is_adopted=True)
    assert not hears_no_drain(adopted, any_word=False, has_turned=False, has_joined=False)
    assert not hears_no_drain(group, any_word=False, has_turned=True, has_joined=True)


@pytest.mark.parametrize("is_foreign", [True, False])
def test_a_program_without_a_turn_that_is_seen_gets_its_signal_at_once(is_foreign: bool) -> None:
    """A loop of numpy never looks for a drain, though it has reported what it saves."""
    group = replace(GROUP, is_foreign=is_foreign)
    for any_word in (True, False):
        assert hears_no_drain(group, any_word=any_word, has_turned=False, has_joined=False)
    assert not hears_no_drain(group, any_word=True, has_turned=True, has_joined=False)


def test_what_does_not_heed_the_signal_is_killed() -> None:
    terminated = replace(DRAINING, terminated_at=130.0)
    assert next_step(TWO, terminated, now=130.0 + TERM_GRACE_S - 1) == Order.WAIT
    assert next_step(TWO, terminated, now=130.0 + TERM_GRACE_S) == Order.KILL


def test_a_torchrun_that_holds_back_workers_that_have_left_is_killed_soon_after_the_signal() -> (
    None
):
    terminated = replace(DRAINING, terminated_at=130.0, all_left_at=130.5)
    assert next_step(TWO, terminated, now=130.4 + MOMENT_S) == Order.WAIT
    assert next_step(TWO, terminated, now=130.5 + MOMENT_S) == Order.KILL


def test_a_program_that_goes_on_after_its_python_has_its_whole_time_after_the_signal() -> None:
    terminated = replace(DRAINING, terminated_at=130.0, all_left_at=130.5, is_foreign=True)
    assert next_step(TWO, terminated, now=129.0 + TERM_GRACE_S) == Order.WAIT
    assert next_step(TWO, terminated, now=130.0 + TERM_GRACE_S) == Order.KILL


def test_a_torchrun_that_waits_for_others_after_its_workers_last_word_is_killed_soon() -> None:
    said = replace(DRAINING, all_said_last_word_at=101.0)
    assert next_step(TWO, said, now=102.0) == Order.WAIT
    assert next_step(TWO, said, now=101.0 + END_GRACE_S) == Order.KILL


def test_a_torchrun_that_has_ended_is_collected_before_anything_else() -> None:
    assert next_step(TWO, replace(DRAINING, is_alive=False), leave=True) == Order.COLLECT


def test_a_generation_that_ended_here_is_not_begun_again() -> None:
    wanted = Wanted(assignment=ONE, is_known=True)
    assert steer(wanted=wanted, group=None, ended_generation=1, now=0.0) == Order.WAIT
    assert steer(
        wanted=replace(wanted, assignment=TWO), group=None, ended_generation=1, now=0.0
    ) == StartAssignment(TWO)


def test_nothing_is_begun_before_the_daemon_knows_how_the_last_generation_ended() -> None:
    wanted = Wanted(assignment=TWO, is_known=True)
    assert (
        steer(wanted=wanted, group=None, ended_generation=1, is_end_told=False, now=0.0)
        == Order.WAIT
    )
    leaving = replace(wanted, must_leave=True)
    assert (
        steer(wanted=leaving, group=None, ended_generation=1, is_end_told=False, now=0.0)
        == Order.LEAVE
    )


@pytest.mark.parametrize(
    ("last_words", "have_all_said", "exit_code", "was_draining", "outcome"),
    [
        ({"finished"}, True, 0, False, Outcome.SUCCEEDED),
        (
            {"finished"},
            False,
            1,
            False,
            Outcome.FAILED,
        ),  # another rank failed, while it saved the model say
        ({"finished"}, True, 1, False, Outcome.FAILED),  # it failed after its last line
        ({"finished"}, True, -9, True, Outcome.SUCCEEDED),  # killed in the exit barrier
        ({"finished"}, True, 1, True, Outcome.SUCCEEDED),  # made to end there
        ({"finished"}, True, -9, False, Outcome.SUCCEEDED),  # nobody saw torchrun's end
        ({"finished"}, False, -9, True, Outcome.DRAINED),  # one shard was shorter
        ({"finished", "drained"}, True, 0, True, Outcome.DRAINED),
        ({"drained"}, True, 0, True, Outcome.DRAINED),
        ({"drained"}, True, 1, False, Outcome.DRAINED),
        (set(), False, 0, False, Outcome.SUCCEEDED),
        (set(), False, 0, True, Outcome.DRAINED),
        (set(), False, 1, True, Outcome.DRAINED),
        (set(), False, 1, False, Outcome.FAILED),
        (set(), False, -9, False, Outcome.FAILED),
    ],
)
def test_a_generation_succeeds_only_if_each_of_its_workers_has(
    last_words: set[str], have_all_said: bool, exit_code: int, was_draining: bool, outcome: Outcome
) -> None:
    found = outcome_of(
        last_words=frozenset(last_words),
        have_all_said=have_all_said,
        exit_code=exit_code,
        was_draining=was_draining,
    )
    assert found is outcome


@pytest.mark.parametrize(
    ("exit_code", "was_draining"), [(0, False), (1, False), (1, True), (-9, True)]
)
def test_any_member_of_a_session_may_say_that_its_job_is_done(
    exit_code: int, was_draining: bool
) -> None:
    found = outcome_of(
        last_words=frozenset({"finished", "drained"}),
        have_all_said=False,
        exit_code=exit_code,
        was_draining=was_draining,
        is_in_session=True,
    )
    assert found is Outcome.SUCCEEDED


@pytest.mark.parametrize(
    ("exit_code", "was_draining", "outcome"), [(0, False, "failed"), (0, True, "drained")]
)
def test_a_member_of_a_session_that_ends_well_and_says_nothing_has_not_ended_the_job(
    exit_code: int, was_draining: bool, outcome: str
) -> None:
    found = outcome_of(
        last_words=frozenset(),
        have_all_said=False,
        exit_code=exit_code,
        was_draining=was_draining,
        is_in_session=True,
    )
    assert found.value == outcome


def test_a_node_is_idle_again_once_its_exit_is_known() -> None:
    assert node_state(None, has_heard_workers=True, has_news_of_exit=True) is AgentState.EXITED
    assert node_state(None, has_heard_workers=True, has_news_of_exit=False) is AgentState.IDLE
    assert (
        node_state(None, has_heard_workers=False, has_news_of_exit=False, is_warm=False)
        is AgentState.WARMING
    )
    assert node_state(GROUP, has_heard_workers=False, has_news_of_exit=False) is AgentState.STARTING
    assert node_state(GROUP, has_heard_workers=True, has_news_of_exit=False) is AgentState.RUNNING
    assert (
        node_state(DRAINING, has_heard_workers=True, has_news_of_exit=False) is AgentState.DRAINING
    )
    saving = node_state(DRAINING, has_heard_workers=True, has_news_of_exit=False, is_saving=True)
    assert saving is AgentState.SAVING


SESSION = replace(GROUP, is_in_session=True)


def test_workers_in_a_session_go_on_as_members_of_the_next_generation() -> None:
    assert next_step(ONE, SESSION) == Order.WAIT
    assert next_step(TWO, SESSION) == GoOn(TWO)
    assert next_step(TWO, replace(SESSION, serves=2)) == Order.WAIT
    assert replace(SESSION, serves=2).number == 2


def test_workers_in_a_session_are_drained_when_nobody_wants_them() -> None:
    assert next_step(None, replace(SESSION, serves=2)) == Order.ASK_TO_DRAIN
    assert next_step(TWO, replace(SESSION, serves=2), leave=True) == Order.ASK_TO_DRAIN


def test_workers_that_have_begun_to_leave_a_session_are_not_called_back() -> None:
    leaving = replace(SESSION, drain_asked_at=99.0)
    assert next_step(TWO, leaving) == Order.WAIT


def test_workers_that_train_outside_the_session_that_they_were_begun_for_are_killed() -> None:
    member = replace(GROUP, is_in_session=True)
    assert is_outside(member, has_trained=True, has_joined=False)
    assert not is_outside(member, has_trained=True, has_joined=True)
    assert not is_outside(member, has_trained=False, has_joined=False), (
        "it loads, or waits to come in"
    )
    assert not is_outside(GROUP, has_trained=True, has_joined=False), "it is no session's"
    adopted = replace(member, is_adopted=True)
    assert not is_outside(adopted, has_trained=True, has_joined=False), (
        "an agent before this one may have heard it"
    )
    outside = replace(member, outside_since=100.0)
    assert next_step(ONE, outside, now=100.0 + MOMENT_S / 2) == Order.WAIT
    assert next_step(ONE, outside, now=100.0 + MOMENT_S) == Order.KILL
