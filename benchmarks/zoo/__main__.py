"""Runs scripts of many kinds unmodified under a daemon, and prints what came of each.

Run: python -m benchmarks.zoo [--rows ddp,gan] [--preload no,yes] [--jobs 2] Each script begins on
one node, goes on with two, loses one by SIGKILL, gets another, and ends on one. Its own log is
compared with what elasticd says. Ends with status 1 where a row falls short. Takes 60 to 150 s a
row, with preloading and again without, two rows at a time.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from benchmarks.row_names import names_of
from benchmarks.zoo.daemon import SETTINGS
from benchmarks.zoo.play import play
from benchmarks.zoo.rows import PRELOAD, ROWS
from benchmarks.zoo.table import HEADER, lines_of
from benchmarks.zoo.verdict import shortfalls
from tests.e2e.running import running_daemon


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays the rows that are asked for; gives the exit status."""
    given = _parser().parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="elasticd-zoo-"))
    short = 0
    runs = [
        (name, preload)
        for name in given.rows
        for preload in given.preload
        if preload in ROWS[name].preload
    ]
    print(HEADER, flush=True)
    pool = ThreadPoolExecutor(given.jobs)
    try:
        with running_daemon(folder, config=SETTINGS) as daemon:
            pending = {
                pool.submit(
                    play,
                    ROWS[name],
                    preload=preload,
                    daemon=daemon,
                    folder=_folder_of(folder, name, preload),
                )
                for name, preload in runs
            }
            for future in as_completed(pending):
                seen = future.result()
                found = shortfalls(seen)
                short += bool(found)
                print(
                    *lines_of(seen, found, str(folder / f"{seen.row.name}-preload-{seen.preload}")),
                    sep="\n",
                    flush=True,
                )
    finally:
        pool.shutdown(cancel_futures=True)  # what still plays ends with the daemon
    if short == 0:
        shutil.rmtree(folder)
        print(f"{len(runs)} of {len(runs)} runs kept every promise")
        return 0
    print(f"{short} of {len(runs)} runs fall short; the daemon's log and data: {folder}")
    return 1


def _folder_of(folder: Path, name: str, preload: str) -> Path:
    own = folder / f"{name}-preload-{preload}"
    own.mkdir()
    return own


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.zoo",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=names_of(ROWS), default=tuple(ROWS), help="names, by commas")
    parser.add_argument(
        "--preload", type=names_of(PRELOAD), default=PRELOAD, help="no, yes or both"
    )
    parser.add_argument("--jobs", type=int, default=2, help="rows that are played at the same time")
    return parser


if __name__ == "__main__":
    for each in (signal.SIGINT, signal.SIGTERM):
        # In the background of a shell SIGINT would be ignored.
        signal.signal(each, signal.default_int_handler)
    sys.exit(main())
