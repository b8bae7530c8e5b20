"""Prints what changes of membership cost, side by side: `python -m benchmarks.elastic_training`.

"Lost" is the time from the last step in the old world to the first in the new one, less a median
step; "longest" the longest step near the change over the median one. A step is 40 ms of sleep and a
few of work on two nodes of this machine, a third comes and goes. Times need quiet cores; iterations
lost do not.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from benchmarks.elastic_training import stress
from benchmarks.elastic_training.rows import ROWS, SYSTEMS, Asked, measured
from benchmarks.elastic_training.with_torchft import PYTHON


def main(argv: Sequence[str]) -> None:
    """Prints a row for each change, and in it a cell for each system; or plays `stress`."""
    if argv[:1] == ["stress"]:
        sys.exit(stress.main(argv[1:]))
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.elastic_training", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "--rounds", type=int, default=10, help="rounds of a session's changes; from 100 on, p99"
    )
    parser.add_argument(
        "--others-rounds", type=int, default=1, help="rounds of the other systems' changes"
    )
    parser.add_argument(
        "--systems", type=_names(SYSTEMS), default=list(SYSTEMS), help=",".join(SYSTEMS)
    )
    parser.add_argument("--changes", type=_names(ROWS), default=list(ROWS), help=",".join(ROWS))
    parser.add_argument(
        "--bound-s",
        type=float,
        default=120.0,
        help="longest wait for a change of the other systems",
    )
    parser.add_argument(
        "--torchft-python", type=Path, default=PYTHON, help="an interpreter that has torchft"
    )
    options = parser.parse_args(argv)
    # So that nothing is left running where this is ended from outside.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    asked = Asked(options.rounds, options.others_rounds, options.bound_s, options.torchft_python)
    print(f"| change | target | {' | '.join(options.systems)} |")
    print("| --- " * (2 + len(options.systems)) + "|", flush=True)
    for change in options.changes:
        target, measures = ROWS[change]
        print(f"| {change} | {target} |", end="", flush=True)
        for system in options.systems:
            told = measured(measures[system], asked) if system in measures else "–"
            print(f" {told} |", end="", flush=True)
        print(flush=True)


def _names(known: Collection[str]) -> Callable[[str], list[str]]:
    def chosen(text: str) -> list[str]:
        names = text.split(",")
        if unknown := set(names) - set(known):
            raise argparse.ArgumentTypeError(
                f"wanted some of {', '.join(known)}; got {', '.join(sorted(unknown))}"
            )
        return names

    return chosen


if __name__ == "__main__":
    main(sys.argv[1:])
