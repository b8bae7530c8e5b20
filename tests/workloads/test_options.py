"""Options of a workload: checked by name and value, the same whether from JSON or from argv."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elastic.errors import InvalidInput
from elastic.workloads import WORKLOADS, Phase
from elastic.workloads.esrgan import EsrganOptions, looked_over, phases, placed
from elastic.workloads.esrgan.files import brought
from elastic.workloads.options import from_argv, to_argv

REFERENCE = [
    "epoch",
    "n_epochs",
    "dataset_name",
    "batch_size",
    "lr",
    "b1",
    "b2",
    "decay_epoch",
    "n_cpu",
    "hr_height",
    "hr_width",
    "channels",
    "sample_interval",
    "checkpoint_interval",
    "residual_blocks",
    "warmup_batches",
    "lambda_adv",
    "lambda_pixel",
    "cuda",
    "local_rank",
]


def test_every_hyperparameter_of_the_reference_is_an_option() -> None:
    names = {field.name for field in dataclasses.fields(EsrganOptions)}
    assert set(REFERENCE) <= names


def test_the_reference_architecture_is_the_default() -> None:
    options = EsrganOptions()
    assert (options.residual_blocks, options.filters, options.feature_layers, options.skip) == (
        23,
        64,
        35,
        "none",
    )


@pytest.mark.parametrize(
    ("values", "name", "complaint"),
    [
        ({"lr": float("nan")}, "lr", "wanted a finite number, got nan"),
        ({"lr": float("inf")}, "lr", "wanted a finite number, got inf"),
        ({"lr": 0.0}, "lr", "wanted at least 1e-12, got 0.0"),
        ({"batch_size": 0}, "batch_size", "wanted at least 1, got 0"),
        ({"batch_size": 2.0}, "batch_size", "wanted a whole number, got 2.0"),
        ({"batch_size": True}, "batch_size", "wanted a whole number, got True"),
        ({"batch_size": "4"}, "batch_size", "wanted a whole number, got '4'"),
        ({"batch_size": None}, "batch_size", "wanted a whole number, got None"),
        ({"hr_width": 30}, "hr_width", "wanted a multiple of 4, got 30"),
        ({"hr_height": 10**9}, "hr_height", "wanted at most 4096"),
        ({"channels": 2}, "channels", "wanted one of 3, 1"[:12]),
        ({"precision": "fp8"}, "precision", "wanted one of auto, fp32, bf16, fp16, got 'fp8'"),
        ({"dataset_name": "../../etc"}, "dataset_name", "wanted a plain folder name"),
        ({"epoch": 200}, "epoch", "wanted less than n_epochs (200)"),
        ({"data": ""}, "data", "wanted skimage or the path of a folder"),
        ({"data": "~/photographs"}, "data", "wanted an absolute path, or one that counts from"),
        ({"init": "~/generator_ema.safetensors"}, "init", "wanted an absolute path, or one that"),
        (
            {"dataset_name": "img_align_celeba"},
            "dataset_name",
            "looked nowhere, since data does not say where it lies",
        ),
        (
            {"dataset_name": "celeba", "data": "skimage"},
            "dataset_name",
            "say data: skimage and leave dataset_name out",
        ),
        ({"cuda": 1}, "cuda", "wanted true or false, got 1"),
        (
            {"learning_rate": 0.1},
            "learning_rate",
            "no such option; the options are epoch, n_epochs",
        ),
    ],
)
def test_a_wrong_value_is_refused_by_name(
    values: dict[str, Any], name: str, complaint: str
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        WORKLOADS["esrgan"].configure(values)
    assert str(refusal.value).startswith(f"{name}: ")
    assert complaint in str(refusal.value)
    assert refusal.value.field == name


def test_an_unknown_preset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="preset: wanted one of small, got 'tiny'"):
        WORKLOADS["esrgan"].configure(preset="tiny")


def test_values_win_over_the_preset_and_the_preset_over_defaults() -> None:
    options = WORKLOADS["esrgan"].configure({"residual_blocks": 3}, preset="small")
    assert (options.residual_blocks, options.hr_height) == (3, 32)


@given(
    lr=st.floats(1e-12, 1.0),
    batch_size=st.integers(1, 65536),
    iterations=st.none() | st.integers(1, 10**9),
    dataset_name=st.none() | st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", fullmatch=True),
)
def test_the_command_line_gives_the_options_back(
    lr: float, batch_size: int, iterations: int | None, dataset_name: str | None
) -> None:
    options = EsrganOptions(
        lr=lr,
        batch_size=batch_size,
        iterations=iterations,
        dataset_name=dataset_name,
        data="/photographs",
        cuda=True,
    )
    assert from_argv(EsrganOptions, to_argv(options), program="test") == options


@pytest.mark.parametrize(
    ("argv", "cuda"),
    [
        (["--cuda", "--local_rank", "0"], True),
        (["--local-rank=0", "--cuda=False"], False),
        (["--cuda", "1", "--local-rank", "0"], True),
    ],
)
def test_what_copies_of_the_reference_are_started_with_is_taken(
    argv: list[str], cuda: bool
) -> None:
    options = from_argv(EsrganOptions, argv, program="test")
    assert (options.cuda, options.local_rank) == (cuda, 0)
    assert from_argv(EsrganOptions, to_argv(options), program="test") == options


def test_a_dataset_is_looked_for_where_the_reference_has_it(tmp_path: Path) -> None:
    here = tmp_path / "implementations" / "esrgan"
    here.mkdir(parents=True)
    with pytest.raises(InvalidInput) as refusal:
        placed({"dataset_name": "celeba"}, here)
    assert all(str(each / "data" / "celeba") in str(refusal.value) for each in (here, tmp_path))
    assert "say data: skimage and leave dataset_name out" in str(refusal.value)
    (tmp_path / "data" / "celeba").mkdir(parents=True)
    assert placed({"dataset_name": "celeba"}, here) == {
        "dataset_name": "celeba",
        "data": str(tmp_path / "data"),
    }
    (here / "data" / "celeba").mkdir(parents=True)
    assert placed({"dataset_name": "celeba"}, here)["data"] == str(here / "data")


def test_paths_of_images_and_weights_count_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "begin.safetensors").touch()
    found = placed({"data": "photos", "init": "begin.safetensors", "lr": 1.0}, tmp_path)
    assert found == {
        "data": f"{tmp_path}/photos",
        "init": f"{tmp_path}/begin.safetensors",
        "lr": 1.0,
    }
    untouched = {"data": "skimage", "init": "begin.safetensors"}
    assert placed(untouched, tmp_path / "elsewhere") == untouched
    assert placed({"data": "s3://bucket/photos"}, tmp_path) == {"data": "s3://bucket/photos"}


def test_images_in_a_bucket_are_where_the_agent_has_brought_them() -> None:
    options = EsrganOptions(data="s3://photos/faces")
    assert brought(options, {"ELASTICD_DATA_DIR": "/data"}).data == "/data"
    assert brought(EsrganOptions(), {"ELASTICD_DATA_DIR": "/data"}).data == "skimage"
    with pytest.raises(InvalidInput, match="data: wanted a folder, got s3://photos/faces"):
        brought(options, {})


def test_what_is_on_no_node_yet_is_not_looked_at(tmp_path: Path) -> None:
    (told,) = looked_over(EsrganOptions(data="/far/away"))
    assert told.startswith("data: /far/away is not on this machine")
    assert "scikit-image" in looked_over(EsrganOptions())[0]


def test_weights_to_begin_with_that_are_not_where_they_are_looked_for_are_refused(
    tmp_path: Path,
) -> None:
    for data in (str(tmp_path), "skimage"):
        with pytest.raises(
            InvalidInput, match=r"init: wanted weights \(safetensors\), found no w\.safetensors"
        ) as e:
            looked_over(EsrganOptions(data=data, init="w.safetensors"))
        assert e.value.field == "init"
    elsewhere = (
        ("/far/away", "w.safetensors"),
        ("s3://bucket/a", "w.safetensors"),
        (str(tmp_path), "/far/w"),
    )
    for data, init in elsewhere[:2]:
        assert looked_over(EsrganOptions(data=data, init=init))[0].startswith(
            f"init: {init} in {data} is not on this"
        )
    with pytest.raises(InvalidInput, match="at least two images"):
        # An absolute path may be the nodes' own.
        looked_over(EsrganOptions(data=elsewhere[2][0], init=elsewhere[2][1]))


def test_every_preset_survives_its_own_command_line() -> None:
    for workload in WORKLOADS.values():
        for preset in workload.presets:
            options = workload.configure(preset=preset)
            assert from_argv(workload.options, workload.command(options), program="test") == options


def test_phases_tell_the_warm_up_from_the_rest() -> None:
    assert phases(EsrganOptions(warmup_batches=7)) == (Phase("warmup", 7), Phase("gan"))
    assert phases(EsrganOptions(warmup_batches=0)) == (Phase("gan"),)


def test_options_are_known_without_torch() -> None:
    program = (
        "import sys, elastic.workloads; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=30).returncode == 0
