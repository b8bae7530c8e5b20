"""A launch that is cut short at any point, and repeated, starts its agent at most once."""

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import psutil
import pytest

from elastic.clock import SystemClock
from elastic.model import NodeType, Offering
from elastic.providers import InstanceState, LocalProvider
from elastic.providers.keeping import spawn
from elastic.providers.local.node import LocalLaunch, LocalNode
from tests.providers.contract import buy, request
from tests.providers.nodes import IDLE, processes_of, wait_until

SPAWN = (sys.executable, "-I", "-S", spawn.__file__)


@pytest.fixture
def node_id(tmp_path: Path) -> Iterator[str]:
    """A name that no other test's processes carry; whatever carries it is killed afterwards."""
    name = f"start-{tmp_path.name.replace('_', '-')[-80:]}-{random.randrange(10**9)}"
    yield name
    for pid in processes_of(name):
        subprocess.run(["kill", "-9", str(pid)], check=False)


def _order(tmp_path: Path, node_id: str) -> spawn.SpawnOrder:
    return spawn.SpawnOrder(
        lock=str(tmp_path / "lock"),
        process=str(tmp_path / "process.json"),
        vetoes=[str(tmp_path / "stop.json")],
        cgroup=None,
        argv=list(IDLE),
        env={"ELASTICD_NODE_ID": node_id},
        cwd=str(tmp_path),
        log=str(tmp_path / "agent.log"),
        launched_at_s=1.0,
    )


def _begin(order: spawn.SpawnOrder) -> subprocess.Popen[bytes]:
    spawner = subprocess.Popen(SPAWN, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert spawner.stdin is not None
    spawner.stdin.write(json.dumps(order).encode())
    spawner.stdin.close()
    return spawner


def test_orders_given_at_the_same_time_start_one_process(tmp_path: Path, node_id: str) -> None:
    spawners = [_begin(_order(tmp_path, node_id)) for _ in range(6)]
    assert [spawner.wait(10) for spawner in spawners] == [0] * 6
    recorded = json.loads((tmp_path / "process.json").read_text())["pid"]
    wait_until(lambda: processes_of(node_id) == {recorded})


def test_an_order_killed_at_any_moment_and_repeated_has_started_one_process(
    tmp_path: Path, node_id: str
) -> None:
    chance = random.Random(7)
    for attempt in range(12):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        order = _order(folder, f"{node_id}-{attempt}")
        cut_short = _begin(order)
        time.sleep(chance.uniform(0.0, 0.04))
        cut_short.send_signal(signal.SIGKILL)
        cut_short.wait()
        assert _begin(order).wait(10) == 0
        recorded = json.loads((folder / "process.json").read_text())["pid"]
        # A process whose spawner died between recording it and releasing it ends by itself: none,
        # but never two. One that has just been released shows a little later what it is.
        wait_until(partial(_is_settled, f"{node_id}-{attempt}", recorded))
        assert processes_of(f"{node_id}-{attempt}") <= {recorded}
        for pid in processes_of(f"{node_id}-{attempt}"):
            subprocess.run(["kill", "-9", str(pid)], check=True)


def _is_settled(node_id: str, recorded: int) -> bool:
    """Whether the recorded process is over, or runs and is the only one."""
    try:
        is_over = psutil.Process(recorded).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        is_over = True
    return processes_of(node_id) == (set() if is_over else {recorded})


def test_a_process_that_could_not_be_recorded_never_runs(tmp_path: Path, node_id: str) -> None:
    order = _order(tmp_path, node_id)
    order["process"] = str(tmp_path / "no-such-folder" / "process.json")
    assert _begin(order).wait(10) != 0
    assert processes_of(node_id) == set()
    assert not (tmp_path / "agent.log").exists()


def test_a_veto_keeps_the_process_from_being_started(tmp_path: Path, node_id: str) -> None:
    (tmp_path / "stop.json").write_text("{}")
    assert _begin(_order(tmp_path, node_id)).wait(10) == 0
    assert not (tmp_path / "process.json").exists()
    assert processes_of(node_id) == set()


def _provider(tmp_path: Path) -> LocalProvider:
    return LocalProvider(
        tmp_path, [NodeType("half", 0.5, 1)], clock=SystemClock(), cgroups=None, agent_command=IDLE
    )


def _claim_without_start(tmp_path: Path, node_id: str) -> None:
    """What a daemon leaves that dies between the node's record and the start of its agent."""
    offering = Offering("half")
    LocalNode(tmp_path / "nodes" / node_id, "cluster").create(
        LocalLaunch(
            node_id, "job-1", "token-1", offering, cpu=0.5, cgroup=None, claimed_at_s=time.time()
        )
    )


def test_a_launch_cut_short_before_the_start_is_no_machine_until_it_is_repeated(
    tmp_path: Path, node_id: str
) -> None:
    provider = _provider(tmp_path)
    _claim_without_start(tmp_path, node_id)
    assert provider.instances() == ()
    wanted = replace(request(1, Offering("half")), node_ids=(node_id,))
    assert buy(provider, wanted).state is InstanceState.RUNNING
    assert buy(provider, wanted).state is InstanceState.RUNNING
    assert len(provider.instances()) == 1
    wait_until(lambda: len(processes_of(node_id)) == 1)
    told = json.loads((tmp_path / "nodes" / node_id / "agent.json").read_text())
    assert told["join_token"] == "secret-1"


def test_a_node_terminated_before_its_start_is_never_started_and_costs_nothing(
    tmp_path: Path, node_id: str
) -> None:
    provider = _provider(tmp_path)
    _claim_without_start(tmp_path, node_id)
    provider.terminate(node_id, now_s=time.time() + 100)
    gone = buy(provider, replace(request(1, Offering("half")), node_ids=(node_id,)))
    assert gone.state is InstanceState.GONE
    assert gone.exited_at_s == gone.launched_at_s
    assert processes_of(node_id) == set()
