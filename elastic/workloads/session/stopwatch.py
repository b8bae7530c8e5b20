"""What a turn's own work takes this rank: on a GPU read when the GPU has done it, so that nobody waits for that."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Any, Protocol

import torch


class Mark(Protocol):
    """An instant in what a device does; torch's events are such."""

    def query(self) -> bool:
        """Whether the device has come there."""

    def elapsed_time(self, end_event: Any) -> float:
        """Gives the milliseconds from here to another mark that the device has come to."""


class Instant(float):
    """A mark on a CPU, which does what it is given at once: the seconds of its clock."""

    __slots__ = ()

    def query(self) -> bool:
        return True

    def elapsed_time(self, end_event: Any) -> float:
        return 1e3 * float(end_event - self)


def now() -> Instant:
    """Gives a mark on the CPU."""
    return Instant(perf_counter())


def marking(device: torch.device) -> Callable[[], Mark]:
    """Gives what puts marks behind all that a device was given."""
    if device.type != "cuda":
        return now

    def mark() -> Mark:
        event = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]  # torch leaves it untyped
        event.record(torch.cuda.current_stream(device))
        return event

    return mark


class Stopwatch:
    """Times turns, but for what they wait for others."""

    def __init__(self, mark: Callable[[], Mark] = now) -> None:
        self._mark = mark
        self._began = mark()
        self._parts: list[tuple[Mark, Mark]] = []
        self._ended: deque[tuple[int, list[tuple[Mark, Mark]]]] = deque()

    def begin(self) -> None:
        """A turn begins, or begins again."""
        self._parts = []
        self._began = self._mark()

    def pause(self) -> None:
        """From here on others are waited for."""
        self._parts.append((self._began, self._mark()))

    def go_on(self) -> None:
        """They have come."""
        self._began = self._mark()

    def end(self, samples: int) -> list[float]:
        """This rank has computed its part of a turn, so many samples.

        Gives the seconds a sample of each turn that the device has come to the end of since; 0 without a sample.
        """
        self.pause()
        self._ended.append((samples, self._parts))
        costs = []
        while self._ended and self._ended[0][1][-1][1].query():
            of, parts = self._ended.popleft()
            took_ms = sum([begin.elapsed_time(end) for begin, end in parts])
            costs.append(took_ms / 1e3 / of if of else 0.0)
        return costs
