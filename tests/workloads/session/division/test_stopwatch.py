"""What a turn's own work takes, timed where a device may be behind the thread that gives it
work."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from elastic.workloads.session.division import GpuStopwatch, Stopwatch


@dataclass
class Gpu:
    """Does what it is given when it is let: each mark comes to have the time at which it is come
    to."""

    now_ms: float = 0.0
    waiting: list[Event] = field(default_factory=list)

    def mark(self) -> Event:
        self.waiting.append(Event())
        return self.waiting[-1]

    def works(self, took_ms: float, *, marks: int) -> None:
        """Comes to as many of the marks it was given, and works for so long after each."""
        for _ in range(marks):
            self.waiting.pop(0).at_ms = self.now_ms
            self.now_ms += took_ms


@dataclass
class Event:
    """As torch's: to ask one for its time that the GPU has not come to is an error."""

    at_ms: float | None = None

    def query(self) -> bool:
        return self.at_ms is not None

    def elapsed_time(self, end_event: Event) -> float:
        if self.at_ms is None or end_event.at_ms is None:
            raise RuntimeError("the GPU has not come there")
        return end_event.at_ms - self.at_ms


@pytest.fixture
def gpu() -> Gpu:
    return Gpu()


@pytest.fixture
def watch(gpu: Gpu) -> GpuStopwatch:
    watch = GpuStopwatch(gpu.mark)
    gpu.waiting.clear()
    return watch


def test_a_turn_is_told_with_a_later_one_once_the_gpu_has_come_to_its_end(
    gpu: Gpu, watch: GpuStopwatch
) -> None:
    watch.begin()
    assert watch.end(4) == []
    gpu.works(2000.0, marks=2)
    watch.begin()
    assert watch.end(4) == [0.5]
    watch.begin()
    assert watch.end(4) == []


def test_what_is_waited_for_others_does_not_count(gpu: Gpu, watch: GpuStopwatch) -> None:
    watch.begin()
    watch.pause()
    watch.go_on()
    watch.end(1)
    gpu.works(1000.0, marks=4)  # of these three seconds the second one is the others'
    watch.begin()
    assert watch.end(1) == [2.0]


def test_turns_are_told_in_their_order_however_far_the_gpu_is_behind(
    gpu: Gpu, watch: GpuStopwatch
) -> None:
    for samples in (1, 0, 2):
        watch.begin()
        assert watch.end(samples) == []
    gpu.works(1000.0, marks=6)
    watch.begin()
    assert watch.end(1) == [1.0, 0.0, 0.5]


def test_of_a_turn_that_is_begun_anew_only_the_last_time_counts(
    gpu: Gpu, watch: GpuStopwatch
) -> None:
    watch.begin()
    watch.pause()
    watch.begin()
    watch.end(1)
    gpu.works(3000.0, marks=4)
    watch.begin()
    assert watch.end(1) == [3.0]


def test_a_cpu_has_done_all_at_once() -> None:
    watch = Stopwatch()
    watch.begin()
    (cost_s,) = watch.end(1)
    assert cost_s >= 0.0
