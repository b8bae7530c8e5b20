"""Image files of every kind as pixels: upright, and in as many bits as they have."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy
import pytest
import tifffile
from PIL import Image, ImageOps

from elastic.workloads.pictures import (
    NoImage,
    PngWriter,
    open_picture,
    profile_of,
    read_pixels,
    size_of,
    with_channels,
)
from elastic.workloads.pictures.pictures import in_8_bits
from tests.workloads.files import deep_png

RAMP = numpy.arange(16 * 12 * 3, dtype=numpy.uint8).reshape(12, 16, 3)


@pytest.mark.parametrize(
    ("mode", "ending", "channels"),
    [
        ("1", "png", 1),
        ("L", "jpg", 1),
        ("LA", "png", 2),
        ("RGB", "jpg", 3),
        ("RGB", "webp", 3),
        ("RGBA", "png", 4),
        ("P", "png", 3),
        ("P", "bmp", 3),
        ("CMYK", "tif", 3),
        ("CMYK", "jpg", 3),
    ],
)
def test_every_kind_is_read_with_the_channels_that_it_has(
    mode: str, ending: str, channels: int, tmp_path: Path
) -> None:
    path = tmp_path / f"picture.{ending}"
    Image.fromarray(RAMP).convert(mode).save(path)
    pixels = read_pixels(path)
    assert pixels.shape == (12, 16, channels) and pixels.dtype == numpy.uint8
    assert size_of(path) == (16, 12)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "RGB", "RGBA", "P", "CMYK", "I;16", "I"])
def test_a_tall_picture_is_read_in_bands_as_a_short_one_is_at_once(
    mode: str, tmp_path: Path
) -> None:
    picture = Image.fromarray(
        numpy.random.default_rng(0).integers(0, 255, (700, 3, 3), dtype=numpy.uint8)
    )
    made = picture.convert("L").convert(mode) if mode.startswith("I") else picture.convert(mode)
    clear: dict[str, Any] = {"transparency": 0} if mode == "P" else {}
    ending = "tif" if mode in ("CMYK", "I") else "png"
    made.save(tmp_path / f"tall.{ending}", **clear)
    tall = read_pixels(tmp_path / f"tall.{ending}")
    assert tall.shape[:2] == (700, 3)
    for top in (0, 250, 500):
        made.crop((0, top, 3, top + 200)).save(tmp_path / f"short.{ending}", **clear)
        assert numpy.array_equal(tall[top : top + 200], read_pixels(tmp_path / f"short.{ending}"))


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_a_tall_picture_of_16_bits_is_read_in_bands(channels: int, tmp_path: Path) -> None:
    wanted = numpy.random.default_rng(0).integers(0, 2**16, (700, 3, channels)).astype(numpy.uint16)
    with (tmp_path / "tall.png").open("wb") as file:
        writer = PngWriter(file, width=3, height=700, channels=channels, bits=16)
        writer.write(wanted)
        writer.close()
    assert numpy.array_equal(read_pixels(tmp_path / "tall.png"), wanted)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "RGB", "RGBA", "P", "CMYK", "I;16", "I"])
def test_a_picture_is_given_some_rows_at_a_time_as_it_is_at_once(mode: str, tmp_path: Path) -> None:
    picture = Image.fromarray(
        numpy.random.default_rng(0).integers(0, 255, (70, 9, 3), dtype=numpy.uint8)
    )
    made = picture.convert("L").convert(mode) if mode.startswith("I") else picture.convert(mode)
    path = tmp_path / ("a.tif" if mode in ("CMYK", "I") else "a.png")
    clear: dict[str, Any] = {"transparency": 0} if mode == "P" else {}
    made.save(path, **clear)
    _compare_rows(path)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_rows_of_a_turned_picture_are_those_of_the_upright_one(
    orientation: int, tmp_path: Path
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(RAMP).save(tmp_path / "turned.png", exif=exif)
    _compare_rows(tmp_path / "turned.png")


def test_rows_of_16_bits_are_those_of_the_whole(tmp_path: Path) -> None:
    deep_png(tmp_path / "deep.png", 4)
    _compare_rows(tmp_path / "deep.png")


def _compare_rows(path: Path) -> None:
    whole, picture = read_pixels(path), open_picture(path)
    assert (picture.shape, picture.itemsize) == (whole.shape, whole.itemsize)
    for top, end in ((0, 1), (3, 9), (len(whole) - 5, len(whole))):
        rows = picture.rows(top, end)
        assert rows.dtype == whole.dtype and numpy.array_equal(rows, whole[top:end])


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "CMYK"])
def test_a_picture_that_is_given_by_rows_takes_four_bytes_a_pixel(
    mode: str, tmp_path: Path
) -> None:
    Image.new(mode, (4000, 4000)).save(tmp_path / "large.tif")
    program = (
        "import sys; from elastic.workloads.pictures import open_picture\n"
        "def peak(): return "
        "int(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0]) * 1024\n"
        "before = peak(); picture = open_picture(sys.argv[1]); picture.rows(2000, 2096)\n"
        "print((peak() - before) / 16e6)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "large.tif")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert float(said) < 5


@pytest.mark.parametrize(("mode", "bytes_a_pixel"), [("RGB", 9), ("RGBA", 10), ("CMYK", 9)])
def test_reading_takes_little_more_memory_than_the_pixels(
    mode: str, bytes_a_pixel: int, tmp_path: Path
) -> None:
    Image.new(mode, (4000, 4000)).save(tmp_path / "large.tif")
    program = (
        "import sys; from elastic.workloads.pictures import read_pixels\n"
        "def peak(): return "
        "int(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0]) * 1024\n"
        "before = peak(); read_pixels(sys.argv[1]); print((peak() - before) / 16e6)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "large.tif")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert float(said) < bytes_a_pixel


def test_a_clear_colour_of_a_palette_becomes_alpha(tmp_path: Path) -> None:
    picture = Image.fromarray(RAMP).convert("P")
    picture.save(tmp_path / "clear.png", transparency=picture.getpixel((0, 0)))
    pixels = read_pixels(tmp_path / "clear.png")
    assert pixels.shape == (12, 16, 4)
    assert pixels[0, 0, 3] == 0 and pixels[:, :, 3].max() == 255


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_16_bits_a_channel_are_all_kept(channels: int, tmp_path: Path) -> None:
    wanted = deep_png(tmp_path / "deep.png", channels)
    assert wanted.max() > 60_000 and (wanted % 256).any()
    pixels = read_pixels(tmp_path / "deep.png")
    assert pixels.dtype == numpy.uint16
    assert numpy.array_equal(pixels, wanted)


@pytest.mark.parametrize("compression", [None, "zlib"])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("channels", [3, 4])
def test_16_bits_of_a_colour_tiff_are_all_kept(
    channels: int, order: Any, compression: Any, tmp_path: Path
) -> None:
    wanted = (
        numpy.random.default_rng(0).integers(0, 2**16, (300, 17, channels)).astype(numpy.uint16)
    )
    extra = ["unassalpha"] if channels == 4 else None
    tifffile.imwrite(
        tmp_path / "a.tif",
        wanted,
        byteorder=order,
        photometric="rgb",
        compression=compression,
        extrasamples=extra,
    )
    pixels = read_pixels(tmp_path / "a.tif")
    assert pixels.dtype == numpy.uint16
    assert numpy.array_equal(pixels, wanted)


@pytest.mark.parametrize("compression", [None, "zlib"])
def test_16_bits_in_planes_are_refused_for_they_would_be_read_wrongly(
    compression: Any, tmp_path: Path
) -> None:
    planes = numpy.zeros((3, 8, 8), dtype=numpy.uint16)
    tifffile.imwrite(
        tmp_path / "a.tif",
        planes,
        photometric="rgb",
        planarconfig="separate",
        compression=compression,
    )
    with pytest.raises(
        NoImage, match="its colours are in planes of 16 bits; save them interleaved"
    ):
        read_pixels(tmp_path / "a.tif")


def test_16_bits_do_not_turn_white_where_8_are_wanted(tmp_path: Path) -> None:
    wanted = deep_png(tmp_path / "deep.png", 1)
    shown = with_channels(read_pixels(tmp_path / "deep.png"), 3)
    assert shown.shape == (*wanted.shape[:2], 3) and shown.dtype == numpy.uint8
    assert numpy.abs(shown[:, :, :1] / 255 - wanted / 65535).max() <= 0.5 / 255 + 1e-6
    assert in_8_bits(numpy.array([0, 128, 129, 65535], dtype=numpy.uint16)).tolist() == [
        0,
        0,
        1,
        255,
    ]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exifs_rotation_is_carried_out(orientation: int, tmp_path: Path) -> None:
    path = tmp_path / "turned.png"
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(RAMP).save(path, exif=exif)
    with Image.open(path) as image:
        wanted = numpy.asarray(ImageOps.exif_transpose(image))
    assert numpy.array_equal(read_pixels(path), wanted)


def test_the_size_of_a_photograph_on_its_side_is_that_of_the_upright_one(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(RAMP).save(tmp_path / "turned.jpg", exif=exif)
    assert size_of(tmp_path / "turned.jpg") == (12, 16)
    assert read_pixels(tmp_path / "turned.jpg").shape == (16, 12, 3)


def test_exif_that_cannot_be_read_turns_nothing(tmp_path: Path) -> None:
    Image.fromarray(RAMP).save(
        tmp_path / "odd.jpg", exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff\x01\x12"
    )
    with warnings.catch_warnings(action="ignore"):
        assert read_pixels(tmp_path / "odd.jpg").shape == (12, 16, 3)


def test_grey_is_what_pillow_makes_of_colour(tmp_path: Path) -> None:
    wanted = numpy.asarray(Image.fromarray(RAMP).convert("L"))
    assert numpy.array_equal(with_channels(RAMP, 1)[:, :, 0], wanted)


def test_a_profile_is_given_unless_it_is_of_other_colours(tmp_path: Path) -> None:
    profiles = {"RGB": bytes(16) + b"RGB " + bytes(108), "CMYK": bytes(16) + b"CMYK" + bytes(108)}
    for mode, profile in profiles.items():
        Image.fromarray(RAMP).convert(mode).save(tmp_path / f"{mode}.tif", icc_profile=profile)
    assert profile_of(tmp_path / "RGB.tif") == profiles["RGB"]
    assert profile_of(tmp_path / "CMYK.tif") is None


def _truncated(path: Path) -> None:
    Image.fromarray(
        numpy.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype=numpy.uint8)
    ).save(path)
    path.write_bytes(path.read_bytes()[:2000])


def _sized(path: Path, width: int, height: int) -> None:
    with path.open("wb") as file:
        PngWriter(file, width=width, height=height, channels=1, bits=8).close()


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (
            lambda path: path.write_bytes(b"not an image"),
            "found a file of another kind, or a damaged one",
        ),
        (lambda path: path.write_bytes(b""), "found a file of another kind, or a damaged one"),
        (lambda path: None, "found no such file"),
        (lambda path: path.mkdir(), "found one that cannot be read"),
        (_truncated, "found one that cannot be read"),
        (lambda path: _sized(path, 60_000, 60_000), "found more than 178,956,970; cut it in parts"),
        (
            lambda path: Image.new("F", (4, 4)).save(path, format="TIFF"),
            "save it with 8 or 16 bits a channel",
        ),
    ],
)
def test_what_is_no_image_is_named_with_the_reason(
    make: Any, complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "picture.png"
    make(path)
    with pytest.raises(NoImage, match=complaint) as refusal:
        read_pixels(path)
    assert str(refusal.value).startswith(f"{path}: wanted a")


def test_a_picture_that_is_too_large_is_refused_in_one_line(tmp_path: Path) -> None:
    _sized(tmp_path / "large.png", 12_000, 9_000)
    # A program of its own: pytest has its own mind about warnings.
    program = "import sys; from elastic.workloads.pictures import size_of; size_of(sys.argv[1])"
    command = [sys.executable, "-c", program, str(tmp_path / "large.png")]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    assert "Warning" not in said
    assert said.splitlines()[-1].endswith(
        "wanted at most 89,478,485 pixels, found 12000 x 9000; cut it in parts"
    )


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("bits", [8, 16])
def test_a_png_written_row_by_row_is_read_back(channels: int, bits: int, tmp_path: Path) -> None:
    dtype = numpy.uint8 if bits == 8 else numpy.uint16
    wanted = numpy.random.default_rng(0).integers(0, 2**bits, (23, 17, channels)).astype(dtype)
    profile = bytes(16) + (b"RGB " if channels > 2 else b"GRAY") + bytes(108)
    with (tmp_path / "rows.png").open("wb") as file:
        writer = PngWriter(file, width=17, height=23, channels=channels, bits=bits, profile=profile)
        for rows in (wanted[:1], wanted[1:10], wanted[10:]):
            writer.write(rows)
        writer.close()
    assert numpy.array_equal(read_pixels(tmp_path / "rows.png"), wanted)
    assert profile_of(tmp_path / "rows.png") == profile
