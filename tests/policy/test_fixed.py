from __future__ import annotations

from elastic.model import Action, JobPhase
from elastic.policy import fixed
from tests.builders import group, job, offering, price, series, snapshot


def test_starts_the_type_the_job_fixes_at_its_least_nodes() -> None:
    plan = fixed(snapshot(job=job(fixed_node_type="local.half", nodes_max=2)))

    assert (plan.action, plan.target, plan.reason.code) == (
        Action.START,
        group("local.half"),
        "fixed",
    )
    assert plan.reason.text == "local.half at $0.045/h, as the job fixes it"
    assert plan.candidates


def test_holds_as_many_nodes_as_the_job_was_scaled_to() -> None:
    scaled = job(fixed_node_type="local.half", nodes_max=3, nodes_wanted=2)

    plan = fixed(snapshot(target="local.half", job=scaled))

    assert (plan.action, plan.target) == (Action.MOVE, group("local.half", 2))
    assert plan.reason.text == "2 x local.half at $0.09/h, as the job fixes it"
    assert fixed(snapshot(target=group("local.half", 2), job=scaled)).action is Action.HOLD


def test_holds_it_whatever_is_measured() -> None:
    measured = (series("local.half", 9.0), series("local.full", 0.1))

    plan = fixed(
        snapshot(target="local.half", measured=measured, job=job(fixed_node_type="local.half"))
    )

    assert (plan.action, plan.target) == (Action.HOLD, group("local.half"))
    assert plan.reason.text.startswith("local.half, as the job fixes it: 8,890 it/$")


def test_holds_it_before_anything_is_measured() -> None:
    plan = fixed(snapshot(target="local.half", job=job(fixed_node_type="local.half")))

    assert plan.reason.text == "local.half, as the job fixes it"


def test_goes_back_to_it() -> None:
    plan = fixed(snapshot(target="local.full", job=job(fixed_node_type="local.half")))

    assert (plan.action, plan.target) == (Action.MOVE, group("local.half"))


def test_keeps_the_offering_it_has_although_another_is_cheaper_now() -> None:
    zones = tuple(
        price(offering("c5.xlarge", zone=zone), usd) for zone, usd in (("a", 0.17), ("b", 0.16))
    )
    held = group("c5.xlarge", zone="a")

    assert fixed(snapshot(prices=zones, job=job(fixed_node_type="c5.xlarge"))).target == group(
        "c5.xlarge", zone="b"
    )
    assert (
        fixed(snapshot(target=held, prices=zones, job=job(fixed_node_type="c5.xlarge"))).target
        == held
    )


def test_keeps_the_offering_it_has_although_only_another_has_a_price_now() -> None:
    held, other = group("c5.xlarge", zone="a"), price(offering("c5.xlarge", zone="b"), 0.16)

    assert (
        fixed(snapshot(target=held, prices=(other,), job=job(fixed_node_type="c5.xlarge"))).target
        == held
    )


def test_without_a_price_or_a_name_nothing_changes() -> None:
    unpriced = fixed(
        snapshot(target="local.full", prices=(), job=job(fixed_node_type="local.half"))
    )
    unnamed = fixed(snapshot(target="local.full"))

    assert (unpriced.action, unpriced.target, unpriced.reason.code) == (
        Action.HOLD,
        group("local.full"),
        "no_price",
    )
    assert "`elasticd price ls`" in unpriced.reason.text
    assert (unnamed.action, unnamed.target, unnamed.reason.code) == (
        Action.HOLD,
        group("local.full"),
        "not_permitted",
    )


def test_a_job_that_ends_is_left_alone() -> None:
    plan = fixed(snapshot(job=job(fixed_node_type="local.half", phase=JobPhase.DRAINING)))

    assert (plan.action, plan.reason.code) == (Action.HOLD, "ending")
