"""How fast this machine is, so that the demo takes about as long on any."""

from __future__ import annotations

import time

import numpy as np

_SIDE = 384
_TURNS = 60
_REFERENCE_CPU_S = 0.08  # what one burst takes on the machine whose number of iterations job.yaml gives
_SLOWEST, _FASTEST = 0.5, 4.0


def iterations_here(iterations: int) -> int:
    """Scales a number of iterations by how fast one core of this machine is."""
    speed = _REFERENCE_CPU_S / min(_burst_cpu_s() for _ in range(3))
    return round(iterations * min(max(speed, _SLOWEST), _FASTEST))


def _burst_cpu_s() -> float:
    """Seconds of CPU time, which busy neighbours do not count in, for a fixed piece of work like training's."""
    matrix = np.ones((_SIDE, _SIDE), dtype=np.float32)
    begun_s = time.thread_time()
    for _ in range(_TURNS):
        np.matmul(matrix, matrix)
    return time.thread_time() - begun_s
