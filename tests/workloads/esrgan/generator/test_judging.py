"""PSNR on the Y channel, by hand."""

from __future__ import annotations

import pytest
import torch

from elastic.workloads.esrgan.generator import bicubic, cut_held_out
from elastic.workloads.esrgan.generator.judging import psnr_y_db
from elastic.workloads.photographs import open_photographs
from tests.workloads.esrgan.builders import tiny_options


def test_psnr_of_a_uniform_error_is_that_of_its_square() -> None:
    black, grey = torch.zeros(2, 3, 16, 16), torch.full((2, 3, 16, 16), 10 / 219)
    # Y differs by 10 of 255 everywhere: 10 log10(255^2 / 100).
    assert psnr_y_db(black, grey) == pytest.approx(28.1308, abs=1e-3)


def test_grey_images_are_judged_on_the_same_scale() -> None:
    black, grey = torch.zeros(1, 1, 16, 16), torch.full((1, 1, 16, 16), 10 / 219)
    assert psnr_y_db(black, grey) == pytest.approx(28.1308, abs=1e-3)


def test_the_edges_do_not_count() -> None:
    image = torch.full((1, 3, 16, 16), 0.5)
    framed = image.clone()
    framed[:, :, :4] = 0
    framed[:, :, :, -4:] = 1
    assert psnr_y_db(framed, image) == psnr_y_db(image, image)


def test_held_out_crops_are_the_same_in_every_run_and_differ_from_one_another() -> None:
    _, held_out = open_photographs("skimage", None, height=32, width=32, channels=3)
    options = tiny_options(held_out_crops=5, held_out_size=64)
    first, again = (cut_held_out(held_out, options, torch.device("cpu")) for _ in range(2))
    assert torch.equal(first.high, again.high)
    assert first.low.shape == (5, 3, 16, 16)
    assert len({crop.sum().item() for crop in first.high}) == 5
    assert 15 < bicubic(first).psnr_y_db < 45
