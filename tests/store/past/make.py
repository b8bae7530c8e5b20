"""Makes the databases of past releases that tests migrate: as SQL, filled by the code of their own
commit.

Run in a checkout with its history: python tests/store/past/make.py. A new fixture is a line in
`COMMITS`; those that are there are not made again unless they are named: make.py fea8dcf.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[2]
# Every schema that was the newest one of a commit. 0005, 0008 and 0009 came together with the next one.
COMMITS = {
    "5cd19bd": "migration 0001 of 21 November",
    "28b25f2": "migration 0001 of 22 November",
    "fea8dcf": "migration 0001 of 22 November, later",
    "fa676fa": "migration 0002",
    "6722120": "migration 0003",
    "214d14a": "migration 0004",
    "d2efcf4": "migration 0006",
    "1f2ef8d": "migration 0007",
    "5b5b0c9": "migration 0010",
    "acaf34e": "migration 0011",
    "e827369": "migration 0012",
    "884aad2": "migration 0013",
    "47df382": "migration 0014",
    "7845303": "migration 0015",
    "56d4198": "migration 0016",
    "e9907ff": "migration 0017",
    "d7dacc9": "migration 0018",
    "fd95ea1": "migration 0019",
}


def main(wanted: list[str]) -> None:
    """Makes the fixtures that are asked for, or all that are missing."""
    for commit, what in COMMITS.items():
        path = FOLDER / f"{commit}.sql"
        if commit in wanted or (not wanted and not path.exists()):
            text = dump_of(commit)
            path.write_text(f"-- {what}, by the code of commit {commit}; made by make.py\n{text}")
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")


def dump_of(commit: str) -> str:
    """A database that the code of `commit` made and filled, as SQL."""
    with tempfile.TemporaryDirectory() as folder:
        sources = ["elastic", "migrations", "tests/builders.py", "pyproject.toml"]
        archive = subprocess.run(
            ["git", "archive", commit, *sources], cwd=ROOT, check=True, capture_output=True
        )
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as packed:
            packed.extractall(folder, filter="data")
        Path(folder, "tests", "__init__.py").touch()  # or this checkout's would be imported
        database = Path(folder, "elasticd.db")
        subprocess.run(
            [sys.executable, FOLDER / "fill.py", database],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": folder},
            check=True,
        )
        with sqlite3.connect(database) as connection:
            return "".join(f"{line}\n" for line in connection.iterdump())


if __name__ == "__main__":
    main(sys.argv[1:])
