"""Entries of AWS's price list as its service tells them."""

from __future__ import annotations

from typing import Any

from tests.providers.ec2_world import REGION


def entry(
    node_type: str = "c5.xlarge", usd: str = "0.1700000000", **changes: Any
) -> dict[str, Any]:
    """An entry as AWS's price list has it, but for what is never read."""
    attributes = {
        "instanceType": node_type,
        "regionCode": REGION,
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "capacitystatus": "Used",
        "preInstalledSw": "NA",
    }
    dimension = {
        "unit": changes.pop("unit", "Hrs"),
        "pricePerUnit": {changes.pop("currency", "USD"): usd},
    }
    term = {
        "effectiveDate": changes.pop("date", "2020-01-01T00:00:00Z"),
        "priceDimensions": {"SKU.T.D": dimension},
    }
    product = {
        "sku": "SKU",
        "productFamily": "Compute Instance",
        "attributes": {**attributes, **changes},
    }
    return {"product": product, "terms": {"OnDemand": {"SKU.T": term}}}
