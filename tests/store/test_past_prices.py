"""The past of prices stands beside those on record, and never among them."""

from __future__ import annotations

from dataclasses import replace

from elastic.model import Capacity, Offering, PastPrice
from elastic.store import Store
from tests.builders import add_price

SPOT = Offering("c5.large", Capacity.SPOT, "us-east-1a")
ELSEWHERE = replace(SPOT, zone="us-east-1b")


def told(usd_per_h: float, at_s: float, of: Offering = SPOT) -> PastPrice:
    return PastPrice(of, usd_per_h, at_s, observed_at_s=2000.0, source="ec2", extras_usd_per_h=0.01)


def record(store: Store, usd_per_h: float, at_s: float, of: Offering = SPOT) -> None:
    add_price(store, of, usd_per_h, valid_from_s=at_s, observed_at_s=at_s, source="ec2")


def known(store: Store) -> list[tuple[float, float]]:
    return sorted(
        (each.valid_from_s, each.usd_per_h) for each in store.past_prices.of_type("c5.large")
    )


def test_only_what_held_before_the_first_price_on_record_is_kept(store: Store) -> None:
    record(store, 0.3, 1000.0)
    record(store, 0.4, 1500.0)
    found = [
        told(0.1, 500.0),
        told(0.1, 500.0),
        told(0.2, 900.0),
        told(0.3, 1000.0),
        told(9.0, 1200.0),
    ]
    assert store.past_prices.add(found) == 2
    assert known(store) == [(500.0, 0.1), (900.0, 0.2), (1000.0, 0.3), (1500.0, 0.4)]
    assert [each.usd_per_h for each in store.prices.in_force(1300.0)] == [0.3]
    assert [each.usd_per_h for each in store.prices.listed(offering=SPOT)] == [0.4, 0.3]


def test_a_past_is_told_once_and_only_of_what_has_a_price(store: Store) -> None:
    record(store, 0.3, 1000.0)
    assert store.past_prices.add([told(0.1, 500.0), told(0.1, 500.0, ELSEWHERE)]) == 1
    assert store.past_prices.add([told(0.2, 600.0)]) == 0
    assert store.past_prices.offerings() == {SPOT}
    record(store, 0.3, 1000.0, ELSEWHERE)
    assert store.past_prices.add([told(0.2, 600.0), told(0.1, 500.0, ELSEWHERE)]) == 1
    assert known(store) == [(500.0, 0.1), (500.0, 0.1), (1000.0, 0.3), (1000.0, 0.3)]


def test_nothing_found_is_nothing_kept(store: Store) -> None:
    assert store.past_prices.add([]) == 0
    assert store.past_prices.of_type("c5.large") == ()
