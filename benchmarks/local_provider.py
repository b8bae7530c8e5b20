"""How long a local node takes to start and to end, and how exactly its quota of CPU time is kept.

python benchmarks/local_provider.py
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from elastic.clock import SystemClock
from elastic.model import NodeType, Offering
from elastic.providers import LaunchRequest, LocalProvider, find_cpu_cgroups

LAUNCHES = 30
QUOTA_S = 5.0
SHARES = (0.125, 0.25, 0.5)
BUSY = (sys.executable, "-I", "-S", "-c", "while True: pass")
IDLE = (sys.executable, "-I", "-S", "-c", "import signal; signal.pause()")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        _time_calls(Path(folder))
    if find_cpu_cgroups() is None:
        print("quota: not measured, this process may not make control groups")
        return
    for cpu in SHARES:
        with tempfile.TemporaryDirectory() as folder:
            share = _share(Path(folder), cpu)
        print(
            f"quota: asked for {cpu:.3f} of a core, got {share:.4f} ({share / cpu:.1%}) over "
            f"{QUOTA_S:g} s"
        )


def _provider(root: Path, cpu: float, command: tuple[str, ...]) -> LocalProvider:
    types = [NodeType("measured", cpu=cpu, memory_gib=1)]
    return LocalProvider(
        root, types, clock=SystemClock(), cgroups=find_cpu_cgroups(), agent_command=command
    )


def _request(number: int) -> LaunchRequest:
    node_ids = (f"bench-{number}",)
    return LaunchRequest(
        f"token-{number}", node_ids, "bench", Offering("measured"), "http://127.0.0.1", "x"
    )


def _time_calls(root: Path) -> None:
    provider = _provider(root, 0.5, IDLE)
    launches_s = [_timed(partial(provider.launch, _request(number))) for number in range(LAUNCHES)]
    looks_s = [_timed(provider.instances) for _ in range(20)]
    ends_s = [
        _timed(partial(provider.terminate, f"bench-{number}", now_s=SystemClock().now_s()))
        for number in range(LAUNCHES)
    ]
    for name, durations_s in (
        ("launch", launches_s),
        (f"list {LAUNCHES} nodes", looks_s),
        ("terminate", ends_s),
    ):
        median_ms, worst_ms = (
            1000 * value for value in (statistics.median(durations_s), max(durations_s))
        )
        print(f"{name}: median {median_ms:.1f} ms, worst {worst_ms:.1f} ms")


def _timed(call: Callable[[], object]) -> float:
    started_s = time.perf_counter()
    call()
    return time.perf_counter() - started_s


def _share(root: Path, cpu: float) -> float:
    provider = _provider(root, cpu, BUSY)
    provider.launch(_request(0))
    pid = json.loads((root / "nodes" / "bench-0" / "process.json").read_text())["pid"]
    before_s, started_s = _cpu_s(pid), time.perf_counter()
    SystemClock().sleep(QUOTA_S)
    share = (_cpu_s(pid) - before_s) / (time.perf_counter() - started_s)
    provider.terminate("bench-0", now_s=SystemClock().now_s())
    return share


def _cpu_s(pid: int) -> float:
    """CPU seconds of the process: the scheduler's own count in nanoseconds, finer than the ticks of
    /proc/PID/stat."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


if __name__ == "__main__":
    main()
