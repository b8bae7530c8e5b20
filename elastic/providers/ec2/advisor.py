"""How often EC2 takes spot machines back, by its Spot Instance Advisor of July 2025.

The copy that ships with elasticd needs no network, and makes tests repeatable. It is only a prior,
which a pool's own history soon outweighs. The data is AWS's, by way of alexei-led/spotinfo
(Apache-2.0). `benchmarks/spot_advisor.py` makes the file from a newer one.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).with_name("spot_advisor.json.gz")


def advisor_buckets(region: str) -> Mapping[str, int]:
    """The bucket of each node type in a region, from 0 (rarely taken back) to 4.

    >>> advisor_buckets("us-east-1")["c5.large"] in range(5), dict(advisor_buckets("nowhere-1"))
    (True, {})
    """
    told = json.loads(gzip.decompress(FILE.read_bytes()))
    if region not in told["regions"]:
        return {}
    place = told["regions"].index(region)
    return {
        name: int(letters[place])
        for name, letters in told["buckets"].items()
        if letters[place] != "-"
    }
