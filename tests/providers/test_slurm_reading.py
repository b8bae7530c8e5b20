"""Reading what Slurm's commands print, as recorded from Slurm 22.05, without a Slurm."""

from __future__ import annotations

import doctest
import json
import os
import shutil
from pathlib import Path

import pytest

from elastic.clock import Clock, ManualClock, SystemClock
from elastic.config import SlurmSettings, SlurmType
from elastic.errors import (
    CapacityUnavailable,
    Forbidden,
    ProviderError,
    ProviderUnavailable,
    QuotaReached,
)
from elastic.model import Capacity, Obstacle, Offering
from elastic.providers import InstanceState, Trouble
from elastic.providers.keeping import Cluster, NodeTerms
from elastic.providers.slurm import SlurmCommands, SlurmProvider, cluster
from elastic.providers.slurm.cluster import NodeGroup, SlurmConfig, SlurmPartition, read_nodes
from elastic.providers.slurm.jobs import JobLabel, instances_of, job_name, read_jobs
from elastic.providers.slurm.memory import JobMemory
from elastic.providers.slurm.node_types import node_types
from elastic.providers.slurm.provider import LOOK_S
from tests.providers.contract import request

LABEL = JobLabel("ours", "job-1", "token-1", "main", "on-demand", ("node-1", "node-2"), 1000.0)


def row(**more: str) -> list[str]:
    fields = {
        "number": "7_0",
        "state": "RUNNING",
        "reason": "None",
        "start": "1010",
        "end": "4610",
        "nodes": "n1",
        "name": job_name("ours"),
        "comment": LABEL.comment,
    }
    return list((fields | more).values())


def commands(folder: Path, **programs: str) -> SlurmCommands:
    """Slurm as these shell scripts answer."""
    for name, script in programs.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    return SlurmCommands({"PATH": f"{folder}:/usr/bin:/bin"})


def provider_of(
    folder: Path,
    slurm: SlurmCommands,
    *,
    types: tuple[SlurmType, ...] = (),
    clock: Clock | None = None,
    look_s: float = 0.0,
) -> SlurmProvider:
    return SlurmProvider(
        SlurmSettings(folder=folder / "shared", types=types),
        commands=slurm,
        cluster=Cluster("ours", "here"),
        memory=folder / "slurm.json",
        terms=NodeTerms("/checkpoints", "/artifacts"),
        clock=clock or SystemClock(),
        look_s=look_s,
    )


def test_the_examples_hold() -> None:
    assert doctest.testmod(cluster).failed == 0


def test_a_task_of_an_array_is_the_node_of_its_number() -> None:
    jobs = read_jobs([row(), row(number="7_1")], cluster="ours")
    found = instances_of(jobs, because={}, now_s=2000.0)
    assert [(each.provider_id, each.node_id) for each in found] == [
        ("slurm-7_0", "node-1"),
        ("slurm-7_1", "node-2"),
    ]
    assert {each.billed_from_s for each in found} == {1010.0}


def test_jobs_of_others_are_no_nodes() -> None:
    others = [
        row(comment="", name="sweep"),
        row(comment=LABEL.comment, name="sweep"),
        row(comment=LABEL.comment.replace("ours", "theirs"), name=job_name("theirs")),
        row(comment="lost", name=job_name("theirs")),
    ]
    assert read_jobs(others, cluster="ours") == ()


@pytest.mark.parametrize(
    ("reason", "obstacle"),
    [
        ("Resources", None),
        ("(Priority)", None),
        ("ReqNodeNotAvail, UnavailableNodes:n[1-3]", None),
        (
            "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority "
            "partitions",
            None,
        ),
        ("QOSMaxCpuPerUserLimit", Obstacle.QUOTA),
        ("AssocGrpCPUMinutesLimit", Obstacle.QUOTA),
        ("PartitionDown", Obstacle.CAPACITY),
        ("PartitionInactive", Obstacle.CAPACITY),
        ("PartitionTimeLimit", Obstacle.FORBIDDEN),
        ("JobHeldAdmin", Obstacle.FORBIDDEN),
    ],
)
def test_why_a_job_waits_says_whether_it_ever_starts(
    reason: str, obstacle: Obstacle | None
) -> None:
    (job,) = read_jobs([row(state="PENDING", reason=reason, nodes="")], cluster="ours")
    assert job.is_queued
    assert job.obstacle is obstacle


@pytest.mark.parametrize(
    ("state", "nodes", "expected", "never_ran"),
    [
        ("PENDING", "", InstanceState.PENDING, False),
        ("CONFIGURING", "n1", InstanceState.PENDING, False),
        ("SUSPENDED", "n1", InstanceState.RUNNING, False),
        ("COMPLETING", "n1", InstanceState.STOPPING, False),
        ("PREEMPTED", "n1", InstanceState.GONE, False),
        ("CANCELLED", "", InstanceState.GONE, True),
        # What a later Slurm may call it costs until it is known.
        ("DREAMING", "n1", InstanceState.RUNNING, False),
    ],
)
def test_states_of_jobs_are_states_of_machines(
    state: str, nodes: str, expected: InstanceState, never_ran: bool
) -> None:
    jobs = read_jobs([row(state=state, nodes=nodes)], cluster="ours")
    (found,) = instances_of(jobs, because={}, now_s=2000.0)
    assert (found.state, found.never_ran) == (expected, never_ran)
    assert found.was_taken == (state == "PREEMPTED")


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("Job violates accounting/QOS policy (job submit limit)", QuotaReached),
        ("Invalid account or account/partition combination specified", Forbidden),
        ("Requested node configuration is not available", CapacityUnavailable),
        ("Invalid feature specification", ProviderError),
        ("Socket timed out on send/recv operation", ProviderUnavailable),
    ],
)
def test_what_sbatch_says_has_its_kind(
    tmp_path: Path, said: str, error: type[ProviderError]
) -> None:
    slurm = commands(
        tmp_path, sbatch=f"echo 'sbatch: error: Batch job submission failed: {said}' >&2; exit 1"
    )
    with pytest.raises(error) as caught:
        slurm.run("sbatch")
    assert type(caught.value) is error
    assert said in str(caught.value)
    assert caught.value.bought_nothing is (error is not ProviderUnavailable)


def test_no_variable_of_the_users_shell_changes_what_slurm_is_asked(tmp_path: Path) -> None:
    commands(tmp_path, squeue="env")
    own = {
        "SQUEUE_PARTITION": "gpu",
        "SINFO_PARTITION": "gpu",
        "SACCT_FORMAT": "JobID",
        "SCONTROL_ALL": "1",
        "SBATCH_WAIT": "1",
        "SBATCH_ARRAY_INX": "0-1",
        "SLURM_ARRAY_TASK_ID": "3",
        "ELASTICD_TOKEN": "secret",
    }
    kept = {"SBATCH_ACCOUNT": "lab", "SLURM_CONF": "/etc/slurm.conf"}
    told = SlurmCommands({"PATH": f"{tmp_path}:/usr/bin:/bin", **own, **kept}).run("squeue")
    names = {line.partition("=")[0] for line in told.splitlines()}
    assert not names & set(own) and names >= set(kept)


def test_a_machine_without_slurm_says_where_to_start_the_daemon(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="start the daemon on a login node"):
        SlurmCommands({"PATH": str(tmp_path)}).run("no-such-squeue")


def test_nodes_that_power_saving_has_switched_off_count_as_idle(tmp_path: Path) -> None:
    lines = [
        "cloud|8|31000|(null)|3|idle~|2|4|0/24/0/24|spot,small",
        "cloud|8|31000|(null)|2|allocated#|2|4|16/0/0/16|spot,small",
        "cloud|8|31000|(null)|1|down*|2|4|0/0/8/8|spot,small",
    ]
    text = "\n".join(lines)
    slurm = commands(tmp_path, sinfo=f"cat <<'END'\n{text}\nEND")
    nodes = read_nodes(slurm)
    assert [each.is_idle for each in nodes] == [True, False, False]
    partitions = {"cloud": SlurmPartition("cloud", True, 0.0, "OFF", 1, {})}
    config = SlurmConfig(30.0, "preempt/none", bills_dearest=False)
    (found,) = node_types(SlurmSettings(), config, partitions, nodes).values()
    assert (found.free, found.most) == (3, 5)
    assert (found.machine.cpu, found.machine.cores) == (8, 8)


def test_nodes_that_sinfo_hides_while_they_are_switched_off_are_on_offer() -> None:
    shown = NodeGroup("cloud", 8, 31.0, "(null)", frozenset({"spot"}), 1, "mixed", 8, 4)
    partition = SlurmPartition("cloud", True, 0.0, "OFF", 1, {}, nodes=4, cpus=32, memory_gib=124.0)
    config = SlurmConfig(30.0, "preempt/none", bills_dearest=False)
    offered = node_types(SlurmSettings(), config, {"cloud": partition}, [shown])
    (found,) = offered.values()
    assert (found.free, found.most, found.machine.cpu) == (3, 4, 8)


def test_gpus_and_billing_units_are_read_and_priced() -> None:
    nodes = [
        NodeGroup("gpu", 32, 250.0, "gpu:a100:4", frozenset(), 2, "idle", 32, 64),
    ]
    weights = {"cpu": 0.5, "gres/gpu": 10.0}
    partitions = {"gpu": SlurmPartition("gpu", True, 60.0, "CANCEL", 1, weights)}
    settings = SlurmSettings(
        usd_per_billing_h=0.1,
        types=(
            SlurmType(name="whole", partition="gpu"),
            SlurmType(name="one", partition="gpu", cpus=8, gres="gpu:a100:1", preemptible=True),
        ),
    )
    config = SlurmConfig(30.0, "preempt/none", bills_dearest=False)
    found = node_types(settings, config, partitions, nodes)
    whole = found[Offering("whole")]
    one = found[Offering("one", Capacity.SPOT)]
    assert (whole.machine.gpu_count, whole.machine.gpu_model) == (4, "a100")
    assert whole.usd_per_h == pytest.approx(0.1 * (16 + 40))
    assert one.machine.gpu_count == 1
    assert one.usd_per_h == pytest.approx(0.1 * (4 + 10))
    assert (whole.waits, one.waits, one.most) == (True, False, 8)


def test_a_node_takes_as_many_jobs_as_it_has_cores_memory_and_gpus_for() -> None:
    nodes = [
        NodeGroup("gpu", 32, 250.0, "gpu:a100:4(S:0-1)", frozenset(), 2, "idle", 32, 64),
        NodeGroup("gpu", 32, 250.0, "gpu:a100:4(S:0-1)", frozenset(), 1, "mixed", 32, 8),
        NodeGroup("gpu", 64, 500.0, "(null)", frozenset(), 1, "idle", 64, 64),
    ]
    partitions = {"gpu": SlurmPartition("gpu", True, 60.0, "OFF", 1, {})}
    types = (
        SlurmType(name="a-gpu", partition="gpu", cpus=4, gres="gpu:1"),
        SlurmType(name="much", partition="gpu", cpus=4, memory_gib=125),
        SlurmType(name="too-much", partition="gpu", cpus=4, memory_gib=600),
    )
    config = SlurmConfig(30.0, "preempt/none", bills_dearest=False)
    found = node_types(SlurmSettings(types=types), config, partitions, nodes)
    places = {each.node_type: (it.most, it.free) for each, it in found.items()}
    assert places == {"a-gpu": (12, 10), "much": (10, 10), "too-much": (0, 0)}


@pytest.mark.parametrize(
    ("config", "partition", "expected"),
    [
        # All of a node's memory: a second job finds none.
        ("SelectTypeParameters    = CR_CORE_MEMORY", "", (30.2, 2)),
        ("SelectTypeParameters    = CR_CORE", "", (7.5, 8)),
        ("SelectTypeParameters = CR_CORE_MEMORY\nDefMemPerNode = 4096", "", (4.0, 8)),
        (
            "SelectTypeParameters = CR_CORE_MEMORY\nDefMemPerNode = 4096",
            "DefMemPerCPU=6144",
            (12.0, 4),
        ),
    ],
)
def test_a_job_that_asks_for_no_memory_has_what_slurm_gives_it(
    tmp_path: Path, config: str, partition: str, expected: tuple[float, int]
) -> None:
    told = f"PartitionName=main State=UP TotalNodes=2 TotalCPUs=16 {partition}"
    (tmp_path / "config").write_text(config + "\n")
    slurm = commands(
        tmp_path,
        sinfo="echo 'main|8|31000|(null)|2|idle|2|4|0/16/0/16|(null)'",
        scontrol=f'[ "$2" = partition ] && echo {told} || cat {tmp_path}/config',
        squeue="true",
    )
    types = (SlurmType(name="two", partition="main", cpus=2),)
    provider = provider_of(tmp_path, slurm, types=types)
    (machine,) = provider.node_types()
    provider.instances()
    (blocked,) = provider.blocks.listed(now_s=SystemClock().now_s())
    assert (machine.memory_gib, blocked.nodes - 1) == expected


def test_types_of_which_there_is_no_node_are_named_and_the_others_are_on_offer(
    tmp_path: Path,
) -> None:
    slurm = commands(
        tmp_path,
        sinfo="echo 'main|8|31000|(null)|2|idle|2|4|0/16/0/16|fast'",
        scontrol="echo PartitionName=main State=UP TotalNodes=2 TotalCPUs=16",
    )
    types = (
        SlurmType(name="any", partition="main"),
        SlurmType(name="quick", partition="main", constraint="fsat"),
    )
    provider = provider_of(tmp_path, slurm, types=types)
    assert provider.troubles() == {}
    assert provider.offerings() == (Offering("any"),)
    assert provider.troubles()[Trouble.NOT_SOLD] == (
        "slurm.types: quick: wanted nodes of partition main with fsat, found none; correct them "
        "by `sinfo -o '%P %N %f'`"
    )


def test_what_slurm_forgot_is_remembered_over_a_restart(tmp_path: Path) -> None:
    jobs = read_jobs([row(state="COMPLETED", end="1900")], cluster="ours")
    JobMemory(tmp_path / "memory" / "slurm.json").looked(jobs, now_s=2000.0)
    later = JobMemory(tmp_path / "memory" / "slurm.json")
    later.read()
    assert tuple(later.jobs.values()) == jobs
    assert later.with_token("token-1") == {"node-1": jobs[0]}
    later.looked([], now_s=1900.0 + 86_401.0)
    assert later.jobs == {}


@pytest.mark.parametrize("content", ["5", "[5]", '[{"id": "1"}]', "no JSON"])
def test_a_damaged_memory_is_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "slurm.json").write_text(content)
    memory = JobMemory(tmp_path / "slurm.json")
    memory.read()
    assert memory.jobs == {}


@pytest.mark.parametrize(
    ("sacct", "is_known"),
    [
        ("echo '7_0|CANCELLED by 1000|{start}|{end}|n1'", True),
        # The reconciler then waits until the node has been silent for long enough.
        ("echo 'Slurm accounting storage is disabled' >&2; exit 1", False),
    ],
)
def test_a_job_that_squeue_forgot_ended_when_the_accounting_says(
    tmp_path: Path, sacct: str, is_known: bool
) -> None:
    queue = tmp_path / "queue"
    now_s = int(SystemClock().now_s())
    queue.write_text("|".join(row(start=str(now_s - 100))) + "\n")
    sacct = sacct.format(start=now_s - 100, end=now_s - 50)
    provider = provider_of(
        tmp_path, commands(tmp_path, squeue=f"cat {queue}", sacct=sacct, scontrol="exit 1")
    )
    assert [each.state for each in provider.instances()] == [InstanceState.RUNNING]
    queue.write_text("")
    gone = [(each.state, each.exited_at_s) for each in provider.instances()]
    expected = []
    if is_known:
        expected = [(InstanceState.GONE, now_s - 50)]
    assert gone == expected


@pytest.mark.parametrize("reason", ["Resources", "AssocGrpCpuLimit"])
def test_a_job_for_which_slurm_has_no_room_did_not_fail(tmp_path: Path, reason: str) -> None:
    queue = tmp_path / "queue"
    now_s = int(SystemClock().now_s())
    waiting = row(state="PENDING", reason=reason, start="N/A", end="N/A", nodes="")
    ended = row(state="CANCELLED", start="N/A", end=str(now_s), nodes="")
    queue.write_text("|".join(waiting) + "\n")
    (tmp_path / "after").write_text("|".join(ended) + "\n")
    provider = provider_of(
        tmp_path,
        commands(
            tmp_path,
            squeue=f"cat {queue}",
            scancel=f"cp {tmp_path / 'after'} {queue}",
            sinfo="echo 'main|8|31000|(null)|2|allocated|2|4|16/0/0/16|(null)'",
            scontrol="echo PartitionName=main State=UP TotalNodes=2 TotalCPUs=16",
        ),
        types=(SlurmType(name="main", partition="main", waits=False),),
    )
    assert provider.offerings() == (Offering("main"),)
    assert [each.is_queued for each in provider.instances()] == [True]
    (gone,) = provider.instances()
    assert (gone.state, gone.ended_because, gone.was_taken) == (
        InstanceState.GONE,
        f"Slurm did not start it: {reason}",
        True,
    )


def test_a_look_that_breaks_off_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slurm = commands(tmp_path, squeue="true", scontrol="exit 1")
    provider = provider_of(tmp_path, slurm)

    def unexpected(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(slurm, "rows", unexpected)
        with pytest.raises(ZeroDivisionError):
            provider.instances()
    assert provider.instances() == ()


def test_a_login_node_that_lets_no_process_start_is_a_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slurm = commands(tmp_path, squeue="true")

    def refused(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("subprocess.run", refused)
    with pytest.raises(ProviderUnavailable, match=r"squeue: .* Resource temporarily unavailable"):
        slurm.run("squeue")


def test_a_partition_that_was_down_as_the_daemon_started_is_used_once_it_is_up(
    tmp_path: Path,
) -> None:
    state = tmp_path / "state"
    state.write_text("DOWN")
    clock = ManualClock(1_700_000_000.0)
    provider = provider_of(
        tmp_path,
        commands(
            tmp_path,
            squeue="true",
            sinfo="echo 'main|8|31000|(null)|2|idle|2|4|0/16/0/16|(null)'",
            scontrol=f"echo PartitionName=main State=$(cat {state}) TotalNodes=2 TotalCPUs=16",
        ),
        clock=clock,
        look_s=LOOK_S,
    )

    def limits() -> list[int | None]:
        provider.instances()
        return [each.nodes for each in provider.blocks.listed(now_s=clock.now_s())]

    assert limits() == [1]
    state.write_text("UP")
    clock.advance(301.0)
    provider.instances()
    clock.advance(301.0)
    assert limits() == [3]


def test_the_files_of_a_node_that_never_ran_are_removed_after_a_day(tmp_path: Path) -> None:
    provider = provider_of(
        tmp_path,
        commands(
            tmp_path,
            squeue="true",
            sbatch="echo 'Batch job submission failed: Job submit limit' >&2; exit 1",
            sinfo="echo 'main|8|31000|(null)|9|idle|2|4|0/72/0/72|(null)'",
            scontrol="echo PartitionName=main State=UP TotalNodes=9 TotalCPUs=72",
        ),
    )

    def nodes_after(number: int) -> set[str]:
        with pytest.raises(QuotaReached):
            provider.launch(request(number, Offering("main")))
        return {each.name for each in (tmp_path / "shared" / "nodes").iterdir()}

    (first,) = nodes_after(1)
    folder = tmp_path / "shared" / "nodes" / first
    theirs = shutil.copytree(folder, folder.with_name("theirs"))
    order = json.loads((theirs / "order.json").read_text())
    order["marks"]["ELASTICD_CLUSTER"] = "of another daemon"
    (theirs / "order.json").write_text(json.dumps(order))
    assert nodes_after(2) == {first, "node-2", "theirs"}
    for each in (folder, theirs):
        os.utime(each / "order.json", (0.0, 0.0))
    assert nodes_after(3) == {"node-2", "node-3", "theirs"}


@pytest.mark.parametrize(
    ("partition", "own", "expected_s"),
    [
        ("DefaultTime=NONE MaxTime=UNLIMITED", None, 120),
        ("DefaultTime=00:02:00 MaxTime=1-00:00:00", None, 60),
        ("DefaultTime=NONE MaxTime=00:03:00", None, 90),
        ("DefaultTime=00:02:00 MaxTime=1-00:00:00", "12:00:00", 120),
        ("DefaultTime=NONE MaxTime=UNLIMITED", "2", 60),
    ],
)
def test_a_node_with_a_short_time_limit_is_not_replaced_as_soon_as_it_starts(
    tmp_path: Path, partition: str, own: str | None, expected_s: int
) -> None:
    told = f"PartitionName=main State=UP TotalNodes=9 TotalCPUs=72 {partition}"
    provider = provider_of(
        tmp_path,
        commands(
            tmp_path,
            squeue="true",
            sbatch=f'echo "$@" > {tmp_path}/asked; echo 7',
            sinfo="echo 'main|8|31000|(null)|9|idle|2|4|0/72/0/72|(null)'",
            scontrol=f"echo {told}",
        ),
        types=(SlurmType(name="main", partition="main", time_limit=own),),
    )
    with pytest.raises(ProviderUnavailable, match="not listed yet"):
        provider.launch(request(1, Offering("main")))
    assert f"--signal=B:USR1@{expected_s} " in (tmp_path / "asked").read_text()
    order = json.loads((tmp_path / "shared" / "nodes" / "node-1" / "order.json").read_text())
    assert order["notice_s"] == expected_s
