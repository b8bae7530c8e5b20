"""Plays lives in which things go wrong: `python -m benchmarks.soak --days 20`."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import count

from benchmarks.soak.play import Outcome, play


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--days", type=float, default=20.0, help="days of virtual time in all")
    parser.add_argument("--seed", type=int, default=0, help="of the first life")
    parser.add_argument("--a-day", type=float, default=6.0, help="faults a day")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    arguments = parser.parse_args()
    began_s = time.monotonic()
    found: list[Outcome] = []
    days = 0.0
    seeds = count(arguments.seed)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        while days < arguments.days:
            some = [next(seeds) for _ in range(4 * arguments.jobs)]
            for outcome in pool.map(play, some, [arguments.a_day] * len(some)):
                found.append(outcome)
                days += outcome.days
                for each in outcome.violations:
                    print(
                        f"seed {outcome.seed}, {each.at_s / 3600:.1f} h: {each.promise}: {each.what}"
                    )
    met = sum((Counter(each.met) for each in found), Counter())
    for kind, times in sorted(met.items()):
        print(f"{times:6d}  {kind}")
    broken = sum(len(each.violations) for each in found)
    print(
        f"{len(found)} lives, {days:.0f} days, {sum(each.machines for each in found)} machines, "
        f"{sum(each.deaths for each in found)} deaths of the daemon, "
        f"{sum(each.looks for each in found)} looks: {broken} promises broken, "
        f"{time.monotonic() - began_s:.0f} s"
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
