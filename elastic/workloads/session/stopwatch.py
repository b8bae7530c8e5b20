"""What a turn's own work takes this rank: on a GPU read when the GPU has done it, so that nobody
waits for that."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Any, Protocol

import torch


class DeviceEvent(Protocol):
    """An instant in what a device does; torch's events are such."""

    def query(self) -> bool:
        """Whether the device has come there."""

    def elapsed_time(self, end_event: Any) -> float:
        """Gives the milliseconds from here to another mark that the device has come to."""


class Stopwatch:
    """Times turns on a CPU, but for what they wait for others. All is done there once it is
    given."""

    def __init__(self) -> None:
        self._began_s = perf_counter()
        self._took_s = 0.0

    def begin(self) -> None:
        """A turn begins, or begins again."""
        self._took_s = 0.0
        self._began_s = perf_counter()

    def pause(self) -> None:
        """From here on others are waited for."""
        self._took_s += perf_counter() - self._began_s

    def go_on(self) -> None:
        """They have come."""
        self._began_s = perf_counter()

    def end(self, samples: int) -> list[float]:
        """This rank has computed its part of a turn, so many samples.

        Gives the seconds a sample of each turn that is known now; 0 for one without a sample.
        """
        self.pause()
        return [self._took_s / samples if samples else 0.0]


class GpuStopwatch(Stopwatch):
    """The same by marks among a GPU's work. A turn's time is given with a later turn, once the GPU
    has come there."""

    def __init__(self, mark: Callable[[], DeviceEvent]) -> None:
        self._mark = mark
        self._began = mark()
        self._parts: list[tuple[DeviceEvent, DeviceEvent]] = []
        self._ended: deque[tuple[int, list[tuple[DeviceEvent, DeviceEvent]]]] = deque()

    def begin(self) -> None:
        self._parts = []
        self._began = self._mark()

    def pause(self) -> None:
        self._parts.append((self._began, self._mark()))

    def go_on(self) -> None:
        self._began = self._mark()

    def end(self, samples: int) -> list[float]:
        self.pause()
        self._ended.append((samples, self._parts))
        costs = []
        while self._ended and self._ended[0][1][-1][1].query():
            of, parts = self._ended.popleft()
            took_ms = sum([begin.elapsed_time(end) for begin, end in parts])
            costs.append(took_ms / 1e3 / of if of else 0.0)
        return costs


def stopwatch_of(device: torch.device) -> Stopwatch:
    """Gives what times turns on a device."""
    if device.type != "cuda":
        return Stopwatch()

    def mark() -> DeviceEvent:
        event = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]  # torch leaves it untyped
        event.record(torch.cuda.current_stream(device))
        return event

    return GpuStopwatch(mark)
