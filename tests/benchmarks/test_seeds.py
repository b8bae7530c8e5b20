"""The five programs of users keep their promises, and their table tells the truth."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from api.specs import to_spec
from benchmarks.seeds.own_log import batches_in
from benchmarks.seeds.rows import EXAMPLES, ROWS
from benchmarks.seeds.verdict import JobSeen, Seen, lines_of, shortfalls
from elastic.cli.job import read_spec
from tests.docs.pages import ROOT, page

JOBS = sorted(
    path
    for name in ("dcgan", "esrgan", "resnet", "rnn")
    for path in EXAMPLES.glob(f"{name}/*.yaml")
)


def seen() -> Seen:
    """A row in which everything is as it should be."""
    job = JobSeen("job-1", "succeeded", counted=200, logged=200)
    return Seen("S1", "ssh", "elasticd sweep job.yaml", "$", [job], 60.0, cost=0.01, bill=0.01)


def test_a_row_that_kept_everything_falls_short_nowhere() -> None:
    assert shortfalls(seen()) == []
    (line,) = lines_of(seen(), [])
    assert re.fullmatch(r"S1 +ssh +200 +200 +60 +0\.01 \$ +0  elasticd sweep job\.yaml", line)


def test_each_promise_that_is_broken_is_named() -> None:
    job = JobSeen("job-1", "failed", counted=197, logged=200)
    broken = replace(seen(), jobs=[job], cost=0.02, left=["node-7"], trouble=["no CSV"])
    assert shortfalls(broken) == [
        "no CSV",
        "job-1 should have succeeded, it is failed",
        "job-1: elasticd counts 197 iterations, the program 200",
        "the ledger has 0.020000 $, the bill 0.010000",
        "left behind: node-7",
    ]
    assert shortfalls(replace(seen(), jobs=[])) == ["no job was seen"]
    silent = JobSeen("job-1", "succeeded", counted=0, logged=0)
    assert shortfalls(replace(seen(), jobs=[silent])) == ["job-1: the program logged no iteration"]


def test_a_difference_within_one_in_a_hundred_is_none() -> None:
    assert shortfalls(replace(seen(), jobs=[JobSeen("job-1", "succeeded", 198, 200)])) == []


def test_iterations_that_a_restart_lost_count_once() -> None:
    rows = ["iteration,ranks", "1,1", "2,1", "3,1", "4,1", "3,2", "4,2"]
    assert batches_in(rows) == 6
    assert batches_in([*rows, "2,1"]) == 2


@pytest.mark.parametrize("path", JOBS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_job_of_an_example_is_valid(path: Path) -> None:
    document, code = read_spec(str(path))
    assert to_spec(document, now_s=0.0).name
    if "code" in document:
        assert code is not None and {"train.py", "make_data.py"} <= set(code.paths)


def test_no_program_knows_of_elasticd() -> None:
    programs = list(EXAMPLES.glob("*/train.py"))
    assert len(programs) >= 4
    assert [each for each in programs if "import elastic" in each.read_text()] == []


def test_each_row_has_a_page() -> None:
    index = page("docs/examples/README.md")
    assert [name for name in ROWS if not re.search(rf"\| {name} \| \[", index)] == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_short_form_keeps_every_promise() -> None:
    run_seeds("--rows", "S1", "--short")


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_all_five_keep_every_promise() -> None:
    run_seeds()


def run_seeds(*options: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.seeds", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if left_out := re.findall(r"^S\d +left out: .*", done.stdout, re.MULTILINE):
        pytest.skip("; ".join(left_out))
