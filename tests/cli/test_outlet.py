"""What a command does is done, whether anybody still reads what it prints or not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.world import TOKEN
from tests.cli.conftest import Live

JOB = "name: {name}\ncommand: [train.py]\nnodes: {{max: 2}}\niterations: 100\n"


def unread(live: Live, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a command into a pipe that nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, "-m", "elastic.cli", *arguments],
            env={**os.environ, "ELASTICD_URL": live.url, "ELASTICD_TOKEN": TOKEN},
            cwd=folder,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
    finally:
        os.close(writing)


@pytest.mark.parametrize("output", ["table", "json"])
def test_a_job_is_submitted_though_nobody_reads_its_plan(
    live: Live, tmp_path: Path, output: str
) -> None:
    (tmp_path / "job.yaml").write_text(JOB.format(name=f"unread-{output}"))
    (tmp_path / "train.py").touch()
    done = unread(live, tmp_path, "job", "submit", "-f", "job.yaml", "--yes", "-o", output)
    assert (done.returncode, done.stderr) == (0, "")
    assert live.world.store.jobs.get(f"unread-{output}").spec.iterations == 100


@pytest.mark.parametrize(
    "arguments", [("job", "ls"), ("job", "get", "first"), ("event", "ls"), ("--help",)]
)
def test_a_listing_that_nobody_reads_ends_quietly(
    live: Live, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = unread(live, tmp_path, *arguments)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("output", "shown"), [("table", r"f\xfcr \u2713"), ("json", r"f\u00fcr \u2713")]
)
def test_letters_that_the_terminals_encoding_lacks_are_escaped(
    live: Live, tmp_path: Path, output: str, shown: str
) -> None:
    job = "name: letters\ncommand: [train.py, --title, für ✓]\niterations: 100\n"
    (tmp_path / "job.yaml").write_text(job, encoding="utf-8")
    (tmp_path / "train.py").touch()
    settings = {"ELASTICD_URL": live.url, "ELASTICD_TOKEN": TOKEN, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "elastic.cli", "plan", "job.yaml", "-o", output],
        env={**os.environ, **settings},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert shown in done.stdout


def test_in_a_common_log_an_error_stands_behind_what_was_printed_before_it(
    live: Live, tmp_path: Path
) -> None:
    (tmp_path / "job.yaml").write_text(JOB.format(name="unasked"))
    (tmp_path / "train.py").touch()
    done = subprocess.run(
        [sys.executable, "-m", "elastic.cli", "job", "submit", "-f", "job.yaml"],
        env={**os.environ, "ELASTICD_URL": live.url, "ELASTICD_TOKEN": TOKEN},
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    *_, last = done.stdout.splitlines()
    assert last.startswith("elasticd: submit this job? There is no terminal to ask on")


def test_a_job_is_not_watched_for_nobody(live: Live, tmp_path: Path) -> None:
    done = unread(live, tmp_path, "job", "watch", "first", "--timeout", "50")
    assert (done.returncode, done.stderr) == (101, "")
