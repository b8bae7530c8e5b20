from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from elastic.providers import precisions, precisions_here, precisions_of_gpu
from elastic.providers.ec2 import catalog


@pytest.mark.parametrize(
    ("model", "formats"),
    [
        ("K80", "fp32"), ("M60", "fp32"), ("Tesla K80", "fp32"),
        ("V100", "fp32 fp16"), ("T4", "fp32 fp16"), ("T4g", "fp32 fp16"), ("Tesla V100-SXM2-16GB", "fp32 fp16"),
        ("A10G", "fp32 bf16 fp16"), ("A100", "fp32 bf16 fp16"), ("L4", "fp32 bf16 fp16"), ("L40S", "fp32 bf16 fp16"),
        ("H100", "fp32 bf16 fp16"), ("NVIDIA H200", "fp32 bf16 fp16"), ("B200", "fp32 bf16 fp16"),
        ("RTX PRO Server 6000", "fp32 bf16 fp16"),
    ],
)  # fmt: skip
def test_a_gpu_computes_in_what_its_generation_has(model: str, formats: str) -> None:
    assert " ".join(precisions_of_gpu(model)) == formats


def test_a_gpu_of_another_maker_is_trusted_with_fp32_alone() -> None:
    assert list(precisions_of_gpu("Radeon Pro V520", "AMD")) == ["fp32"]


@pytest.mark.parametrize(
    ("cpuinfo", "formats"),
    [
        (
            "processor\t: 0\nflags\t\t: fpu avx2 avx512f avx512_bf16\n\nprocessor\t: 1\nflags\t\t: "
            "fpu\n",
            "fp32 bf16",
        ),
        ("processor\t: 0\nflags\t\t: fpu amx_bf16\n", "fp32 bf16"),
        ("processor\t: 0\nflags\t\t: fpu avx2\n", "fp32"),
        ("processor\t: 0\nFeatures\t: fp asimd svei8mm bf16\n", "fp32 bf16"),
        ("processor\t: 0\nFeatures\t: fp asimd svebf16\n", "fp32"),
        ("", "fp32"),
    ],
)
def test_this_machine_computes_in_what_its_processor_s_flags_say(
    cpuinfo: str, formats: str, tmp_path: Path
) -> None:
    (tmp_path / "cpuinfo").write_text(cpuinfo)
    assert " ".join(precisions_here(tmp_path)) == formats


def test_this_machine_computes_in_what_its_gpu_does_if_it_has_one(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("flags\t: avx512_bf16\n")
    gpu = tmp_path / "driver" / "nvidia" / "gpus" / "0000:00:1e.0"
    gpu.mkdir(parents=True)
    (gpu / "information").write_text("Model: \t\t Tesla T4\nIRQ:   \t\t 33\n")
    assert " ".join(precisions_here(tmp_path)) == "fp32 fp16"


def test_where_no_file_says_what_this_machine_can_do_it_is_trusted_with_fp32_alone(
    tmp_path: Path,
) -> None:
    assert list(precisions_here(tmp_path)) == ["fp32"]


def test_the_examples_in_docstrings_are_right() -> None:
    assert doctest.testmod(precisions).failed == 0
    assert doctest.testmod(catalog).failed == 0
