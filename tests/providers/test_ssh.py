"""The ssh provider over real sshd on hosts in namespaces; a tiny program stands in for the
agent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.clock import Clock, ManualClock, SystemClock
from elastic.distribution import Wheel
from elastic.errors import CapacityUnavailable, ProviderUnavailable
from elastic.model import Offering
from elastic.providers import Instance, InstanceState, Trouble
from elastic.providers.ssh import Access, Cluster, Host, NodeTerms, SshProvider
from tests.providers.contract import ProviderContract, World, buy, request
from tests.providers.nodes import IDLE, WITH_RUNAWAYS, wait_until
from tests.providers.ssh_hosts import Estate, SshHost, running_hosts, skip_where_there_is_no_sshd

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

Connect = Callable[..., SshProvider]
DESK = Offering("desk")


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Estate]:
    skip_where_there_is_no_sshd()
    with running_hosts(tmp_path_factory.mktemp("estate"), 4) as found:
        yield found


@pytest.fixture
def connect(estate: Estate, tmp_path: Path) -> Iterator[Connect]:
    """Gives providers of one cluster; whatever they started is ended afterwards."""
    made: list[SshProvider] = []

    def connected(
        *,
        cluster: str = "ours",
        hosts: int = 4,
        estate: Estate = estate,
        least_free_bytes: int = 0,
        agent_command: Sequence[str] | None = IDLE,
        wheel: Wheel | None = None,
        clock: Clock | None = None,
        lease_s: float = 60.0,
    ) -> SshProvider:
        provider = SshProvider(
            [Host(each.name, 0.05, "desk") for each in estate.hosts[:hosts]],
            access=Access(estate.config),
            cluster=Cluster(cluster, f"host here, data of {cluster}"),
            folder=tmp_path / "memory" / cluster,
            terms=NodeTerms(
                "/checkpoints",
                "/artifacts",
                lease_s=lease_s,
                grace_s=1.0,
                agent_command=agent_command,
                package_index="http://127.0.0.1:1/simple",
            ),
            wheel=wheel,
            clock=clock or SystemClock(),
            least_free_bytes=least_free_bytes,
        )
        made.append(provider)
        return provider

    yield connected
    for provider in made:
        for instance in provider.instances():
            provider.terminate(instance.provider_id, now_s=SystemClock().now_s())
        living = {each.state for each in provider.instances()} - {InstanceState.GONE}
        provider.close()
        assert living == set()
    for host in estate.hosts:
        for path in host.root.glob("nodes/*"):
            host.run("rm", "-rf", str(path))


class TestSshProvider(ProviderContract):
    @pytest.fixture
    def world(self, connect: Connect, estate: Estate) -> World:
        others = connect(cluster="others")

        def destroy(provider_id: str) -> None:
            node_id, _, name = provider_id.partition("@")
            host, its_own = estate.host(name), f"nodes/{node_id}"

            def is_dead() -> bool:
                # Again and again: the node may be starting a process at that moment.
                host.run("pkill", "-KILL", "-f", its_own)
                return host.run("pgrep", "-f", its_own) == ""

            wait_until(lambda: host.run("pgrep", "-f", its_own) != "")
            wait_until(is_dead)

        def limit(offering: Offering, nodes: int) -> None:
            for each in others.instances():
                others.terminate(each.provider_id, now_s=SystemClock().now_s())
            wanted = len(estate.hosts) - nodes
            for number in range(wanted):
                buy(others, request(100 + number + 10 * nodes, offering))

        return World(
            connect=connect,
            clock=SystemClock(),
            pass_time=lambda: None,
            destroy=destroy,
            limit=limit,
            minimum_billed_s=0.0,
        )


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Estate]:
    """Two hosts that a test may unplug, restart or break."""
    skip_where_there_is_no_sshd()
    (tmp_path / "pair").mkdir()
    with running_hosts(tmp_path / "pair", 2) as found:
        yield found


def only(provider: SshProvider) -> Instance:
    (found,) = provider.instances()
    return found


def trouble(provider: SshProvider) -> str:
    return provider.troubles().get(Trouble.HOSTS, "")


def processes_on(host: SshHost) -> int:
    """How many processes of node-1 live there, found without the provider's own code."""
    look = "grep -lz ELASTICD_NODE_ID=node-1 /proc/[0-9]*/environ 2>/dev/null | wc -l"
    return int(host.run("sh", "-c", look))


def end(provider: SshProvider, instance: Instance) -> None:
    provider.terminate(instance.provider_id, now_s=SystemClock().now_s())


def test_the_join_token_is_in_no_argument_list_and_in_no_file_that_others_read(
    connect: Connect, estate: Estate, tmp_path: Path
) -> None:
    buy(connect(), request(1, DESK))
    host = estate.host("desk-a")
    assert "secret-1" not in host.run("ps", "-eo", "args")
    assert "secret-1" not in host.run("sh", "-c", "cat /proc/*/environ")
    holding = [
        path for path in host.root.rglob("*") if path.is_file() and b"secret-1" in path.read_bytes()
    ]
    assert [path.name for path in holding] == ["agent.json"]
    assert holding[0].stat().st_mode & 0o777 == 0o600
    kept = [path.read_text() for path in (tmp_path / "memory").rglob("*.json")]
    assert kept and not any("secret-1" in text for text in kept)


def test_the_agent_is_told_where_its_daemon_is_and_what_address_it_has_itself(
    connect: Connect, estate: Estate
) -> None:
    url = f"http://{estate.address}:8470"
    buy(connect(), replace(request(1, DESK), daemon_url=url))
    host = estate.host("desk-a")
    told = json.loads((host.root / "nodes/node-1/agent.json").read_text())
    assert told == {
        "instance_id": "node-1@desk-a",
        "daemon_url": url,
        "other_urls": [],
        "join_token": "secret-1",
        "daemon_certificate": "",
        "work_dir": str(host.root / "nodes/node-1/work"),
        "shared_cache": str(host.root / "cache"),
        "advertise_host": host.address,
        "checkpoint_root": "/checkpoints",
        "artifact_root": "/artifacts",
        "lease_s": 60.0,
        "env": {"GREETING": "hello"},
    }


def test_a_node_outlives_every_connection(connect: Connect) -> None:
    first = connect()
    launched = buy(first, request(1, DESK))
    first.close()
    assert only(connect()) == launched


def test_the_end_of_a_node_is_that_of_all_its_processes(connect: Connect, estate: Estate) -> None:
    provider = connect(agent_command=WITH_RUNAWAYS)
    launched = buy(provider, request(1, DESK))
    host = estate.host("desk-a")
    wait_until(lambda: processes_on(host) >= 4)
    end(provider, launched)
    assert only(provider).state is InstanceState.GONE
    assert processes_on(host) == 0


def test_a_node_whose_lease_is_over_ends_without_a_daemon(connect: Connect, estate: Estate) -> None:
    provider = connect(agent_command=WITH_RUNAWAYS, lease_s=2.0)
    buy(provider, request(1, DESK))
    provider.close()
    host = estate.host("desk-a")
    wait_until(lambda: processes_on(host) == 0)
    again = connect()
    why = "desk-a: its lease was over, and its agent did not end by itself"
    # The keeper, which says so, ends after the last of its node's processes.
    wait_until(lambda: only(again).ended_because == why)
    assert only(again).state is InstanceState.GONE


def test_an_agent_that_fails_says_why(connect: Connect) -> None:
    broken = ("sh", "-c", "echo the disk of the moon is away; exit 3")
    provider = connect(agent_command=broken)
    buy(provider, request(1, DESK))
    wait_until(lambda: only(provider).state is InstanceState.GONE)
    assert only(provider).ended_because == (
        "desk-a: its agent ended with status 3: the disk of the moon is away"
    )
    assert "the disk of the moon" in provider.console(only(provider).provider_id)


def test_a_host_that_cannot_install_elasticd_says_why(connect: Connect, estate: Estate) -> None:
    wheel = Wheel("elasticd-0.0.1-py3-none-any.whl", b"not looked at", "ab" * 32)
    provider = connect(agent_command=None, wheel=wheel)
    buy(provider, request(1, DESK))
    root = estate.host("desk-a").root
    assert (root / "wheels/abababababab" / wheel.name).read_bytes() == wheel.content
    wait_until(lambda: only(provider).state is InstanceState.GONE, within_s=90)
    because = only(provider).ended_because
    assert because.startswith("desk-a: elasticd could not be installed: ERROR: No matching")
    assert because.endswith(f"(all of it is in {root}/env/abababababab.log)")


def test_two_clusters_never_share_a_host_and_the_refused_one_is_told_who_has_it(
    connect: Connect,
) -> None:
    ours, others = connect(hosts=1), connect(hosts=1, cluster="others")
    launched = buy(ours, request(1, DESK))
    with pytest.raises(CapacityUnavailable) as refusal:
        others.launch(request(2, DESK))
    assert "desk-a: claimed by cluster ours (host here, data of ours)" in str(refusal.value)
    assert others.instances() == ()
    others.terminate(launched.provider_id, now_s=SystemClock().now_s())
    assert only(ours).state is InstanceState.RUNNING
    end(ours, launched)
    assert buy(others, request(3, DESK)).provider_id == "node-3@desk-a"


def test_a_host_that_another_cluster_took_meanwhile_is_refused_by_the_host_itself(
    connect: Connect, estate: Estate
) -> None:
    # As if both had looked at the same instant, and seen it free.
    ours = connect(hosts=1)
    ours.instances()
    claim = {"cluster": "others", "place": "host there", "node_id": "node-9", "launched_at_s": 0.0}
    node = {**claim, "job_id": "job-9", "token": "t", "node_type": "desk", "launched_with": []}
    root = estate.host("desk-a").root
    root.joinpath("nodes/node-9").mkdir(parents=True)
    root.joinpath("nodes/node-9/launch.json").write_text(json.dumps(node))
    root.joinpath("nodes/node-9/process.json").write_text(json.dumps(_living(estate)))
    root.joinpath("claim.json").write_text(json.dumps(claim))
    with pytest.raises(CapacityUnavailable, match="claimed by cluster others"):
        ours.launch(request(1, DESK))
    root.joinpath("claim.json").unlink()


def _living(estate: Estate) -> dict[str, object]:
    """A process of the host that lives for the whole test: its first one."""
    host = estate.host("desk-a")
    ticks = host.run("cat", "/proc/1/stat").rpartition(")")[2].split()[19]
    boot = host.run("cat", "/proc/sys/kernel/random/boot_id").strip()
    return {"pid": 1, "start_ticks": int(ticks), "boot_id": boot, "launched_at_s": 0.0}


def test_a_host_that_restarted_has_lost_its_node_and_is_free_again(
    pair: Estate, connect: Connect
) -> None:
    provider = connect(estate=pair)
    launched = buy(provider, request(1, DESK))
    pair.host("desk-a").reboot()
    wait_until(lambda: only(provider).state is InstanceState.GONE)
    gone = only(provider)
    assert (gone.provider_id, gone.state) == (launched.provider_id, InstanceState.GONE)
    assert gone.ended_because == "desk-a: the host was restarted"
    assert buy(provider, request(2, DESK)).provider_id == "node-2@desk-a"


def test_a_host_that_is_unplugged_keeps_its_node_and_is_not_free_until_its_end_is_seen(
    pair: Estate, connect: Connect
) -> None:
    provider = connect(estate=pair, hosts=1)
    launched = buy(provider, request(1, DESK))
    pair.host("desk-a").unplug()
    assert only(provider) == launched
    assert trouble(provider) == (
        "a host cannot be used (elasticd host check): desk-a: has not answered for 5 s; its link "
        "is down, or it hangs"
    )
    restarted = connect(estate=pair, hosts=1)
    assert only(restarted) == launched
    with pytest.raises(CapacityUnavailable, match="found 0: desk-a: does not answer within 5 s"):
        restarted.launch(request(2, DESK))
    end(restarted, launched)
    ending = only(restarted)
    assert ending.state is InstanceState.STOPPING
    assert ending.ended_because == "desk-a: does not answer within 5 s"
    pair.host("desk-a").plug_in()
    wait_until(lambda: only(restarted).state is InstanceState.GONE)
    assert trouble(restarted) == ""
    assert buy(restarted, request(3, DESK)).provider_id == "node-3@desk-a"


def test_a_key_that_is_unknown_or_has_changed_is_refused_with_what_to_do(
    pair: Estate, connect: Connect
) -> None:
    known = pair.known_hosts.read_text()
    pair.known_hosts.write_text("")
    with pytest.raises(ProviderUnavailable) as refusal:
        connect(estate=pair, hosts=1).offerings()
    assert "desk-a: its key is unknown" in str(refusal.value)
    assert "Log in once with ssh desk-a, and compare the fingerprint" in str(refusal.value)

    pair.known_hosts.write_text(known)
    provider = connect(estate=pair, hosts=1)
    launched = buy(provider, request(1, DESK))
    pair.host("desk-a").change_key()
    wait_until(lambda: bool(provider.instances()) and "not the one on record" in trouble(provider))
    assert only(provider) == launched, "what may still run there is not called gone"
    address = pair.host("desk-a").address
    assert f"ssh-keygen -R '{address}', and log in once with ssh desk-a" in trouble(provider)
    pair.know()
    wait_until(lambda: only(provider).state is InstanceState.GONE)


def test_a_login_that_is_refused_says_what_to_add(pair: Estate, connect: Connect) -> None:
    (pair.folder / "client_key.pub").write_text("")
    with pytest.raises(ProviderUnavailable, match="refuses the login of root") as refusal:
        connect(estate=pair, hosts=1).offerings()
    assert "ssh-copy-id desk-a" in str(refusal.value)


def test_a_host_behind_another_is_reached_as_openssh_would(pair: Estate, connect: Connect) -> None:
    config = pair.config.read_text()
    pair.config.write_text(config.replace("Host desk-b\n", "Host desk-b\n  ProxyJump desk-a\n"))
    provider = connect(estate=pair)
    group = provider.launch(request(1, DESK, count=2))
    assert [each.provider_id for each in group] == ["node-1@desk-a", "node-1-2@desk-b"]
    sources = pair.host("desk-b").run("ss", "-Htn", "state", "established", "sport", "=", ":22")
    assert pair.host("desk-a").address in sources
    assert f" {pair.address}:" not in sources


def test_a_full_disk_takes_no_node_and_keeps_none_from_being_ended(
    connect: Connect, tmp_path: Path
) -> None:
    skip_where_there_is_no_sshd()
    (tmp_path / "small").mkdir()
    with running_hosts(tmp_path / "small", 1, disk_mib=16) as small:
        provider = connect(estate=small, least_free_bytes=4 << 20)
        launched = buy(provider, request(1, DESK))
        host = small.host("desk-a")
        host.run("dd", "if=/dev/zero", f"of={host.home}/fill", "bs=1M")
        assert only(provider).state is InstanceState.RUNNING
        assert "desk-a: its disk has 0 B left, and 4 MiB are wanted; make room" in trouble(provider)
        end(provider, launched)
        assert only(provider).state is InstanceState.GONE
        assert "keeper" not in host.run("ps", "-eo", "args")
        with pytest.raises(CapacityUnavailable, match="make room there"):
            provider.launch(request(2, DESK))
        host.run("rm", f"{host.home}/fill")
        provider.instances()
        again = buy(provider, request(3, DESK))
        end(provider, again)
        provider.close()


def test_at_rest_a_host_is_asked_twice_a_minute_over_one_connection(connect: Connect) -> None:
    clock = ManualClock(SystemClock().now_s())
    provider = connect(clock=clock)
    provider.offerings()
    provider.instances()
    logins, before = provider.calls
    for _ in range(120):
        clock.advance(5.0)
        provider.instances()
    assert provider.calls[0] == logins == 4
    assert (provider.calls[1] - before) / 4 / 10 == pytest.approx(2.0, abs=0.2)
    buy(provider, request(1, DESK))
    before = provider.calls[1]
    for _ in range(12):
        clock.advance(5.0)
        provider.instances()
    assert provider.calls[1] - before == 12 + 3 * 2


def test_policies_learn_how_many_more_hosts_there_are(connect: Connect) -> None:
    provider = connect()
    now_s = SystemClock().now_s()
    buy(provider, request(1, DESK))
    provider.instances()
    assert provider.blocks.of(DESK, nodes=3, now_s=now_s) is None
    assert provider.blocks.of(DESK, nodes=4, now_s=now_s) is not None


def test_hosts_that_share_a_home_folder_run_a_node_each(connect: Connect, pair: Estate) -> None:
    first, second = pair.hosts
    users = second.folder / "passwd"
    users.write_text(users.read_text().replace(str(second.home), str(first.home)))
    second.reboot()
    provider = connect(estate=pair, hosts=2)
    for number in (1, 2):
        buy(provider, request(number, DESK))
    found = {each.provider_id: each.state for each in provider.instances()}
    running = InstanceState.RUNNING
    assert found == {"node-1@desk-a": running, "node-2@desk-b": running}
    for each in provider.instances():
        way = provider.way_in(each.provider_id, node_id=each.node_id)
        assert way is not None and (Path(way.folder).parent / "launch.json").exists()
        end(provider, each)
    assert {each.state for each in provider.instances()} == {InstanceState.GONE}
