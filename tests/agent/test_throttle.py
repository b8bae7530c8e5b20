"""A processor quota without root."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from elastic.agent.throttle import Throttle, tree
from tests.agent.conftest import World

pytestmark = pytest.mark.slow
BUSY = "import sys\nwhile True: pass"
TWO_BUSY = f"import os\nos.fork()\n{BUSY}"


@pytest.fixture
def busy(request: pytest.FixtureRequest) -> Iterator[psutil.Process]:
    process = subprocess.Popen([sys.executable, "-c", request.param])
    yield psutil.Process(process.pid)
    for child in psutil.Process(process.pid).children(recursive=True):
        child.kill()
    process.kill()
    process.wait()


def used_s(root: psutil.Process) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in (root, *root.children(recursive=True)))


@pytest.mark.parametrize(
    ("busy", "quota"),
    [(BUSY, 0.5), (BUSY, 0.25), (TWO_BUSY, 0.5)],
    indirect=["busy"],
    ids=["half", "quarter", "two"],
)
def test_a_tree_uses_its_share_of_a_core_however_many_processes_it_has(
    busy: psutil.Process, quota: float
) -> None:
    throttle = Throttle(quota=quota, members=tree(lambda: busy.pid))
    throttle.start()
    time.sleep(0.5)
    shares: list[float] = []
    # A neighbour of this machine may take its cores for seconds: a quota that is not kept is missed
    # each time.
    while len(shares) < 3 and not (shares and 0.8 * quota < shares[-1] < 1.15 * quota):
        start, before_s = time.monotonic(), used_s(busy)
        time.sleep(4.0)
        shares.append((used_s(busy) - before_s) / (time.monotonic() - start))
    throttle.stop()
    assert 0.8 * quota < shares[-1] < 1.15 * quota, shares


@pytest.mark.parametrize("busy", [BUSY], indirect=True)
def test_what_was_stopped_goes_on_when_throttling_ends(busy: psutil.Process) -> None:
    throttle = Throttle(quota=0.01, members=tree(lambda: busy.pid))
    throttle.start()
    time.sleep(1.0)
    throttle.stop()
    assert busy.status() != psutil.STATUS_STOPPED


def test_half_a_core_makes_half_the_turns(world: World) -> None:
    script = """
import time
from elastic.worker import drained, paramount
done = 0
while True:
    start = time.thread_time()
    while time.thread_time() - start < 0.05: pass
    done += 1
    if paramount(done):
        drained(done)
        break
"""
    world.assign(world.script(script))
    world.node(cpu_quota=0.5)

    def share() -> float:
        """Of a core, by the next windows."""
        seen = len(world.daemon.messages("window"))
        world.wait_for(lambda: len(world.daemon.messages("window")) > seen + 8)
        windows = [each for each in world.daemon.messages("window")[seen:] if not each["is_cold"]]
        used_s = 0.05 * sum(int(each["iterations"]) for each in windows)
        return used_s / sum(float(each["elapsed_s"]) for each in windows)

    shares = [share()]
    while len(shares) < 3 and not 0.3 < shares[-1] < 0.55:
        shares.append(share())
    assert 0.3 < shares[-1] < 0.55, shares
    world.daemon.assignment = None
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "drained"
