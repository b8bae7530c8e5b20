"""How good the generator is on unseen photographs: PSNR on the Y channel, and pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from PIL import Image, ImageDraw
from torch import Tensor
from torch.nn import functional

from elastic.workloads.esrgan.generator.generator import SCALE, enlarge
from elastic.workloads.esrgan.options import EsrganOptions
from elastic.workloads.photographs import Draw, Photographs, shrink

# Pixels at each edge that do not count, as in super-resolution papers (arXiv:1809.00219, section
# 4.1).
_SHAVED = SCALE
_Y_WEIGHTS = (65.481, 128.553, 24.966)  # ITU-R BT.601, for RGB in [0, 1]; Y spans 16 to 235
# Pixels of a sheet, in width and height, for each pixel of a crop: detail must be visible.
_ZOOM = 2
_HEADER_PX = 28
_GAP_PX = 8
_LABEL_PX = 20

Enlarge = Callable[[Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Crops kept for judging, [0, 1].

    `high` is `(crops, channels, size, size)`, and `low` a quarter of it each way.
    """

    low: Tensor
    high: Tensor


@dataclass(frozen=True, slots=True)
class EvaluatedCrops:
    """The super-resolved crops, and their mean PSNR on Y in dB."""

    images: Tensor
    psnr_y_db: float


def cut_held_out(photographs: Photographs, options: EsrganOptions, device: torch.device) -> HeldOut:
    """Returns the same crops in every run, from the photographs in turn, their middle first."""
    count = options.held_out_crops
    size = options.held_out_size
    crops = []
    for number in range(count):
        turn = number // len(photographs)
        # The golden section spreads any number of places evenly.
        place = 0.5 if turn == 0 else (turn * 0.381966) % 1
        crops.append(
            photographs.crop(Draw(number % len(photographs), place, 1 - place, False), size, size)
        )
    high = torch.stack(crops).to(device)
    return HeldOut(shrink(high), high)


@torch.no_grad()
def judge(generator: Enlarge, held_out: HeldOut) -> EvaluatedCrops:
    """Enlarges the held-out crops one by one, in float32, and compares them with the originals."""
    # One by one: memory stays small, however many crops there are.
    images = torch.cat([generator(low[None]) for low in held_out.low]).clamp_(0, 1)
    return EvaluatedCrops(images, psnr_y_db(images, held_out.high))


def bicubic(held_out: HeldOut) -> EvaluatedCrops:
    """Returns what plain bicubic upsampling makes of the held-out crops."""
    images = enlarge(held_out.low).clamp_(0, 1)
    return EvaluatedCrops(images, psnr_y_db(images, held_out.high))


def psnr_y_db(found: Tensor, wanted: Tensor) -> float:
    """Returns the images' mean peak signal-to-noise ratio on Y; both are `(n, channels, h, w)`."""
    inner = slice(_SHAVED, -_SHAVED)
    error = (_luma(found) - _luma(wanted))[:, inner, inner].square().flatten(1).mean(1)
    return float((10 * torch.log10(255**2 / error.clamp_min(1e-10))).mean())


def save_picture(path: Path, held_out: HeldOut, generated: EvaluatedCrops) -> None:
    """Writes a PNG, one held-out crop a row: low resolution, bicubic, super-resolved, original."""
    plain = bicubic(held_out)
    columns = {
        "low resolution": functional.interpolate(held_out.low, scale_factor=SCALE, mode="nearest"),
        f"bicubic {plain.psnr_y_db:.2f} dB": plain.images,
        f"ESRGAN {generated.psnr_y_db:.2f} dB": generated.images,
        "original": held_out.high,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    _sheet(columns).save(partial, format="PNG")
    partial.replace(path)


def _sheet(columns: dict[str, Tensor]) -> Image.Image:
    rows, _, height, width = next(iter(columns.values())).shape
    height = height * _ZOOM
    width = width * _ZOOM
    sheet = Image.new(
        "RGB",
        (
            len(columns) * (width + _GAP_PX) + _GAP_PX,
            _HEADER_PX + rows * (height + _GAP_PX) + _GAP_PX,
        ),
        "white",
    )
    pen = ImageDraw.Draw(sheet)
    for column, (label, images) in enumerate(columns.items()):
        left = _GAP_PX + column * (width + _GAP_PX)
        pen.text((left, 2), label, fill="black", font_size=_LABEL_PX)
        for row, image in enumerate(images):
            sheet.paste(
                _picture(image).resize((width, height), Image.Resampling.NEAREST),
                (left, _HEADER_PX + row * (height + _GAP_PX)),
            )
    return sheet


def _picture(image: Tensor) -> Image.Image:
    """Returns the image with its [0, 1] spread over 0 to 255."""
    pixels = image.expand(3, -1, -1).clamp(0, 1).mul(255).round().to(torch.uint8)
    return Image.fromarray(pixels.permute(1, 2, 0).cpu().numpy())


def _luma(images: Tensor) -> Tensor:
    """Gives Y, `(n, h, w)`, 16 to 235."""
    if images.shape[1] == 1:
        return 16 + 219 * images[:, 0]
    weights = torch.tensor(_Y_WEIGHTS, device=images.device).view(1, 3, 1, 1)
    return 16 + (images * weights).sum(1)
