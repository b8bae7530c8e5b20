"""Prints what changes of membership cost: `python -m benchmarks.elastic_training [--rounds 10]`.

"Lost" is the time from the last step in the old world to the first in the new one, less a median step; "longest" the
longest step near the change over the median one. Times need quiet cores; iterations lost do not.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from statistics import median, quantiles

from benchmarks.elastic_training import ours, quiet
from benchmarks.elastic_training.gaps import Change


def main() -> None:
    """Runs all and prints a row for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    rounds = options.rounds
    rows: Sequence[tuple[str, str, Callable[[], list[Change]]]] = [
        ("planned leave", "p50 <= 10 ms, p99 <= 100 ms", lambda: ours.leaves(rounds)),
        ("join, 0.6 MB of parameters", "<= 50 ms, no step over 2 x", lambda: ours.joins(rounds, is_large=False)),
        (
            "join, 67 MB of parameters",
            "<= 50 ms, no step over 2 x",
            lambda: ours.joins(max(3, rounds // 3), is_large=True),
        ),
        ("SIGKILL", "p50 <= 250 ms, p99 <= 1000 ms", lambda: ours.kills(rounds)),
        ("hang (SIGSTOP)", "<= 1500 ms", lambda: ours.hangs(max(3, rounds // 2))),
        ("store killed", "0 ms", ours.store_deaths),
    ]
    print("| change | target | lost p50 | lost worst | longest step | iterations lost | rounds |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for name, target, measure in rows:
        found = measure()
        lost = sorted(each.lost_s * 1e3 for each in found)
        print(
            f"| {name} | {target} | {median(lost):.0f} ms | {lost[-1]:.0f} ms | {max(c.longest for c in found):.1f} x "
            f"| {max(each.iterations_lost for each in found)} | {len(found)} |",
            flush=True,
        )
    _print_quiet_cost()


def _print_quiet_cost() -> None:
    """Alternates the two loops, so that a neighbour's load falls on both alike."""
    ratios = []
    for _ in range(5):
        plain_s, session_s = quiet.measured("plain", 150), quiet.measured("session", 150)
        ratios.append(session_s / plain_s)
    low, middle, high = (100 * (ratio - 1) for ratio in quantiles(ratios, n=4))
    print(f"\nnothing happens: CPU-seconds a step {middle:+.2f} % ({low:+.2f} to {high:+.2f}), target 0.3 %")


if __name__ == "__main__":
    main()
