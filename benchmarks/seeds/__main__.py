"""Runs five programs as their users write them, and prints a row of each.

Run: python -m benchmarks.seeds [--rows S1,S3] [--short] Each row has a daemon of its own, and real
hosts, a real Slurm or the lab. What elasticd counts is compared with the program's own log. Ends
with status 1 where a row falls short. What this machine lacks is said, and its row left out.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.row_names import names_of
from benchmarks.seeds.places import Missing
from benchmarks.seeds.rows import ROWS, play
from benchmarks.seeds.verdict import HEADER, lines_of, shortfalls
from elastic.errors import ElasticError


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the rows that are asked for, one after another; gives the exit status."""
    given = _parser().parse_args(arguments)
    failed = 0
    ran = 0
    print(HEADER, flush=True)
    runs = [(ROWS[name], where) for name in given.rows for where in ROWS[name].places]
    for row, where in runs:
        # Sockets below it have paths of at most 107 characters.
        folder = Path(tempfile.mkdtemp(prefix="seeds-"))
        try:
            seen = play(row, where, folder, short=given.short)
        except Missing as missing:
            print(f"{row.name:5}left out: {missing}", flush=True)
            shutil.rmtree(folder)
            continue
        except (AssertionError, ElasticError, subprocess.TimeoutExpired) as error:
            # The place itself failed, or a command hung: the other rows may still tell something.
            print(f"{row.name:5}falls short: {error}\n    logs and data: {folder}", flush=True)
            ran += 1
            failed += 1
            continue
        found = shortfalls(seen)
        print(*lines_of(seen, found), sep="\n", flush=True)
        ran += 1
        if found:
            failed += 1
            print(f"    logs and data: {folder}", flush=True)
        else:
            shutil.rmtree(folder)
    print(f"{ran - failed} of {ran} rows kept every promise")
    return int(failed > 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.seeds",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=names_of(ROWS), default=tuple(ROWS), help="names, by commas")
    parser.add_argument("--short", action="store_true", help="fewer runs, for CI")
    return parser


if __name__ == "__main__":
    for each in (signal.SIGINT, signal.SIGTERM):
        # In the background of a shell SIGINT would be ignored.
        signal.signal(each, signal.default_int_handler)
    sys.exit(main())
