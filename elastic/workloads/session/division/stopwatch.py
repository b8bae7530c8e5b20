"""Times a turn's own work on this rank; a GPU's time is read later, so that none waits for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Any, Protocol

import torch


class DeviceEvent(Protocol):
    """An instant in a device's work, such as an event of torch."""

    def query(self) -> bool:
        """Whether the device has reached it."""

    def elapsed_time(self, end_event: Any) -> float:
        """Returns the milliseconds from here to another event that was reached."""


class Stopwatch:
    """Times turns on a CPU, without the time that they wait for other ranks."""

    def __init__(self) -> None:
        self._began_s = perf_counter()
        self._took_s = 0.0

    @staticmethod
    def of(device: torch.device) -> Stopwatch:
        """Returns the stopwatch for a device."""
        if device.type != "cuda":
            return Stopwatch()

        def mark() -> DeviceEvent:
            # torch leaves it untyped.
            event = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
            event.record(torch.cuda.current_stream(device))
            return event

        return GpuStopwatch(mark)

    def begin(self) -> None:
        """Begins a turn, or begins it again."""
        self._took_s = 0.0
        self._began_s = perf_counter()

    def pause(self) -> None:
        """Stops the clock: this rank waits for others."""
        self._took_s += perf_counter() - self._began_s

    def go_on(self) -> None:
        """Starts the clock again."""
        self._began_s = perf_counter()

    def end(self, samples: int) -> list[float]:
        """Ends this rank's part of a turn, of so many samples.

        Returns the seconds a sample of each turn that is known now; 0 for one without a sample.
        """
        self.pause()
        return [self._took_s / samples if samples else 0.0]


class GpuStopwatch(Stopwatch):
    """Times turns by events in a GPU's work.

    A turn's time comes with a later turn, once the GPU has reached its events.
    """

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
        # Only turns whose last event the GPU has reached: no wait.
        while self._ended and self._ended[0][1][-1][1].query():
            of, parts = self._ended.popleft()
            took_ms = sum([begin.elapsed_time(end) for begin, end in parts])
            costs.append(took_ms / 1e3 / of if of else 0.0)
        return costs
