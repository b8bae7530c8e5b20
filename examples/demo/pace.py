"""How fast this machine is now, so that the demo takes about as long on any, busy ones included."""

from __future__ import annotations

import time
from statistics import median

import torch
from torch import nn

# Convolutions of the size that the small ESRGAN has: a processor may be quicker at other work.
_BATCH, _FILTERS, _SIDE = 8, 32, 24
_TURNS = 12
_BURSTS = 15  # about a second: whatever else runs here has its share of it
_REFERENCE_S = 0.065  # of one burst on the machine whose number of iterations job.yaml gives
_SLOWEST, _FASTEST = 0.35, 4.0


def iterations_here(iterations: int) -> int:
    """Scales a number of iterations by what one core of this machine has to give."""
    speed = _REFERENCE_S / median(_burst_s() for _ in range(_BURSTS))
    return round(iterations * min(max(speed, _SLOWEST), _FASTEST))


def _burst_s() -> float:
    """Seconds for a fixed piece of training."""
    torch.set_num_threads(1)
    images = torch.rand(_BATCH, _FILTERS, _SIDE, _SIDE)
    layers = nn.Sequential(
        nn.Conv2d(_FILTERS, _FILTERS, 3, padding=1),
        nn.LeakyReLU(0.2),
        nn.Conv2d(_FILTERS, _FILTERS, 3, padding=1),
    )
    begun_s = time.monotonic()
    for _ in range(_TURNS):
        layers(images).sum().backward()
    return time.monotonic() - begun_s
