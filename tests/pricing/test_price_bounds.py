"""Prices of EC2 that others contradict."""

from __future__ import annotations

import pytest

from elastic.model import Capacity, Offering
from elastic.pricing.ec2.bounds import PriceBounds

ZONES = "abc"


def on_demand(node_type: str) -> Offering:
    return Offering(node_type, Capacity.ON_DEMAND, "a")


def spot(node_type: str, zone: str = "a") -> Offering:
    return Offering(node_type, Capacity.SPOT, zone)


# EC2's prices of c5 in us-east-1, rounded.
C5 = {
    on_demand("c5.large"): 0.085,
    on_demand("c5.xlarge"): 0.17,
    on_demand("c5.4xlarge"): 0.68,
    **{spot("c5.xlarge", zone): 0.07 for zone in ZONES},
}


@pytest.mark.parametrize("offering", C5, ids=str)
def test_true_prices_lie_inside(offering: Offering) -> None:
    assert PriceBounds.of(C5).why_outside(offering, C5[offering]) is None


@pytest.mark.parametrize("factor", [10, 0.1, 100, 0.01])
@pytest.mark.parametrize("offering", C5, ids=str)
def test_a_decimal_point_at_the_wrong_place_is_seen_and_the_others_are_believed(
    offering: Offering, factor: float
) -> None:
    wrong = {**C5, offering: C5[offering] * factor}
    outside = {each for each in wrong if PriceBounds.of(wrong).why_outside(each, wrong[each])}
    if offering.capacity is Capacity.SPOT and factor == 0.1:
        # A tenth of the spot price may be one: EC2's cheapest is a tenth of the on-demand price.
        assert outside <= {offering}
        return
    assert outside == {offering}


def test_cents_for_dollars_are_seen_where_nothing_else_is_known() -> None:
    bounds = PriceBounds.of({})
    assert bounds.why_outside(spot("c5.xlarge"), 0.07) is None
    assert "for its size" in (bounds.why_outside(spot("c5.xlarge"), 17.0) or "")
    assert "for its size" in (bounds.why_outside(spot("c5.xlarge"), 0.0007) or "")
    assert bounds.why_outside(spot("c5.metal"), 17.0) is None, "of an unknown size"


def test_spot_and_on_demand_that_contradict_are_both_doubted_if_nothing_else_tells() -> None:
    wrong = {on_demand("c5.xlarge"): 1.7, spot("c5.xlarge"): 0.007}
    bounds = PriceBounds.of(wrong)
    assert all(bounds.why_outside(each, usd_per_h) for each, usd_per_h in wrong.items())


def test_a_type_whose_name_tells_no_size_is_judged_by_its_spot_price() -> None:
    metal = {**C5, spot("c5.metal"): 1.6}
    assert PriceBounds.of(metal).why_outside(on_demand("c5.metal"), 4.08) is None
    assert "to which the spot price" in (
        PriceBounds.of(metal).why_outside(on_demand("c5.metal"), 408.0) or ""
    )


def test_without_an_on_demand_price_the_other_zones_tell() -> None:
    zones = {spot("c5.xlarge", zone): 0.07 for zone in ZONES} | {spot("c5.xlarge", "d"): 0.9}
    bounds = PriceBounds.of(zones)
    assert "in other zones" in (bounds.why_outside(spot("c5.xlarge", "d"), 0.9) or "")
    assert bounds.why_outside(spot("c5.xlarge", "a"), 0.07) is None


def test_what_is_no_price_is_no_measure() -> None:
    bounds = PriceBounds.of({on_demand("c5.xlarge"): 0.0, spot("c5.xlarge"): -1.0})
    assert bounds.why_outside(on_demand("c5.xlarge"), 0.17) is None
