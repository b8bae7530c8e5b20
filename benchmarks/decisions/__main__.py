"""Plays recorded markets and experiments through the product's own decisions, beside rivals and who
knows the future.

Run: python -m benchmarks.decisions [--tracks T1,T3] [--cells "24h 1.3 d0.2"] [--policy ours]
[--strict] [--whole] Prints a table for each track, and ends with status 1 under `--strict` where a
goal is missed. Under 5 minutes for everything on two quiet cores: a fixed sample of the cases
unless `--whole`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import monotonic

from benchmarks.decisions import data, kept
from benchmarks.decisions.table import lines_of, missed
from benchmarks.decisions.track import TODAY, Case, Outcome, Track

TRACKS = {
    "T1": "deadline:ONE_POOL",
    "T1b": "deadline:ZONES",
    "T1c": "churn:CHURN",
    "T2": "types:TYPES",
    "T3": "sizes:SIZED",
    "T4": "experiments:SEARCH",
    "T5": "stress:STRESS",
    "T6": "speed:SPEED",
}
"""Where each track is: earlier versions of the product cannot load all of them."""


def track_of(name: str) -> Track:
    """Gives a track by its name."""
    module, _, member = TRACKS[name].partition(":")
    found: Track = getattr(import_module(f"benchmarks.decisions.{module}"), member)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays what is asked for; gives the exit status."""
    given = _parser().parse_args(arguments)
    try:
        folder = data.folder()
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    if given.before:
        kept.measure(given.before, given.tracks, whole=given.whole)
    begun_s = monotonic()
    rows, outcomes = [], []
    with ProcessPoolExecutor(given.jobs) as pool:
        begun = []
        # All at once, so that no process waits for the last case of a track.
        for name in given.tracks:
            track = track_of(name)
            cases = _cases(track, folder, given)
            tasks = [(name, case, _policies(track, given.policy)) for case in cases]
            begun.append((name, track, cases, pool.map(_play, tasks, chunksize=1)))
        for name, track, cases, playing in begun:
            played = [each for many in playing for each in many]
            if not given.policy or TODAY in given.policy:
                played += kept.outcomes(track, cases)
            outcomes += played
            rows += (own := track.rows(played))
            print(*lines_of(track, own), sep="\n", flush=True)
            print(f"  {name} ended after {monotonic() - begun_s:.0f} s\n", flush=True)
    if given.json:
        given.json.write_text(json.dumps(kept.packed(outcomes), indent=0) + "\n")
    short = missed(rows)
    cpu_s = sum(getrusage(each).ru_utime for each in (RUSAGE_SELF, RUSAGE_CHILDREN))
    print(
        f"{len(outcomes)} runs in {monotonic() - begun_s:.0f} s, {cpu_s:.0f} CPU-s; {len(short)} "
        "goals missed"
    )
    print(*short, sep="\n")
    return 1 if given.strict and short else 0


def _cases(track: Track, folder: Path, given: argparse.Namespace) -> list[Case]:
    wanted = [each.strip() for each in given.cells.split(",") if each.strip()]
    found = track.cases(folder, whole=given.whole)
    kept_cases = [each for each in found if not wanted or any(text in each.cell for text in wanted)]
    if given.sample is None:
        return kept_cases
    cells: dict[str, list[Case]] = {}
    for each in kept_cases:
        cells.setdefault(each.cell, []).append(each)
    return [each for own in cells.values() for each in own[:: max(1, len(own) // given.sample)]]


def _policies(track: Track, wanted: str) -> tuple[str, ...]:
    names = wanted.split(",") if wanted else track.POLICIES
    return tuple(each for each in track.POLICIES if each in names)


def _play(task: tuple[str, Case, tuple[str, ...]]) -> list[Outcome]:
    name, case, policies = task
    track = track_of(name)
    return [Outcome(name, case.cell, case.name, each, track.play(case, each)) for each in policies]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.decisions", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--tracks",
        type=_names,
        default=list(TRACKS),
        help=f"of {', '.join(TRACKS)}; all unless given",
    )
    parser.add_argument("--cells", default="", help="cells whose name holds one of these texts")
    parser.add_argument("--policy", default="", help="these policies alone, such as ours,greedy")
    parser.add_argument("--sample", type=int, help="about so many cases of each cell")
    parser.add_argument("--whole", action="store_true", help="every case, not the sample")
    parser.add_argument("--strict", action="store_true", help="status 1 where a goal is missed")
    parser.add_argument("--json", type=Path, help="write what came of every case to this file")
    parser.add_argument(
        "--before",
        metavar="COMMIT",
        help="play this commit's decisions and keep what comes of them",
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    return parser


def _names(text: str) -> list[str]:
    names = text.split(",")
    unknown = [each for each in names if each not in TRACKS]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"wanted some of {', '.join(TRACKS)}, got {', '.join(unknown)}"
        )
    return names


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    raise SystemExit(main())
