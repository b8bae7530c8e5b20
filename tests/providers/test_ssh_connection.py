"""A host that takes a login and then does nothing, played by a server in this process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest

from elastic.clock import SystemClock
from elastic.providers import Trouble
from elastic.providers.ssh import Access, Cluster, Host, NodeTerms, SshProvider


class Hanging(asyncssh.SSHServer):
    """Lets everybody in, and opens no session: as where the log-in service of a host hangs."""

    def begin_auth(self, username: str) -> bool:
        return False

    async def session_requested(self) -> bool:
        await asyncio.sleep(60)
        return False


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[Access]:
    """How to reach such a host, whose name is `desk`."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def listen() -> asyncssh.SSHAcceptor:
        return await asyncssh.listen("127.0.0.1", 0, server_factory=Hanging, server_host_keys=[key])

    server = asyncio.run_coroutine_threadsafe(listen(), loop).result(10)
    port = server.get_port()
    known = tmp_path / "known_hosts"
    known.write_text(f"[127.0.0.1]:{port} {key.export_public_key().decode()}")
    config = tmp_path / "config"
    config.write_text(f"Host desk\n  HostName 127.0.0.1\n  Port {port}\n  User me\n")
    yield Access(config, known)

    async def close() -> None:
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for each in others:
            each.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    asyncio.run_coroutine_threadsafe(close(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


def test_a_host_that_opens_no_session_holds_no_tick_up(
    hanging: Access, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elastic.providers.ssh.connection.TICK_S", 0.5)
    provider = SshProvider(
        [Host("desk", 0.05, "desk")],
        access=hanging,
        cluster=Cluster("ours", "here"),
        folder=tmp_path / "memory",
        terms=NodeTerms("/checkpoints", "/artifacts"),
        clock=SystemClock(),
    )
    tick = threading.Thread(target=provider.instances, daemon=True)
    tick.start()
    tick.join(10)
    assert not tick.is_alive()
    assert "desk: does not answer within 0.5 s" in provider.troubles()[Trouble.HOSTS]
    provider.close()
