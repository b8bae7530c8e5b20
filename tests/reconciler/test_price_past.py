"""The past of prices comes in beside everything else, and gives way to it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from elastic.clock import ManualClock
from elastic.config import Ec2Settings
from elastic.errors import PriceUnavailable
from elastic.model import Capacity, Offering, histories
from elastic.pricing import PRICE_ARCHIVES, PRICE_SOURCES, PriceSetup, Quote
from elastic.reconciler import PricePast
from elastic.store import Store, open_store
from elastic_lab import parse_scenario, running_lab
from tests.builders import add_price
from tests.empty_database import lay_out

LARGE, XLARGE = (Offering(each, Capacity.SPOT, "us-east-1a") for each in ("c5.large", "c5.xlarge"))
START_S = 10_000_000.0
DAY_S = 86_400.0


class Archive:
    """Tells of each type a price for each of two pages, and counts what it is asked."""

    name = "ec2"
    days = 90.0

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.refusals = 0

    def pages(self, node_type: str, *, from_s: float, to_s: float) -> Iterator[tuple[Quote, ...]]:
        for page in range(2):
            self.asked.append(f"{node_type} {page}")
            if self.refusals:
                self.refusals -= 1
                raise PriceUnavailable("Request limit exceeded.")
            at_s = to_s - page * DAY_S - 3600
            doubted = Quote(LARGE, 5.0, at_s - 60, "ec2", doubt="another system's")
            impossible = Quote(LARGE, 0.0, at_s - 90, "ec2")
            elsewhere = Quote(Offering(node_type, Capacity.SPOT, "us-east-1f"), 0.2, at_s, "ec2")
            yield (
                Quote(Offering(node_type, Capacity.SPOT, "us-east-1a"), 0.03, at_s, "ec2"),
                doubted,
                impossible,
                elsewhere,
            )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = open_store(lay_out(tmp_path / "elasticd.db"))
    for offering in (LARGE, XLARGE, Offering("c5.large", zone="us-east-1a")):
        add_price(
            found,
            offering,
            0.05,
            valid_from_s=START_S,
            observed_at_s=START_S,
            source="ec2",
            extras_usd_per_h=0.01,
        )
    return found


def look_for(past: PricePast, seconds: float, *, from_s: float = START_S) -> float:
    """Looks as often as it asks to, or once a minute, for so long; gives when that was over."""
    now_s = from_s
    while now_s < from_s + seconds:
        asked = past.look(now_s=now_s)
        now_s += min(asked or 60.0, 60.0)
    return now_s


def test_each_markets_past_is_asked_for_once_a_page_at_a_time_when_the_start_is_over(
    store: Store,
) -> None:
    archive = Archive()
    past = PricePast(store, lambda: archive)
    look_for(past, 9.0)
    assert archive.asked == [], "the start is left alone"
    now_s = look_for(past, 10.5)
    assert archive.asked == ["c5.large 0"]
    look_for(past, 600.0, from_s=now_s)
    assert archive.asked == ["c5.large 0", "c5.large 1", "c5.xlarge 0", "c5.xlarge 1"]
    found = [each for each in store.past_prices.of_type("c5.large") if each.offering == LARGE]
    assert sorted(round(each.usd_per_h, 6) for each in found) == [0.04, 0.04, 0.05], (
        "with disk and address; what is doubted, or is no price, is not kept"
    )
    again = PricePast(store, lambda: archive)
    look_for(again, 600.0)
    assert len(archive.asked) == 4, "another daemon on this database finds it there"


def test_a_market_that_comes_later_gets_its_past_too(store: Store) -> None:
    archive = Archive()
    past = PricePast(store, lambda: archive)
    now_s = look_for(past, 600.0)
    late = Offering("m5.large", Capacity.SPOT, "us-east-1a")
    add_price(store, late, 0.05, valid_from_s=now_s, observed_at_s=now_s, source="ec2")
    look_for(past, 600.0, from_s=now_s)
    assert archive.asked[4:] == ["m5.large 0", "m5.large 1"]


def test_who_is_refused_waits_longer_each_time_and_begins_anew(store: Store) -> None:
    archive = Archive()
    archive.refusals = 3
    past = PricePast(store, lambda: archive)
    look_for(past, 10.0 + 30 + 60 + 110)
    assert archive.asked == ["c5.large 0"] * 3
    look_for(past, 60.0, from_s=START_S + 10.0 + 30 + 60 + 120)
    assert archive.asked[3:] == ["c5.large 0", "c5.large 1", "c5.xlarge 0", "c5.xlarge 1"]


def test_prices_of_another_source_have_no_past_there(tmp_path: Path) -> None:
    store = open_store(lay_out(tmp_path / "elasticd.db"))
    add_price(store, LARGE, 0.05, valid_from_s=START_S, observed_at_s=START_S, source="trace")
    archive = Archive()
    look_for(PricePast(store, lambda: archive), 600.0)
    assert archive.asked == []


def test_the_labs_markets_have_a_past_of_90_days(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = float(int(time.time()))
    scenario = {
        "node_types": {"c5.large": {"on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034}},
        "machines": "none",
        "history": {"changes_per_day": 12, "volatility": 0.2},
    }
    with running_lab(parse_scenario(scenario), clock=ManualClock(now_s)) as lab:
        for name, value in lab.environment().items():
            monkeypatch.setenv(name, value)
        zones = ("us-east-1a", "us-east-1b")
        pools = tuple(Offering("c5.large", Capacity.SPOT, zone) for zone in zones)
        ec2 = Ec2Settings(region=lab.region, volume_usd_per_gib_month=0.0)
        setup = PriceSetup(
            started_at_s=now_s, ec2=ec2, offerings=lambda: pools, disk_gib=lambda _: 30.0
        )
        store = open_store(lay_out(tmp_path / "elasticd.db"))
        for quote in PRICE_SOURCES["ec2"](setup).refresh(now_s):
            add_price(
                store,
                quote.offering,
                quote.usd_per_h,
                valid_from_s=quote.valid_from_s,
                observed_at_s=now_s,
                source="ec2",
            )
        past = PricePast(store, lambda: PRICE_ARCHIVES["ec2"](setup))
        look_for(past, 120.0, from_s=now_s)
    found = histories(store.past_prices.of_type("c5.large"), from_s=now_s - 90 * DAY_S, to_s=now_s)
    assert [each.offering for each in found] == list(pools)
    for each in found:
        assert each.points[0].valid_from_s <= now_s - 89 * DAY_S
        assert len(each.points) == pytest.approx(90 * 12, abs=3)
        assert (
            0.8 * 0.034
            <= each.lowest_usd_per_h
            < each.mean_usd_per_h
            < each.highest_usd_per_h
            <= 1.2 * 0.034
        )
