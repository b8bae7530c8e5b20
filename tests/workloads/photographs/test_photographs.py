"""Photographs: any image becomes a crop of the shape that was asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from elastic.errors import InvalidInput
from elastic.workloads.photographs import Draw, Photographs, draw, open_photographs, shrink
from tests.workloads.esrgan.builders import write_photographs
from tests.workloads.files import deep_png

MIDDLE = Draw(item=0, top=0.5, left=0.5, is_mirrored=False)


def test_the_bundled_photographs_are_there_and_none_is_both_trained_on_and_held_out() -> None:
    training, held_out = open_photographs("skimage", None, height=128, width=128, channels=3)
    assert all(Path(path).is_file() for path in held_out.paths)
    assert not set(training.paths) & set(held_out.paths[: len(held_out)])
    assert len(training) > 100
    crops = [
        training.crop(draw(position, items=len(training), seed=0), 128, 128)
        for position in range(5)
    ]
    assert {crop.shape for crop in crops} == {torch.Size([3, 128, 128])}


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "1", "CMYK"])
def test_every_kind_of_image_is_converted_to_three_channels(mode: str, tmp_path: Path) -> None:
    for number in range(2):
        suffix = "tif" if mode == "CMYK" else "png"
        Image.new("RGB", (40, 30), (200, 100, 50)).convert(mode).save(
            tmp_path / f"{number}.{suffix}"
        )
    training, _ = open_photographs(str(tmp_path), None, height=16, width=20, channels=3)
    crop = training.crop(MIDDLE, 16, 20)
    assert crop.shape == (3, 16, 20)
    assert crop.dtype == torch.float32
    assert crop.min() >= 0 and crop.max() <= 1


def test_an_image_smaller_than_the_crop_is_enlarged_to_cover_it(tmp_path: Path) -> None:
    write_photographs(tmp_path, size=(10, 30))
    training, _ = open_photographs(str(tmp_path), None, height=32, width=24, channels=1)
    assert training.crop(MIDDLE, 32, 24).shape == (1, 32, 24)


def test_of_a_strip_only_the_part_that_the_crop_shows_is_enlarged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "strip.png"
    Image.linear_gradient("L").rotate(90).resize((300, 2)).save(path)
    sizes = []

    def interpolate(image: torch.Tensor, *, size: tuple[int, int], **more: Any) -> torch.Tensor:
        sizes.append(size)
        return enlarge(image, size=size, **more)

    enlarge = torch.nn.functional.interpolate
    monkeypatch.setattr(torch.nn.functional, "interpolate", interpolate)
    strip = Photographs([str(path)], [1], 1)
    left, right = (strip.crop(Draw(0, 0.5, place, False), 64, 48).mean() for place in (0, 0.999))
    assert sizes == [(64, 48), (64, 48)], "it is 64 times as long, and takes as much memory"
    assert min(left, right) < 0.05 and max(left, right) > 0.95, "both ends are shown"


def test_a_dataset_is_a_folder_inside_the_data(tmp_path: Path) -> None:
    write_photographs(tmp_path / "celeba", count=20)
    training, held_out = open_photographs(str(tmp_path), "celeba", height=16, width=16, channels=3)
    assert (len(training), len(held_out)) == (18, 2)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"wanted a folder of images, found none at .*nowhere"):
        open_photographs(str(tmp_path), "nowhere", height=16, width=16, channels=3)


def test_one_image_is_too_few(tmp_path: Path) -> None:
    write_photographs(tmp_path, count=1)
    with pytest.raises(InvalidInput, match=r"wanted at least two images .* found 1"):
        open_photographs(str(tmp_path), None, height=16, width=16, channels=3)


def test_a_file_that_is_no_image_is_left_out_and_the_next_one_takes_its_place(
    tmp_path: Path,
) -> None:
    write_photographs(tmp_path, count=4)
    (tmp_path / "2.png").write_bytes(b"not an image")
    training, _ = open_photographs(
        str(tmp_path), None, height=16, width=16, channels=3, most_unreadable=1
    )
    told: list[str] = []
    training.tell = told.append
    first, torn, last = (training.crop(Draw(item, 0, 0, False), 16, 16) for item in range(3))
    assert torch.equal(torn, last) and not torch.equal(torn, first)
    training.crop(Draw(1, 0, 0, False), 16, 16)
    assert [f"{tmp_path / '2.png'}: wanted an image" in text for text in told] == [True]


def test_more_unreadable_files_than_are_allowed_are_an_error(tmp_path: Path) -> None:
    write_photographs(tmp_path, count=4)
    for number in (1, 2):
        (tmp_path / f"{number}.png").write_bytes(b"not an image")
    training, _ = open_photographs(
        str(tmp_path), None, height=16, width=16, channels=3, most_unreadable=1
    )
    with pytest.raises(
        InvalidInput, match=r"wanted at most 1 images that cannot be read, found 2: .*1\.png"
    ):
        training.crop(Draw(0, 0, 0, False), 16, 16)


def test_16_bits_do_not_turn_white_and_exifs_rotation_is_carried_out(tmp_path: Path) -> None:
    for number in range(3):
        deep_png(tmp_path / f"{number}.png", 1, size=(40, 40))
    training, _ = open_photographs(str(tmp_path), None, height=40, width=40, channels=3)
    crop = training.crop(MIDDLE, 40, 40)
    assert crop.min() == 0 and crop.max() < 1 and 0.4 < crop.mean() < 0.6
    exif = Image.Exif()
    exif[0x0112] = 6
    for number in range(3):
        Image.new("L", (40, 20)).save(tmp_path / f"{number}.png", exif=exif)
    training, _ = open_photographs(str(tmp_path), None, height=40, width=20, channels=1)
    assert not training.crop(MIDDLE, 40, 20).any(), (
        "it was not enlarged, and is 20 wide and 40 high"
    )


def test_an_epoch_takes_its_crops_from_the_images_in_turn(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{number}.png") for number in range(3)]
    for shade, path in enumerate(paths):
        Image.new("L", (16, 16), 100 * shade).save(path)
    photographs = Photographs(paths, [2, 1, 3], 1)
    shades = [
        round(photographs.crop(Draw(item, 0, 0, False), 16, 16).mean().item() * 2.55)
        for item in range(6)
    ]
    assert shades == [0, 0, 1, 2, 2, 2] and len(photographs) == 6


def test_mirroring_turns_left_and_right(tmp_path: Path) -> None:
    write_photographs(tmp_path)
    training, _ = open_photographs(str(tmp_path), None, height=40, width=48, channels=3)
    plain, mirrored = (training.crop(Draw(0, 0, 0, flip), 40, 48) for flip in (False, True))
    assert torch.equal(mirrored, plain.flip(2))


def test_shrinking_quarters_and_stays_in_range() -> None:
    checkers = (
        (torch.arange(32)[:, None] // 8 + torch.arange(48) // 8)
        .remainder(2)
        .float()
        .expand(1, 3, 32, 48)
    )
    small = shrink(checkers)
    assert small.shape == (1, 3, 8, 12)
    assert small.min() >= 0 and small.max() <= 1
