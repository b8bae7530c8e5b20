"""The benchmark for GPUs runs, as far as a machine without one can tell."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.esrgan_gpu", *arguments]
    own = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "-1",
        "OMP_NUM_THREADS": "1",
        "ELASTICD_OFFLINE": "1",
    }
    return subprocess.run(
        command, cwd=REPOSITORY, env=own, capture_output=True, text=True, timeout=300, check=False
    )


def test_it_says_that_it_needs_a_gpu() -> None:
    done = run()
    assert (done.returncode, done.stderr) == (2, "")
    assert "wanted an NVIDIA GPU, torch finds none" in done.stdout


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.timeout(400)
def test_all_of_it_but_the_gpu_runs_on_a_cpu() -> None:
    small = [
        "--blocks",
        "1",
        "--size",
        "32",
        "--batches",
        "1",
        "--turns",
        "1",
        "--precisions",
        "tf32,bf16",
    ]
    done = run("--device", "cpu", *small)
    assert done.returncode == 0, done.stderr
    for what in (
        "reference ",
        "tf32 benchmark contiguous ",
        "bf16 ",
        "training stands still",
        "two ranks",
    ):
        assert what in done.stdout, done.stdout
    assert "a session of two, batch 1: " in done.stdout
