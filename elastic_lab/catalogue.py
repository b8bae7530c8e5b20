"""Answers calls about what EC2 sells: spot prices by the scenario, types and their zones."""

from __future__ import annotations

import base64
import fnmatch
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from elastic.durations import HISTORY_S
from elastic_lab.prices import PriceBook
from elastic_lab.scenario import Scenario
from elastic_lab.wire import Answer, Ec2Call, Ec2Error

PRODUCT = "Linux/UNIX"
_PRODUCTS = frozenset({PRODUCT, f"{PRODUCT} (Amazon VPC)"})
_PAGE = 1000


def describe_spot_price_history(call: Ec2Call, book: PriceBook, *, now_s: float) -> Answer:
    """Spot prices: those at the window's beginning, and its changes, newest first, in pages."""
    parameters = call.parameters
    # EC2 keeps 90 days, and knows nothing of the future.
    start_s = max(_instant(parameters.get("StartTime"), now_s - HISTORY_S), now_s - HISTORY_S)
    end_s = min(_instant(parameters.get("EndTime"), now_s), now_s)
    rows = sorted(
        (
            (change.at_s, node_type, zone, change.usd_per_h)
            for node_type, zone in book.spot_pools()
            if _is_wanted(parameters, node_type, zone)
            for change in book.spot_changes(node_type, zone, from_s=start_s, to_s=end_s)
        ),
        key=lambda row: (-row[0], row[1], row[2]),
    )
    page, token = _page(rows, parameters)
    told = [
        {
            "AvailabilityZone": zone,
            "InstanceType": node_type,
            "ProductDescription": PRODUCT,
            "SpotPrice": f"{usd_per_h:.6f}",
            "Timestamp": datetime.fromtimestamp(at_s, UTC),
        }
        for at_s, node_type, zone, usd_per_h in page
    ]
    return call.answer({"SpotPriceHistory": told, "NextToken": token})


def describe_instance_type_offerings(call: Ec2Call, scenario: Scenario) -> Answer:
    """The scenario's types, in the region or in each of its zones."""
    parameters = call.parameters
    kind = parameters.get("LocationType", "region")
    if kind == "availability-zone":
        places = scenario.zones
    else:
        places = (scenario.region,)
    filters = _filters(parameters)
    told = [
        {"InstanceType": name, "LocationType": kind, "Location": place}
        for name in scenario.node_types
        for place in places
        if _matches(filters.get("instance-type"), name) and _matches(filters.get("location"), place)
    ]
    page, token = _page(told, parameters)
    return call.answer({"InstanceTypeOfferings": page, "NextToken": token})


def only_types_on_sale(call: Ec2Call, scenario: Scenario) -> Ec2Call:
    """Limits DescribeInstanceTypes without a list to the scenario's types."""
    parameters = call.parameters
    if parameters.get("InstanceTypes"):
        return call
    kept = {
        name: value for name, value in parameters.items() if name not in ("MaxResults", "NextToken")
    }
    return call.with_parameters(call.action, {**kept, "InstanceTypes": list(scenario.node_types)})


def _is_wanted(parameters: Mapping[str, Any], node_type: str, zone: str) -> bool:
    filters = _filters(parameters)
    products = set(parameters.get("ProductDescriptions", ())) | set(
        filters.get("product-description", ())
    )
    zones = [
        *filters.get("availability-zone", ()),
        *([parameters["AvailabilityZone"]] if "AvailabilityZone" in parameters else ()),
    ]
    types = [*parameters.get("InstanceTypes", ()), *filters.get("instance-type", ())]
    return (
        (not products or bool(products & _PRODUCTS))
        and _matches(zones or None, zone)
        and _matches(types or None, node_type)
    )


def _filters(parameters: Mapping[str, Any]) -> dict[str, list[str]]:
    return {each["Name"]: each["Values"] for each in parameters.get("Filters", ())}


def _matches(patterns: list[str] | None, value: str) -> bool:
    return patterns is None or any(fnmatch.fnmatchcase(value, pattern) for pattern in patterns)


def _page(rows: list[Any], parameters: Mapping[str, Any]) -> tuple[list[Any], str]:
    """The page of rows after the token's position, and the token of the rest."""
    token = parameters.get("NextToken")
    try:
        first = 0
        if token:
            first = int(base64.b64decode(token, validate=True))
    except ValueError as error:
        raise Ec2Error("InvalidNextToken", f"The token {token!r} is invalid") from error
    last = first + min(int(parameters.get("MaxResults") or _PAGE), _PAGE)
    return rows[first:last], base64.b64encode(str(last).encode()).decode() if last < len(
        rows
    ) else ""


def _instant(told: datetime | None, otherwise_s: float) -> float:
    if told is None:
        return otherwise_s
    return told.replace(tzinfo=UTC).timestamp()
