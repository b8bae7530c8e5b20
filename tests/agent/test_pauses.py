"""Which pauses between two turns are their script's own."""

from __future__ import annotations

from elastic.agent.pauses import Pauses
from elastic.model import Pulse


def after(*turns_at: float) -> Pauses:
    pauses = Pauses()
    for at in turns_at:
        pauses.note_turn(at)
    return pauses


def test_the_longest_pause_is_told_at_once_and_learnt_once_turns_have_gone_on_for_a_while() -> None:
    pauses = after(*range(100))
    assert pauses.pulse(now=99.5) == Pulse(0.5, 1.0, 1.0)
    pauses.note_turn(130.0)
    assert pauses.pulse(now=130.0) == Pulse(0.0, 31.0, 1.0)
    pauses.note_turn(139.0)
    assert pauses.pulse(now=139.0) == Pulse(0.0, 31.0, 1.0)
    pauses.note_turn(140.0)
    assert pauses.pulse(now=141.0) == Pulse(1.0, 31.0, 31.0)


def test_nothing_is_learnt_until_turns_have_gone_on_for_a_minute() -> None:
    assert after().pulse(now=1.0) is None
    assert after(0.0, 10.0, 59.0).pulse(now=70.0) == Pulse(11.0, 49.0, None)
    assert after(0.0, 90.0).pulse(now=91.0) == Pulse(1.0, 90.0, None), "nor what nothing came after"
    assert after(0.0, 10.0, 61.0).pulse(now=70.0) == Pulse(9.0, 51.0, 10.0)


def test_a_pause_that_the_end_came_soon_after_is_a_links() -> None:
    pauses = after(*range(70), 100.0, 101.0)
    pauses.begin_anew()
    assert pauses.pulse(now=102.0) is None
    for at in range(110, 120):
        pauses.note_turn(at)
    assert pauses.pulse(now=119.0) == Pulse(0.0, 1.0, 1.0), (
        "what comes before the first turn is no pause either"
    )


def test_a_pause_in_which_the_daemon_did_not_answer_is_a_links() -> None:
    pauses = after(*range(70))
    for since in (72.0, 84.0):
        pauses.note_silence(since, since + 10.0)
    pauses.note_turn(95.0)
    assert pauses.pulse(now=95.0) == Pulse(0.0, 1.0, 1.0)
    late = after(*range(70), 95.0)
    assert late.pulse(now=95.0) == Pulse(0.0, 26.0, 1.0)
    late.note_silence(84.0, 95.5)
    assert late.pulse(now=95.6) == Pulse(95.6 - 95.0, 1.0, 1.0), "that was known a little later"
    for each in (pauses, late):
        for at in range(96, 130):
            each.note_turn(at)
        assert each.pulse(now=129.0) == Pulse(0.0, 1.0, 1.0)
    pauses.note_turn(160.0)
    pauses.note_turn(171.0)
    assert pauses.pulse(now=171.0) == Pulse(0.0, 31.0, 31.0), "it answers again"
