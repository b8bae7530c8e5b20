"""The generator: its network, the pictures that it enlarges, and how good they are."""

from elastic.workloads.esrgan.generator.generator import SCALE, Generator, enlarge
from elastic.workloads.esrgan.generator.judging import (
    HeldOut,
    bicubic,
    cut_held_out,
    judge,
    save_picture,
)
from elastic.workloads.esrgan.generator.upscaling import Upscaler, upscaler_of

__all__ = [
    "SCALE",
    "Generator",
    "HeldOut",
    "Upscaler",
    "bicubic",
    "cut_held_out",
    "enlarge",
    "judge",
    "save_picture",
    "upscaler_of",
]
