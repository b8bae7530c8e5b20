"""What a job leaves to enlarge pictures by, and what another one may begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from elastic.errors import InvalidInput
from elastic.workloads.checkpoint.checkpoint import digest_of
from elastic.workloads.esrgan import weights
from elastic.workloads.esrgan.generator import Generator, upscaler_of
from elastic.workloads.esrgan.training import Places, train
from tests.workloads.esrgan.builders import alone, tiny_options, write_photographs


@pytest.fixture
def data(tmp_path: Path) -> str:
    return str(write_photographs(tmp_path / "photographs"))


def places(folder: Path) -> Places:
    return Places(folder / "checkpoints", folder / "artifacts")


def trained(folder: Path, data: str, **options: Any) -> Path:
    """Gives the artifacts of a job that has trained."""
    train(tiny_options(data=data, **options), alone(), places(folder))
    return folder / "artifacts"


def state_of(folder: Path) -> dict[str, Any]:
    state: dict[str, Any] = torch.load(
        max((folder / "checkpoints").glob("*.pt")), weights_only=True
    )["state"]
    return state


def test_a_job_leaves_its_last_weights_and_their_average_and_says_what_they_are(
    data: str, tmp_path: Path
) -> None:
    left = trained(tmp_path, data, iterations=5)
    state = state_of(tmp_path)
    for name, part in ((weights.LAST, "generator"), (weights.AVERAGE, "generator_average")):
        names = [each for each, _ in Generator(tiny_options()).named_parameters()]
        found = weights.read(left / name)
        assert all(map(torch.equal, (found[each] for each in names), state[part]))
        told = weights.metadata_of(left / name)
        shape = {
            "channels": "3",
            "filters": "4",
            "residual_blocks": "1",
            "skip": "none",
            "scale": "4",
        }
        assert (
            told.items() >= {**shape, "preset": "none", "iteration": "5", "iterations": "5"}.items()
        )
        assert told["is_moving_average"] == str(name == weights.AVERAGE).lower()
        with safe_open(left / name, framework="pt") as file:  # as other programs read it
            assert file.metadata() == told
    assert not any(map(torch.equal, state["generator"], state["generator_average"]))


def test_a_job_that_is_asked_to_stop_leaves_them_as_far_as_it_came(
    data: str, tmp_path: Path
) -> None:
    left = trained(tmp_path, data, iterations=2)
    before = weights.read(left / weights.AVERAGE)
    trained(tmp_path, data, iterations=4)
    assert weights.metadata_of(left / weights.AVERAGE)["iteration"] == "4"
    assert not all(map(torch.equal, before.values(), weights.read(left / weights.AVERAGE).values()))
    assert sorted(path.name for path in left.glob("*.partial")) == []


def test_a_checkpoint_from_before_there_was_an_average_begins_one_at_its_weights(
    data: str, tmp_path: Path
) -> None:
    trained(tmp_path, data, iterations=2)
    path = max((tmp_path / "checkpoints").glob("*.pt"))
    content = torch.load(path, weights_only=True)
    del content["state"]["generator_average"]
    torch.save({**content, "digest": digest_of(content["state"])}, path)
    trained(tmp_path, data, iterations=3)
    assert state_of(tmp_path)["progress"]["iteration"] == 3


def test_a_job_begins_with_the_weights_that_it_is_given(data: str, tmp_path: Path) -> None:
    left = trained(tmp_path / "first", data, iterations=3)
    again = trained(
        tmp_path / "second", data, iterations=1, init=str(left / weights.AVERAGE), lr=1e-12
    )
    given = weights.read(left / weights.AVERAGE)
    for name in (weights.LAST, weights.AVERAGE):
        found = weights.read(again / name)
        assert all(torch.allclose(found[each], given[each], atol=1e-6) for each in given)


def test_weights_to_begin_with_may_lie_beside_the_images(data: str, tmp_path: Path) -> None:
    left = trained(tmp_path / "first", data, iterations=1)
    (Path(data) / "begin.safetensors").write_bytes((left / weights.LAST).read_bytes())
    trained(tmp_path / "second", data, iterations=1, init="begin.safetensors")


def test_weights_of_another_shape_are_refused_before_training(data: str, tmp_path: Path) -> None:
    left = trained(tmp_path / "first", data, iterations=1)
    with pytest.raises(
        InvalidInput,
        match="init: wanted weights with filters 8, skip bicubic, as this job trains; ",
    ) as e:
        trained(
            tmp_path / "second",
            data,
            iterations=1,
            init=str(left / weights.LAST),
            filters=8,
            skip="bicubic",
        )
    assert "has filters 4, skip none" in str(e.value) and e.value.field == "init"
    assert not (tmp_path / "second" / "artifacts").exists()


def _foreign(path: Path) -> None:
    save_file({"a": torch.zeros(2)}, path)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-50])


def _misshapen(path: Path) -> None:
    tensors, told = load_file(path), weights.metadata_of(path)
    save_file({**tensors, "head.weight": torch.zeros(1)}, path, metadata=told)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda path: path.unlink(), "found no such file"),
        (lambda path: path.write_text("{}"), "found a file of another kind"),
        (_foreign, "wanted weights that a job of the workload esrgan left"),
        (_cut, "found a damaged file"),
        (_misshapen, "wanted weights of the shape that it says, found others"),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_refused(
    change: Any, complaint: str, data: str, tmp_path: Path
) -> None:
    path = trained(tmp_path, data, iterations=1) / weights.LAST
    change(path)
    with pytest.raises(InvalidInput, match=complaint) as refusal:
        upscaler_of(path)
    assert str(path) in str(refusal.value)
