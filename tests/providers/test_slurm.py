"""The slurm provider on a real Slurm; a tiny program stands in for the agent."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from elastic.clock import Clock, ManualClock, SystemClock
from elastic.config import SlurmSettings
from elastic.errors import CapacityUnavailable, ProviderError, ProviderUnavailable
from elastic.model import Capacity, Obstacle, Offering
from elastic.providers import Instance, InstanceState
from elastic.providers.keeping import Cluster, NodeTerms
from elastic.providers.slurm import SlurmCommands, SlurmProvider
from elastic.providers.slurm.provider import LOOK_S
from tests.providers.contract import ProviderContract, World, buy, request
from tests.providers.nodes import IDLE, WITH_RUNAWAYS, processes_of
from tests.providers.slurm_cluster import (
    SlurmCluster,
    running_slurm,
    skip_where_there_is_no_slurm,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

Connect = Callable[..., SlurmProvider]
MAIN = Offering("main")
IDLE_NODES = Offering("idle", Capacity.SPOT)


def cluster_of(folder: Path, of: str = "ours") -> str:
    """The name that a test's nodes carry, apart from those of tests beside it."""
    return f"{of}-{folder.name}"


@pytest.fixture(scope="module")
def slurm() -> Iterator[SlurmCluster]:
    skip_where_there_is_no_slurm()
    with running_slurm(4) as found:
        yield found


@pytest.fixture
def connect(slurm: SlurmCluster, tmp_path: Path) -> Iterator[Connect]:
    """Gives providers of one cluster; whatever they started is ended afterwards."""
    made: list[SlurmProvider] = []

    def connected(
        *,
        cluster: str = "ours",
        agent_command: Sequence[str] | None = IDLE,
        look_s: float = 0.0,
        clock: Clock | None = None,
        path: Path | None = None,
        **settings: object,
    ) -> SlurmProvider:
        provider = SlurmProvider(
            SlurmSettings.model_validate({"folder": tmp_path / "shared", **settings}),
            commands=SlurmCommands(
                slurm.environment | {"PATH": f"{path or ''}:{slurm.environment['PATH']}"}
            ),
            cluster=Cluster(cluster_of(tmp_path, cluster), f"host here, data of {cluster}"),
            memory=tmp_path / "memory" / f"{cluster}.json",
            terms=NodeTerms(
                "/checkpoints", "/artifacts", lease_s=60.0, grace_s=1.0, agent_command=agent_command
            ),
            clock=clock or SystemClock(),
            look_s=look_s,
        )
        made.append(provider)
        return provider

    yield connected
    for provider in made:
        with suppress(ProviderUnavailable):
            for instance in provider.instances():
                provider.terminate(instance.provider_id, now_s=SystemClock().now_s())
    slurm.open_nodes(4)
    slurm.run("scancel", "-s", "KILL", "-f", "-u", "root")
    slurm.until("no job", lambda: not slurm.jobs())
    shutil.rmtree(tmp_path / "shared", ignore_errors=True)


class TestSlurmProvider(ProviderContract):
    @pytest.fixture
    def world(self, connect: Connect, slurm: SlurmCluster) -> World:
        def destroy(provider_id: str) -> None:
            slurm.run("scancel", "-s", "KILL", "-f", provider_id.removeprefix("slurm-"))
            slurm.until("gone", lambda: not slurm.jobs())

        def limit(offering: Offering, nodes: int) -> None:
            slurm.settle()
            slurm.open_nodes(nodes)

        return World(
            connect=connect,
            clock=SystemClock(),
            pass_time=slurm.settle,
            destroy=destroy,
            limit=limit,
            minimum_billed_s=0.0,
        )


def end(provider: SlurmProvider, instance: Instance) -> None:
    provider.terminate(instance.provider_id, now_s=SystemClock().now_s())


def only(provider: SlurmProvider) -> Instance:
    (found,) = provider.instances()
    return found


def queued(slurm: SlurmCluster) -> list[list[str]]:
    return [each for each in slurm.jobs("PENDING") if each[2] == "main"]


@pytest.fixture
def full(slurm: SlurmCluster) -> Iterator[SlurmCluster]:
    """The cluster while other people's jobs have all of its nodes."""
    others = [slurm.occupy("urgent", each) for each in slurm.nodes]
    slurm.until("all taken", lambda: len(slurm.jobs("RUNNING")) == len(slurm.nodes))
    yield slurm
    slurm.run("scancel", *others)


def test_the_join_token_is_in_nothing_that_other_users_read(
    connect: Connect, slurm: SlurmCluster, tmp_path: Path
) -> None:
    launched = buy(connect(), request(1, MAIN))
    slurm.settle()
    told = slurm.run("scontrol", "show", "job", launched.provider_id.removeprefix("slurm-"))
    assert "secret-1" not in told + slurm.run("ps", "-eo", "args")
    holding = [
        path for path in tmp_path.rglob("*") if path.is_file() and b"secret-1" in path.read_bytes()
    ]
    assert {path.name for path in holding} == {"agent.json"}
    assert {path.stat().st_mode & 0o777 for path in holding} == {0o600}


def test_the_daemons_settings_are_in_no_jobs_environment(slurm: SlurmCluster) -> None:
    commands = SlurmCommands({**slurm.environment, "ELASTICD_NOTIFY__TO": "secret"})
    assert "ELASTICD" not in commands.run("env")


def test_a_job_in_the_queue_costs_nothing_and_is_no_failure_to_boot(
    connect: Connect, full: SlurmCluster
) -> None:
    provider = connect()
    launched = buy(provider, request(1, MAIN))
    waiting = only(provider)
    assert (waiting.state, waiting.is_queued) == (InstanceState.PENDING, True)
    # Others would only wait behind it.
    now_s = SystemClock().now_s()
    assert provider.blocks.of(MAIN, nodes=1, now_s=now_s) is not None
    end(provider, launched)
    gone = only(provider)
    assert (gone.state, gone.never_ran) == (InstanceState.GONE, True)
    assert gone.billed_from_s == gone.exited_at_s
    assert gone.ended_because == ""


def test_a_node_is_billed_from_the_second_in_which_slurm_starts_it(
    connect: Connect, slurm: SlurmCluster
) -> None:
    provider = connect()
    for number in range(1, 4):  # most of them start in the second in which they are sent
        buy(provider, request(number, MAIN))
    slurm.until("all run", lambda: len(slurm.jobs("RUNNING")) == 3)
    said = slurm.run("squeue", "-h", "-o", "%S").split()
    started = sorted(map(float, said))
    assert sorted(each.billed_from_s or 0.0 for each in provider.instances()) == started


def test_what_can_be_preempted_does_not_wait_and_grows_only_where_nodes_are_idle(
    connect: Connect, slurm: SlurmCluster
) -> None:
    provider = connect(cluster="spot")
    taken = slurm.occupy("urgent", slurm.nodes[0])
    slurm.until("taken", lambda: slurm.jobs("RUNNING"))
    with pytest.raises(CapacityUnavailable, match="wanted 4 idle nodes of partition idle, found 3"):
        provider.launch(request(1, IDLE_NODES, count=4))
    assert len(provider.launch(request(2, IDLE_NODES, count=3))) == 3
    provider.instances()
    assert provider.blocks.of(IDLE_NODES, nodes=1, now_s=SystemClock().now_s()) is not None
    slurm.run("scancel", taken)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"types": [{"name": "x", "partition": "nowhere"}]}, ProviderError, "wanted partition"),
        (
            {"types": [{"name": "main", "partition": "main", "gres": "gpu:8"}]},
            ProviderError,
            "Invalid generic resource",
        ),
        (
            {"types": [{"name": "main", "partition": "main", "cpus": 64}]},
            CapacityUnavailable,
            "found 0",
        ),
    ],
)
def test_what_slurm_refuses_is_said_in_its_words_and_buys_nothing(
    connect: Connect,
    settings: dict[str, object],
    error: type[ProviderError],
    words: str,
) -> None:
    with pytest.raises(error, match=words):
        buy(connect(**settings), request(1, MAIN))


def test_a_job_that_could_never_start_is_ended_with_slurms_reason(
    connect: Connect, slurm: SlurmCluster
) -> None:
    provider = connect(time_limit="9-00:00:00")
    buy(provider, request(1, MAIN))
    slurm.until("its end", lambda: only(provider).state is InstanceState.GONE)
    # Slurm has two words for it.
    assert re.fullmatch(
        "Slurm did not start it: Partition(TimeLimit|Config)", only(provider).ended_because
    )
    blocked = provider.blocks.of(MAIN, now_s=SystemClock().now_s())
    assert blocked is not None and blocked.why is Obstacle.FORBIDDEN


def test_the_end_of_a_node_is_that_of_all_its_processes(
    connect: Connect, slurm: SlurmCluster, tmp_path: Path
) -> None:
    provider = connect(agent_command=WITH_RUNAWAYS)
    launched = buy(provider, request(1, MAIN))
    slurm.until("all run", lambda: len(processes_of("node-1", cluster=cluster_of(tmp_path))) >= 4)
    end(provider, launched)
    # At once, and not after KillWait: what is ended on purpose has nothing left to say.
    slurm.until(
        "none is left", lambda: not processes_of("node-1", cluster=cluster_of(tmp_path)), within_s=4
    )
    slurm.until("it is gone", lambda: only(provider).state is InstanceState.GONE, within_s=4)
    assert only(provider).ended_because == ""


def test_what_slurm_did_to_a_node_is_said(connect: Connect, slurm: SlurmCluster) -> None:
    provider = connect()
    launched = buy(provider, request(1, MAIN))
    slurm.settle()
    slurm.run("scancel", launched.provider_id.removeprefix("slurm-"))
    slurm.until("it is gone", lambda: only(provider).state is InstanceState.GONE)
    assert only(provider).ended_because == "it was cancelled by somebody (scancel)"


def test_an_agent_that_fails_says_why(connect: Connect, slurm: SlurmCluster) -> None:
    provider = connect(agent_command=("sh", "-c", "echo the disk of the moon is away; exit 3"))
    buy(provider, request(1, MAIN))
    slurm.until("it is gone", lambda: only(provider).state is InstanceState.GONE)
    assert only(provider).ended_because == (
        "its agent ended with status 3: the disk of the moon is away"
    )
    assert "the disk of the moon" in provider.console(only(provider).provider_id)


def test_an_end_comes_to_the_agent_as_a_notice_and_as_no_signal(
    connect: Connect, slurm: SlurmCluster, tmp_path: Path
) -> None:
    # Ends by SIGTERM, if it gets one, and leaves once it has read the notice.
    waits = f"""
import pathlib, time
notice = pathlib.Path("../notice.json")
while not notice.exists():
    time.sleep(0.1)
pathlib.Path("{tmp_path}/told").write_text(notice.read_text())
"""
    agent = (sys.executable, "-I", "-S", "-c", waits)
    provider = connect(agent_command=agent)
    launched = buy(provider, request(1, MAIN))
    slurm.until("it runs", lambda: only(provider).state is InstanceState.RUNNING)
    slurm.until("it has begun", lambda: processes_of("node-1", cluster=cluster_of(tmp_path)))
    slurm.run("scancel", launched.provider_id.removeprefix("slurm-"))
    slurm.until("it is gone", lambda: only(provider).state is InstanceState.GONE)
    told = json.loads((tmp_path / "told").read_text())
    assert told["action"] == "scancel"
    assert 0 < told["at_s"] - SystemClock().now_s() + 5 <= 10


def test_daemons_of_two_clusters_see_only_their_own(connect: Connect) -> None:
    ours, theirs = connect(), connect(cluster="theirs")
    buy(ours, request(1, MAIN))
    assert theirs.instances() == ()
    end(theirs, only(ours))
    assert only(ours).state is not InstanceState.GONE


def test_a_node_is_bought_once_where_the_answer_to_sbatch_was_lost(
    connect: Connect, slurm: SlurmCluster, tmp_path: Path
) -> None:
    first = buy(connect(), request(1, MAIN))
    # The same job again, as if an earlier sbatch had arrived late.
    comment = slurm.run("squeue", "-h", "-o", "%k").strip()
    name = slurm.run("squeue", "-h", "-o", "%j").strip()
    options = ["--parsable", f"--comment={comment}", f"--job-name={name}", "-o", "/dev/null"]
    slurm.run("sbatch", *options, stdin="#!/bin/sh\nsleep 60\n")
    found = {each.provider_id: each for each in connect().instances()}
    assert found.pop(first.provider_id).token == "token-1"
    (second,) = found.values()
    assert (second.node_id, second.token) == ("", "token-1:second:2") or second.token.startswith(
        "token-1:second:"
    )


def test_a_job_whose_comment_was_changed_is_known_by_its_name(
    connect: Connect, slurm: SlurmCluster
) -> None:
    launched = buy(connect(), request(1, MAIN))
    number = launched.provider_id.removeprefix("slurm-")
    slurm.run("scontrol", "update", f"JobId={number}", "Comment=mine")
    stranger = only(connect())
    assert (stranger.provider_id, stranger.node_id) == (launched.provider_id, "")
    assert stranger.token == f"none:{number}"


def test_watching_takes_six_calls_a_minute_with_a_node_and_few_without(connect: Connect) -> None:
    clock = ManualClock(SystemClock().now_s())
    provider = connect(look_s=LOOK_S, clock=clock)

    def calls_of_a_minute() -> int:
        before = sum(provider.calls.values())
        for _ in range(12):
            clock.advance(5.0)
            provider.instances()
            provider.offerings()
        return sum(provider.calls.values()) - before

    provider.instances()
    assert calls_of_a_minute() == 4
    buy(provider, request(1, MAIN))
    assert calls_of_a_minute() <= 8


def test_a_controller_that_hangs_holds_no_tick_up(connect: Connect, tmp_path: Path) -> None:
    slow = tmp_path / "bin"
    slow.mkdir()
    clock = ManualClock(SystemClock().now_s())
    provider = connect(look_s=LOOK_S, clock=clock, path=slow)
    (slow / "squeue").write_text("#!/bin/sh\nexec sleep 30\n")
    (slow / "squeue").chmod(0o755)
    began_s = time.monotonic()
    with pytest.raises(ProviderUnavailable, match="scontrol ping"):
        provider.instances()
    assert time.monotonic() - began_s < 5


def test_prices_are_those_of_billing_units_or_of_the_settings(connect: Connect) -> None:
    by_units = connect(usd_per_billing_h=0.5)
    assert by_units.prices() == {
        # Its weight is two units a core; the others have none, and count one.
        MAIN: 1.0,
        Offering("urgent"): 0.5,
        IDLE_NODES: 0.5,
    }
    named = connect(types=[{"name": "main", "partition": "main", "usd_per_h": 0.08}])
    assert named.prices() == {MAIN: 0.08}


def test_features_make_types_and_a_feature_that_no_node_has_makes_none(connect: Connect) -> None:
    types = [
        {"name": "small", "partition": "main", "constraint": "small", "cpus": 1, "memory_gib": 1},
        {"name": "large", "partition": "main", "constraint": "large"},
    ]
    provider = connect(types=types)
    (machine,) = provider.node_types()
    assert (machine.name, machine.cpu, machine.memory_gib) == ("small", 1, 1)
    assert buy(provider, request(1, Offering("small"))).offering == Offering("small")


def test_files_of_nodes_that_ended_long_ago_are_removed(connect: Connect, tmp_path: Path) -> None:
    old = tmp_path / "shared" / "nodes" / "old" / "ended.json"
    new = tmp_path / "shared" / "nodes" / "new" / "ended.json"
    for path in (old, new):
        path.parent.mkdir(parents=True)
        path.write_text("{}")
    day_ago_s = SystemClock().now_s() - 86_500
    os.utime(old, (day_ago_s, day_ago_s))
    buy(connect(), request(1, MAIN))
    assert not old.parent.exists()
    assert new.exists()


@pytest.mark.soak  # Slurm looks twice a minute whether a node has booted
def test_a_node_that_is_switched_off_is_free_and_boots_for_a_job(tmp_path: Path) -> None:
    skip_where_there_is_no_slurm()
    with running_slurm(1, with_cloud=True) as slurm:
        provider = SlurmProvider(
            SlurmSettings(folder=tmp_path / "shared", partitions=("cloud",)),
            commands=SlurmCommands(slurm.environment),
            cluster=Cluster("ours", "here"),
            memory=tmp_path / "slurm.json",
            terms=NodeTerms("/checkpoints", "/artifacts", agent_command=IDLE),
            clock=SystemClock(),
            look_s=0.0,
        )
        launched = buy(provider, request(1, Offering("cloud")))
        slurm.power_up()
        slurm.until("it runs", lambda: only(provider).state is InstanceState.RUNNING)
        end(provider, launched)
        slurm.until("it is gone", lambda: only(provider).state is InstanceState.GONE)
