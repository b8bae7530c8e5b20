"""What people are told, word for word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elastic.model import JobPhase, LedgerRow, Objective, ScriptError, Topic
from elastic.notify import News, of_alarm, of_budget, of_ending, of_losses
from elastic.store import AlarmRow
from tests.builders import NOW_S, job, offering

ROWS = (
    LedgerRow(1, "job-1", "n1", offering("c5.large"), 1, 0.36, from_s=NOW_S - 3600, to_s=NOW_S),
    LedgerRow(2, "job-1", "n2", offering("c5.large"), 1, 0.36, from_s=NOW_S - 1800, to_s=NOW_S),
    LedgerRow(3, "job-1", "n3", offering("c5.xlarge"), 1, 1.44, from_s=NOW_S - 900, to_s=NOW_S),
)
BUDGET = Objective(budget_usd=2.0)


def test_a_failed_job_says_why_with_its_last_lines_and_its_dollars() -> None:
    error = ScriptError("ValueError", "no", lines="Traceback\n  train.py, line 3\nValueError: no")
    failed = replace(
        job(iteration=540, objective=BUDGET),
        phase=JobPhase.FAILED,
        finished_at_s=NOW_S,
        message="the same error twice",
        error=error,
    )
    news = of_ending(failed, ROWS, now_s=NOW_S)
    assert (news.topic, news.title) == (Topic.FAILED, "job esrgan failed")
    assert news.text == (
        "the same error twice\n"
        "\n"
        "Traceback\n"
        "  train.py, line 3\n"
        "ValueError: no\n"
        "\n"
        "$0.90 spent of $2.00, 540 of 10,000 iterations done, 600 iterations per dollar\n"
        "  c5.large on-demand local: 1 h 30 min of nodes, $0.54\n"
        "  c5.xlarge on-demand local: 15 min of nodes, $0.36"
    )


@pytest.mark.parametrize(
    ("phase", "topic"),
    [
        (JobPhase.SUCCEEDED, Topic.FINISHED),
        (JobPhase.CANCELLED, Topic.STOPPED),
        (JobPhase.FAILED, Topic.FAILED),
        (JobPhase.BUDGET_EXHAUSTED, Topic.FAILED),
    ],
)
def test_every_ending_has_its_topic(phase: JobPhase, topic: Topic) -> None:
    ended = replace(job(), phase=phase, finished_at_s=NOW_S)
    assert of_ending(ended, (), now_s=NOW_S).topic is topic


def test_a_job_that_ends_again_is_told_of_again() -> None:
    ended = replace(job(), phase=JobPhase.FAILED, finished_at_s=NOW_S)
    later = replace(ended, finished_at_s=NOW_S + 60)
    assert of_ending(ended, (), now_s=NOW_S).key != of_ending(later, (), now_s=NOW_S).key


def test_a_budget_is_told_of_from_its_share_on_and_again_once_it_is_raised() -> None:
    spender = job(objective=BUDGET)
    assert of_budget(spender, 1.59, share=0.8, now_s=NOW_S) is None
    assert of_budget(job(), 1.59, share=0.8, now_s=NOW_S) is None
    news = of_budget(spender, 1.6, share=0.8, now_s=NOW_S)
    assert news is not None and news.topic is Topic.BUDGET
    assert news.title == "job esrgan has spent 80 % of its budget"
    raised = of_budget(job(objective=Objective(budget_usd=4.0)), 3.3, share=0.8, now_s=NOW_S)
    assert raised is not None and raised.key != news.key


def test_losses_are_told_of_once_they_are_more_than_usual() -> None:
    assert of_losses(job(), 3, most=3, now_s=NOW_S) is None
    news = of_losses(job(), 4, most=3, now_s=NOW_S)
    assert news is not None and news.title == "job esrgan has lost 4 nodes"
    more = of_losses(job(), 9, most=3, now_s=NOW_S)
    assert more is not None and more.key == news.key


def test_an_alarm_is_told_of_when_it_begins_and_when_it_is_over() -> None:
    def late(over_at_s: float | None) -> tuple[News, ...]:
        alarm = AlarmRow(7, "will_be_late", "3 min short", "job-1", NOW_S, over_at_s)
        return of_alarm(alarm, job())

    (begun,) = late(None)
    assert (begun.topic, begun.title) == (Topic.AT_RISK, "job esrgan: will be late")
    again, over = late(NOW_S + 90)
    assert again == begun
    assert (over.topic, over.at_s) == (Topic.OVER, NOW_S + 90)
    assert over.text == "It lasted 1 min 30 s. It was: 3 min short"
    (blind,) = of_alarm(AlarmRow(8, "cannot_see", "no answer", None, NOW_S, None), None)
    assert (blind.topic, blind.title, blind.job_id) == (
        Topic.ALARM,
        "elasticd: cannot see",
        None,
    )
