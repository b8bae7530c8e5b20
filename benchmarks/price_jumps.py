"""How far a spot price moves at once: the bound of plausibility must lie well above it.

python benchmarks/price_jumps.py ../shared/data/spot_price_events_2019-12_2020-02.csv.gz
"""

import sys
from itertools import groupby, pairwise
from pathlib import Path

from elastic.pricing import GREATEST_JUMP, TraceRow, read_trace


def main(path: Path) -> None:
    rows = sorted(read_trace(path), key=lambda row: (row.offering, row.after_s))
    jumps = sorted(
        _jump(before, after)
        for _, changes in groupby(rows, key=lambda row: row.offering)
        for before, after in pairwise(changes)
    )
    print(f"{len(rows)} events, {len(jumps)} changes")
    print(
        f"median {jumps[len(jumps) // 2]:.4f}-fold, greatest {jumps[-1]:.4f}-fold; the bound is "
        f"{GREATEST_JUMP:g}-fold"
    )


def _jump(before: TraceRow, after: TraceRow) -> float:
    return max(after.usd_per_h / before.usd_per_h, before.usd_per_h / after.usd_per_h)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
