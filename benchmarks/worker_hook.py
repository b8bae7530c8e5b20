"""What the worker hook costs a training step, side by side: ``python benchmarks/worker_hook.py``.

Steps of 50 ms (a busy processor, not a sleeping one, so that caches are as cold as in training)
with nothing, with ``paramount()`` and no agent, with an agent that listens, with one that does not
read, and with the optimizer hook's counter. The target is 0.1 % of such a step, 50 us in the mean.
The time of each call is taken alone: the difference of two loops of 50 ms steps would drown in the
machine's noise. The mean and the verdict are of the thread's processor time (a call never waits);
wall time counts whatever else the machine does meanwhile.
"""

from __future__ import annotations

import argparse
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from elastic.worker.hook import Worker
from elastic.worker.optimizer_steps import StepCounter
from elastic.worker.place import WorkerPlace

TARGET_US = 50.0
LISTENER = """
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1] + "/listening")
while True: receiver.recv(65536)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--step-ms", type=float, default=50.0)
    arguments = parser.parse_args()
    print(
        f"{'a step with':34}{'wall median':>12}{'wall p99':>10}{'cpu mean us':>13}{'of a step':>11}"
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen([sys.executable, "-c", LISTENER, folder]) as listener,
    ):
        while not (Path(folder) / "listening").exists():
            time.sleep(0.01)
        worst = max(
            _report(name, _calls(call, arguments.steps, arguments.step_ms), arguments.step_ms)
            for name, call in _variants(Path(folder)).items()
        )
        listener.kill()
    verdict = "within" if worst < TARGET_US else "ABOVE"
    print(f"{verdict} the target of {TARGET_US:.0f} us")


def _variants(folder: Path) -> dict[str, Callable[[int], object]]:
    listening, deaf = folder / "listening", folder / "deaf"
    unread = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    unread.bind(str(deaf))
    alone, heard, unheard, counted = (
        _worker(path, folder) for path in (None, listening, deaf, listening)
    )
    counter, optimizer = StepCounter(counted), _Optimizer()
    return {
        "nothing": lambda _: None,
        "paramount(), no elasticd": lambda done: alone.turn(done, "main"),
        "paramount(), agent listening": lambda done: heard.turn(done, "main"),
        "paramount(), agent not reading": lambda done: (unheard.turn(done, "main"), unread),
        "optimizer hook, agent listening": lambda _: counter(optimizer, (), {}),
    }


class _Optimizer:
    """Stands for a torch optimizer: the counter asks only for its identity."""


def _worker(path: Path | None, folder: Path) -> Worker:
    membership = WorkerPlace(
        socket_path=str(path) if path else None,
        drain_file=str(folder / "drain") if path else None,
        generation=1,
    )
    return Worker(membership, started_at=time.perf_counter())


def _calls(call: Callable[[int], object], steps: int, step_ms: float) -> list[tuple[float, float]]:
    """Wall and processor microseconds of each call."""
    taken_us = []
    for done in range(1, steps + 1):
        _busy(step_ms / 1000)
        start, used = time.perf_counter_ns(), time.thread_time_ns()
        call(done)
        used_us = (time.thread_time_ns() - used) / 1000
        taken_us.append(((time.perf_counter_ns() - start) / 1000, used_us))
    return taken_us


def _busy(duration_s: float) -> None:
    end = time.perf_counter() + duration_s
    data = list(range(50_000))
    while time.perf_counter() < end:
        sum(data)


def _report(name: str, taken_us: list[tuple[float, float]], step_ms: float) -> float:
    wall_us = sorted(wall for wall, _ in taken_us)
    mean = statistics.fmean(used for _, used in taken_us)
    p99 = wall_us[int(0.99 * (len(wall_us) - 1))]
    print(
        f"{name:34}{statistics.median(wall_us):12.1f}{p99:10.1f}{mean:13.1f}{mean / (step_ms * 1000):11.4%}"
    )
    return mean


if __name__ == "__main__":
    main()
