"""The product decides no more durations than it did, and each of them names its source."""

from __future__ import annotations

import doctest

from benchmarks import durations
from benchmarks.durations import product

MOST = 55
"""Lower it when one goes. One that is new takes the place of another, or has a decision."""


def test_the_example_holds() -> None:
    assert doctest.testmod(durations).failed == 0


def test_the_product_decides_no_more_durations_than_it_did() -> None:
    found = list(product())
    assert 30 < len(found) <= MOST


def test_each_names_its_source_where_it_stands() -> None:
    bare = [f"{each.path}:{each.line}: {each.name}" for each in product() if not each.has_source]
    assert bare == []


def test_what_is_no_duration_of_the_product_is_not_counted() -> None:
    source = """
HOUR_S = 3600.0
BEGAN_AT_S = 5.0
USD_PER_H = 2.0
BEGINS_S = 1_700_000_000.0
NEVER_S = 0
OTHER_S = WAIT_S
sleep(WAIT_S)
"""
    assert durations.durations(source) == []


def test_each_way_to_decide_one_is_counted() -> None:
    source = """
FIRST_S, LAST_S = 1.0, 2.0
class Settings:
    lease_s: float = 3.0
def wait(*, patience_s=4.0, timeout=5.0): ...
thread.join(6)
ask(read_timeout=7, count=8)
suspect = TimeBound(9.0, times=2.0, most_s=10.0)
total_s = given_s + 11.0
bounded_s = max(12.0, given_s)
"""
    values = [float(each.value.split()[-1]) for each in durations.durations(source)[:-1]]
    assert sorted(values) == [1, 2, 3, 4, 5, 6, 7, 9, 10, 11]
    assert durations.durations(source)[-1].name == "bounded_s"
