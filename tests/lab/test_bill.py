from __future__ import annotations

import pytest

from elastic.model import Capacity, Offering
from elastic_lab import parse_scenario
from elastic_lab.bill import Tariff, Usage, make_bill
from elastic_lab.prices import PriceBook
from tests.lab.world import FIELDS

START_S = 1_700_000_000.0
SPOT = Offering("c5.xlarge", Capacity.SPOT, "us-east-1a")
TARIFF = Tariff(ebs_usd_per_gib_month=0.08, public_ipv4_usd_per_h=0.005)


def book() -> PriceBook:
    prices = [
        {"after_s": 1000, "node_type": "c5.xlarge", "zone": "us-east-1a", "spot_usd_per_h": 0.62}
    ]
    return PriceBook(
        parse_scenario({**FIELDS, "prices": prices, "speed": 10}), started_at_s=START_S
    )


def usage(
    offering: Offering, *stretches: tuple[float, float | None], disk_gib: float = 0.0
) -> Usage:
    return Usage(
        "i-1",
        offering,
        START_S,
        tuple(
            (START_S + start, None if end is None else START_S + end) for start, end in stretches
        ),
        disk_gib=disk_gib,
        disk_until_s=None,
        has_public_ipv4=False,
    )


def usd(what: Usage, *, after_s: float) -> float:
    return make_bill([what], book(), TARIFF, now_s=START_S + after_s).usd


def test_each_second_costs_the_price_in_force_in_it() -> None:
    # Ten scenario seconds pass in a real one: the price changes after 100 s.
    assert usd(usage(SPOT, (0, 200)), after_s=900) == pytest.approx(
        (100 * 0.062 + 100 * 0.62) / 3600
    )


def test_a_running_instance_costs_until_now() -> None:
    assert usd(usage(SPOT, (50, None)), after_s=150) == pytest.approx(
        (50 * 0.062 + 50 * 0.62) / 3600
    )


def test_every_start_costs_a_minute_at_least() -> None:
    on_demand = Offering("c5.large", Capacity.ON_DEMAND, "us-east-1b")
    assert usd(usage(on_demand, (0, 5), (10, 20)), after_s=30) == pytest.approx(
        2 * 60 * 0.085 / 3600
    )


def test_an_instance_that_never_ran_costs_its_disk() -> None:
    assert usd(usage(SPOT, disk_gib=30), after_s=730 * 3600) == pytest.approx(30 * 0.08)


def test_a_disk_costs_a_minute_at_least() -> None:
    assert usd(usage(SPOT, disk_gib=30), after_s=20) == pytest.approx(30 * 0.08 / 730 / 60)


def test_a_public_address_costs_while_the_instance_runs() -> None:
    what = Usage(
        "i-1", SPOT, START_S, ((START_S, START_S + 3600),), 0.0, None, has_public_ipv4=True
    )
    assert make_bill([what], book(), TARIFF, now_s=START_S + 3600).lines[
        0
    ].public_ipv4_usd == pytest.approx(0.005)


def test_history_reaches_back_90_days_and_ends_at_the_first_price() -> None:
    changes = book().spot_changes("c5.xlarge", "us-east-1a", from_s=0.0, to_s=START_S)
    assert START_S - changes[0].at_s > 89 * 86_400
    assert changes[-1].usd_per_h == 0.062
    assert all(abs(change.usd_per_h / 0.062 - 1) <= 0.05 + 1e-6 for change in changes)


def test_a_price_that_is_set_by_hand_ends_the_script() -> None:
    prices = book()
    prices.set_spot("c5.xlarge", 0.1, at_s=START_S + 10)
    assert prices.usd_per_h(SPOT, at_s=START_S + 500) == 0.1
    assert prices.usd_per_h(SPOT, at_s=START_S + 9) == 0.062


@pytest.mark.parametrize(("lasted_s", "is_free"), [(3599, True), (3600, False)])
def test_what_the_cloud_takes_back_in_its_first_hour_costs_its_disk_alone(
    lasted_s: float, is_free: bool
) -> None:
    ran = ((START_S, START_S + lasted_s),)
    what = Usage(
        "i-1",
        SPOT,
        START_S,
        ran,
        30.0,
        START_S + lasted_s,
        has_public_ipv4=False,
        was_interrupted=True,
    )
    line = make_bill([what], book(), TARIFF, now_s=START_S + 9000).lines[0]
    assert (line.compute_usd == 0.0) is is_free
    assert line.disk_usd == pytest.approx(30 * 0.08 / 730 * lasted_s / 3600)
