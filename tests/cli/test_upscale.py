"""`elasticd upscale`: by a job's weights or a file's, and what it says where there are none."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from PIL import Image

from elastic.reconciler import JobFolders
from elastic.workloads.esrgan import weights
from elastic.workloads.esrgan.generator import Generator
from tests.cli.commands import Run
from tests.cli.conftest import Live
from tests.workloads.esrgan.builders import tiny_options


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    Image.new("RGB", (6, 5), (200, 100, 50)).save(tmp_path / "photo.jpg")
    return tmp_path / "photo.jpg"


def write_weights(folder: Path) -> Path:
    torch.manual_seed(0)
    tensors = dict(Generator(tiny_options()).named_parameters())
    weights.write(folder, tiny_options(), last=tensors, average=tensors, iteration=1, iterations=1)
    return folder / weights.AVERAGE


def test_pictures_are_enlarged_beside_themselves_or_into_a_folder(
    run: Run, picture: Path, tmp_path: Path
) -> None:
    Image.new("L", (3, 2)).save(tmp_path / "grey.png")
    file = str(write_weights(tmp_path / "weights"))
    done = run("upscale", str(picture), str(tmp_path / "grey.png"), "--weights", file)
    assert (done.status, done.err) == (0, "")
    assert done.out == f"{tmp_path / 'photo_x4.png'}: 24 x 20\n{tmp_path / 'grey_x4.png'}: 12 x 8\n"
    assert run("upscale", str(picture), "-w", file, "-o", str(tmp_path / "out")).status == 0
    with Image.open(tmp_path / "out" / "photo_x4.png") as image:
        assert (image.size, image.mode) == ((24, 20), "RGB")


def test_a_picture_that_cannot_be_enlarged_is_named_and_the_others_are_enlarged(
    run: Run, picture: Path, tmp_path: Path
) -> None:
    file = str(write_weights(tmp_path / "weights"))
    Image.effect_noise((64, 64), 90).save(tmp_path / "torn.png")
    whole = (tmp_path / "torn.png").read_bytes()
    (tmp_path / "torn.png").write_bytes(whole[: len(whole) // 2])  # its head is sound
    (tmp_path / "text.png").write_text("no image")
    done = run("upscale", "text.png", "torn.png", "photo.jpg", "-w", file)
    assert (done.status, done.out) == (1, "photo_x4.png: 24 x 20\n")
    assert (
        "left out: text.png: wanted an image" in done.err
        and "left out: torn.png: wanted an image" in done.err
    )
    assert sorted(path.name for path in tmp_path.glob("*_x4.png*")) == ["photo_x4.png"]


def test_a_file_that_is_there_is_replaced_by_force_alone(
    run: Run, picture: Path, tmp_path: Path
) -> None:
    file = str(write_weights(tmp_path / "weights"))
    Image.new("L", (3, 2)).save(tmp_path / "grey.png")
    (tmp_path / "photo_x4.png").write_text("mine")
    refused = run("upscale", "photo.jpg", "-w", file)
    assert (refused.status, refused.out) == (2, "")
    assert "photo.jpg: photo_x4.png is there already; --force replaces it" in refused.err
    others = run("upscale", "photo.jpg", "grey.png", "-w", file)
    assert (others.status, others.out) == (1, "grey_x4.png: 12 x 8\n")
    assert (tmp_path / "photo_x4.png").read_text() == "mine"
    assert run("upscale", "photo.jpg", "-w", file, "--force").status == 0
    with Image.open(tmp_path / "photo_x4.png") as image:
        assert image.size == (24, 20)


def test_a_jobs_weights_are_fetched(live: Live, run: Run, picture: Path, tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text("name: faces\nworkload: esrgan\npreset: small\n")
    assert run("job", "submit", "-f", "job.yaml", "--yes").status == 0
    (job_id,) = [
        each.id
        for each in live.world.store.jobs.listed(limit=10, before=None)
        if each.spec.name == "faces"
    ]
    missing = run("upscale", str(picture), "--job", "faces")
    assert missing.status == 5
    assert (
        "has no weights yet: it is " in missing.err
        and "writes them with each checkpoint" in missing.err
    )
    write_weights(JobFolders(live.world.context.settings.job_folder).artifacts(job_id))
    done = run("upscale", str(picture), "--job", "faces")
    assert (done.status, done.err) == (0, "")
    with Image.open(tmp_path / "photo_x4.png") as image:
        assert image.size == (24, 20)


def test_a_job_of_another_program_has_none(live: Live, run: Run, picture: Path) -> None:
    done = run("upscale", str(picture), "--job", live.job_id)
    assert done.status == 2
    assert "wanted a job of the workload esrgan, found one that runs another program" in done.err


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (("photo.jpg",), 2, "wanted either --job or --weights"),
        (("photo.jpg", "--job", "a", "--weights", "b"), 2, "wanted either --job or --weights"),
        (("photo.jpg", "--job", "nobody"), 5, "nobody"),
        (
            ("photo.jpg", "--weights", "none.safetensors"),
            2,
            "none.safetensors: wanted weights (safetensors), found no",
        ),
        (
            ("photo.jpg", "--weights", "photo.jpg"),
            2,
            "photo.jpg: wanted weights (safetensors), found a file of another",
        ),
        (("photo.jpg", "weights/generator.safetensors"), 2, "wanted either --job or --weights"),
        (
            ("nothing.jpg", "--weights", "weights/generator.safetensors"),
            2,
            "nothing.jpg: wanted an image, found no such",
        ),
        (
            ("weights/generator.safetensors", "-w", "weights/generator.safetensors"),
            2,
            "wanted an image, found a file of",
        ),
        (
            ("photo.jpg", "weights/photo.png", "-w", "weights/generator.safetensors", "-o", "."),
            2,
            "both be written to",
        ),
    ],
)
def test_what_is_missing_is_said_before_anything_is_written(
    arguments: tuple[str, ...], status: int, complaint: str, run: Run, picture: Path, tmp_path: Path
) -> None:
    write_weights(tmp_path / "weights")
    Image.new("L", (3, 2)).save(tmp_path / "weights" / "photo.png")
    done = run("upscale", *arguments)
    assert (done.status, done.out) == (status, "")
    assert complaint in done.err
    assert not list(tmp_path.rglob("*_x4.png"))
