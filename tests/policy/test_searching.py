"""When a trial ends, and when what was tried is tried once more."""

from __future__ import annotations

from elastic.model import Action, Plan, Snapshot
from elastic.policy import decide
from tests.builders import NOW_S, change, group, job, limits, prices, series, snapshot, switch

HALF, FULL = "local.half", "local.full"
USD_PER_H = {"local.quarter": 0.025, HALF: 0.045, FULL: 0.09}


def _on_trial(windows: int, step_s: float, *, boot_s: float) -> Plan:
    """A trial of a full core that follows half a core at 0.1 s, which costs a quarter as much an
    iteration."""
    return decide(
        snapshot(
            target=FULL,
            measured=[series(HALF, 0.1), series(FULL, step_s, windows)],
            changes=[change(HALF), change(FULL, HALF, code="trial", ago_s=20.0)],
            switches=(switch(FULL, boot_s=boot_s),),
        )
    )


def test_one_slow_window_does_not_end_a_trial_where_the_next_costs_less_than_the_way_back() -> None:
    assert _on_trial(1, 0.2, boot_s=30.0).reason.code == "measuring"
    assert _on_trial(2, 0.2, boot_s=30.0).reason.code == "trial_over"
    assert _on_trial(1, 40.0, boot_s=30.0).reason.code == "trial_over", (
        "the next window takes longer than a boot"
    )


def _before_its_first_iteration(ago_s: float) -> Plan:
    """A trial decided `ago_s` ago, where earlier changes paused for 0.2 s and 5 s are assumed of
    new nodes."""
    return decide(
        snapshot(
            target=FULL,
            measured=[series(HALF, 0.1)],
            changes=[change(HALF), change(FULL, HALF, code="trial", ago_s=ago_s)],
            switches=(switch(HALF, pause_s=0.2, boot_s=2.0),),
        )
    )


def test_a_node_that_is_new_to_the_job_has_the_time_to_start_before_its_pace_is_judged() -> None:
    assert _before_its_first_iteration(5.0).reason.code == "measuring"
    assert _before_its_first_iteration(30.0).target != group(FULL), "30 s and not one iteration"


def test_a_trial_is_not_judged_by_the_time_in_which_the_old_group_still_trained() -> None:
    def trial(started_ago_s: float) -> Plan:
        seen = snapshot(
            target=FULL,
            measured=[series(HALF, 0.1)],
            changes=[change(HALF), change(FULL, HALF, code="trial", ago_s=30.0)],
            switches=(switch(HALF, pause_s=0.2, boot_s=2.0),),
            current_since_s=NOW_S - started_ago_s,
        )
        return decide(seen)

    assert trial(1.0).reason.code == "measuring", "the old group had a long step to end"
    assert trial(28.0).reason.code == "trial_over"


def _after_its_first_iteration(ago_s: float) -> Plan:
    """A trial whose first iteration ended `ago_s` ago; a word of it may take 12 s, as under a
    daemon's own settings."""
    return decide(
        snapshot(
            target=FULL,
            measured=[series(HALF, 0.1)],
            changes=[
                change(HALF, ago_s=100.0),
                change(FULL, HALF, code="trial", ago_s=ago_s + 5.0),
            ],
            switches=(switch(FULL, pause_s=0.2, boot_s=2.0, ago_s=ago_s),),
            limits=limits(reaction_s=12.0),
        )
    )


def test_windows_that_may_not_have_been_heard_of_yet_end_no_trial() -> None:
    assert _after_its_first_iteration(3.0).reason.code == "measuring"
    assert _after_its_first_iteration(12.0).reason.code == "measuring"
    assert _after_its_first_iteration(20.0).target != group(FULL)


def _tried_before(*, price_changed_ago_s: float) -> Snapshot:
    """A job back on a quarter core; one window calls half a core twice as cheap, which was tried
    2,000 s ago."""
    return snapshot(
        target="local.quarter",
        measured=[series("local.quarter", 1.0), series(HALF, 0.25, 1), series(FULL, 0.5)],
        changes=[
            change("local.quarter", ago_s=3000.0),
            change(HALF, "local.quarter", code="trial", ago_s=2000.0),
            change("local.quarter", HALF, code="trial_over", ago_s=1990.0),
        ],
        prices=prices(USD_PER_H, valid_from_s=NOW_S - price_changed_ago_s),
    )


def test_what_one_window_calls_the_best_is_tried_again_once_a_price_has_changed_since() -> None:
    again = decide(_tried_before(price_changed_ago_s=60.0))
    assert (again.action, again.target) == (Action.TRIAL, group(HALF))


def test_what_one_window_calls_far_cheaper_is_moved_to_without_another_trial() -> None:
    plan = decide(_tried_before(price_changed_ago_s=2500.0))
    assert (plan.action, plan.target) == (Action.MOVE, group(HALF))


def _after_a_trial(next_code: str, tried_s: float = 400.0) -> Plan:
    """A full core was tried until 700 s ago, and no window of it closed."""
    return decide(
        snapshot(
            target=HALF,
            measured=[series(HALF, 0.1)],
            changes=[
                change(HALF, ago_s=3000.0),
                change(FULL, HALF, code="trial", ago_s=700.0 + tried_s),
                change(HALF, FULL, code=next_code, ago_s=700.0),
            ],
            prices=prices({HALF: 0.045, FULL: 0.046}),
            job=job(iterations=1_000_000),
        )
    )


def test_a_trial_that_ended_before_an_iteration_did_tells_that_one_takes_longer() -> None:
    assert _after_a_trial("trial_over").target == group(HALF)


def test_a_trial_that_was_lost_before_an_iteration_ended_tells_nothing() -> None:
    assert _after_a_trial("unavailable").target == group(FULL)


def test_a_trial_that_ended_at_once_tells_nothing() -> None:
    assert _after_a_trial("trial_over", tried_s=1.0).target == group(FULL)


def test_a_trial_whose_windows_show_that_it_is_no_better_ends_without_a_margin() -> None:
    plan = decide(
        snapshot(
            target=FULL,
            measured=[series("local.quarter", 0.3), series(HALF, 0.1), series(FULL, 0.051)],
            changes=[change(HALF), change(FULL, HALF, code="trial", ago_s=5.0)],
        )
    )
    assert (plan.target, plan.reason.code) == (group(HALF), "trial_over")
