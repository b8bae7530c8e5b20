"""The local provider over real processes; a tiny program stands in for the agent."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from elastic.clock import SystemClock
from elastic.errors import CapacityUnavailable, ProviderError, ProviderUnavailable
from elastic.model import NodeType, Offering
from elastic.providers import CpuCgroups, InstanceState, LocalProvider, find_cpu_cgroups
from tests.providers.contract import ProviderContract, World, buy, request
from tests.providers.nodes import BUSY, HIDING, IDLE, WITH_RUNAWAYS, cpu_s, processes_of, wait_until

HALF, QUARTER = NodeType("half", cpu=0.5, memory_gib=1), NodeType("quarter", cpu=0.25, memory_gib=1)
CGROUPS = find_cpu_cgroups()
needs_cgroups = pytest.mark.skipif(
    CGROUPS is None, reason="only root may limit CPU time by control groups"
)

Connect = Callable[..., LocalProvider]


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    """Gives providers on one and the same root; whatever they started is ended afterwards."""

    def connected(
        agent_command: Sequence[str] = IDLE,
        *,
        cgroups: CpuCgroups | None = None,
        root: Path = tmp_path,
        meminfo: Path = Path("/proc/meminfo"),
    ) -> LocalProvider:
        return LocalProvider(
            root,
            [HALF, QUARTER],
            clock=SystemClock(),
            cgroups=cgroups,
            agent_command=agent_command,
            lease_s=60,
            meminfo=meminfo,
        )

    yield connected
    for root in (tmp_path, tmp_path / "other"):
        if (root / "nodes").exists():
            provider = connected(root=root)
            for instance in provider.instances():
                provider.terminate(instance.provider_id, now_s=time.time())
            assert {i.state for i in provider.instances()} <= {InstanceState.GONE}


def cluster_of(root: Path) -> str:
    """The name that nodes below this folder carry."""
    return (root / "cluster").read_text()


def _agent_pid(root: Path, node_id: str = "node-1") -> int:
    """The number of the node's agent, once it runs the agent's program."""
    pid = int(json.loads((root / "nodes" / node_id / "process.json").read_text())["pid"])
    wait_until(lambda: b"--config" in Path(f"/proc/{pid}/cmdline").read_bytes())
    return pid


def _kill_agent(root: Path, node_id: str) -> None:
    pid = _agent_pid(root, node_id)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not _is_alive(pid))


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


class TestLocalProvider(ProviderContract):
    @pytest.fixture
    def world(self, connect: Connect, tmp_path: Path) -> World:
        return World(
            connect=connect,
            clock=SystemClock(),
            pass_time=lambda: None,
            destroy=lambda provider_id: _kill_agent(tmp_path, provider_id),
            minimum_billed_s=0.0,
        )


@needs_cgroups
class TestLocalProviderWithCgroups(ProviderContract):
    @pytest.fixture
    def world(self, connect: Connect, tmp_path: Path) -> World:
        return World(
            connect=lambda: connect(cgroups=CGROUPS),
            clock=SystemClock(),
            pass_time=lambda: None,
            destroy=lambda provider_id: _kill_agent(tmp_path, provider_id),
            minimum_billed_s=0.0,
        )


def test_the_agent_is_told_everything_in_a_file_that_only_the_owner_reads(
    connect: Connect, tmp_path: Path
) -> None:
    buy(connect(), request(1, Offering("half")))
    path = tmp_path / "nodes" / "node-1" / "agent.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text()) == {
        "instance_id": "node-1",
        "daemon_url": "http://127.0.0.1:8470",
        "other_urls": [],
        "daemon_certificate": "",
        "join_token": "secret-1",
        "work_dir": str(tmp_path / "nodes" / "node-1" / "work"),
        "advertise_host": "127.0.0.1",
        "checkpoint_root": str(tmp_path / "checkpoints"),
        "artifact_root": str(tmp_path / "artifacts"),
        "cpu_quota": 0.5,
        "lease_s": 60,
        "env": {"GREETING": "hello"},
        "shared_cache": str(tmp_path / "cache"),
    }


def test_the_join_token_is_in_no_argument_and_no_environment(
    connect: Connect, tmp_path: Path
) -> None:
    buy(connect(), request(1, Offering("half")))
    shown = Path(f"/proc/{_agent_pid(tmp_path)}")
    assert b"--config" in (shown / "cmdline").read_bytes()
    assert b"secret-1" not in (shown / "cmdline").read_bytes() + (shown / "environ").read_bytes()


def test_what_only_a_living_node_needs_is_deleted_when_it_is_gone(
    connect: Connect, tmp_path: Path
) -> None:
    provider = connect()
    bought = buy(provider, request(1, Offering("half")))
    _agent_pid(tmp_path)
    work = tmp_path / "nodes" / "node-1" / "work"
    # Where an agent keeps a token, the job's key, and what a worker's exception says.
    error = work / "torchrun" / "job-1-g1_x" / "attempt_0" / "0" / "last-error.json"
    error.parent.mkdir(parents=True)
    for path in (work / "agent.json", work / "certificate.pem", error):
        path.write_text("the key is secret-1")
    (work / "reserve").write_bytes(b"kept for the agent on a full disk")
    provider.terminate(bought.provider_id, now_s=time.time())
    assert {each.state for each in provider.instances()} == {InstanceState.GONE}
    left = [path for path in (tmp_path / "nodes").rglob("*") if path.is_file()]
    assert [path for path in left if b"secret-1" in path.read_bytes()] == []
    assert work / "reserve" not in left


def test_the_daemons_own_settings_do_not_reach_the_node(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELASTICD_DATABASE_URL", "postgresql://user:password@db")
    buy(connect(), request(1, Offering("half")))
    environment = Path(f"/proc/{_agent_pid(tmp_path)}/environ").read_bytes()
    assert b"password" not in environment
    assert b"GREETING=hello" in environment
    assert b"ELASTICD_NODE_ID=node-1" in environment


def test_a_node_has_a_session_of_its_own_reads_nothing_and_writes_to_its_log(
    connect: Connect, tmp_path: Path
) -> None:
    talker = (
        sys.executable,
        "-I",
        "-c",
        "import sys, time; print('up', repr(sys.stdin.read()), flush=True); time.sleep(60)",
    )
    provider = connect(talker)
    machine = buy(provider, request(1, Offering("half")))
    pid = _agent_pid(tmp_path)
    assert os.getsid(pid) == pid
    folder = provider.log_path(machine.provider_id)
    assert folder is not None
    wait_until(lambda: (Path(folder) / "agent.log").read_text() == "up ''\n")


def test_a_node_runs_where_its_provider_was_made_so_that_scripts_are_found_by_relative_paths(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    provider = connect()
    monkeypatch.chdir("/")
    buy(provider, request(1, Offering("half")))
    assert Path(f"/proc/{_agent_pid(tmp_path)}/cwd").readlink() == tmp_path


def test_an_agent_that_cannot_be_executed_is_gone_and_its_log_says_why(connect: Connect) -> None:
    provider = connect(("/no/such/agent",))
    buy(provider, request(1, Offering("half")))
    wait_until(lambda: provider.instances()[0].state is InstanceState.GONE)
    folder = provider.log_path("node-1")
    assert folder is not None
    assert "cannot start /no/such/agent" in (Path(folder) / "agent.log").read_text()


def test_a_node_outlives_the_process_that_launched_it_and_is_adopted(
    connect: Connect, tmp_path: Path
) -> None:
    launching = f"""
import sys
from pathlib import Path
from elastic.clock import SystemClock
from elastic.model import NodeType, Offering
from elastic.providers import LocalProvider
from tests.providers.contract import buy, request
provider = LocalProvider(Path({str(tmp_path)!r}), [NodeType("half", 0.5, 1)], clock=SystemClock(), cgroups=None,
                         agent_command={IDLE!r})
print(buy(provider, request(1, Offering("half"))).launched_at_s)
"""
    done = subprocess.run(
        [sys.executable, "-c", launching], capture_output=True, text=True, check=True
    )
    (adopted,) = connect().instances()
    assert adopted.state is InstanceState.RUNNING
    assert adopted.launched_at_s == float(done.stdout)


def test_termination_ends_runaways_in_sessions_of_their_own(
    connect: Connect, tmp_path: Path
) -> None:
    provider = connect(WITH_RUNAWAYS)
    machine = buy(provider, request(1, Offering("half")))
    wait_until(lambda: len(processes_of("node-1", cluster=cluster_of(tmp_path))) == 4)
    provider.terminate(machine.provider_id, now_s=time.time())
    assert processes_of("node-1", cluster=cluster_of(tmp_path)) == set()
    assert provider.instances()[0].state is InstanceState.GONE


def test_a_node_whose_agent_died_is_cleaned_up_and_gone(connect: Connect, tmp_path: Path) -> None:
    provider = connect(WITH_RUNAWAYS)
    buy(provider, request(1, Offering("half")))
    wait_until(lambda: len(processes_of("node-1", cluster=cluster_of(tmp_path))) == 4)
    _kill_agent(tmp_path, "node-1")
    # One that begins a program has no environment.
    wait_until(lambda: len(processes_of("node-1", cluster=cluster_of(tmp_path))) == 3)
    assert provider.instances()[0].state is InstanceState.GONE
    assert processes_of("node-1", cluster=cluster_of(tmp_path)) == set()


@needs_cgroups
def test_a_control_group_finds_even_those_who_hide(connect: Connect, tmp_path: Path) -> None:
    provider = connect(HIDING, cgroups=CGROUPS)
    machine = buy(provider, request(1, Offering("half")))
    group = _group(tmp_path)
    wait_until(
        lambda: (
            len((group / "cgroup.procs").read_text().split()) == 2
            and len(processes_of("node-1", cluster=cluster_of(tmp_path))) == 1
        )
    )
    provider.terminate(machine.provider_id, now_s=time.time())
    assert provider.instances()[0].state is InstanceState.GONE
    assert not group.exists()


def test_processes_of_another_root_with_the_same_node_id_are_left_alone(
    connect: Connect, tmp_path: Path
) -> None:
    other = connect(root=tmp_path / "other")
    buy(other, request(1, Offering("half")))
    provider = connect()
    buy(provider, request(1, Offering("half")))
    provider.terminate("node-1", now_s=time.time())
    assert provider.instances()[0].state is InstanceState.GONE
    assert other.instances()[0].state is InstanceState.RUNNING


def test_a_stopped_process_is_ended_too(connect: Connect, tmp_path: Path) -> None:
    provider = connect()
    buy(provider, request(1, Offering("half")))
    os.kill(_agent_pid(tmp_path), signal.SIGSTOP)
    assert provider.instances()[0].state is InstanceState.RUNNING
    provider.terminate("node-1", now_s=time.time())
    assert provider.instances()[0].state is InstanceState.GONE


def test_no_zombie_is_left_by_launches_and_terminations(connect: Connect) -> None:
    provider = connect(WITH_RUNAWAYS)
    for number in range(3):
        buy(provider, request(number, Offering("half")))
        provider.terminate(f"node-{number}", now_s=time.time())
    children = ["ps", "--ppid", str(os.getpid()), "-o", "stat="]  # ps itself is one of them
    assert "Z" not in subprocess.run(children, capture_output=True, text=True, check=True).stdout


def test_the_exit_dates_from_the_termination(connect: Connect) -> None:
    provider = connect()
    buy(provider, request(1, Offering("half")))
    asked_at_s = time.time()
    provider.terminate("node-1", now_s=asked_at_s)
    assert provider.instances()[0].exited_at_s == asked_at_s


def test_a_number_that_belongs_to_another_process_by_now_is_not_the_agent(
    connect: Connect, tmp_path: Path
) -> None:
    buy(connect(), request(1, Offering("half")))
    _kill_agent(tmp_path, "node-1")
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        path = tmp_path / "nodes" / "node-1" / "process.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"pid": bystander.pid}))
        assert connect().instances()[0].state is InstanceState.GONE
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_node_from_before_the_machine_restarted_is_gone(connect: Connect, tmp_path: Path) -> None:
    buy(connect(), request(1, Offering("half")))
    path = tmp_path / "nodes" / "node-1" / "process.json"
    record = json.loads(path.read_text())
    _kill_agent(tmp_path, "node-1")
    path.write_text(json.dumps(record | {"boot_id": "another-boot"}))
    assert connect().instances()[0].state is InstanceState.GONE


def test_gone_nodes_are_listed_for_a_while_only(tmp_path: Path) -> None:
    provider = LocalProvider(
        tmp_path, [HALF], clock=SystemClock(), cgroups=None, agent_command=IDLE, gone_visible_s=0.0
    )
    buy(provider, request(1, Offering("half")))
    provider.terminate("node-1", now_s=time.time() - 1)
    assert provider.instances() == ()
    assert buy(provider, request(1, Offering("half"))).state is InstanceState.GONE


def test_a_node_id_is_never_used_for_two_launches(connect: Connect) -> None:
    provider = connect()
    first = request(1, Offering("half"))
    buy(provider, first)
    with pytest.raises(ProviderError, match="another token"):
        buy(
            provider,
            type(first)(
                "token-2", ("node-1",), "job-1", first.offering, first.daemon_url, first.join_token
            ),
        )


@pytest.mark.parametrize("node_id", ["../escape", "", "a/b", ".hidden", "x" * 101])
def test_a_node_id_that_is_no_plain_name_is_refused(
    connect: Connect, tmp_path: Path, node_id: str
) -> None:
    first = request(1, Offering("half"))
    with pytest.raises(ProviderError, match="id is wanted"):
        buy(
            connect(),
            type(first)(
                "t", (node_id,), "job-1", first.offering, first.daemon_url, first.join_token
            ),
        )
    assert list((tmp_path / "nodes").iterdir()) == []


def test_an_unreadable_record_makes_the_list_unavailable_and_not_shorter(
    connect: Connect, tmp_path: Path
) -> None:
    provider = connect()
    buy(provider, request(1, Offering("half")))
    path = tmp_path / "nodes" / "node-1" / "launch.json"
    whole = path.read_text()
    path.write_text(whole[:20])
    with pytest.raises(ProviderUnavailable, match="cannot be read"):
        provider.instances()
    path.write_text(whole)


def test_nodes_that_would_fill_the_memory_are_refused(connect: Connect, tmp_path: Path) -> None:
    """The provider says how many would fit, and sells that many."""
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:  4194304 kB\nMemAvailable:  1048576 kB\n")
    provider = connect(meminfo=meminfo)
    half = Offering("half")

    with pytest.raises(CapacityUnavailable, match=r"has 1 GiB left: wanted at most 3 nodes"):
        provider.launch(request(1, half, count=4))
    assert provider.instances() == ()
    now_s = time.time()
    assert provider.blocks.of(half, nodes=4, now_s=now_s) is not None
    assert provider.blocks.of(half, nodes=3, now_s=now_s) is None

    bought = provider.launch(request(2, half, count=3))
    # What was bought is given again, whatever is free by now.
    meminfo.write_text("MemAvailable:  1024 kB\n")
    assert {each.node_id for each in provider.launch(request(2, half, count=3))} == {
        each.node_id for each in bought
    }


@needs_cgroups
def test_control_groups_hold_busy_nodes_to_their_shares_of_a_core(
    connect: Connect, tmp_path: Path
) -> None:
    provider = connect(BUSY, cgroups=CGROUPS)
    for number, node_type in enumerate((HALF, QUARTER)):
        buy(provider, request(number, Offering(node_type.name)))
    pids = [_agent_pid(tmp_path, f"node-{number}") for number in (0, 1)]
    used_s, started_s = [cpu_s(pid) for pid in pids], time.monotonic()
    time.sleep(1.0)
    # On crowded cores a node takes longer for that.
    wait_until(lambda: cpu_s(pids[0]) - used_s[0] > 0.1, within_s=60.0)
    wait_until(lambda: cpu_s(pids[1]) - used_s[1] > 0.05, within_s=60.0)
    lasted_s = time.monotonic() - started_s
    half, quarter = (
        (cpu_s(pid) - before_s) / lasted_s for pid, before_s in zip(pids, used_s, strict=True)
    )
    # Never more than the quota (benchmarks/local_provider.py measures how exactly).
    assert half < 0.56
    assert quarter < 0.30
    assert [_quota(_group(tmp_path, f"node-{number}")) for number in (0, 1)] == [0.5, 0.25]
    assert (
        json.loads((tmp_path / "nodes" / "node-0" / "agent.json").read_text())["cpu_quota"] is None
    )


def _quota(group: Path) -> float:
    """The share of a core that the kernel gives a control group."""
    if (group / "cpu.max").exists():
        quota, period = (group / "cpu.max").read_text().split()
    else:
        quota, period = ((group / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
    return int(quota) / int(period)


def _group(root: Path, node_id: str = "node-1") -> Path:
    return Path(json.loads((root / "nodes" / node_id / "launch.json").read_text())["cgroup"])


def test_a_node_that_has_been_gone_for_a_day_leaves_nothing(
    connect: Connect, tmp_path: Path
) -> None:
    provider = connect()
    for number in (1, 2):
        instance = buy(provider, request(number, Offering("half")))
        provider.terminate(instance.provider_id, now_s=time.time())
    gone = tmp_path / "nodes" / "node-1" / "exit.json"
    gone.write_text(json.dumps({"exited_at_s": time.time() - 86_500.0}))
    (tmp_path / "nodes" / "node-1" / "work" / "data").write_bytes(b"x" * 1000)
    # As after a restart of the daemon.
    later = connect()
    later.instances()
    buy(later, request(3, Offering("half")))
    assert {each.name for each in (tmp_path / "nodes").iterdir()} == {"node-2", "node-3"}
    assert {os.readlink(each) for each in (tmp_path / "tokens").iterdir()} == {"node-2", "node-3"}
