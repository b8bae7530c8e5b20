"""The main loop: what it leaves behind, and that stopping and going on changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from elastic.errors import InvalidInput
from elastic.workloads.checkpoint import CheckpointRefused
from elastic.workloads.esrgan.training import Places, train
from tests.workloads.esrgan.builders import alone, tiny_options, write_photographs


@pytest.fixture
def data(tmp_path: Path) -> str:
    return str(write_photographs(tmp_path / "photographs"))


def places(folder: Path) -> Places:
    return Places(folder / "checkpoints", folder / "artifacts")


def newest_state(folder: Path) -> dict[str, Any]:
    path = max((folder / "checkpoints").glob("*.pt"))
    content: dict[str, Any] = torch.load(path, weights_only=True)
    state: dict[str, Any] = content["state"]
    return state


def assert_same(a: Any, b: Any) -> None:
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            assert_same(a[key], b[key])
    elif isinstance(a, list):
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    else:
        assert torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b


@pytest.mark.parametrize("threads", [0, 2])
def test_stopping_and_going_on_changes_nothing(data: str, threads: int, tmp_path: Path) -> None:
    common = {"data": data, "n_epochs": 1, "decay_epoch": 1, "n_cpu": threads}
    train(tiny_options(iterations=6, **common), alone(), places(tmp_path / "straight"))
    for until in (1, 3, 6):
        train(tiny_options(iterations=until, **common), alone(), places(tmp_path / "halting"))
    assert_same(newest_state(tmp_path / "halting"), newest_state(tmp_path / "straight"))


def test_a_short_job_saves_in_its_warm_up(data: str, tmp_path: Path) -> None:
    train(
        tiny_options(data=data, warmup_batches=10, iterations=3, checkpoint_interval=2),
        alone(),
        places(tmp_path),
    )
    names = sorted(path.name for path in (tmp_path / "checkpoints").iterdir())
    assert names == ["checkpoint-000000002.pt", "checkpoint-000000003.pt"]


def test_progress_counts_samples(data: str, tmp_path: Path) -> None:
    train(tiny_options(data=data, iterations=3), alone(), places(tmp_path))
    progress = newest_state(tmp_path)["progress"]
    assert (progress["iteration"], progress["samples_seen"]) == (3, 12)


def test_epochs_set_the_length_where_iterations_do_not(data: str, tmp_path: Path) -> None:
    # Two images to train on and batches of 4: three epochs are six samples, rounded up to whole
    # batches.
    done = train(tiny_options(data=data, iterations=None, n_epochs=3), alone(), places(tmp_path))
    assert done.iteration == 2


def test_the_learning_rate_decays(data: str, tmp_path: Path) -> None:
    train(
        tiny_options(data=data, iterations=4, n_epochs=4, decay_epoch=2), alone(), places(tmp_path)
    )
    assert newest_state(tmp_path)["learning_rate"] == 0.0


def test_the_report_compares_with_the_start_and_with_bicubic(data: str, tmp_path: Path) -> None:
    train(tiny_options(data=data, iterations=4, sample_interval=2), alone(), places(tmp_path))
    report = json.loads((tmp_path / "artifacts" / "report.json").read_text())
    assert report["is_complete"] is True
    assert report["vgg19_features"] == "seeded random"
    assert all(report[name] > 0 for name in ("psnr_y_db", "bicubic_psnr_y_db", "start_psnr_y_db"))
    pictures = sorted(path.name for path in (tmp_path / "artifacts").glob("*.png"))
    assert pictures == ["samples_2.png", "samples_4.png", "samples_final.png"]
    with Image.open(tmp_path / "artifacts" / "samples_final.png") as picture:
        assert picture.size == (4 * 72 + 8, 28 + 2 * 72 + 8)


def test_a_finished_job_started_again_only_shows_its_result(data: str, tmp_path: Path) -> None:
    options = tiny_options(data=data, iterations=2)
    train(options, alone(), places(tmp_path))
    before = newest_state(tmp_path)
    assert train(options, alone(), places(tmp_path)).iteration == 2
    assert_same(newest_state(tmp_path), before)


def test_what_the_content_loss_looks_through_is_told_once_a_job(
    data: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for iterations, times in ((4, 1), (6, 0)):
        train(tiny_options(data=data, iterations=iterations), alone(), places(tmp_path))
        assert capfd.readouterr().err.count("VGG19 features are seeded random") == times


def test_an_epoch_to_go_on_from_must_have_been_reached(data: str, tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match=r"epoch: wanted a checkpoint of epoch 5 or later .* found 0.00 epochs"
    ):
        train(tiny_options(data=data, epoch=5, n_epochs=9), alone(), places(tmp_path))


def test_other_options_do_not_overwrite_a_job(data: str, tmp_path: Path) -> None:
    train(tiny_options(data=data, iterations=1), alone(), places(tmp_path))
    with pytest.raises(CheckpointRefused, match="with this job's options"):
        train(tiny_options(data=data, iterations=1, filters=8), alone(), places(tmp_path))


def test_grey_images_train_too(data: str, tmp_path: Path) -> None:
    assert (
        train(
            tiny_options(data=data, channels=1, iterations=3), alone(), places(tmp_path)
        ).iteration
        == 3
    )


@pytest.mark.parametrize("skip", ["bicubic", "nearest"])
def test_a_skip_starts_from_plain_interpolation(skip: str, data: str, tmp_path: Path) -> None:
    train(tiny_options(data=data, skip=skip, iterations=1), alone(), places(tmp_path))
    report = json.loads((tmp_path / "artifacts" / "report.json").read_text())
    is_bicubic = report["start_psnr_y_db"] == pytest.approx(report["bicubic_psnr_y_db"])
    assert is_bicubic == (skip == "bicubic")


def test_a_corrupt_image_is_told_of_before_the_first_iteration_and_ends_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = write_photographs(tmp_path / "photographs", count=6)
    (folder / "0.png").write_bytes(b"not an image")  # the one that is held out
    (folder / "4.png").write_bytes((folder / "4.png").read_bytes()[:900])
    train(tiny_options(data=str(folder), iterations=4), alone(), places(tmp_path))
    said = capfd.readouterr().err
    before, _, after = said.partition("iteration 4 of 4")
    assert "data: 2 of 6 images are left out: " in before and after
    assert all(f"{folder / name}: wanted an image" in before for name in ("0.png", "4.png"))


def test_one_corrupt_image_is_told_of_once_in_the_same_words(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = write_photographs(tmp_path / "photographs", count=6)
    (folder / "4.png").write_bytes(b"not an image")
    train(tiny_options(data=str(folder), iterations=6), alone(), places(tmp_path))
    said = [each for each in capfd.readouterr().err.splitlines() if "4.png" in each]
    # The look at the start, and the draw: notes that repeat each other stand once.
    assert len(said) > 1 and len(set(said)) == 1, said


def test_too_many_unreadable_images_are_an_error_before_the_first_iteration(tmp_path: Path) -> None:
    folder = write_photographs(tmp_path / "photographs", count=6)
    (folder / "5.png").write_bytes(b"not an image")
    with pytest.raises(
        InvalidInput, match=r"wanted at most 0 images that cannot be read, found 1: .*5\.png"
    ):
        train(
            tiny_options(data=str(folder), iterations=4, most_unreadable=0),
            alone(),
            places(tmp_path),
        )
    assert not (tmp_path / "checkpoints").exists()
