"""Makes the copy of the Spot Instance Advisor that the EC2 provider ships: `python -m
benchmarks.spot_advisor SOURCE`.

SOURCE is the advisor's JSON as AWS publishes it, or as alexei-led/spotinfo keeps it (Apache-2.0),
plain or gzipped.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from elastic.providers.ec2.advisor import FILE


def compact(source: Path) -> bytes:
    """One letter a region for each node type: its bucket of interruptions, or `-` where it is not
    sold."""
    raw = source.read_bytes()
    told = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)["spot_advisor"]
    by_region = {region: told[region]["Linux"] for region in sorted(told)}
    names = sorted({name for types in by_region.values() for name in types})
    buckets = {
        name: "".join(
            str(types[name]["r"]) if name in types else "-" for types in by_region.values()
        )
        for name in names
    }
    kept = {
        "source": "AWS Spot Instance Advisor, Linux, July 2025, by way of alexei-led/spotinfo (Apache-2.0)",
        "regions": list(by_region),
        "buckets": buckets,
    }
    return gzip.compress(json.dumps(kept, separators=(",", ":")).encode(), mtime=0)


if __name__ == "__main__":
    FILE.write_bytes(compact(Path(sys.argv[1])))
