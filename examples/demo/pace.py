"""How fast this machine is now, so that the demo takes about as long on any, busy ones included."""

from __future__ import annotations

import time
from statistics import median

import numpy as np

_SIDE = 384
_TURNS = 60
_BURSTS = 9  # about a second: whatever else runs here has its share of it
_REFERENCE_S = 0.08  # what one burst takes on the machine whose number of iterations job.yaml gives
_SLOWEST, _FASTEST = 0.35, 4.0


def iterations_here(iterations: int) -> int:
    """Scales a number of iterations by what one core of this machine has to give."""
    speed = _REFERENCE_S / median(_burst_s() for _ in range(_BURSTS))
    return round(iterations * min(max(speed, _SLOWEST), _FASTEST))


def _burst_s() -> float:
    """Seconds for a fixed piece of work like training's."""
    matrix = np.ones((_SIDE, _SIDE), dtype=np.float32)
    begun_s = time.monotonic()
    for _ in range(_TURNS):
        np.matmul(matrix, matrix)
    return time.monotonic() - begun_s
