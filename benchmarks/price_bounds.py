"""How far real prices lie from the bounds within which a price of EC2 is believed.

python -m benchmarks.price_bounds [folder with spot_advisor_*.json.gz and ec2_ondemand_*.csv.gz]
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from elastic.pricing.ec2 import bounds


def main(folder: Path) -> int:
    """Prints the extremes beside the bounds; gives how many real prices lie outside."""
    ratios = sorted(
        1 - saving / 100 for saving in savings(_newest(folder, "spot_advisor_*.json.gz"))
    )
    sizes = sorted(within_families(_newest(folder, "ec2_ondemand_*.csv.gz")))
    xlarges = sorted(each for _, each in sizes)
    jumps = sorted(max(each, 1 / each) for each, _ in sizes)
    print(f"{len(ratios)} spot offers: {ratios[0]:.2f} to {ratios[-1]:.2f} of on-demand; ", end="")
    print(f"bounds {bounds.LEAST_OF_ON_DEMAND:g} and {bounds.MOST_OF_ON_DEMAND:g}")
    print(
        f"{len(jumps)} types: at most {jumps[-1]:.2f} times from the median of their family; ",
        end="",
    )
    print(f"bound {bounds.WITHIN_A_FAMILY:g}")
    print(f"an xlarge: {xlarges[0]:.2f} to {xlarges[-1]:.2f} USD per hour; ", end="")
    print(f"bounds {bounds.LEAST_USD_PER_XLARGE_H:g} and {bounds.MOST_USD_PER_XLARGE_H:g}")
    return (
        sum(not bounds.LEAST_OF_ON_DEMAND <= each <= bounds.MOST_OF_ON_DEMAND for each in ratios)
        + sum(each > bounds.WITHIN_A_FAMILY for each in jumps)
        + sum(
            not bounds.LEAST_USD_PER_XLARGE_H <= each <= bounds.MOST_USD_PER_XLARGE_H
            for each in xlarges
        )
    )


def savings(path: Path) -> Iterator[float]:
    """The saving of each spot offer against on-demand, in percent; negative where it costs more."""
    with gzip.open(path, "rt") as file:
        yield from _savings(json.load(file))


def within_families(path: Path) -> Iterator[tuple[float, float]]:
    """Of each type with a size: what it costs for each xlarge in medians of the others of its
    family, and in USD per hour."""
    families: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            size = bounds.size_in_xlarge(row["instance_type"])
            if size is not None:
                family = families.setdefault(row["instance_type"].partition(".")[0], {})
                family[row["instance_type"]] = float(row["usd_h"]) / size
    for family in families.values():
        for name, each in family.items():
            others = [other for key, other in family.items() if key != name]
            if others:
                yield each / median(others), each


def _savings(node: Any) -> Iterator[float]:
    if not isinstance(node, dict):
        return
    if "s" in node and "r" in node:
        yield float(node["s"])
        return
    for each in node.values():
        yield from _savings(each)


def _newest(folder: Path, pattern: str) -> Path:
    return max(folder.glob(pattern))


if __name__ == "__main__":
    default = os.environ.get("ELASTICD_BENCH_DATA", "../shared/data")
    sys.exit(1 if main(Path((sys.argv[1:] or [default])[0])) else 0)
