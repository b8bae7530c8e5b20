"""The ssh provider over real sshd on hosts in namespaces; a tiny program stands in for the
agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from elastic.clock import SystemClock
from elastic.model import Offering
from elastic.providers import InstanceState
from elastic.providers.ssh import Access, Cluster, Host, NodeTerms, SshProvider
from tests.providers.contract import ProviderContract, World, buy, request
from tests.providers.nodes import IDLE
from tests.providers.ssh_hosts import Estate, running_hosts, skip_where_there_is_no_sshd

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
        folder: str = "memory",
    ) -> SshProvider:
        provider = SshProvider(
            [Host(each.name, 0.05, "desk", folder=str(each.root)) for each in estate.hosts[:hosts]],
            access=Access(estate.config),
            cluster=Cluster(cluster, f"host here, data of {cluster}"),
            folder=tmp_path / folder / cluster,
            terms=NodeTerms("/checkpoints", "/artifacts", lease_s=60, agent_command=IDLE),
            clock=SystemClock(),
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
            node_id, _, host = provider_id.partition("@")
            estate.host(host).run("pkill", "-KILL", "-f", f"nodes/{node_id}")

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
