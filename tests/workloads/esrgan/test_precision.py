"""The models compute in the one format that the job names, and fp16 with a loss scale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from elastic.errors import InvalidInput
from elastic.workloads import WORKLOADS
from elastic.workloads.arithmetic import LossScale, settle
from elastic.workloads.checkpoint import Checkpoints
from elastic.workloads.esrgan.networks import build_networks
from elastic.workloads.esrgan.training import TrainingProgress, options_digest
from elastic.workloads.esrgan.training.progress import resume, state_of
from tests.certificates import certificate
from tests.workloads.esrgan.builders import (
    TINY,
    a_batch,
    alone,
    fp16_stepper,
    stepper_in,
    tiny_options,
    write_photographs,
)
from tests.workloads.esrgan.ranks import run_ranks

CPU = torch.device("cpu")


def test_a_node_computes_in_what_is_asked_for_or_not_at_all() -> None:
    assert settle("fp32", CPU) == "fp32"
    assert settle("auto", CPU) in ("fp32", "bf16")
    with pytest.raises(InvalidInput, match="wanted cpu hardware that computes in fp16"):
        settle("fp16", CPU)


def test_fp16_trains_as_fp32_does_but_for_rounding() -> None:
    options = tiny_options()
    whole, in_fp32 = stepper_in(torch.float32, options, alone())
    half, in_fp16 = fp16_stepper(options, alone())
    assert half.loss_scale is not None
    # The first scale is too great for the first turn, as it often is.
    half.loss_scale.value.fill_(1024.0)
    begun = [weight.detach().clone() for weight in whole.generator.parameters()]
    for _ in range(5):
        losses = in_fp32.gan_turn(a_batch(), lr=1e-4, stop=False).losses
        losses_fp16 = in_fp16.gan_turn(a_batch(), lr=1e-4, stop=False).losses
    torch.testing.assert_close(losses_fp16, losses, rtol=0.005, atol=0)
    moved = sum(
        (a - b).square().sum() for a, b in zip(begun, whole.generator.parameters(), strict=True)
    )
    pairs = zip(half.generator.parameters(), whole.generator.parameters(), strict=True)
    apart = sum((a - b).square().sum() for a, b in pairs)
    assert apart < 0.02 * moved
    assert all(weight.dtype == torch.float32 for weight in half.generator.parameters())
    assert half.loss_scale.read() == 1024.0


def test_a_turn_whose_gradients_overflow_moves_nothing_but_the_scale() -> None:
    networks, stepper = fp16_stepper(tiny_options(), alone())
    assert networks.loss_scale is not None
    networks.loss_scale.value.fill_(2.0**40)
    before = [each.clone() for each in networks.tensors()]
    stepper.gan_turn(a_batch(), lr=1e-3, stop=False)
    *state, value, good_turns = zip(before, networks.tensors(), strict=True)
    assert all(torch.equal(old, new) for old, new in state)
    assert value[1].item() == 2.0**39 and good_turns[1].item() == 0


def test_the_scale_is_kept_in_checkpoints(tmp_path: Path) -> None:
    options = tiny_options()
    networks, stepper = fp16_stepper(options, alone())
    stepper.warmup_turn(a_batch(), lr=1e-3, stop=False)
    assert networks.loss_scale is not None
    networks.loss_scale.value.fill_(512.0)
    checkpoints = Checkpoints(tmp_path, "esrgan", options_digest(options))
    checkpoints.save(1, state_of(networks, TrainingProgress(1, 4), lr=1e-3))
    fresh, _ = fp16_stepper(options, alone())
    resume(checkpoints, fresh, alone(), say=pytest.fail)
    assert fresh.loss_scale is not None
    assert [each.item() for each in fresh.loss_scale.tensors()] == [512.0, 1]


def test_a_checkpoint_from_before_fp16_begins_with_a_scale_of_its_own(tmp_path: Path) -> None:
    options = tiny_options()
    checkpoints = Checkpoints(tmp_path, "esrgan", options_digest(options))
    networks, _ = stepper_in(torch.float32, options, alone())
    checkpoints.save(1, state_of(networks, TrainingProgress(1, 4), lr=1e-3))
    fresh = build_networks(options, CPU, loss_scale=LossScale(CPU))
    assert resume(checkpoints, fresh, alone(), say=pytest.fail).iteration == 1
    assert fresh.loss_scale is not None and fresh.loss_scale.read() == 65536.0


@pytest.mark.slow
def test_what_overflows_on_one_rank_is_skipped_on_all(tmp_path: Path) -> None:
    run_ranks("tests.workloads.esrgan.fp16_rank", str(tmp_path), ranks=2)
    states = {path.stem: torch.load(path, weights_only=True) for path in tmp_path.glob("*.pt")}
    for when in ("before-2", "before-3", "end"):
        assert all(map(torch.equal, states[f"rank-0-{when}"], states[f"rank-1-{when}"]))
    *before, scale_before, _ = states["rank-0-before-2"]
    *after, scale_after, _ = states["rank-0-before-3"]
    *end, _, good_turns = states["rank-0-end"]
    assert all(map(torch.equal, before, after)) and not all(map(torch.equal, after, end))
    assert scale_after.item() == scale_before.item() / 2
    assert good_turns.item() == 1


# This machine's processor may have no arithmetic for fp16: slow at this size is no matter.
IN_FP16 = """
import sys
from elastic.workloads.esrgan.training import training
from elastic.workloads.esrgan.__main__ import main

training.settle = lambda precision, device: precision
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_a_job_in_fp16_trains_on_and_says_its_scale(tmp_path: Path) -> None:
    data = str(write_photographs(tmp_path / "photographs"))
    log = _train_in_fp16(tmp_path, data, iterations=2)
    assert "losses multiplied by 65536" in log
    kept = torch.load(max((tmp_path / "checkpoints").glob("*.pt")), weights_only=True)["state"][
        "loss_scale"
    ]
    assert [each.item() for each in kept] == [65536.0, 2]
    assert "iteration 2 of 5" in _train_in_fp16(tmp_path, data, iterations=5)


@pytest.mark.slow
def test_a_session_refuses_fp16_before_it_looks_for_its_members(tmp_path: Path) -> None:
    data = str(write_photographs(tmp_path / "photographs"))
    done = _run_in_fp16(
        tmp_path,
        data,
        iterations=2,
        ELASTICD_SESSION_STORE="127.0.0.1:1",
        ELASTICD_CERTIFICATE=certificate(),
    )
    assert done.returncode == 2
    assert "wanted fp32 or bf16 in a session, which has no loss scale" in done.stderr


def _train_in_fp16(folder: Path, data: str, *, iterations: int) -> str:
    done = _run_in_fp16(folder, data, iterations=iterations)
    assert done.returncode == 0, done.stderr
    return done.stderr


def _run_in_fp16(
    folder: Path, data: str, *, iterations: int, **more: str
) -> subprocess.CompletedProcess[str]:
    options = WORKLOADS["esrgan"].configure(
        {**TINY, "data": data, "iterations": iterations, "precision": "fp16"}
    )
    arguments = [*WORKLOADS["esrgan"].command(options), "--log_interval", "1"]
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "ELASTICD_OFFLINE": "1",
        "ELASTICD_CHECKPOINT_DIR": str(folder / "checkpoints"),
        "ELASTICD_ARTIFACT_DIR": str(folder / "artifacts"),
        **more,
    }
    command = [sys.executable, "-c", IN_FP16, *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=90, check=False
    )
