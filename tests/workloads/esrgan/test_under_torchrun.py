"""The whole program under torchrun: it learns, and two ranks stop together when one is asked to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from time import monotonic

import pytest

from elastic.clock import SystemClock
from elastic.workloads import WORKLOADS
from tests.workloads.esrgan.builders import TINY, write_photographs

pytestmark = pytest.mark.slow


def start(folder: Path, arguments: list[str], *, ranks: int) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "ELASTICD_OFFLINE": "1",
        "ELASTICD_CHECKPOINT_DIR": str(folder / "checkpoints"),
        "ELASTICD_ARTIFACT_DIR": str(folder / "artifacts"),
        "ELASTICD_DRAIN_FILE": str(folder / "drain"),
    }
    torchrun = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        f"--nproc-per-node={ranks}",
    ]
    command = [*torchrun, "--module", "elastic.workloads.esrgan", *arguments]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str], *, timeout_s: float) -> str:
    try:
        _, log = process.communicate(timeout=timeout_s)
    finally:
        process.kill()
    assert process.returncode == 0, log
    return log


@pytest.mark.timeout(400)
def test_the_small_preset_learns_to_beat_its_start_and_bicubic(tmp_path: Path) -> None:
    workload = WORKLOADS["esrgan"]
    options = workload.configure({"iterations": 240, "warmup_batches": 60}, preset="small")
    log = finish(start(tmp_path, workload.command(options), ranks=1), timeout_s=380)
    report = json.loads((tmp_path / "artifacts" / "report.json").read_text())
    assert report["psnr_y_db"] > report["start_psnr_y_db"] + 0.1, log
    assert report["psnr_y_db"] > report["bicubic_psnr_y_db"], log
    assert (tmp_path / "artifacts" / "samples_final.png").stat().st_size > 10_000
    assert "VGG19 features are" in log or report["vgg19_features"] == "pretrained"


def test_two_ranks_stop_at_the_same_turn_and_one_goes_on_from_there(tmp_path: Path) -> None:
    data = str(write_photographs(tmp_path / "photographs"))
    workload = WORKLOADS["esrgan"]
    endless = workload.configure(
        {**TINY, "data": data, "iterations": 10**6, "checkpoint_interval": 10}
    )
    process = start(tmp_path, workload.command(endless), ranks=2)
    _wait_for_a_checkpoint(tmp_path / "checkpoints", process)
    (tmp_path / "drain").touch()
    log = finish(process, timeout_s=60)
    assert "2 ranks" in log
    stopped = _newest(tmp_path / "checkpoints")
    assert f"stopped after iteration {stopped}" in log
    (tmp_path / "drain").unlink()
    shorter = workload.configure({**TINY, "data": data, "iterations": stopped + 3})
    log = finish(start(tmp_path, workload.command(shorter), ranks=1), timeout_s=60)
    assert f"1 ranks, fp32, cpu, iteration {stopped} of {stopped + 3}" in log
    assert _newest(tmp_path / "checkpoints") == stopped + 3


def test_wrong_options_end_it_with_a_sentence() -> None:
    command = [sys.executable, "-m", "elastic.workloads.esrgan", "--hr_width", "30"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == "esrgan: error: hr_width: wanted a multiple of 4, got 30\n"


def _wait_for_a_checkpoint(folder: Path, process: subprocess.Popen[str]) -> None:
    deadline_s = monotonic() + 90
    while not any(folder.glob("*.pt")):
        assert process.poll() is None and monotonic() < deadline_s, "no checkpoint came"
        SystemClock().sleep(0.05)


def _newest(folder: Path) -> int:
    return max(int(path.stem.removeprefix("checkpoint-")) for path in folder.glob("*.pt"))
