"""What pages show, as pure functions of facts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from api import schemas
from api.dashboard.facts import JobPageFacts
from api.dashboard.views import (
    CandidateStanding,
    Tone,
    candidate_table,
    cost_timeline,
    cost_view,
    decision_items,
    forecast_timeline,
    frontier_chart,
    job_row,
    job_view,
    node_rows,
    price_rows,
    spec_lines,
    standing_of,
    throughput_timeline,
    value_timeline,
)
from api.outlook import JobForecast
from elastic.figures import duration
from elastic.model import (
    Action,
    CalendarUnit,
    Candidate,
    Capacity,
    Decision,
    Group,
    Interval,
    Job,
    JobPhase,
    JobSpec,
    LedgerRow,
    Mode,
    Node,
    NodePhase,
    Notice,
    NoticeKind,
    NprocPerNode,
    Objective,
    Offering,
    PerNode,
    Plan,
    Precision,
    Price,
    Reason,
    ScriptError,
    Setup,
    TrainingPhase,
    Workers,
)
from elastic.policy import Finish, FixedChoice, Forecast
from elastic.store import ThroughputPoint

SMALL, LARGE = Offering("small"), Offering("large")
SPEC = JobSpec("first", ("train.py",), iterations=1000, objective=Objective(budget_usd=2.0))
JOB = Job("job-1", SPEC, JobPhase.RUNNING, 0.0, iteration=250)
MEASURED = Candidate(
    Group.of(SMALL),
    "main",
    12,
    usd_per_h=0.36,
    step_s=Interval(0.5, 0.4, 0.6),
    iterations_per_usd=Interval(20_000.0, 18_000.0, 22_000.0),
    remaining_usd=0.5,
    remaining_s=375.0,
)
UNMEASURED = Candidate(Group.of(LARGE), "main", 0, usd_per_h=0.72)


def make_facts(
    job: Job = JOB, *candidates: Candidate, action: Action = Action.HOLD, **changes: object
) -> JobPageFacts:
    plan = Plan(
        action, Group.of(SMALL), Reason("why", "because"), candidates or (MEASURED, UNMEASURED)
    )
    facts = JobPageFacts(
        now_s=100.0,
        job=job,
        current=Group.of(SMALL),
        target=Group.of(SMALL),
        generation=None,
        eta_s=375.0,
        spent_usd=0.8,
        decisions=(
            Decision(7, job.id, 90.0, 95.0, 3, "best_value", plan, version=1, weighed_at_s=95.0),
        ),
    )
    return replace(facts, **changes)  # type: ignore[arg-type]  # each test names fields of JobFacts


def card(facts: JobPageFacts, label: str) -> tuple[str, float | None, str]:
    found = next(each for each in job_view(facts).cards if each.label.startswith(label))
    return found.number.text, found.number.value, " · ".join(found.notes)


@pytest.mark.parametrize(
    ("candidate", "current", "target", "is_profiling", "standing"),
    [
        (MEASURED, SMALL, SMALL, False, CandidateStanding.CURRENT),
        (MEASURED, SMALL, LARGE, False, CandidateStanding.CURRENT),
        (MEASURED, SMALL, SMALL, True, CandidateStanding.MEASURING),
        (MEASURED, LARGE, SMALL, False, CandidateStanding.NEXT),
        (MEASURED, LARGE, LARGE, False, CandidateStanding.MEASURED),
        (UNMEASURED, LARGE, LARGE, False, CandidateStanding.MEASURING),
        (UNMEASURED, SMALL, SMALL, False, CandidateStanding.UNMEASURED),
        (replace(UNMEASURED, usd_per_h=None), SMALL, SMALL, False, CandidateStanding.UNPRICED),
        (
            replace(UNMEASURED, unavailable="no capacity"),
            SMALL,
            SMALL,
            False,
            CandidateStanding.UNAVAILABLE,
        ),
    ],
)
def test_a_candidate_says_where_it_stands(
    candidate: Candidate,
    current: Offering,
    target: Offering,
    is_profiling: bool,
    standing: CandidateStanding,
) -> None:
    found = standing_of(
        candidate, current=Group.of(current), target=Group.of(target), is_profiling=is_profiling
    )
    assert found is standing


def test_candidates_are_ranked_best_first_and_the_unknown_come_last() -> None:
    worse = replace(
        MEASURED, group=Group.of(Offering("worse")), iterations_per_usd=Interval(9_000.0)
    )
    table = candidate_table(
        (UNMEASURED, worse, MEASURED),
        current=None,
        target=None,
        is_profiling=False,
        training_phase="main",
    )
    assert [row.name for row in table.rows] == ["small", "worse", "large"]
    assert table.rows[2].bar is None
    assert table.rows[1].interval == ""


def test_the_axis_of_fast_candidates_has_short_numbers() -> None:
    fast = replace(MEASURED, iterations_per_usd=Interval(140e6))
    table = candidate_table(
        (fast,), current=None, target=None, is_profiling=False, training_phase="main"
    )
    assert table.ticks == ("0", "50M", "100M", "150M")


def test_a_candidate_says_what_each_of_its_nodes_runs() -> None:
    two = replace(MEASURED, workers=(Workers(2, 4),))
    table = candidate_table(
        (two,), current=None, target=None, is_profiling=False, training_phase="main"
    )
    assert table.rows[0].detail.endswith(", 2 x 4 threads")


def test_candidates_of_another_phase_are_not_compared() -> None:
    warmup = replace(MEASURED, training_phase="warmup")
    table = candidate_table(
        (warmup, UNMEASURED), current=None, target=None, is_profiling=False, training_phase="main"
    )
    assert [row.name for row in table.rows] == ["large"]


def test_the_headline_numbers_are_the_values_themselves() -> None:
    facts = make_facts(outlook=foreseen(replace(HERE, usd=Interval(1.3))))
    assert card(facts, "Iterations per dollar now") == (
        "20,000",
        20_000.0,
        "small · 95 % interval 18,000 to 22,000",
    )
    assert card(facts, "Iterations done") == (
        "250",
        250,
        "of 1,000 · 25 % · 6 min 15 s left · ready 00:07:55 UTC",
    )
    assert card(facts, "Spent") == ("$0.80", 0.8, "of $2.00 budget · forecast $1.30 at the end")


def test_a_job_that_its_budget_ends_first_is_not_called_ready() -> None:
    cut = replace(MEASURED, effective_iterations_per_usd=20_000.0, remaining_usd=0.01)
    objective = Objective(budget_usd=2.0, deadline_s=9_000.0)
    job = replace(JOB, spec=replace(SPEC, objective=objective))
    assert card(make_facts(job, cut, eta_s=40.0), "Iterations done")[2] == (
        "of 1,000 · 25 % · 40 s left · its budget is spent 00:02:20 UTC · deadline 02:30:00 UTC"
    )


def test_saving_is_against_the_group_that_trained_first_and_names_the_best() -> None:
    cheap, dear = FixedChoice(Group.of(SMALL), 0.7, 1.0), FixedChoice(Group.of(LARGE), 1.0, 1.0)
    dearest = FixedChoice(Group.of(LARGE, 2), 1.5, 1.0)
    text, value, notes = card(make_facts(fixed=(cheap, dear, dearest), began=dear), "Saved")
    assert (text, notes) == (
        "$0.20",
        "against large, where it began: $1.00 · best fixed: small, $0.70",
    )
    assert value == pytest.approx(0.2)


def test_costing_more_than_staying_would_have_is_said() -> None:
    cheap, dear = FixedChoice(Group.of(SMALL), 0.7, 1.0), FixedChoice(Group.of(LARGE), 0.9, 1.0)
    assert card(make_facts(fixed=(cheap, dear), began=cheap), "Cost more")[::2] == (
        "$0.10",
        "against small, where it began: $0.70",
    )


def test_one_measured_node_type_is_nothing_to_save_against() -> None:
    assert card(make_facts(fixed=(FixedChoice(Group.of(SMALL), 0.9, 1.0),)), "Saved")[1] is None


def test_nothing_is_claimed_before_it_is_known() -> None:
    facts = make_facts(JOB, UNMEASURED, eta_s=None, spent_usd=0.0, current=None)
    assert card(facts, "Iterations per dollar now") == ("–", None, "not measured yet")
    assert card(facts, "Saved")[:2] == ("–", None)


def test_a_job_that_is_over_shows_what_a_dollar_bought_all_in() -> None:
    facts = make_facts(replace(JOB, phase=JobPhase.SUCCEEDED, finished_at_s=80.0), current=None)
    assert card(facts, "Iterations per dollar")[:2] == ("312", 312.5)
    assert card(facts, "Iterations done")[2] == "of 1,000 · 25 % · took 1 min 20 s"


@pytest.mark.parametrize(
    ("phase", "words"),
    [
        (JobPhase.FAILED, "The job failed: disk full"),
        (JobPhase.BUDGET_EXHAUSTED, "stopped at its budget: disk full"),
    ],
)
def test_what_went_wrong_is_said_in_words(phase: JobPhase, words: str) -> None:
    assert (
        words in job_view(make_facts(replace(JOB, phase=phase, message="disk full"))).head.problem
    )


def test_what_its_program_failed_with_is_shown_with_its_traceback_until_it_is_beyond_that() -> None:
    error = ScriptError(
        "ValueError", "ValueError: no", "train.py, line 3, in load", "Traceback:\nValueError: no"
    )
    once = job_view(make_facts(replace(JOB, error=error))).head
    assert (
        once.problem
        == "It failed once, and starts again: ValueError: no (train.py, line 3, in load)"
    )
    assert once.error_lines == "Traceback:\nValueError: no"
    assert (
        job_view(make_facts(replace(JOB, error=replace(error, lines="")))).head.error_lines
        == "ValueError: no"
    )
    assert (job_view(make_facts()).head.problem, job_view(make_facts()).head.error_lines) == (
        "",
        "",
    )


def test_what_a_job_was_scaled_to_stands_beside_its_bounds() -> None:
    spec = replace(SPEC, nodes_max=4, nodes_wanted=3)
    assert dict(spec_lines(spec, is_preloaded=None))["nodes"] == "1 to 4, scaled to 3"


def test_a_job_that_did_not_succeed_says_how_it_goes_on() -> None:
    hints = {phase: job_view(make_facts(replace(JOB, phase=phase))).head.hint for phase in JobPhase}
    assert {phase for phase, hint in hints.items() if hint} == {
        phase for phase in JobPhase if phase.may_resume
    }
    assert f"`elasticd job resume {JOB.id} --budget USD`" in hints[JobPhase.BUDGET_EXHAUSTED]


def test_what_was_decided_before_a_resume_stops_nothing() -> None:
    stop = replace(
        make_facts().decisions[0], plan=Plan(Action.STOP, None, Reason("budget", "all is spent"))
    )
    problems = {
        phase: job_view(
            replace(make_facts(replace(JOB, phase=phase)), decisions=(stop,))
        ).head.problem
        for phase in (JobPhase.DRAINING, JobPhase.SUBMITTED)
    }
    assert problems == {
        JobPhase.DRAINING: "The job is being stopped: all is spent",
        JobPhase.SUBMITTED: "",
    }


def test_the_time_between_an_end_and_a_resume_is_none_that_it_took() -> None:
    job = replace(JOB, phase=JobPhase.SUCCEEDED, finished_at_s=80.0)
    assert card(replace(make_facts(job), idle_s=20.0), "Iterations done")[2].endswith("took 1 min")


def test_a_job_without_a_total_shows_no_fraction() -> None:
    row = job_row(make_facts(replace(JOB, spec=replace(SPEC, iterations=None))))
    assert row.head.fraction is None
    assert row.iterations.value is None


def test_a_repeated_hold_is_one_line_that_counts() -> None:
    item = decision_items(make_facts().decisions, now_s=100.0)[0]
    assert (item.headline, item.repeats, item.last_at.relative) == (
        "Hold small",
        "3 times",
        "5 s ago",
    )


@pytest.mark.parametrize(
    ("action", "headline"),
    [
        (Action.START, "Start on small"),
        (Action.TRIAL, "Try small"),
        (Action.MOVE, "Move to small"),
        (Action.STOP, "Stop"),
    ],
)
def test_a_decision_is_a_sentence(action: Action, headline: str) -> None:
    assert decision_items(make_facts(action=action).decisions, now_s=100.0)[0].headline == headline


def test_each_training_phase_has_a_line_of_its_own() -> None:
    points = tuple(
        ThroughputPoint(10.0 * step, 4.0 if step < 3 else 2.0, "warmup" if step < 3 else "gan")
        for step in range(6)
    )
    chart = throughput_timeline(make_facts(throughput=points))
    assert [(each.name, each.tone) for each in chart.series] == [
        ("it/s in warmup", "earlier"),
        ("it/s in gan", "rate"),
    ]
    assert chart.series[0].values == (4.0, 4.0, 4.0, None, None, None)


def ledger_row(
    from_s: float, to_s: float | None, usd_per_h: float, *, minimum_s: float = 0.0
) -> LedgerRow:
    return LedgerRow(
        1, JOB.id, "n", SMALL, 1, usd_per_h, from_s=from_s, to_s=to_s, minimum_s=minimum_s
    )


def test_what_a_dollar_bought_is_iterations_by_the_dollars_of_the_same_stretch() -> None:
    points = tuple(ThroughputPoint(10.0 * step, 4.0, "gan") for step in range(3))
    # $0.10 in the first ten seconds, nothing in the next, $0.20 in the last.
    ledger = (ledger_row(0.0, 10.0, 36.0), ledger_row(20.0, 30.0, 72.0))
    chart = value_timeline(make_facts(throughput=points, ledger=ledger))
    assert chart.at_s == (0.0, 20.0), "what cost nothing has no point"
    assert chart.series[0].values == pytest.approx((400.0, 200.0))
    assert chart.summary == "200 iterations per dollar lately"


def test_a_minimum_bill_is_no_free_ride_after_its_first_second() -> None:
    points = tuple(ThroughputPoint(10.0 * step, 4.0, "gan") for step in range(10))
    chart = value_timeline(
        make_facts(throughput=points, ledger=(ledger_row(0.0, None, 36.0, minimum_s=60.0),))
    )
    assert chart.series[0].values == pytest.approx((400.0,) * 10)


def test_what_a_dollar_bought_is_not_drawn_before_an_iteration_and_a_dollar() -> None:
    assert value_timeline(make_facts(throughput=(ThroughputPoint(10.0, 4.0, "gan"),))).series == ()
    assert value_timeline(make_facts(ledger=(ledger_row(0.0, None, 36.0),))).series == ()


def finish(offering: Offering, lasts_s: Interval, usd: Interval, **changes: object) -> Finish:
    found = Finish(Group.of(offering), lasts_s, usd, usd_per_h=1.0, is_measured=True)
    return replace(found, **changes)  # type: ignore[arg-type]  # each test names fields of Finish


HERE = finish(SMALL, Interval(200.0, 150.0, 300.0), Interval(1.0, 0.9, 1.4), chance_late=0.2)
SOONER = finish(LARGE, Interval(100.0), Interval(1.5), is_measured=False)


def foreseen(
    *finishes: Finish, left_s: float | None = None, budget_usd: float | None = None
) -> JobForecast:
    return JobForecast(90.0, Forecast(finishes, left_s, budget_usd))


def test_the_time_left_says_which_phase_it_does_not_cover() -> None:
    phases = (TrainingPhase("warmup", 300), TrainingPhase("gan"))
    before = replace(JOB, spec=replace(SPEC, phases=phases), training_phase="warmup")
    said = "what is left of warmup comes on top of the dollars and the time left"
    assert said in card(make_facts(job=before), "Iterations done")[2]
    after = replace(before, iteration=400, training_phase="gan")
    assert "on top" not in card(make_facts(job=after), "Iterations done")[2]


def with_deadline(deadline_s: float) -> Job:
    return replace(
        JOB, spec=replace(SPEC, objective=Objective(budget_usd=2.0, deadline_s=deadline_s))
    )


@pytest.mark.parametrize(
    ("deadline_s", "changes", "said", "tone"),
    [
        # The facts are of 100 s, and 375 s are left.
        (500.0, {}, "25 s to spare", None),
        (400.0, {}, "1 min 15 s late", Tone.WARN),
        (500.0, {"eta_s": None}, "deadline 00:08:20 UTC", None),
        (90.0, {"eta_s": None}, "10 s late", Tone.WARN),
    ],
)
def test_the_deadline_stands_on_a_card_with_what_is_to_spare(
    deadline_s: float, changes: dict[str, object], said: str, tone: Tone | None
) -> None:
    facts = replace(make_facts(job=with_deadline(deadline_s)), **changes)  # type: ignore[arg-type]
    shown = next(each for each in job_view(facts).cards if each.field == "iteration")
    assert said in shown.notes[-1]
    assert shown.tone is tone or (tone is None and shown.tone is Tone.MUTED)
    over = replace(facts.job, phase=JobPhase.SUCCEEDED, finished_at_s=80.0)
    assert "to spare" in card(replace(facts, job=over), "Iterations done")[2]


def test_the_cost_goes_on_through_all_that_is_foreseen_and_to_the_deadline() -> None:
    cost = (schemas.CostPoint(at_s=0.0, usd=0.0), schemas.CostPoint(at_s=100.0, usd=0.8))
    chart = cost_timeline(make_facts(with_deadline(500.0), cost=cost, outlook=foreseen(HERE)))
    assert chart.at_s == (0.0, 100.0, 240.0, 290.0, 390.0, 500.0)
    lines = {each.name: each.values for each in chart.series}
    assert lines["spent"] == (0.0, 0.8, None, None, None, None)
    assert lines["foreseen"] == (None, 0.8, 0.9, 1.0, 1.4, None)
    assert [(mark.label, mark.at_s, mark.href) for mark in chart.marks] == [
        ("deadline", 500.0, None)
    ]
    assert chart.summary.endswith("$1.00 foreseen by 00:04:50 UTC")


def test_the_forecast_is_a_fan_with_the_dollars_of_each_end_and_both_goals() -> None:
    """10 of 1,000 iterations are done at 100 s; at 0.5 iterations a second for the last 20 of
    them."""
    job = replace(with_deadline(350.0), iteration=10, phase=JobPhase.RUNNING)
    points = (ThroughputPoint(80.0, 0.5, "main"),)
    facts = make_facts(job, throughput=points, outlook=foreseen(HERE), now_s=100.0, spent_usd=0.5)
    chart = forecast_timeline(facts)
    assert chart is not None
    total = float(job.spec.iterations or 0)
    lines = {each.name: dict(zip(chart.at_s, each.values, strict=True)) for each in chart.series}
    assert lines["done"][80.0] == 0 and lines["done"][100.0] == 10
    for name, end_s in (("at best", 240.0), ("expected", 290.0), ("at worst", 390.0)):
        assert lines[name][100.0] == 10.0
        assert lines[name][end_s] == total
        assert all(value is None for at_s, value in lines[name].items() if at_s > end_s)
    at_best, expected, at_worst = (
        lines[name][240.0] or 0.0 for name in ("at best", "expected", "at worst")
    )
    assert at_best > expected > at_worst, "three lines, not one"
    notes = {each.name: each.note for each in chart.series}
    assert (
        "$0.90 in all" in notes["at best"]
        and "$1.00" in notes["expected"]
        and "$1.40" in notes["at worst"]
    )
    # $0.50 of a budget of $2.00 is spent, and $0.90 more are paid in 290 s: it would be reached
    # after 483 s.
    assert {mark.label for mark in chart.marks} == {"deadline"}
    poor = replace(job, spec=replace(job.spec, objective=Objective(budget_usd=1.0)))
    (budget,) = (forecast_timeline(replace(facts, job=poor)) or chart).marks
    assert budget.label == "budget"
    assert budget.at_s == pytest.approx(100 + 290 * 0.5 / 0.9)


def test_nothing_is_drawn_of_an_end_that_nobody_foresees() -> None:
    assert forecast_timeline(make_facts()) is None
    assert forecast_timeline(make_facts(outlook=foreseen(SOONER))) is None, (
        "another group than the one that trains"
    )


def test_the_tile_and_the_panels_foresee_the_same_dollars() -> None:
    # It has gone on since the decision.
    facts = make_facts(outlook=foreseen(HERE, SOONER), spent_usd=0.95)
    assert "forecast $1.00 at the end" in card(facts, "Spent")[2]
    frontier = job_view(facts).frontier
    assert frontier is not None
    assert frontier.points[0].usd.text == "$1.00"


def test_a_range_that_leaves_the_picture_of_the_frontier_is_cut_where_it_does() -> None:
    wide = finish(LARGE, Interval(100.0, 90.0, 1000.0), Interval(1.5, 1.4, 15.0))
    chart = frontier_chart(make_facts(outlook=foreseen(HERE, wide)))
    assert chart is not None
    here, other = chart.points
    assert here.whisker is not None and here.whisker.y2 > 0, "a range that is short is whole"
    assert other.whisker is not None
    percent_per_usd = (other.whisker.y1 - other.y) / 0.1
    percent_per_s = (other.x - other.whisker.x1) / 10.0
    slope = 13.6 * percent_per_usd / (910.0 * percent_per_s)
    cut = (other.whisker.y1 - other.whisker.y2) / (other.whisker.x2 - other.whisker.x1)
    assert cut == pytest.approx(slope, rel=0.01), (
        "it goes on to where it ends, and not into a corner"
    )
    assert other.whisker.x2 < 100.0


def test_a_deadline_far_beyond_the_end_does_not_press_the_curve_together() -> None:
    cost = (schemas.CostPoint(at_s=0.0, usd=0.0), schemas.CostPoint(at_s=100.0, usd=0.8))
    chart = cost_timeline(make_facts(with_deadline(5000.0), cost=cost, outlook=foreseen(HERE)))
    assert (chart.at_s[-1], chart.marks) == (390.0, ())


def test_the_frontier_has_the_cheapest_first_and_says_what_is_late() -> None:
    chart = frontier_chart(make_facts(outlook=foreseen(HERE, SOONER, left_s=120.0, budget_usd=1.2)))
    assert chart is not None
    here, sooner = chart.points
    assert (here.letter, here.name, here.is_current, here.is_late, here.chance_late) == (
        "A",
        "small",
        True,
        True,
        "20 %",
    )
    assert (sooner.letter, sooner.name, sooner.is_late, sooner.is_measured) == (
        "B",
        "large",
        False,
        False,
    )
    assert sooner.x < here.x
    assert sooner.y < here.y, "dearer is higher, and height is counted from the top"
    assert here.whisker is not None
    assert sooner.whisker is None
    assert chart.deadline is not None
    assert sooner.x < chart.deadline < here.x
    assert chart.budget is not None
    assert sooner.y < chart.budget < here.y


def test_the_word_of_a_near_deadline_has_no_room_left_of_it() -> None:
    near = frontier_chart(make_facts(outlook=foreseen(HERE, SOONER, left_s=20.0)))
    far = frontier_chart(make_facts(outlook=foreseen(HERE, SOONER, left_s=120.0)))
    assert near is not None and near.is_deadline_left
    assert far is not None and far.deadline is not None and not far.is_deadline_left


def test_the_frontier_counts_the_time_to_each_end_from_now() -> None:
    facts = make_facts(outlook=foreseen(HERE, SOONER))
    chart = frontier_chart(facts)
    assert chart is not None
    assert facts.now_s - 90.0 == 10.0, "the forecast is ten seconds old"
    left_s = HERE.lasts_s.value - 10.0
    assert chart.points[0].lasts == duration(left_s)
    assert chart.summary.startswith(f"from $1.00 in {duration(left_s)} to ")


def test_one_group_alone_makes_no_frontier() -> None:
    assert frontier_chart(make_facts(outlook=foreseen(HERE))) is None
    assert frontier_chart(make_facts()) is None


def test_groups_far_from_all_that_is_worth_a_look_are_left_out() -> None:
    far = finish(Offering("tiny"), Interval(5000.0), Interval(1.2))
    chart = frontier_chart(make_facts(outlook=foreseen(HERE, far, SOONER)))
    assert chart is not None
    assert [each.name for each in chart.points] == ["small", "large"]


def test_only_decisions_that_change_something_are_marked() -> None:
    points = (ThroughputPoint(80.0, 1.0, "main"), ThroughputPoint(100.0, 1.0, "main"))
    assert throughput_timeline(make_facts(throughput=points)).marks == ()
    marked = throughput_timeline(make_facts(throughput=points, action=Action.MOVE))
    assert [(mark.at_s, mark.href) for mark in marked.marks] == [(90.0, "/decisions/7")]


def test_a_far_budget_is_said_and_not_drawn() -> None:
    cost = (schemas.CostPoint(at_s=0.0, usd=0.0), schemas.CostPoint(at_s=10.0, usd=0.1))
    far = cost_timeline(make_facts(cost=cost))
    assert [each.name for each in far.series] == ["spent"]
    assert far.summary == "$0.80 spent of a budget of $2.00"
    near = cost_timeline(make_facts(cost=(*cost, schemas.CostPoint(at_s=20.0, usd=1.5))))
    assert [each.name for each in near.series] == ["spent", "budget"]


def test_a_decision_between_two_points_leaves_the_line_whole() -> None:
    points = (ThroughputPoint(80.0, 1.0, "main"), ThroughputPoint(100.0, 1.0, "main"))
    chart = throughput_timeline(make_facts(throughput=points, action=Action.MOVE))
    assert (chart.at_s, chart.series[0].values) == ((80.0, 100.0), (1.0, 1.0))
    later = throughput_timeline(
        make_facts(throughput=(ThroughputPoint(95.0, 1.0, "main"),), action=Action.MOVE)
    )
    assert (later.at_s, later.series[0].values) == ((90.0, 95.0), (None, 1.0))


def test_a_fixed_choice_grows_from_nothing_with_its_prices_to_its_whole_cost() -> None:
    cost = tuple(schemas.CostPoint(at_s=1000.0 + 25.0 * step, usd=0.2 * step) for step in range(5))
    choice = FixedChoice(Group.of(LARGE), usd=1.2, lasts_s=200.0, bends=((100.0, 0.8),))
    baseline = cost_timeline(make_facts(cost=cost, fixed=(choice,), began=choice)).series[1]
    assert baseline.name == "large throughout"
    assert baseline.values == pytest.approx((0.0, 0.4, 0.8, 1.0, 1.2))


def test_an_empty_job_has_nothing_to_draw() -> None:
    view = job_view(make_facts(JOB, decisions=(), current=None, target=None))
    assert view.throughput.series == view.cost.series == ()
    assert view.candidates.rows == ()
    assert view.head.place == "waiting for its first nodes"


@pytest.mark.parametrize(
    ("phase", "said"),
    [
        (JobPhase.PAUSED, "without nodes until its user resumes it"),
        (JobPhase.WAITING, "without nodes for now: the last decision says why"),
    ],
)
def test_a_job_that_rests_does_not_wait_for_first_nodes(phase: JobPhase, said: str) -> None:
    view = job_view(make_facts(replace(JOB, phase=phase), current=None, target=None))
    assert view.head.place == said


def test_a_job_whose_last_nodes_end_waits_for_no_first_ones() -> None:
    view = job_view(make_facts(replace(JOB, phase=JobPhase.DRAINING), current=None, target=None))
    assert view.head.place == "its nodes are ending"


def test_a_node_costs_what_its_ledger_rows_add_up_to() -> None:
    node = Node(
        "node-1", "job-1", SMALL, NodePhase.JOINED, "t", 0.0, launched_at_s=0.0, heartbeat_at_s=99.0
    )
    rows = (
        LedgerRow(1, "job-1", "node-1", SMALL, 1, 0.36, from_s=0.0, to_s=50.0),
        LedgerRow(2, "job-1", "node-1", SMALL, 2, 0.72, from_s=50.0, to_s=None),
    )
    (row,) = node_rows((node,), rows, now_s=100.0)
    assert row.usd.value == pytest.approx(0.015)
    assert not row.is_silent


def test_a_node_shows_what_its_set_up_took() -> None:
    node = Node(
        "node-1", "job-1", SMALL, NodePhase.JOINED, "t", 0.0, setup=Setup(17.2, 333_423_179)
    )
    plain = replace(node, setup=None)
    assert [
        each.detail.partition(" · set up in ")[2]
        for each in node_rows((node, plain), (), now_s=100.0)
    ] == [
        "17 s, 318 MiB",
        "",
    ]


def test_a_node_shows_the_command_that_enters_it_while_it_runs() -> None:
    living = Node("node-1", "job-1", SMALL, NodePhase.JOINED, "t", 0.0)
    ended = replace(living, phase=NodePhase.TERMINATED)
    told = [row.enter for row in node_rows((living, ended), (), now_s=100.0)]
    assert told == ["elasticd node ssh node-1", ""]


def test_a_node_unheard_of_for_long_is_called_silent() -> None:
    node = Node("node-1", "job-1", SMALL, NodePhase.JOINED, "t", 0.0, heartbeat_at_s=10.0)
    (row,) = node_rows((node,), (), now_s=100.0)
    assert row.is_silent
    assert row.usd.value is None


def test_a_node_shows_what_the_cloud_told_of_its_end_until_it_is_gone() -> None:
    node = Node("node-1", "job-1", SMALL, NodePhase.JOINED, "t", 0.0)
    taken = replace(node, notice=Notice(NoticeKind.INTERRUPTION, noticed_at_s=0.0, at_s=120.0))
    hinted = replace(node, notice=Notice(NoticeKind.REBALANCE, noticed_at_s=0.0))
    gone = replace(taken, phase=NodePhase.TERMINATED)
    limit = Notice(NoticeKind.INTERRUPTION, noticed_at_s=0.0, at_s=120.0, action="time limit")
    nodes = (node, taken, hinted, gone, replace(node, notice=limit))
    told = [row.notice for row in node_rows(nodes, (), now_s=100.0)]
    assert told[:4] == [
        "",
        "leaves at 00:02:00 UTC (spot interruption)",
        "rebalance recommended",
        "",
    ]
    assert told[4] == "leaves at 00:02:00 UTC (time limit)", "of Slurm, on no spot"


def test_a_price_is_compared_with_the_one_before_it() -> None:
    before = Price(1, SMALL, 0.09, 0.0, 0.0, "table")
    after = Price(2, SMALL, 0.0585, 50.0, 50.0, "trace")
    rows = price_rows((after, before), (after, before), now_s=100.0)
    assert rows[0].change is not None and rows[0].change.text == "-35 %"
    assert rows[1].change is None


def test_what_was_left_open_is_left_out_of_the_spec() -> None:
    names = [
        name
        for name, _ in spec_lines(
            JobSpec("first", ("train.py", "--name", "a b")), is_preloaded=None
        )
    ]
    assert "budget" not in names and "precision" not in names
    assert (
        dict(spec_lines(JobSpec("first", ("train.py", "a b")), is_preloaded=None))["command"]
        == "train.py 'a b'"
    )


def test_the_precision_is_shown_where_the_job_has_one() -> None:
    spec = JobSpec("first", ("train.py",), precision=Precision.BF16)
    assert dict(spec_lines(spec, is_preloaded=None))["precision"] == "bf16"


def test_workers_that_are_not_preloaded_are_shown_beside_the_mode() -> None:
    spec = JobSpec("first", ("train.py",))
    shown = [dict(spec_lines(spec, is_preloaded=each))["mode"] for each in (None, True, False)]
    assert shown == ["restart", "restart", "restart, not preloaded on every node"]
    asked = replace(spec, mode=Mode.LIVE, preload=False)
    assert dict(spec_lines(asked, is_preloaded=False))["mode"] == "live, not preloaded"


def test_workers_a_node_are_shown_as_they_were_asked_for() -> None:
    asked: tuple[NprocPerNode, ...] = (PerNode.AUTO, 2, {"small": 2, "gpus": PerNode.GPU})
    specs = [JobSpec("first", ("train.py",), nproc_per_node=each) for each in asked]
    shown = [dict(spec_lines(each, is_preloaded=None))["workers a node"] for each in specs]
    assert shown == ["auto", "2", "small: 2\ngpus: gpu"]


NO_PURSE = schemas.PurseOut(zone="UTC", burn_usd_per_h=0.0, rate_usd_per_h=None, caps=[], jobs=[])


def test_a_month_s_costs_add_up_to_its_rows_by_day_job_type_and_zone() -> None:
    # Wednesday, 15 November 2023, noon.
    now_s = 1_700_049_600.0
    begin_s = 1_698_796_800.0
    half, full = Offering("half"), Offering("full", Capacity.SPOT, "zone-b")
    rows = (
        # From an hour before the month to an hour after its beginning.
        LedgerRow(1, "job-1", "n1", half, 1, 1.0, from_s=begin_s - 3600, to_s=begin_s + 3600),
        # Over the last midnight, and still running.
        LedgerRow(2, "job-2", "n2", full, 1, 2.0, from_s=now_s - 13 * 3600, to_s=None),
    )
    view = cost_view(rows, {"job-1": "first", "job-2": "second"}, NO_PURSE, now_s=now_s)
    month, today, burn = (card.number.value for card in view.cards)
    assert (view.month, month, today, burn) == ("November 2023", 27.0, 24.0, 2.0)
    by_day, by_job, by_type, by_zone = view.tables
    assert [(row.name, row.usd.value) for row in by_day.rows] == [
        ("Wed 15 Nov", 24.0),
        ("Tue 14 Nov", 2.0),
        ("Wed 01 Nov", 1.0),
    ]
    assert [(row.name, row.href, row.usd.value) for row in by_job.rows] == [
        ("second", "/jobs/job-2", 26.0),
        ("first", "/jobs/job-1", 1.0),
    ]
    assert [row.name for row in by_type.rows] == ["full spot", "half on-demand"]
    assert [row.name for row in by_zone.rows] == ["zone-b", "local"]
    assert by_job.rows[0].share == 100.0


def test_a_month_without_rows_costs_nothing() -> None:
    view = cost_view((), {}, NO_PURSE, now_s=1_700_049_600.0)
    assert [card.number.value for card in view.cards] == [0.0, 0.0, 0.0]
    assert all(table.rows == () for table in view.tables)


def test_the_costs_tell_what_the_purse_has_left_and_who_waits() -> None:
    cap = schemas.CapOut(
        unit=CalendarUnit.DAY,
        usd=4.0,
        spent_usd=1.0,
        committed_usd=0.5,
        left_usd=2.5,
        ends_at_s=1_700_092_800.0,
    )
    waits = schemas.PurseJobOut(
        job_id="job-1",
        name="first",
        priority=0,
        phase=JobPhase.WAITING,
        burn_usd_per_h=0.0,
        why="waits: the purse is short",
    )
    purse = NO_PURSE.model_copy(update={"caps": [cap], "jobs": [waits]})
    view = cost_view((), {}, purse, now_s=1_700_049_600.0).purse
    assert view is not None
    (row,) = view.caps
    assert (row.name, row.spent.text, row.left.text) == ("This day", "$1.00", "$2.50")
    assert (row.until, row.share) == ("16 Nov 00:00 UTC", 25.0)
    assert [each.why for each in view.waiting] == ["waits: the purse is short"]
