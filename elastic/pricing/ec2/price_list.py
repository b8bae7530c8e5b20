"""Reads AWS's price list, and marks entries that are not exactly what was asked for."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog

from elastic.errors import PriceUnavailable
from elastic.pricing.ec2.aws import Feeds

log = structlog.get_logger(__name__)

# The attributes of an hour of a plain Linux instance. The filters ask for them, and answers are
# checked against them.
WANTED: Mapping[str, str] = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "capacitystatus": "Used",
    "preInstalledSw": "NA",
    "marketoption": "OnDemand",
}
# The meaning of a missing attribute. Only types that are sold as Capacity Blocks too have this one.
_UNSAID: Mapping[str, str] = {"marketoption": "OnDemand"}


@dataclass(frozen=True, slots=True)
class Listed:
    """The price of one node type in the region."""

    node_type: str
    usd_per_h: float
    effective_at_s: float
    # Why it is not trusted; None if it is.
    doubt: str | None = None


def read_price_list(feeds: Feeds, node_types: Sequence[str]) -> tuple[Listed, ...]:
    """Reads the prices of these types. A type that is not listed is absent.

    Raises botocore's errors, and PriceUnavailable if no entry can be read.
    """
    exact = {**WANTED, "regionCode": feeds.region}
    filters = [
        {"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in exact.items()
    ]
    filters.append({"Type": "ANY_OF", "Field": "instanceType", "Value": ",".join(node_types)})
    pages = feeds.price_list.get_paginator("get_products").paginate(
        ServiceCode="AmazonEC2", FormatVersion="aws_v1", Filters=filters
    )
    entries = _readable([text for page in pages for text in page["PriceList"]], region=feeds.region)
    return tuple(_without_rivals([each for each in entries if each.node_type in node_types]))


def _readable(texts: Sequence[str], *, region: str) -> list[Listed]:
    """The machines' entries; one that cannot be read is left out.

    Raises PriceUnavailable if none can be read.
    """
    found: list[Listed | None] = []
    failure: PriceUnavailable | None = None
    for text in texts:
        try:
            found.append(parse_entry(text, region=region))
        except PriceUnavailable as error:
            failure = error
    if failure is not None and not found:
        raise failure
    if failure is not None:
        log.warning("an entry of the price list was left out", error=str(failure))
    return [each for each in found if each is not None]


def parse_entry(text: str, *, region: str) -> Listed | None:
    """One entry of the list; None if it is no machine's.

    Raises PriceUnavailable if it names no node type.
    """
    try:
        entry = json.loads(text)
        product = entry["product"]
        if product.get("productFamily", "Compute Instance") not in (
            "Compute Instance",
            "Compute Instance (bare metal)",
        ):
            return None
        attributes = product["attributes"]
        node_type = str(attributes["instanceType"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise PriceUnavailable(
            f"the price list: wanted entries that name a node type, found {error!r} in {text[:200]}"
        ) from error
    try:
        (term,) = entry["terms"]["OnDemand"].values()
        (dimension,) = term["priceDimensions"].values()
        return Listed(
            node_type=node_type,
            usd_per_h=_first_price(dimension["pricePerUnit"]),
            effective_at_s=_instant_s(term.get("effectiveDate")),
            doubt=_doubt(attributes, dimension, region=region),
        )
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration) as error:
        doubt = f"wanted one on-demand term with one dimension an entry, found {error!r}"
        return Listed(node_type, math.nan, 0.0, doubt)


def _first_price(prices: Mapping[str, str]) -> float:
    text = prices.get("USD") or next(iter(prices.values()))
    return float(text)


def _instant_s(text: str | None) -> float:
    """The date of an entry as an instant; 0 without a date: it has always been valid."""
    if text is None:
        return 0.0
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError(f"an instant without a zone: {text}")
    return instant.timestamp()


def _doubt(
    attributes: Mapping[str, Any], dimension: Mapping[str, Any], *, region: str
) -> str | None:
    wanted = {**WANTED, "regionCode": region}
    for name, value in wanted.items():
        found = attributes.get(name, _UNSAID.get(name))
        if found != value:
            return f"wanted {name} {value}, got {found}"
    if dimension["unit"] != "Hrs":
        return f"wanted a price by the hour (Hrs), got one by {dimension['unit']}"
    if set(dimension["pricePerUnit"]) != {"USD"}:
        return f"wanted a price in USD, got one in {', '.join(dimension['pricePerUnit'])}"
    return None


def _without_rivals(listed: list[Listed]) -> list[Listed]:
    """Marks sound entries of one type that contradict each other, since either may be wrong."""
    sound = [each for each in listed if each.doubt is None and math.isfinite(each.usd_per_h)]
    rivals = {each.node_type for each in sound for other in sound if _contradict(each, other)}
    return [
        Listed(
            each.node_type,
            each.usd_per_h,
            each.effective_at_s,
            "wanted one price, got several that contradict",
        )
        if each.node_type in rivals and each.doubt is None
        else each
        for each in dict.fromkeys(listed)
    ]


def _contradict(one: Listed, other: Listed) -> bool:
    return one.node_type == other.node_type and one.usd_per_h != other.usd_per_h
