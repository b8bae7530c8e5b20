"""Answers GetProducts with entries like EC2's, including those that mislead careless readers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from moto.ec2.models.instance_types import INSTANCE_TYPES

from elastic_lab.scenario import Scenario
from elastic_lab.wire import Answer

TARGET = "AWSPriceListService."
_PAGE = 100
_JSON = "application/x-amz-json-1.1"
# Entries beside shared Linux on demand, with factors of its price. A reader without filters could
# take one of them for the price.
_NEIGHBOURS = (
    ({"operatingSystem": "Windows", "licenseModel": "No License required"}, 1.8),
    ({"operatingSystem": "RHEL"}, 1.3),
    ({"preInstalledSw": "SQL Std"}, 4.0),
    ({"tenancy": "Dedicated"}, 1.06),
    ({"capacitystatus": "UnusedCapacityReservation"}, 1.0),
    ({"capacitystatus": "AllocatedCapacityReservation"}, 0.0),
    (
        {"marketoption": "CapacityBlock"},
        0.0,
    ),  # Its own price is paid beforehand, and not told here.
)


def answer_price_list(action: str, body: bytes, scenario: Scenario) -> Answer:
    """Answers GetProducts and DescribeServices; other actions are unknown, as on AWS."""
    asked = json.loads(body or b"{}")
    if action == "GetProducts":
        return json_answer(_get_products(asked, scenario))
    if action == "DescribeServices":
        wanted = asked.get("ServiceCode")
        codes = [code for code in ("AmazonEC2", "AmazonVPC") if wanted in (None, code)]
        return json_answer(
            {"FormatVersion": "aws_v1", "Services": [{"ServiceCode": code} for code in codes]}
        )
    return json_answer(
        {"__type": "UnknownOperationException", "Message": f"{action} is not in the lab"},
        status="400 -",
    )


def json_answer(told: Mapping[str, Any], *, status: str = "200 OK", kind: str = _JSON) -> Answer:
    """A JSON body as a response."""
    body = json.dumps(told).encode()
    return Answer(status, (("Content-Type", kind), ("Content-Length", str(len(body)))), body)


def _get_products(asked: Mapping[str, Any], scenario: Scenario) -> dict[str, Any]:
    filters = asked.get("Filters", ())
    found = [
        each for each in _products(scenario, asked.get("ServiceCode", "")) if _passes(each, filters)
    ]
    first = int(asked.get("NextToken") or 0)
    # AWS gives 100 a page at most, whatever is asked for: readers must turn pages here, too.
    last = first + min(int(asked.get("MaxResults") or _PAGE), _PAGE)
    told: dict[str, Any] = {
        "FormatVersion": "aws_v1",
        "PriceList": [json.dumps(each) for each in found[first:last]],
    }
    if last < len(found):
        told["NextToken"] = str(last)
    return told


def _passes(product: Mapping[str, Any], filters: list[Mapping[str, str]]) -> bool:
    attributes = {
        **product["product"]["attributes"],
        "productFamily": product["product"].get("productFamily", ""),
    }
    return all(_holds(each, attributes.get(each["Field"])) for each in filters)


def _holds(wanted: Mapping[str, str], value: str | None) -> bool:
    text = (value or "").lower()
    choices = [each.strip().lower() for each in wanted["Value"].split(",")]
    match wanted.get("Type", "TERM_MATCH"):
        case "ANY_OF":
            return value is not None and text in choices
        case "NONE_OF":
            return text not in choices
        case "CONTAINS":
            return value is not None and wanted["Value"].lower() in text
        case _:
            return value is not None and text == wanted["Value"].lower()


def _products(scenario: Scenario, service: str) -> Iterator[dict[str, Any]]:
    if service == "AmazonVPC":
        address = {
            "group": "VPCPublicIPv4Address",
            "groupDescription": "Hourly charge for In-use Public IPv4 Addresses",
        }
        yield _product(
            scenario, "", address, scenario.public_ipv4_usd_per_h, "Hrs", "PublicIPv4:InUseAddress"
        )
    if service == "AmazonEC2":
        for name, node_type in scenario.node_types.items():
            yield _instance(scenario, name, {}, node_type.on_demand_usd_per_h)
            for changed, factor in _NEIGHBOURS:
                yield _instance(scenario, name, changed, node_type.on_demand_usd_per_h * factor)
        disk = {
            "volumeApiName": "gp3",
            "volumeType": "General Purpose",
            "storageMedia": "SSD-backed",
        }
        yield _product(
            scenario,
            "Storage",
            disk,
            scenario.ebs_usd_per_gib_month,
            "GB-Mo",
            "EBS:VolumeUsage.gp3",
        )


def _instance(
    scenario: Scenario, name: str, changed: Mapping[str, str], usd_per_h: float
) -> dict[str, Any]:
    described = INSTANCE_TYPES[name]
    attributes = {
        "instanceType": name,
        "instanceFamily": "Compute optimized",
        "vcpu": str(described["VCpuInfo"]["DefaultVCpus"]),
        "memory": f"{described['MemoryInfo']['SizeInMiB'] / 1024:g} GiB",
        "operatingSystem": "Linux",
        "preInstalledSw": "NA",
        "licenseModel": "No License required",
        "tenancy": "Shared",
        "capacitystatus": "Used",
        "marketoption": "OnDemand",
        "operation": "RunInstances",
        **changed,
    }
    return _product(scenario, "Compute Instance", attributes, usd_per_h, "Hrs", f"BoxUsage:{name}")


def _product(
    scenario: Scenario,
    family: str,
    attributes: Mapping[str, str],
    usd: float,
    unit: str,
    usage: str,
) -> dict[str, Any]:
    every = {
        "servicecode": "AmazonEC2" if family else "AmazonVPC",
        "regionCode": scenario.region,
        "location": scenario.region,
        "locationType": "AWS Region",
        "usagetype": usage,
        **attributes,
    }
    # The same product has the same number in each answer, as AWS's have.
    sku = hashlib.sha256(json.dumps(every, sort_keys=True).encode()).hexdigest()[:16].upper()
    term = f"{sku}.JRTCKXETXF"
    dimension = {
        "unit": unit,
        "beginRange": "0",
        "endRange": "Inf",
        "description": f"${usd:.10f} per {unit}",
        "rateCode": f"{term}.6YS6EN2CT7",
        "appliesTo": [],
        "pricePerUnit": {"USD": f"{usd:.10f}"},
    }
    return {
        "product": {
            "sku": sku,
            "attributes": every,
            **({"productFamily": family} if family else {}),
        },
        "serviceCode": every["servicecode"],
        "terms": {
            "OnDemand": {
                term: {
                    "sku": sku,
                    "offerTermCode": "JRTCKXETXF",
                    "effectiveDate": "2024-01-01T00:00:00Z",
                    "termAttributes": {},
                    "priceDimensions": {dimension["rateCode"]: dimension},
                }
            }
        },
        "version": "20240101000000",
        "publicationDate": "2024-01-01T00:00:00Z",
    }
