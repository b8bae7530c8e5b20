"""Plays lives in which things go wrong: `python -m benchmarks.soak --days 20`.

With `--defects` it plants mistakes into the product, one at a time, and fails if a promise is not
seen to be broken by each.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from itertools import count

from benchmarks.soak.defects import DEFECTS, catch
from benchmarks.soak.faults import DAY
from benchmarks.soak.play import LONGEST_S, Outcome, Script, play
from benchmarks.soak.promises import Violation

# A run of years says that often how far it is.
_TELL_DAYS = 100.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--days", type=float, default=20.0, help="days of virtual time in all")
    parser.add_argument("--seed", type=int, default=0, help="of the first life")
    parser.add_argument("--a-day", type=float, default=6.0, help="faults a day")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument(
        "--defects", action="store_true", help="plants mistakes, and tells which promise each broke"
    )
    arguments = parser.parse_args()
    with ProcessPoolExecutor(arguments.jobs) as pool:
        if arguments.defects:
            return _plant(pool)
        return _live(pool, arguments)


def _plant(pool: Executor) -> int:
    missed = 0
    print(f"{'defect':26s} {'broke':5s} {'days':>6s} {'CPU-s':>6s}  the other defence that is off")
    for each in pool.map(catch, DEFECTS):
        missed += each.promise is None
        print(
            f"{each.defect:26s} {each.promise or 'NONE':5s} {each.days:6.2f} {each.cpu_s:6.1f}  "
            f"{each.without}".rstrip()
        )
    print(f"{len(DEFECTS)} defects, {missed} not caught")
    return 1 if missed else 0


def _live(pool: Executor, arguments: argparse.Namespace) -> int:
    began_s = time.monotonic()
    found: list[Outcome] = []
    days = 0.0
    seeds = count(arguments.seed)
    told = 0.0
    while days < arguments.days:
        # As many as are needed however long they last: a process that is through waits for none.
        lives = max(4 * arguments.jobs, int((arguments.days - days) * DAY / LONGEST_S))
        some = [Script(next(seeds), arguments.a_day) for _ in range(lives)]
        for outcome in pool.map(_lived, some):
            found.append(outcome)
            days += outcome.days
            if days - told >= _TELL_DAYS:
                told = days
                print(f"{_told(found, days, began_s)}, next seed {outcome.seed + 1}", flush=True)
            for each in outcome.violations:
                print(
                    f"seed {outcome.seed}, {each.at_s / 3600:.1f} h: {each.promise}: {each.what}",
                    flush=True,
                )
    met = sum((Counter(each.met) for each in found), Counter())
    for kind, times in sorted(met.items()):
        print(f"{times:6d}  {kind}")
    print(_told(found, days, began_s))
    return 1 if any(each.violations for each in found) else 0


def _lived(script: Script) -> Outcome:
    """Plays a life. One that breaks off is told as a promise that is broken, and ends no other."""
    try:
        return play(script)
    except Exception as error:  # noqa: BLE001 (whatever it is, its seed is told)
        why = Violation("none", 0.0, f"it broke off: {type(error).__name__}: {error}")
        return Outcome(script.seed, 0.0, (why,), {}, 0, 0, 0, "", 0.0)


def _told(found: Sequence[Outcome], days: float, began_s: float) -> str:
    cpu_s = sum(each.cpu_s for each in found)
    return (
        f"{len(found)} lives, {days:.0f} days, {sum(each.machines for each in found)} machines, "
        f"{sum(each.deaths for each in found)} deaths of the daemon, "
        f"{sum(each.looks for each in found)} looks: "
        f"{sum(len(each.violations) for each in found)} promises broken, "
        f"{cpu_s / max(days, 1.0):.1f} CPU-s a day, "
        f"{time.monotonic() - began_s:.0f} s"
    )


if __name__ == "__main__":
    sys.exit(main())
