import functools
import json
import math
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from elastic.clock import ManualClock
from elastic.config import Ec2Settings
from elastic.errors import PriceUnavailable, ProviderUnavailable
from elastic.model import Capacity, Offering
from elastic.pricing import PRICE_ARCHIVES, PRICE_SOURCES, PriceSetup, PriceSource, Quote, sift
from elastic.pricing.ec2 import Ec2History, Ec2Prices, Feeds, PricedOffers, connect_feeds
from elastic.pricing.ec2.price_list import parse_entry
from elastic.store import open_store
from tests.builders import add_price
from tests.empty_database import lay_out
from tests.pricing.contract import PriceSourceContract
from tests.pricing.price_list import entry
from tests.providers import ec2_world
from tests.providers.ec2_endpoint import Endpoint
from tests.providers.ec2_world import REGION

served, endpoint, clock = ec2_world.served, ec2_world.endpoint, ec2_world.clock
pytestmark = pytest.mark.usefixtures("endpoint")

PLAIN = Ec2Settings(region=REGION, volume_usd_per_gib_month=0.1, public_ipv4_usd_per_h=0.005)
EXTRAS_USD_PER_H = 0.015  # 73 GiB x 0.1 / 730 h, and an address
HERE = Offering("c5.xlarge", Capacity.ON_DEMAND, "us-east-1a")
SPOT_A, SPOT_B = (Offering("c5.xlarge", Capacity.SPOT, f"us-east-1{letter}") for letter in "ab")


@functools.cache
def _connected(url: str) -> Feeds:
    return connect_feeds(REGION)


def disk_gib(node_type: str) -> float:
    return 146.0 if node_type == "g4dn.xlarge" else 73.0


def prices_of(
    settings: Ec2Settings = PLAIN, *, offerings: tuple[Offering, ...] = (HERE, SPOT_A)
) -> Ec2Prices:
    market = PricedOffers(lambda: offerings, lambda: {"us-east-1a", "us-east-1b"}, disk_gib)
    return Ec2Prices(settings, feeds=_connected(os.environ["AWS_ENDPOINT_URL"]), market=market)


def tell(endpoint: Endpoint, *entries: dict[str, Any]) -> None:
    """The next question for on-demand prices gets these."""
    endpoint.answer_json(
        "GetProducts",
        {"FormatVersion": "aws_v1", "PriceList": [json.dumps(each) for each in entries]},
    )


def tell_spot(endpoint: Endpoint, *rows: tuple[str, str, str], system: str = "Linux/UNIX") -> None:
    """The next question for spot prices gets these: zone, price, instant."""
    items = "".join(
        f"<item><instanceType>c5.xlarge</instanceType><productDescription>{system}</productDescription>"
        f"<spotPrice>{price}</spotPrice><timestamp>{at}</timestamp><availabilityZone>{zone}</availabilityZone></item>"
        for zone, price, at in rows
    )
    endpoint.answer(
        "DescribeSpotPriceHistory",
        f"<spotPriceHistorySet>{items}</spotPriceHistorySet><nextToken/>",
    )


def usd(quotes: tuple[Quote, ...]) -> list[tuple[Offering, float]]:
    return [(quote.offering, round(quote.usd_per_h, 6)) for quote in quotes]


class TestEc2Prices(PriceSourceContract):
    """moto has spot prices, and no price list."""

    @pytest.fixture
    def source(self, endpoint: Endpoint) -> PriceSource:
        tell(endpoint, entry())
        return prices_of()

    @pytest.fixture
    def now_s(self, clock: ManualClock) -> float:
        return clock.now_s()


NOW_S = 1_767_225_600.0  # 2026-01-01T00:00:00Z


def test_a_quote_is_the_whole_nodes_burn(endpoint: Endpoint) -> None:
    tell(endpoint, entry())
    tell_spot(endpoint, ("us-east-1a", "0.07", "2025-12-31T23:00:00Z"))
    on_demand, spot = prices_of().refresh(NOW_S)
    assert usd((on_demand, spot)) == [
        (HERE, 0.17 + EXTRAS_USD_PER_H),
        (SPOT_A, 0.07 + EXTRAS_USD_PER_H),
    ]
    assert on_demand.valid_from_s == 1_577_836_800.0
    assert (spot.valid_from_s, spot.observed_at_s) == (NOW_S - 3600, NOW_S)


def test_a_zone_without_public_addresses_costs_none(endpoint: Endpoint) -> None:
    tell(endpoint, entry())
    elsewhere = Offering("c5.xlarge", Capacity.ON_DEMAND, "us-east-1c")
    (quote,) = prices_of(offerings=(elsewhere,)).refresh(NOW_S)
    assert quote.usd_per_h == pytest.approx(0.17 + 0.01)


def test_the_question_names_region_system_tenancy_and_all_types_at_once(endpoint: Endpoint) -> None:
    tell(endpoint, entry(), entry("c5.large", "0.085"))
    prices_of(offerings=(HERE, Offering("c5.large", Capacity.ON_DEMAND, "us-east-1a"))).refresh(
        NOW_S
    )
    (sent,) = endpoint.sent("GetProducts")
    filters = {
        each["Field"]: (each["Type"], each["Value"]) for each in json.loads(sent["json"])["Filters"]
    }
    assert filters["instanceType"] == ("ANY_OF", "c5.large,c5.xlarge")
    assert filters["operatingSystem"] == ("TERM_MATCH", "Linux")
    assert filters["tenancy"] == ("TERM_MATCH", "Shared")
    assert filters["marketoption"] == ("TERM_MATCH", "OnDemand")
    assert filters["regionCode"] == ("TERM_MATCH", REGION)


@pytest.mark.parametrize(
    ("changes", "doubt"),
    [
        ({"currency": "CNY"}, "wanted a price in USD, got one in CNY"),
        ({"tenancy": "Dedicated"}, "wanted tenancy Shared, got Dedicated"),
        ({"operatingSystem": "Windows"}, "wanted operatingSystem Linux, got Windows"),
        ({"preInstalledSw": "SQL Std"}, "wanted preInstalledSw NA, got SQL Std"),
        (
            {"capacitystatus": "UnusedCapacityReservation"},
            "wanted capacitystatus Used, got UnusedCapacityReservation",
        ),
        ({"marketoption": "CapacityBlock"}, "wanted marketoption OnDemand, got CapacityBlock"),
        ({"regionCode": "us-west-2"}, "wanted regionCode us-east-1, got us-west-2"),
        ({"unit": "Quantity"}, "wanted a price by the hour (Hrs), got one by Quantity"),
    ],
)
def test_a_price_of_something_else_is_quarantined_with_its_reason(
    endpoint: Endpoint, changes: dict[str, str], doubt: str
) -> None:
    tell(endpoint, entry(**changes))
    sifted = sift(prices_of(offerings=(HERE,)).refresh(NOW_S), {})
    assert sifted.believed == ()
    assert [each.reason for each in sifted.quarantined] == [doubt]


@pytest.mark.parametrize("text", ["0.0000000000", "-0.17", "NaN", "1e400"])
def test_an_impossible_price_is_quarantined_and_no_extra_hides_it(
    endpoint: Endpoint, text: str
) -> None:
    tell(endpoint, entry(usd=text))
    sifted = sift(prices_of(offerings=(HERE,)).refresh(NOW_S), {})
    assert sifted.believed == ()
    assert sifted.quarantined[0].reason.startswith("wanted a positive, finite price")


def test_the_price_in_order_counts_beside_one_that_is_not(endpoint: Endpoint) -> None:
    tell(
        endpoint,
        entry(usd="9.9", tenancy="Host"),
        entry(),
        entry(usd="8.8", operatingSystem="RHEL"),
    )
    (quote,) = prices_of(offerings=(HERE,)).refresh(NOW_S)
    assert quote.doubt is None
    assert quote.usd_per_h == pytest.approx(0.17 + EXTRAS_USD_PER_H)


@pytest.mark.parametrize("said", [{}, {"marketoption": "OnDemand"}])
def test_a_capacity_blocks_price_contradicts_none(endpoint: Endpoint, said: dict[str, str]) -> None:
    big = Offering("p5.48xlarge", Capacity.ON_DEMAND, "us-east-1a")
    tell(
        endpoint,
        entry("p5.48xlarge", "98.32", **said),
        entry("p5.48xlarge", "0.0000000000", marketoption="CapacityBlock"),
    )
    (quote,) = prices_of(offerings=(big,)).refresh(NOW_S)
    assert (quote.doubt, round(quote.usd_per_h, 6)) == (None, 98.32 + EXTRAS_USD_PER_H)


def test_two_prices_that_contradict_are_both_not_believed(endpoint: Endpoint) -> None:
    tell(endpoint, entry(), entry(usd="0.18"))
    (quote,) = prices_of(offerings=(HERE,)).refresh(NOW_S)
    assert quote.doubt == "wanted one price, got several that contradict"


def _without_terms() -> dict[str, Any]:
    broken = entry("c5.large")
    del broken["terms"]
    return broken


def _sold_on_no_demand() -> dict[str, Any]:
    broken = entry("c5.large")
    broken["terms"]["OnDemand"] = {}
    return broken


def _without_a_price() -> dict[str, Any]:
    broken = entry("c5.large")
    broken["terms"]["OnDemand"]["SKU.T"]["priceDimensions"]["SKU.T.D"]["pricePerUnit"] = {}
    return broken


@pytest.mark.parametrize("broken", [_without_terms(), _sold_on_no_demand(), _without_a_price()])
def test_an_entry_without_an_on_demand_price_is_quarantined_and_silences_no_other(
    endpoint: Endpoint, broken: dict[str, Any]
) -> None:
    tell(endpoint, broken, entry())
    large = Offering("c5.large", Capacity.ON_DEMAND, "us-east-1a")
    sifted = sift(prices_of(offerings=(large, HERE)).refresh(NOW_S), {})
    assert usd(sifted.believed) == [(HERE, 0.17 + EXTRAS_USD_PER_H)]
    (doubted,) = sifted.quarantined
    assert doubted.quote.offering == large
    assert doubted.reason.startswith(
        "wanted one on-demand term with one dimension an entry, found "
    )


def test_a_sound_entry_counts_beside_one_without_an_on_demand_price(endpoint: Endpoint) -> None:
    tell(endpoint, entry("c5.large", "0.085"), _without_terms())
    (quote,) = prices_of(
        offerings=(Offering("c5.large", Capacity.ON_DEMAND, "us-east-1a"),)
    ).refresh(NOW_S)
    assert (quote.doubt, round(quote.usd_per_h, 6)) == (None, 0.085 + EXTRAS_USD_PER_H)


def test_an_entry_that_names_no_type_is_left_out(endpoint: Endpoint) -> None:
    tell(endpoint, {"another": "shape"}, entry())
    assert usd(prices_of(offerings=(HERE,)).refresh(NOW_S)) == [(HERE, 0.17 + EXTRAS_USD_PER_H)]


def test_an_answer_of_another_shape_is_no_answer(endpoint: Endpoint) -> None:
    tell(endpoint, {"another": "shape"}, {"another": "shape"})
    with pytest.raises(PriceUnavailable, match="wanted entries that name a node type"):
        prices_of(offerings=(HERE,)).refresh(NOW_S)


def test_what_is_no_machine_is_no_entry() -> None:
    dedicated_host = entry()
    dedicated_host["product"]["productFamily"] = "Dedicated Host"
    assert parse_entry(json.dumps(dedicated_host), region=REGION) is None


def test_the_price_list_is_read_every_6_hours_and_spot_prices_every_minute(
    endpoint: Endpoint,
) -> None:
    prices = prices_of()
    for now_s in (NOW_S, NOW_S + 59, NOW_S + 61, NOW_S + 21_601):
        tell(endpoint, entry())
        prices.refresh(now_s)
    assert (len(endpoint.sent("GetProducts")), len(endpoint.sent("DescribeSpotPriceHistory"))) == (
        2,
        3,
    )


def test_a_spot_price_that_came_and_went_is_told_once(endpoint: Endpoint) -> None:
    prices = prices_of(offerings=(SPOT_A,))
    first = ("us-east-1a", "0.07", "2025-12-31T23:00:00Z")
    tell_spot(endpoint, first)
    assert usd(prices.refresh(NOW_S)) == [(SPOT_A, 0.085)]
    tell_spot(
        endpoint,
        ("us-east-1a", "0.06", "2026-01-01T00:00:40Z"),
        ("us-east-1a", "0.09", "2026-01-01T00:00:20Z"),
        first,
    )
    assert usd(prices.refresh(NOW_S + 60)) == [(SPOT_A, 0.105), (SPOT_A, 0.075)]
    assert usd(prices.refresh(NOW_S + 61)) == [(SPOT_A, 0.075)]


def test_a_spot_price_that_the_feed_took_back_is_replaced_by_an_older_one(
    endpoint: Endpoint,
) -> None:
    prices = prices_of(offerings=(SPOT_A,))
    tell_spot(endpoint, ("us-east-1a", "0.2", "2025-12-31T23:59:00Z"))
    assert usd(prices.refresh(NOW_S)) == [(SPOT_A, 0.215)]
    tell_spot(endpoint, ("us-east-1a", "0.07", "2025-12-31T23:00:00Z"))
    assert usd(prices.refresh(NOW_S + 60)) == [(SPOT_A, 0.085)]


def test_a_first_spot_price_far_from_the_on_demand_price_is_quarantined(
    endpoint: Endpoint,
) -> None:
    tell(endpoint, entry())
    tell_spot(
        endpoint,
        ("us-east-1a", "0.0065", "2025-12-31T23:00:00Z"),
        ("us-east-1b", "0.065", "2025-12-31T23:00:00Z"),
    )
    sifted = sift(prices_of(offerings=(SPOT_A, SPOT_B)).refresh(NOW_S), {})
    assert usd(sifted.believed) == [(SPOT_B, 0.08)], "it is judged, though only spot is on offer"
    assert [each.reason for each in sifted.quarantined] == [
        "wanted a spot price of 0.05 to 2.5 times the on-demand price of $0.17/h, got $0.0065/h"
    ]


def test_what_spot_prices_were_while_they_were_not_told_is_told_after_a_restart(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    """The price list was heard all the time."""
    store = open_store(lay_out(tmp_path / "elasticd.db"))
    add_price(store, SPOT_A, 0.085, valid_from_s=NOW_S, observed_at_s=NOW_S, source="ec2")
    add_price(store, HERE, 0.185, valid_from_s=NOW_S, observed_at_s=NOW_S + 7200, source="ec2")
    setup = PriceSetup(
        started_at_s=0.0,
        ec2=PLAIN,
        offerings=lambda: (SPOT_A,),
        disk_gib=disk_gib,
        observed_to_s=store.prices.observed_to_s,
    )
    tell_spot(
        endpoint,
        ("us-east-1a", "0.06", "2026-01-01T01:30:00Z"),
        ("us-east-1a", "0.09", "2026-01-01T01:00:00Z"),
    )
    assert usd(PRICE_SOURCES["ec2"](setup).refresh(NOW_S + 7210)) == [(SPOT_A, 0.1), (SPOT_A, 0.07)]
    (asked,) = endpoint.sent("DescribeSpotPriceHistory")
    assert datetime.fromisoformat(asked["StartTime"]).timestamp() <= NOW_S
    store.close()


def test_what_is_asked_for_no_longer_is_not_told_as_if_it_had_been_heard_again(
    endpoint: Endpoint,
) -> None:
    on_offer = [SPOT_A, SPOT_B]
    market = PricedOffers(lambda: tuple(on_offer), frozenset, disk_gib)
    prices = Ec2Prices(PLAIN, feeds=_connected(endpoint.url), market=market)
    both = [(f"us-east-1{letter}", "0.07", "2025-12-31T23:00:00Z") for letter in "ab"]
    tell_spot(endpoint, *both)
    assert [each.offering for each in prices.refresh(NOW_S)] == [SPOT_A, SPOT_B]
    on_offer.remove(SPOT_B)
    tell_spot(endpoint, *both)
    assert [each.offering for each in prices.refresh(NOW_S + 60)] == [SPOT_A]
    on_offer.append(SPOT_B)
    tell_spot(endpoint, both[0], ("us-east-1b", "0.09", "2026-01-01T00:00:30Z"), both[1])
    assert usd(prices.refresh(NOW_S + 120)) == [(SPOT_A, 0.08), (SPOT_B, 0.08), (SPOT_B, 0.1)]


def test_a_spot_price_of_another_system_or_zone_is_not_taken(endpoint: Endpoint) -> None:
    tell_spot(endpoint, ("us-east-1a", "0.07", "2025-12-31T23:00:00Z"), system="Windows")
    (quote,) = prices_of(offerings=(SPOT_A,)).refresh(NOW_S)
    assert quote.doubt == "wanted the price of Linux/UNIX, got that of Windows"
    tell_spot(endpoint, ("us-east-1f", "0.07", "2025-12-31T23:00:00Z"))
    assert prices_of(offerings=(SPOT_A,)).refresh(NOW_S) == ()


def test_a_spot_price_that_is_no_number_is_quarantined(endpoint: Endpoint) -> None:
    tell_spot(endpoint, ("us-east-1a", "cheap", "2025-12-31T23:00:00Z"))
    (quote,) = prices_of(offerings=(SPOT_A,)).refresh(NOW_S)
    assert (math.isnan(quote.usd_per_h), quote.doubt) == (
        True,
        "wanted a number of USD per hour, got 'cheap'",
    )


def test_a_feed_that_does_not_answer_is_not_quoted_and_asked_again_soon(endpoint: Endpoint) -> None:
    prices = prices_of()
    tell(endpoint, entry())
    assert {quote.offering for quote in prices.refresh(NOW_S)} == {HERE, SPOT_A}
    endpoint.forbid("DescribeSpotPriceHistory")
    assert {quote.offering for quote in prices.refresh(NOW_S + 61)} == {HERE}
    assert {quote.offering for quote in prices.refresh(NOW_S + 62)} == {HERE}
    endpoint.always.clear()
    assert {quote.offering for quote in prices.refresh(NOW_S + 95)} == {HERE, SPOT_A}


def test_what_is_remembered_does_not_look_freshly_observed(endpoint: Endpoint) -> None:
    tell(endpoint, entry())
    prices = prices_of(offerings=(HERE,))
    prices.refresh(NOW_S)
    (quote,) = prices.refresh(NOW_S + 3600)
    assert quote.observed_at_s == NOW_S


def test_feeds_that_are_both_silent_are_no_prices(endpoint: Endpoint) -> None:
    endpoint.forbid("DescribeSpotPriceHistory")
    endpoint.forbid("GetProducts", "AccessDeniedException")
    with pytest.raises(PriceUnavailable, match=r"the price list: .*; the spot prices: "):
        prices_of().refresh(NOW_S)


def test_a_refusal_is_told_without_its_encoded_text(endpoint: Endpoint) -> None:
    said = f"It is not allowed. Encoded authorization failure message: {'nwq907' * 200}"
    for _ in range(2):
        endpoint.fail("DescribeSpotPriceHistory", "UnauthorizedOperation", message=said)
    endpoint.forbid("GetProducts", "AccessDeniedException")
    with pytest.raises(PriceUnavailable, match=r"It is not allowed\.$"):
        prices_of().refresh(NOW_S)
    pages = Ec2History(_connected(endpoint.url)).pages("c5.large", from_s=0.0, to_s=NOW_S)
    with pytest.raises(PriceUnavailable, match=r"It is not allowed\.$"):
        next(pages)


def test_a_type_that_is_not_listed_has_no_price_and_is_asked_for_again(endpoint: Endpoint) -> None:
    prices = prices_of(offerings=(HERE,))
    tell(endpoint)
    assert prices.refresh(NOW_S) == ()
    assert prices.refresh(NOW_S + 1) == ()
    tell(endpoint, entry())
    assert len(prices.refresh(NOW_S + 31)) == 1


def test_a_price_has_the_disk_of_its_own_node_type(endpoint: Endpoint) -> None:
    gpu = Offering("g4dn.xlarge", Capacity.ON_DEMAND, "us-east-1a")
    settings = PLAIN.model_copy(update={"price_overrides": {"c5.xlarge": 0.2, "g4dn.xlarge": 0.5}})
    quotes = {
        each.offering: each.usd_per_h
        for each in prices_of(settings, offerings=(HERE, gpu)).refresh(NOW_S)
    }
    assert quotes == pytest.approx({HERE: 0.2 + 0.01 + 0.005, gpu: 0.5 + 0.02 + 0.005})


def test_a_type_whose_disk_is_not_known_has_no_price_and_the_others_have(
    endpoint: Endpoint,
) -> None:
    gpu = Offering("g4dn.xlarge", Capacity.ON_DEMAND, "us-east-1a")
    settings = PLAIN.model_copy(update={"price_overrides": {"c5.xlarge": 0.2, "g4dn.xlarge": 0.5}})
    known = {"c5.xlarge": 73.0}

    def sizes(node_type: str) -> float:
        if node_type not in known:
            raise ProviderUnavailable("no answer")
        return known[node_type]

    market = PricedOffers(lambda: (HERE, gpu), frozenset, sizes)
    prices = Ec2Prices(settings, feeds=_connected(endpoint.url), market=market)
    assert [each.offering for each in prices.refresh(NOW_S)] == [HERE]
    known["g4dn.xlarge"] = 146.0
    assert [each.offering for each in prices.refresh(NOW_S)] == [HERE, gpu]
    known.clear()
    assert [each.offering for each in prices.refresh(NOW_S)] == [HERE, gpu], "what is known stays"


def test_an_override_replaces_the_on_demand_price_and_adds_the_extras(endpoint: Endpoint) -> None:
    tell_spot(endpoint, ("us-east-1a", "0.07", "2025-12-31T23:00:00Z"))
    settings = PLAIN.model_copy(update={"price_overrides": {"c5.xlarge": 0.11}})
    quotes = prices_of(settings).refresh(NOW_S)
    assert usd(quotes) == [(SPOT_A, 0.085), (HERE, 0.125)]
    assert endpoint.sent("GetProducts") == []


def test_an_override_holds_from_when_it_was_first_said_as_it_is(endpoint: Endpoint) -> None:
    public_zones = {"us-east-1a"}
    settings = PLAIN.model_copy(update={"price_overrides": {"c5.xlarge": 0.11}})
    market = PricedOffers(lambda: (HERE,), lambda: public_zones, disk_gib)
    prices = Ec2Prices(settings, feeds=_connected(endpoint.url), market=market)
    for after_s in (0, 60):
        (quote,) = prices.refresh(NOW_S + after_s)
        assert (round(quote.usd_per_h, 6), quote.valid_from_s) == (0.125, NOW_S)
    # its address is no longer paid for, from now on and not from the beginning
    public_zones.clear()
    for after_s in (120, 180):
        (quote,) = prices.refresh(NOW_S + after_s)
        assert (round(quote.usd_per_h, 6), quote.valid_from_s) == (0.12, NOW_S + 120)


def test_the_archive_tells_each_page_when_it_is_wanted_and_what_machines_alone_cost(
    endpoint: Endpoint,
) -> None:
    archive = Ec2History(_connected(endpoint.url))
    row = (
        "<item><instanceType>c5.xlarge</instanceType><productDescription>Linux/UNIX</productDescription>"
        "<spotPrice>0.08</spotPrice><timestamp>{at}</timestamp><availabilityZone>us-east-1b</availabilityZone></item>"
    )
    for at, token in (("2025-12-01T00:00:00Z", "more"), ("2025-11-01T00:00:00Z", "")):
        rows = f"<spotPriceHistorySet>{row.format(at=at)}</spotPriceHistorySet><nextToken>{token}</nextToken>"
        endpoint.answer("DescribeSpotPriceHistory", rows)
    pages = archive.pages("c5.xlarge", from_s=NOW_S - 90 * 86_400, to_s=NOW_S)
    (newest,) = next(pages)
    assert (newest.offering, newest.usd_per_h, newest.extras_usd_per_h) == (SPOT_B, 0.08, 0.0)
    (sent,) = endpoint.sent("DescribeSpotPriceHistory")
    assert (sent["StartTime"], sent["EndTime"]) == ("2025-10-03T00:00:00Z", "2026-01-01T00:00:00Z")
    (oldest,) = next(pages)
    assert oldest.valid_from_s < newest.valid_from_s
    assert next(pages, None) is None


def test_an_archive_that_is_throttled_says_so_without_asking_again(endpoint: Endpoint) -> None:
    archive = PRICE_ARCHIVES["ec2"](PriceSetup(started_at_s=0.0, ec2=PLAIN))
    endpoint.fail("DescribeSpotPriceHistory", "RequestLimitExceeded")
    with pytest.raises(PriceUnavailable, match="RequestLimitExceeded"):
        next(archive.pages("c5.xlarge", from_s=NOW_S - 60, to_s=NOW_S))
    assert len(endpoint.sent("DescribeSpotPriceHistory")) == 1


def test_every_page_of_spot_prices_is_read(endpoint: Endpoint) -> None:
    item = (
        "<item><instanceType>c5.xlarge</instanceType><productDescription>Linux/UNIX</productDescription><spotPrice>0.1"
        "</spotPrice><timestamp>2025-12-31T00:00:00Z</timestamp><availabilityZone>{zone}</availabilityZone></item>"
    )
    for zone, token in (("us-east-1a", "more"), ("us-east-1b", "")):
        rows = f"<spotPriceHistorySet>{item.format(zone=zone)}</spotPriceHistorySet><nextToken>{token}</nextToken>"
        endpoint.answer("DescribeSpotPriceHistory", rows)
    assert len(prices_of(offerings=(SPOT_A, SPOT_B)).refresh(NOW_S)) == 2


def test_settings_find_it_by_name(endpoint: Endpoint) -> None:
    tell(endpoint, entry())
    source = PRICE_SOURCES["ec2"](
        PriceSetup(started_at_s=0.0, ec2=PLAIN, offerings=lambda: (HERE,), disk_gib=disk_gib)
    )
    assert usd(source.refresh(NOW_S)) == [(HERE, 0.18)]
