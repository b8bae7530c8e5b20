from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from elastic.model import (
    Action,
    Capacity,
    CapacityChoice,
    Change,
    Group,
    JobPhase,
    NprocPerNode,
    Objective,
    Offering,
    PerNode,
    Plan,
    TrainingPhase,
)
from elastic.policy import best_value
from tests.builders import (
    NOW_S,
    change,
    group,
    job,
    limits,
    node_type,
    offering,
    price,
    prices,
    series,
    snapshot,
    switch,
)

# At the builders' prices: 0.025, 0.045 and 0.09 USD an hour for a quarter, a half and a whole core.
HALF, FULL, QUARTER = group("local.half"), group("local.full"), group("local.quarter")
TWO: dict[str, Any] = {"node_types": ("local.half", "local.full")}
ALL_MEASURED = (series("local.quarter", 1.0), series("local.half", 0.4), series("local.full", 0.21))


def test_one_candidate_is_called_the_only_one() -> None:
    plan = best_value(snapshot(job=job(node_types=("local.half",))))
    assert plan.reason.text.startswith("start on local.half: the only candidate ($0.045/h), speed")


def test_starts_on_the_cheapest_an_hour_while_nothing_is_known() -> None:
    plan = best_value(snapshot())

    assert (plan.action, plan.target, plan.reason.code) == (Action.START, QUARTER, "start")
    assert "cheapest of 3 candidates ($0.025/h)" in plan.reason.text
    assert [candidate.group for candidate in plan.candidates] == [FULL, HALF, QUARTER]


def test_of_equal_prices_the_one_with_more_cores_starts() -> None:
    plan = best_value(
        snapshot(prices=prices({"local.quarter": 0.03, "local.full": 0.03, "local.half": 0.03}))
    )

    assert plan.target == FULL


def test_starts_where_an_earlier_measurement_says_it_is_best() -> None:
    plan = best_value(snapshot(measured=ALL_MEASURED))

    assert (plan.action, plan.target) == (Action.START, HALF)
    assert "measured before: 200,000 it/$" in plan.reason.text


def test_only_what_the_job_admits_is_a_candidate() -> None:
    only_full = best_value(snapshot(job=job(node_types=("local.full",))))
    spot = price(offering("local.quarter", capacity=Capacity.SPOT), 0.005)
    only_spot = best_value(
        snapshot(
            job=job(capacity=CapacityChoice.SPOT), prices=(*prices({"local.half": 0.04}), spot)
        )
    )

    assert only_full.target == FULL
    assert only_spot.target == group("local.quarter", capacity=Capacity.SPOT)


def test_without_a_price_nothing_is_started() -> None:
    plan = best_value(snapshot(prices=()))

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, None, "no_price")
    assert "`elasticd price ls` shows what is too old, or not believed" in plan.reason.text


def test_a_price_observed_too_long_ago_is_no_price() -> None:
    stale = prices({"local.half": 0.045}, observed_at_s=NOW_S - 90_000)

    assert best_value(snapshot(prices=stale)).reason.code == "no_price"


def test_a_price_of_the_future_is_not_in_force() -> None:
    future = price("local.half", 0.001, price_id=9, valid_from_s=NOW_S + 10)

    plan = best_value(snapshot(prices=(*prices({"local.half": 0.045, "local.full": 0.02}), future)))

    assert plan.target == FULL


def test_the_held_group_without_a_price_is_kept() -> None:
    plan = best_value(
        snapshot(target="local.half", measured=ALL_MEASURED, prices=prices({"local.full": 0.001}))
    )

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, HALF, "no_price")
    assert "`elasticd price ls`" in plan.reason.text


def test_when_no_price_is_left_the_held_group_is_kept() -> None:
    plan = best_value(snapshot(target="local.half", measured=ALL_MEASURED, prices=()))

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, HALF, "no_price")


def test_measures_what_trains_before_it_tries_another() -> None:
    unknown = best_value(snapshot(target="local.half"))
    three = best_value(
        snapshot(target="local.half", measured=[series("local.half", 0.4, 3, noise=0.2)])
    )

    assert (unknown.reason.code, three.reason.code) == ("measuring", "measuring")
    assert unknown.reason.text == "measuring local.half in main, 0 of 8 windows"
    assert three.reason.text.startswith(
        "measuring local.half in main, 3 of 8 windows: 200,000 it/$"
    )


def test_an_interval_that_is_narrow_early_ends_the_measuring() -> None:
    plan = best_value(
        snapshot(target="local.half", measured=[series("local.half", 0.4, 5, noise=0.001)])
    )

    assert plan.action is Action.TRIAL


def test_tries_the_candidate_that_is_worth_most_of_those_that_were_never_measured() -> None:
    plan = best_value(snapshot(target="local.quarter", measured=[series("local.quarter", 1.0)]))

    # Four times the share of a core should take a quarter of the time, at 3.6 times the price.
    assert (plan.action, plan.target, plan.reason.code) == (Action.TRIAL, FULL, "trial")
    assert "an iteration should cost 9.5 % less than on local.quarter (" in plan.reason.text
    assert plan.reason.numbers["worth_usd"] > 0
    assert plan.reason.numbers["trial_usd"] < plan.reason.numbers["trials_cap_usd"]


def test_goes_on_to_the_next_trial_without_going_back_first() -> None:
    plan = best_value(
        snapshot(
            target="local.half",
            measured=ALL_MEASURED[:2],
            changes=[change("local.half", "local.quarter", code="trial", ago_s=30)],
            job=job(iterations=100_000),
        )
    )

    assert (plan.action, plan.target) == (Action.TRIAL, FULL)


def test_a_trial_that_cannot_pay_in_the_iterations_left_is_not_started() -> None:
    plan = best_value(
        snapshot(
            target="local.quarter",
            measured=[series("local.quarter", 1.0)],
            job=job(iteration=9_990),
        )
    )

    assert (plan.action, plan.reason.code) == (Action.HOLD, "best")
    assert plan.reason.text.endswith("and 1 more): a trial would not pay for itself")


def test_every_candidate_is_tried_within_the_trials_share_where_the_operator_wants_to_know_all() -> (
    None
):
    def decided(share: float) -> Plan:
        return best_value(
            snapshot(
                target="local.quarter",
                measured=[series("local.quarter", 1.0)],
                job=job(iteration=9_990),
                limits=limits(trial_of_every=True, trial_usd_share=share),
            )
        )

    assert decided(1.0).action is Action.TRIAL
    assert decided(1.0).reason.text.endswith("and training continues; every candidate gets a trial")
    assert "a trial would exceed what trials may cost" in decided(0.0).reason.text


def test_one_untried_candidate_is_named_alone() -> None:
    plan = best_value(
        snapshot(
            target="local.quarter",
            measured=[series("local.quarter", 1.0)],
            job=job(iteration=9_990, node_types=("local.quarter", "local.full")),
        )
    )

    assert "; no trial of local.full: a trial would not pay" in plan.reason.text


def test_a_trial_that_exceeds_the_share_for_trials_is_not_started() -> None:
    plan = best_value(
        snapshot(
            target="local.quarter",
            measured=[series("local.quarter", 1.0)],
            limits=limits(trial_usd_share=0.0001),
        )
    )

    assert plan.action is Action.HOLD
    assert "a trial would exceed what trials may cost" in plan.reason.text


def test_a_trial_that_was_won_uses_up_no_dollars_of_the_other_trials_while_it_trains_on() -> None:
    def decided(ago_s: float) -> Plan:
        return best_value(
            snapshot(
                target="local.half",
                measured=ALL_MEASURED[:2],
                changes=[change("local.half", "local.quarter", code="trial", ago_s=ago_s)],
                limits=limits(trial_usd_share=0.2),
            )
        )

    assert [decided(ago_s).action for ago_s in (60, 100_000)] == [Action.TRIAL, Action.TRIAL]


def test_a_trial_that_was_cut_short_by_the_jobs_end_cost_nothing_until_the_job_went_on() -> None:
    trial = change("local.full", "local.half", code="trial", ago_s=100_000)
    end, start = change(None, code="cancelled", ago_s=99_990), change("local.half", ago_s=700)

    def decided(*changes: Change) -> Plan:
        return best_value(snapshot(target="local.half", measured=ALL_MEASURED[:2], changes=changes))

    assert (decided(trial, end, start).action, decided(trial, end, start).target) == (
        Action.TRIAL,
        FULL,
    )
    assert "a trial would exceed what trials may cost" in decided(trial, start).reason.text


def test_what_trials_of_a_script_that_begins_at_0_threw_away_counts_as_their_cost() -> None:
    def decided(**rest: Any) -> Plan:
        changes = [
            change("local.quarter", ago_s=2000),
            change("local.half", "local.quarter", code="trial", ago_s=900),
        ]
        return best_value(
            snapshot(
                target="local.half",
                measured=ALL_MEASURED[:2],
                changes=changes,
                job=replace(job(iteration=10, iterations=10_000), **rest),
                limits=limits(trial_usd_share=0.1),
            )
        )

    assert decided(restarts_at_zero=False).action is Action.TRIAL
    assert "a trial would exceed what trials may cost" in decided(restarts_at_zero=True).reason.text


def test_a_job_without_an_end_that_a_restart_has_set_back_to_0_is_tried_no_more() -> None:
    def decided(**rest: Any) -> Plan:
        endless = replace(job(iterations=None, iteration=20), stops_when_asked=False, **rest)
        return best_value(
            snapshot(target="local.full", measured=[series("local.full", 1.0)], job=endless)
        )

    assert decided().action is Action.TRIAL
    assert (
        "a trial restarts the script, and the job has no end"
        in decided(restarts_at_zero=True).reason.text
    )


def test_a_trial_ends_when_its_dollars_are_used_up() -> None:
    plan = best_value(
        snapshot(
            target="local.full",
            measured=[*ALL_MEASURED[:2], series("local.full", 0.21, 2)],
            changes=[
                change("local.half"),
                change("local.full", "local.half", code="trial", ago_s=280),
            ],
            limits=limits(trial_usd_share=0.1),
        )
    )

    assert (plan.action, plan.target, plan.reason.code) == (Action.MOVE, HALF, "trial_over")
    assert "trials have cost $0.007" in plan.reason.text


def test_a_trial_that_never_trained_ends_when_its_dollars_are_used_up() -> None:
    plan = best_value(
        snapshot(
            target="local.full",
            measured=ALL_MEASURED[:2],
            changes=[change("local.full", "local.half", code="trial", ago_s=280)],
            limits=limits(trial_usd_share=0.1),
        )
    )

    assert (plan.action, plan.target) == (Action.MOVE, HALF)


def test_a_trial_that_looks_best_goes_on_though_its_dollars_are_used_up() -> None:
    plan = best_value(
        snapshot(
            target="local.full",
            measured=[*ALL_MEASURED[:2], series("local.full", 0.1, 2)],
            changes=[change("local.full", "local.half", code="trial", ago_s=280)],
            limits=limits(trial_usd_share=0.1),
        )
    )

    assert (plan.action, plan.reason.code) == (Action.HOLD, "best")


def test_a_trial_within_its_dollars_goes_on() -> None:
    plan = best_value(
        snapshot(
            target="local.full",
            measured=[*ALL_MEASURED[:2], series("local.full", 0.21, 2)],
            changes=[change("local.full", "local.half", code="trial", ago_s=5)],
        )
    )

    assert (plan.action, plan.reason.code) == (Action.HOLD, "measuring")


def test_a_dominated_trial_ends_before_its_windows_are_full() -> None:
    hopeless = series("local.full", 0.8, 4, noise=0.2)

    plan = best_value(
        snapshot(
            target="local.full",
            measured=[*ALL_MEASURED[:2], hopeless],
            changes=[change("local.full", "local.half", code="trial", ago_s=20)],
        )
    )

    assert (plan.action, plan.target, plan.reason.code) == (Action.MOVE, HALF, "trial_over")


def test_a_dominated_trial_that_is_the_faster_one_goes_on_while_a_deadline_is_set() -> None:
    dear_but_fast = series("local.full", 0.35, 4, noise=0.01)
    urgent = job(objective=Objective(deadline_s=NOW_S + 90_000))

    plan = best_value(
        snapshot(
            target="local.full",
            measured=[*ALL_MEASURED[:2], replace(dear_but_fast, samples=dear_but_fast.samples)],
            changes=[change("local.full", "local.half", code="trial", ago_s=20)],
            job=urgent,
        )
    )

    assert (plan.action, plan.reason.code) == (Action.HOLD, "measuring")


def test_what_was_tried_lately_is_not_tried_again() -> None:
    tried = [
        change("local.full", "local.half", code="trial", ago_s=60),
        change("local.half", "local.full", ago_s=40),
    ]
    long_measured = series("local.half", 0.4, 60)

    plan = best_value(
        snapshot(
            target="local.half",
            measured=[long_measured, series("local.quarter", 1.0)],
            changes=[
                replace(each, code="trial") if each.to_group == FULL else each for each in tried
            ],
            job=job(iterations=1_000_000),
        )
    )

    assert plan.action is Action.HOLD
    assert "no trial of local.full: it was tried before" in plan.reason.text


def test_a_trial_of_an_earlier_phase_does_not_count_for_this_one() -> None:
    plan = best_value(
        snapshot(
            target="local.half",
            measured=[series("local.half", 0.4), series("local.quarter", 1.0)],
            changes=[change("local.full", "local.half", code="trial", ago_s=4000)],
            job=job(iterations=1_000_000),
        )
    )

    assert (plan.action, plan.target) == (Action.TRIAL, FULL)


def test_moves_where_the_rest_costs_clearly_less_and_reports_every_number() -> None:
    measured = (series("local.half", 0.4), series("local.full", 0.3))

    plan = best_value(
        snapshot(
            target="local.full",
            measured=measured,
            switches=[switch(pause_s=5.0, boot_s=3.0)],
            job=job(**TWO),
        )
    )

    numbers = plan.reason.numbers
    assert plan.target == HALF
    assert numbers["iterations_per_usd_to"] == pytest.approx(3600 / (0.045 * 0.4))
    assert numbers["iterations_per_usd_from"] == pytest.approx(3600 / (0.09 * 0.3))
    # 3 s of the new half core, then 5 s of both.
    assert numbers["switch_usd"] == pytest.approx((0.045 * 3 + (0.045 + 0.09) * 5) / 3600)
    # The old group does 10 of the 9,900 iterations while the new one boots.
    assert numbers["remaining_usd_to"] == pytest.approx(
        numbers["switch_usd"] + (0.09 * 3 + 0.045 * 0.4 * 9_890) / 3600
    )
    assert numbers["remaining_usd_from"] == pytest.approx(0.09 * 0.3 * 9_900 / 3600)
    assert numbers["gain_ratio"] == pytest.approx(
        1 - numbers["remaining_usd_to"] / numbers["remaining_usd_from"]
    )
    assert numbers["payback_iterations"] == pytest.approx(
        numbers["switch_usd"] * 3600 / (0.09 * 0.3 - 0.045 * 0.4)
    )
    assert plan.reason.text.startswith(
        "local.half: 200,000 it/$ (197,000 to 203,000) against local.full 133,000 (132,000"
    )
    assert (
        "gain 33 % over the 9,900 iterations left, the move costs $0.000225 and pays back in 90"
        in plan.reason.text
    )


def test_a_job_that_names_no_end_is_not_said_to_have_so_many_iterations_left() -> None:
    endless = job(iteration=100, iterations=None)

    measured = (series("local.quarter", 1.0), series("local.half", 0.4), series("local.full", 0.3))
    plan = best_value(snapshot(target="local.full", measured=measured, job=endless))

    assert plan.target == HALF
    assert (
        "over the 12,000 iterations that are assumed to be left, the move costs" in plan.reason.text
    )


def test_a_trial_that_restarts_the_script_says_so() -> None:
    restarts = replace(job(iteration=100), restarts_at_zero=True)

    plan = best_value(
        snapshot(target="local.full", measured=(series("local.full", 1.0),), job=restarts)
    )

    assert plan.action is Action.TRIAL
    told = re.search(
        r"the trial costs about \$([\d.]+), and (\d+) iterations are done again, for \$([\d.]+) of "
        r"that$",
        plan.reason.text,
    )
    assert told is not None
    trial_usd, redone, redo_usd = map(float, told.groups())
    boot_s = snapshot().limits.boot_prior_s
    assert redone == pytest.approx(100 + boot_s / 1.0, rel=0.01), (
        "those until it has booted are lost as well"
    )
    usd_per_h = next(
        each.usd_per_h for each in snapshot().prices if each.offering.node_type == "local.full"
    )
    assert redo_usd == pytest.approx(redone * usd_per_h / 3600.0, rel=0.01)
    assert redo_usd < trial_usd


def test_stays_on_the_best_and_names_the_next() -> None:
    plan = best_value(snapshot(target="local.half", measured=ALL_MEASURED))

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, HALF, "best")
    assert "local.half stays: 200,000 it/$" in plan.reason.text
    assert "the best of 3 measured; next is local.full with 190,000" in plan.reason.text


def test_stays_when_the_gain_is_within_the_margin() -> None:
    measured = (series("local.half", 0.4), series("local.full", 0.21))

    plan = best_value(snapshot(target="local.full", measured=measured, job=job(**TWO)))

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, FULL, "below_margin")
    assert "within the margin of 10 %" in plan.reason.text


def test_stays_when_the_gain_is_below_the_switching_cost() -> None:
    nearly_done = job(iteration=9_950)

    plan = best_value(
        snapshot(
            target="local.full",
            measured=(series("local.half", 0.4), series("local.full", 0.3)),
            job=nearly_done,
        )
    )

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, FULL, "cannot_pay")
    assert "the 50 iterations left do not win it back" in plan.reason.text


def test_refuses_to_rank_where_intervals_overlap() -> None:
    measured = (series("local.half", 0.4, noise=0.5), series("local.full", 0.3, noise=0.5))

    plan = best_value(snapshot(target="local.full", measured=measured, job=job(**TWO)))

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, FULL, "overlap")
    assert (
        "the intervals overlap, so neither is known to be better; local.full stays"
        in plan.reason.text
    )


def test_a_price_that_turned_the_ranking_is_the_reason_and_shows_before_and_after() -> None:
    turned = price("local.full", 0.03, price_id=7, valid_from_s=NOW_S - 20)

    plan = best_value(
        snapshot(
            target="local.half",
            measured=ALL_MEASURED,
            changes=[change("local.half", ago_s=300)],
            prices=(
                *prices({"local.quarter": 0.025, "local.half": 0.045, "local.full": 0.09}),
                turned,
            ),
        )
    )

    assert (plan.action, plan.target, plan.reason.code) == (Action.MOVE, FULL, "price")
    assert plan.reason.text.startswith(
        "local.full fell from $0.09/h to $0.03/h. local.full: 571,000 it/$"
    )
    assert plan.reason.numbers["usd_per_h_to_before"] == 0.09
    assert plan.reason.numbers["usd_per_h_to"] == 0.03
    assert (
        plan.reason.numbers["usd_per_h_from_before"]
        == plan.reason.numbers["usd_per_h_from"]
        == 0.045
    )


def test_a_price_that_rose_is_told_so() -> None:
    rose = price("local.half", 0.2, price_id=7, valid_from_s=NOW_S - 20)

    plan = best_value(
        snapshot(
            target="local.half",
            measured=ALL_MEASURED,
            changes=[change("local.half", ago_s=300)],
            prices=(*prices({"local.half": 0.045, "local.full": 0.09}), rose),
        )
    )

    assert (plan.reason.code, plan.target) == ("price", FULL)
    assert plan.reason.text.startswith("local.half rose from $0.045/h to $0.20/h.")


def test_a_price_that_made_a_move_pay_for_itself_is_the_reason() -> None:
    cheap = {"local.half": 0.045, "local.full": 0.07}
    rose = price("local.half", 0.2, price_id=7, valid_from_s=NOW_S - 20)
    short = job(iterations=150)

    stayed = best_value(
        snapshot(target="local.half", measured=ALL_MEASURED, prices=prices(cheap), job=short)
    )
    moved = best_value(
        snapshot(
            target="local.half",
            measured=ALL_MEASURED,
            changes=[change("local.half", ago_s=300)],
            prices=(*prices(cheap), rose),
            job=short,
        )
    )

    assert stayed.reason.code == "cannot_pay", "worth more an iteration already, but not the move"
    assert (moved.action, moved.reason.code) == (Action.MOVE, "price")
    assert moved.reason.text.startswith("local.half rose from $0.045/h to $0.20/h.")


def test_a_new_price_is_the_reason_even_if_the_old_one_is_not_known() -> None:
    new = price("local.full", 0.03, price_id=7, valid_from_s=NOW_S - 20)

    plan = best_value(
        snapshot(
            target="local.half",
            measured=ALL_MEASURED,
            changes=[change("local.half", ago_s=300)],
            prices=(*prices({"local.quarter": 0.025, "local.half": 0.045}), new),
        )
    )

    assert plan.reason.code == "price"
    assert plan.reason.text.startswith("local.full has a new price, $0.03/h.")
    assert "usd_per_h_to_before" not in plan.reason.numbers


def test_a_price_that_changed_without_turning_the_ranking_is_not_the_reason() -> None:
    nudged = price("local.half", 0.044, price_id=7, valid_from_s=NOW_S - 20)

    plan = best_value(
        snapshot(
            target="local.full",
            measured=(series("local.half", 0.4), series("local.full", 0.3)),
            changes=[change("local.full", ago_s=300)],
            prices=(*prices({"local.half": 0.045, "local.full": 0.09}), nudged),
        )
    )

    assert (plan.action, plan.reason.code) == (Action.MOVE, "better_value")


def test_holds_while_another_phase_holds_most_of_the_rest() -> None:
    phases = (TrainingPhase("warm-up", until_iteration=200), TrainingPhase("gan"))
    early = job(training_phase="warm-up", phases=phases)

    plan = best_value(
        snapshot(
            target="local.half",
            measured=[series("local.half", 0.1, training_phase="warm-up")],
            job=early,
        )
    )

    assert (plan.action, plan.reason.code) == (Action.HOLD, "phase")
    assert plan.reason.text.startswith(
        "still in warm-up for 100 iterations, and its speed does not predict gan, which is most of "
        "the rest (9,800 iterations)"
    )


def test_a_phase_without_an_end_outweighs_all() -> None:
    phases = (TrainingPhase("warm-up", until_iteration=20), TrainingPhase("gan"))

    plan = best_value(
        snapshot(
            target="local.half",
            job=job(iteration=5, training_phase="warm-up", phases=phases, iterations=None),
        )
    )

    assert "gan, which is most of the rest (an open end)" in plan.reason.text


def test_waits_while_the_old_group_trains_on() -> None:
    plan = best_value(snapshot(target="local.half", current="local.quarter", measured=ALL_MEASURED))

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, HALF, "changing")
    assert plan.reason.text == "local.quarter trains until local.half is ready to take over"


def test_waits_for_a_group_that_has_not_trained_yet() -> None:
    plan = best_value(
        snapshot(target="local.half", current=None, changes=[change("local.half", ago_s=5)])
    )

    assert (plan.reason.code, plan.target) == ("changing", HALF)
    assert plan.reason.text == "waiting for local.half to boot, join and train"


def test_keeps_the_target_when_its_nodes_are_lost() -> None:
    plan = best_value(
        snapshot(
            target="local.half",
            current=None,
            measured=ALL_MEASURED,
            changes=[change("local.half", ago_s=300)],
        )
    )

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, HALF, "lost")


def test_the_job_that_is_done_or_ending_is_left_alone() -> None:
    done = best_value(snapshot(target="local.half", job=job(iteration=10_000)))
    draining = best_value(snapshot(target="local.half", job=job(phase=JobPhase.DRAINING)))

    assert (done.reason.code, draining.reason.code) == ("ending", "ending")
    assert done.target == draining.target == HALF


def test_leaves_a_group_that_the_job_does_not_admit_any_more() -> None:
    plan = best_value(
        snapshot(target="local.half", measured=ALL_MEASURED, job=job(node_types=("local.full",)))
    )

    assert (plan.action, plan.target, plan.reason.code) == (Action.MOVE, FULL, "not_permitted")
    assert plan.reason.text == "the job does not admit local.half on-demand: move to local.full"


def test_leaves_a_group_whose_price_rose_above_the_cap() -> None:
    capped = job(objective=Objective(max_usd_per_hour=0.03))

    plan = best_value(
        snapshot(target="local.half", measured=[series("local.half", 0.4)], job=capped)
    )

    assert (plan.target, plan.reason.code) == (QUARTER, "not_permitted")
    assert "burns $0.045/h, above the cap of $0.03/h" in plan.reason.text


def test_when_everything_is_above_the_cap_the_held_group_is_kept_and_the_reason_says_so() -> None:
    capped = job(objective=Objective(max_usd_per_hour=0.01))

    held = best_value(snapshot(target="local.half", job=capped))
    nothing = best_value(snapshot(job=capped))

    assert (held.action, held.target, held.reason.code) == (Action.HOLD, HALF, "not_permitted")
    assert held.reason.text.endswith("local.quarter, costs $0.025/h: local.half is kept")
    assert nothing.reason.text == (
        "every candidate costs more than the cap of $0.01/h; the cheapest, local.quarter, costs "
        "$0.025/h: nothing is started, and the job waits for a lower price or a higher "
        "max_usd_per_hour"
    )


def test_a_new_range_of_nodes_is_followed() -> None:
    plan = best_value(
        snapshot(target="local.half", measured=ALL_MEASURED, job=job(nodes_min=2, nodes_max=3))
    )

    assert (plan.action, plan.reason.code) == (Action.MOVE, "not_permitted")
    assert plan.target == group("local.quarter", 2)
    assert "the job asks for 2 to 3 nodes, not 1" in plan.reason.text


def test_the_number_that_a_job_is_scaled_to_is_followed_within_its_bounds() -> None:
    scaled = job(nodes_max=4, nodes_wanted=3)

    plan = best_value(snapshot(target="local.half", measured=ALL_MEASURED, job=scaled))

    assert (plan.action, plan.target) == (Action.MOVE, group("local.quarter", 3))
    assert plan.reason.code == "scaled"
    assert "the job asks for 3 nodes, not 1" in plan.reason.text
    assert {each.group.node_count for each in plan.candidates} == {1, 3}, (
        "what is held, and what may be chosen"
    )


def test_more_nodes_are_tried_for_the_sake_of_value_where_enough_is_left_to_find_out() -> None:
    """Twice the nodes may be more than twice as fast: what they share may fit a cache at last."""

    def decided(iteration: int) -> Plan:
        spec: dict[str, Any] = {"nodes_max": 4, "node_types": ("local.half",)}
        return best_value(
            snapshot(
                target="local.half",
                measured=[series("local.half", 0.4)],
                job=job(iteration=iteration, **spec),
            )
        )

    assert (decided(100).action, decided(100).target) == (Action.TRIAL, group("local.half", 4))
    assert (decided(9_990).action, decided(9_990).reason.code) == (Action.HOLD, "best")


def test_more_nodes_are_tried_when_time_is_worth_money() -> None:
    hurried = job(
        nodes_max=4, node_types=("local.half",), objective=Objective(value_of_time_usd_per_h=1.0)
    )

    plan = best_value(
        snapshot(target="local.half", measured=[series("local.half", 0.4)], job=hurried)
    )

    assert (plan.action, plan.target) == (Action.TRIAL, group("local.half", 4))


def test_scales_out_when_the_time_saved_is_worth_more_than_the_nodes() -> None:
    hurried = job(
        nodes_max=2, node_types=("local.half",), objective=Objective(value_of_time_usd_per_h=1.0)
    )
    measured = (series("local.half", 0.4), series(group("local.half", 2), 0.25))

    plan = best_value(snapshot(target="local.half", measured=measured, job=hurried))

    assert (plan.action, plan.target) == (Action.MOVE, group("local.half", 2))
    # Only the second node boots; the first trains on and stays.
    assert plan.reason.numbers["switch_usd"] == pytest.approx((0.045 * 3 + 0.09 * 5) / 3600)


def test_scales_in_when_the_further_node_does_not_earn_its_price() -> None:
    measured = (series("local.half", 0.4), series(group("local.half", 2), 0.35))

    plan = best_value(
        snapshot(
            target=group("local.half", 2),
            measured=measured,
            job=job(nodes_max=2, node_types=("local.half",)),
        )
    )

    assert (plan.action, plan.target) == (Action.MOVE, HALF)
    # No node boots to scale in; both groups are paid through the pause.
    assert plan.reason.numbers["switch_usd"] == pytest.approx(0.09 * 5 / 3600)


def test_a_size_between_is_predicted_and_marked_so() -> None:
    measured = (series("local.half", 0.4), series(group("local.half", 2), 0.25))

    plan = best_value(snapshot(target="local.half", measured=measured, job=job(nodes_max=4)))

    predicted = next(each for each in plan.candidates if each.group == group("local.half", 4))
    assert predicted.samples == 0
    assert predicted.step_s is not None
    assert predicted.step_s.value == pytest.approx(0.1 + 0.3 / 4, rel=1e-3)
    assert predicted.step_s.low is None


def test_a_mixed_group_is_kept_until_something_measured_beats_it() -> None:
    mixed = Group(((offering("local.full"), 1), (offering("local.half"), 1)))

    plan = best_value(
        snapshot(
            target=mixed,
            measured=(series(mixed, 0.3), *ALL_MEASURED),
            job=job(nodes_max=2, iterations=100_000),
            limits=limits(trial_usd_share=0.0),
        )
    )

    assert plan.target == HALF


def test_a_mixed_group_that_nobody_measured_is_measured_first() -> None:
    mixed = Group(((offering("local.full"), 1), (offering("local.half"), 1)))

    plan = best_value(snapshot(target=mixed, measured=ALL_MEASURED, job=job(nodes_max=2)))

    assert plan.reason.text == "measuring local.full + local.half in main, 0 of 8 windows"


def test_an_untried_gpu_hardly_compares_and_may_be_tried() -> None:
    gpu = node_type("gpu", 4.0, gpu_count=1, gpu_model="H200")

    plan = best_value(
        snapshot(
            target="local.half",
            measured=[series("local.half", 0.4)],
            node_types=(node_type("local.half", 0.5), gpu),
            prices=prices({"local.half": 0.045, "gpu": 0.2}),
        )
    )

    assert (plan.action, plan.target) == (Action.TRIAL, group("gpu"))
    assert plan.reason.numbers["cheaper_high"] > 0.9, (
        "how GPUs and cores compare differs much between programs"
    )


def test_gpus_of_one_model_compare_by_their_number() -> None:
    one, four = (
        node_type(f"gpu.{count}", 8.0, gpu_count=count, gpu_model="H200") for count in (1, 4)
    )

    plan = best_value(
        snapshot(
            target="gpu.1",
            measured=[series("gpu.1", 0.4)],
            node_types=(one, four),
            prices=prices({"gpu.1": 1.0, "gpu.4": 3.0}),
            job=job(iterations=100_000),
        )
    )

    assert plan.target == group("gpu.4")
    assert 0.1 < plan.reason.numbers["expected_step_s"] < 0.4


@pytest.mark.parametrize(("asked", "ratio"), [(PerNode.AUTO, 4), ({"two": 1, "eight": 3}, 3)])
def test_speed_is_expected_to_grow_with_the_cores_that_compute_though_less_than_in_proportion(
    asked: NprocPerNode, ratio: float
) -> None:
    two, eight = node_type("two", 2.0), node_type("eight", 8.0, physical_cores=8)

    plan = best_value(
        snapshot(
            target="two",
            measured=[series("two", 0.4)],
            node_types=(two, eight),
            prices=prices({"two": 1.0, "eight": 1.1}),
            job=job(iterations=100_000, nproc_per_node=asked),
        )
    )

    assert 0.4 / ratio < plan.reason.numbers["expected_step_s"] < 0.4


def test_a_node_type_that_the_provider_does_not_describe_may_be_tried() -> None:
    plan = best_value(
        snapshot(
            target="local.half",
            measured=[series("local.half", 0.4)],
            prices=prices({"local.half": 0.045, "new": 0.05}),
        )
    )

    assert (plan.action, plan.target) == (Action.TRIAL, group("new"))


def test_fewer_nodes_are_expected_to_be_slower_though_less_than_in_proportion() -> None:
    pair = group("local.half", 2)

    plan = best_value(
        snapshot(
            target=pair,
            measured=[series(pair, 0.4)],
            job=job(nodes_max=2, node_types=("local.half",)),
        )
    )

    assert (plan.action, plan.target) == (Action.TRIAL, HALF)
    assert 0.4 < plan.reason.numbers["expected_step_s"] < 0.8


def test_a_trial_cut_short_is_judged_by_what_it_showed() -> None:
    plan = best_value(
        snapshot(
            target="local.half",
            measured=[series("local.half", 0.4), series("local.full", 0.25, 2)],
            job=job(**TWO),
        )
    )

    # 0.25 s on a full core is dearer than 0.4 s on half of one: no second trial.
    assert plan.action is Action.HOLD


def test_a_job_without_an_end_is_weighed_for_an_hour_at_least() -> None:
    endless = job(iterations=None, iteration=10)
    measured = (series("local.half", 0.4), series("local.full", 0.3))

    plan = best_value(snapshot(target="local.full", measured=measured, job=endless))

    assert plan.reason.numbers["iterations_left"] == pytest.approx(3600 / 0.3, rel=0.01)


def test_a_job_without_an_end_is_weighed_for_as_long_again_as_it_has_trained() -> None:
    endless = job(iterations=None, iteration=50_000)
    measured = (series("local.half", 0.4), series("local.full", 0.3))

    plan = best_value(snapshot(target="local.full", measured=measured, job=endless))

    assert plan.reason.numbers["iterations_left"] == 50_000


def test_a_job_without_an_end_that_starts_again_is_weighed_by_its_fastest_measurement() -> None:
    plan = best_value(snapshot(measured=ALL_MEASURED, job=job(iterations=None, iteration=10)))

    half = next(each for each in plan.candidates if each.group == HALF)
    iterations, price = 3600 / 0.21, half.usd_per_h
    assert price is not None
    assert half.effective_iterations_per_usd == pytest.approx(
        iterations / (price * (iterations * 0.4 + 8) / 3600), rel=0.01
    )
    assert (half.remaining_usd, half.remaining_s) == (None, None), "nobody knows how much is left"


def test_a_budget_that_ends_before_the_job_shortens_the_horizon() -> None:
    # 0.0002 USD are left: at 200,000 iterations a dollar, 40 iterations.
    poor = job(objective=Objective(budget_usd=0.0012))

    plan = best_value(
        snapshot(
            target="local.full",
            measured=(series("local.half", 0.4), series("local.full", 0.3)),
            job=poor,
        )
    )

    assert plan.reason.code == "cannot_pay"
    assert plan.reason.numbers["iterations_left"] == pytest.approx(40)


def test_spot_and_on_demand_of_a_type_are_told_apart() -> None:
    spot = Offering("local.half", Capacity.SPOT, "zone-a")

    plan = best_value(
        snapshot(
            target="local.half",
            measured=(series("local.half", 0.4), series(Group.of(spot), 0.4)),
            prices=(price("local.half", 0.045), price(spot, 0.015, price_id=2)),
        )
    )

    assert plan.target == Group.of(spot)
    assert plan.reason.text.startswith("local.half spot zone-a: 600,000 it/$")


def test_where_the_budget_pays_for_no_iteration_more_nothing_is_moved() -> None:
    broke = job(objective=Objective(budget_usd=0.01), node_types=("local.half", "local.full"))
    measured = (series("local.half", 0.4), series("local.full", 0.3))

    plan = best_value(snapshot(target="local.full", measured=measured, spent_usd=0.02, job=broke))

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, FULL, "cannot_pay")
