"""A picture of each kind, enlarged: as it was, four times as large, and without a seam."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy
import pytest
import tifffile
import torch
from numpy.typing import NDArray
from PIL import Image

from elastic.errors import InvalidInput
from elastic.workloads.esrgan import weights
from elastic.workloads.esrgan.generator import Generator, Upscaler, upscaler_of
from elastic.workloads.esrgan.generator.upscaling import OVERLAP, TILE, tile_starts
from elastic.workloads.pictures import profile_of, read_pixels
from tests.workloads.esrgan.builders import tiny_options
from tests.workloads.files import deep_png


def an_upscaler(folder: Path, **options: Any) -> Upscaler:
    """Gives one whose generator has learnt nothing but to add to bicubic interpolation."""
    torch.manual_seed(0)
    shape = tiny_options(**{"skip": "bicubic", "filters": 8, **options})
    generator = Generator(shape)
    torch.nn.init.normal_(generator.tail[-1].weight, std=0.01)  # type: ignore[arg-type]
    tensors = dict(generator.named_parameters())
    weights.write(folder, shape, last=tensors, average=tensors, iteration=1, iterations=1)
    return upscaler_of(folder / weights.AVERAGE)


def scene(height: int, width: int) -> NDArray[numpy.uint8]:
    """Gives a picture without symmetry: soft colours with edges."""
    down, across = numpy.mgrid[:height, :width] / max(height, width)
    planes = [down, across, (down + across) / 2 + 0.2 * (numpy.sin(40 * down * across) > 0)]
    pixels: NDArray[numpy.uint8] = (numpy.stack(planes, axis=2).clip(0, 1) * 255).astype(
        numpy.uint8
    )
    return pixels


def shrunk(pixels: NDArray[Any]) -> NDArray[Any]:
    """Gives the mean of each four by four pixels."""
    height, width, channels = pixels.shape
    means: NDArray[Any] = pixels.reshape(height // 4, 4, width // 4, 4, channels).mean((1, 3))
    return means


def save(kind: str, folder: Path) -> Path:
    """Writes a picture of 24 by 20 of one kind."""
    picture = Image.fromarray(scene(20, 24))
    exif = Image.Exif()
    exif[0x0112] = 6
    path = folder / f"source.{'jpg' if kind in ('colour photograph', 'on its side') else 'png'}"
    match kind.split():
        case ["16", "bits", *more]:
            deep_png(path, {"": 3, "with alpha": 4, "and grey": 1}[" ".join(more)])
        case ["on", "its", "side"]:
            picture.save(path, exif=exif, quality=95)
        case [*_, "alpha"]:
            picture = picture.convert("LA" if kind.startswith("grey") else "RGBA")
            picture.putalpha(Image.fromarray((scene(20, 24)[:, :, 0] // 2) + 64))
            picture.save(path)
        case ["one", "pixel"]:
            picture.crop((12, 10, 13, 11)).save(path)
        case ["16-bit", "TIFF"]:
            path = path.with_suffix(".tif")
            tifffile.imwrite(
                path,
                scene(20, 24).astype(numpy.uint16) * 257 - scene(20, 24) // 3,
                photometric="rgb",
            )
        case ["one", "row"]:
            Image.fromarray(scene(1, 300)).save(path)
        case _:
            mode, ending = PLAIN[kind]
            path = path.with_suffix(f".{ending}")
            picture.convert(mode, dither=Image.Dither.NONE).save(path)
    return path


PLAIN = {
    "colour photograph": ("RGB", "jpg"),
    "grey": ("L", "png"),
    "one bit": ("1", "png"),
    "palette": ("P", "gif"),
    "CMYK": ("CMYK", "tif"),
    "webp": ("RGB", "webp"),
}


KINDS = {
    "colour photograph": "RGB",
    "grey": "L",
    "one bit": "L",
    "palette": "RGB",
    "CMYK": "RGB",
    "webp": "RGB",
    "alpha": "RGBA",
    "grey with alpha": "LA",
    "on its side": "RGB",
    "16 bits": "RGB",
    "16 bits with alpha": "RGBA",
    "16 bits and grey": "I;16",
    "16-bit TIFF": "RGB",
    "one pixel": "RGB",
    "one row": "RGB",
}


@pytest.mark.parametrize("channels", [3, 1], ids=["colour weights", "grey weights"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_of_each_kind_comes_out_as_it_was_and_four_times_as_large(
    kind: str, channels: int, tmp_path: Path
) -> None:
    source, target = save(kind, tmp_path), tmp_path / "large.png"
    size = an_upscaler(tmp_path, channels=channels).upscale(source, target)
    before, after = read_pixels(source), read_pixels(target)
    assert after.shape == (4 * before.shape[0], 4 * before.shape[1], before.shape[2])
    assert after.dtype == before.dtype
    with Image.open(target) as image:
        assert (image.size, image.mode, image.format) == (size, KINDS[kind], "PNG")
        assert 0x0112 not in image.getexif()
    most = float(numpy.iinfo(before.dtype).max)
    apart = numpy.abs(shrunk(after) - before) / most
    # What it learnt adds a little; a picture that is turned, darkened, clipped or mixed up is far
    # from it.
    assert numpy.median(apart) < 0.02, kind
    if before.shape[2] in (2, 4):
        assert numpy.median(apart[:, :, -1]) < 0.005, "alpha"
    if before.dtype == numpy.uint16:
        assert len(numpy.unique(after)) > 256 and after.max() > 55_000


def test_a_profile_goes_along(tmp_path: Path) -> None:
    profile = bytes(16) + b"RGB " + bytes(108)
    Image.fromarray(scene(8, 8)).save(tmp_path / "a.png", icc_profile=profile)
    an_upscaler(tmp_path).upscale(tmp_path / "a.png", tmp_path / "b.png")
    assert profile_of(tmp_path / "b.png") == profile


@pytest.mark.parametrize("skip", ["none", "bicubic"])
def test_no_seam_is_to_be_seen(skip: str, tmp_path: Path) -> None:
    height, width = TILE + 40, 2 * TILE + 30
    Image.fromarray(scene(height, width)).save(tmp_path / "a.png")
    upscaler = an_upscaler(tmp_path, skip=skip)
    upscaler.upscale(tmp_path / "a.png", tmp_path / "b.png")
    found = read_pixels(tmp_path / "b.png").astype(float)
    low = torch.from_numpy(scene(height, width)).permute(2, 0, 1)[None] / 255
    whole = upscaler.generator(low)[0].clamp(0, 1).permute(1, 2, 0).numpy() * 255
    # From one pixel to the next it changes no more than where all is computed as one.
    for axis in (0, 1):
        steps, wanted = (
            numpy.abs(numpy.diff(each, axis=axis)).mean((1 - axis, 2)) for each in (found, whole)
        )
        assert (steps - wanted).max() < 1.0


def test_a_wide_picture_is_enlarged_in_lower_bands_and_one_that_is_too_wide_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Image.fromarray(scene(80, 300)).save(tmp_path / "a.png")
    upscaler = an_upscaler(tmp_path)
    upscaler.upscale(tmp_path / "a.png", tmp_path / "b.png")
    monkeypatch.setattr(
        "elastic.workloads.esrgan.generator.upscaling._MOST_BAND_BYTES", 40 * 300 * 3 * 16
    )
    upscaler.upscale(tmp_path / "a.png", tmp_path / "c.png")
    whole, banded = (read_pixels(tmp_path / name).astype(int) for name in ("b.png", "c.png"))
    assert whole.shape == banded.shape == (320, 1200, 3)
    assert numpy.abs(whole - banded).mean() < 2
    monkeypatch.setattr(
        "elastic.workloads.esrgan.generator.upscaling._MOST_BAND_BYTES", 32 * 200 * 3 * 16
    )
    with pytest.raises(
        InvalidInput, match="wanted at most 200 pixels in a row, found 300; cut it in parts"
    ):
        upscaler.upscale(tmp_path / "a.png", tmp_path / "d.png")
    assert not (tmp_path / "d.png").exists()


def test_tiles_cover_a_picture_of_any_length_and_overlap() -> None:
    for length in (*range(1, 700), 6000, 30_001):
        starts = tile_starts(length)
        assert starts[0] == 0 and max(starts[-1] + TILE, length) - length == max(TILE - length, 0)
        assert all(0 < after - before <= TILE - OVERLAP for before, after in pairwise(starts))


def test_what_is_no_image_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("no image")
    with pytest.raises(InvalidInput, match=r"a\.png: wanted an image"):
        an_upscaler(tmp_path / "weights").upscale(tmp_path / "a.png", tmp_path / "out" / "b.png")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "weights"]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    Image.fromarray(scene(8, 8)).save(tmp_path / "a.png")
    (tmp_path / "b.png").mkdir()
    upscaler = an_upscaler(tmp_path)
    with pytest.raises(InvalidInput, match=r"b\.png: wanted to write the picture: Is a directory"):
        upscaler.upscale(tmp_path / "a.png", tmp_path / "b.png")
    with pytest.raises(
        InvalidInput, match=r"a_x4\.png: wanted to write the picture: (File exists|Not a directory)"
    ):
        upscaler.upscale(tmp_path / "a.png", tmp_path / "a.png" / "a_x4.png")
    assert not list(tmp_path.glob("*.partial"))
