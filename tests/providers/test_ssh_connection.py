"""Hosts that take a login and do nothing, or do not take one, played by a server in this
process."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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


class Locked(Hanging):
    """Lets no one in."""

    def begin_auth(self, username: str) -> bool:
        return True


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[Access]:
    """How to reach a host that hangs, whose name is `desk`."""
    with reached(tmp_path, Hanging) as access:
        yield access


@contextmanager
def reached(tmp_path: Path, server_factory: type[asyncssh.SSHServer]) -> Iterator[Access]:
    key = asyncssh.generate_private_key("ssh-ed25519")
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def listen() -> asyncssh.SSHAcceptor:
        return await asyncssh.listen(
            "127.0.0.1", 0, server_factory=server_factory, server_host_keys=[key]
        )

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


def provider_at(access: Access, tmp_path: Path) -> SshProvider:
    return SshProvider(
        [Host("desk", 0.05, "desk")],
        access=access,
        cluster=Cluster("ours", "here"),
        folder=tmp_path / "memory",
        terms=NodeTerms("/checkpoints", "/artifacts"),
        clock=SystemClock(),
    )


def trouble_at(access: Access, tmp_path: Path) -> str:
    provider = provider_at(access, tmp_path)
    provider.instances()
    provider.close()
    return provider.troubles()[Trouble.HOSTS]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's `.ssh` folder; no agent."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    folder = tmp_path / "home" / ".ssh"
    folder.mkdir(parents=True)
    return folder


def configure(home: Path, access: Access, more: str = "") -> None:
    """Makes a host's configuration the user's own, with more lines about it."""
    assert access.config_file is not None
    (home / "config").write_text(access.config_file.read_text() + more)


def test_a_host_that_opens_no_session_holds_no_tick_up(
    hanging: Access, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elastic.providers.ssh.connection.TICK_S", 0.5)
    provider = provider_at(hanging, tmp_path)
    tick = threading.Thread(target=provider.instances, daemon=True)
    tick.start()
    tick.join(10)
    assert not tick.is_alive()
    assert "desk: does not answer within 0.5 s" in provider.troubles()[Trouble.HOSTS]
    provider.close()


@pytest.mark.parametrize(
    "configured",
    [
        "",
        "  UserKnownHostsFile /nowhere {own}\n  GlobalKnownHostsFile /nowhere\n",
        "  UserKnownHostsFile /nowhere\n  GlobalKnownHostsFile {own}\n",
        "  UserKnownHostsFile none\n",
    ],
)
def test_a_hosts_key_is_looked_up_in_all_files_in_which_openssh_looks(
    hanging: Access,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    home: Path,
    configured: str,
) -> None:
    monkeypatch.setattr("elastic.providers.ssh.connection.TICK_S", 0.5)
    configure(home, hanging, configured.format(own=hanging.known_hosts))
    systems = [] if "Global" in configured else [str(hanging.known_hosts)]
    access = Access(users_keys=["/nowhere"], systems_keys=systems)
    # Its key was known: it let in, and then did nothing.
    assert "desk: does not answer within 0.5 s" in trouble_at(access, tmp_path)


@pytest.mark.parametrize("lines", ["", "  UserKnownHostsFile none\n"])
def test_no_configuration_lets_an_unknown_key_pass(
    hanging: Access, tmp_path: Path, home: Path, lines: str
) -> None:
    configure(home, hanging, lines)
    told = trouble_at(Access(systems_keys=[]), tmp_path)
    assert "desk: its key is unknown" in told


def test_a_changed_key_is_named_as_openssh_knows_it(
    hanging: Access, tmp_path: Path, home: Path
) -> None:
    configure(home, hanging)
    assert hanging.known_hosts is not None
    name = hanging.known_hosts.read_text().split()[0]
    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode()
    (home / "known_hosts").write_text(f"{name} {other}")
    told = trouble_at(Access(), tmp_path)
    assert f"ssh-keygen -R '{name}', and log in once with ssh desk" in told


def test_a_key_that_is_configured_and_not_there_is_passed_over(
    hanging: Access, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setattr("elastic.providers.ssh.connection.TICK_S", 0.5)
    configure(home, hanging, "  IdentityFile ~/.ssh/nothing\n")
    access = Access(known_hosts=hanging.known_hosts)
    assert "desk: does not answer within 0.5 s" in trouble_at(access, tmp_path)


def test_a_login_without_a_key_says_that_a_key_is_wanted(tmp_path: Path, home: Path) -> None:
    with reached(tmp_path, Locked) as locked:
        configure(home, locked, "  IdentityFile ~/.ssh/id_ed25519\n")
        access = Access(known_hosts=locked.known_hosts)
        key = asyncssh.generate_private_key("ssh-ed25519")
        key.write_private_key(home / "id_ed25519", "pkcs8-pem", passphrase="secret")
        told = trouble_at(access, tmp_path)
        assert "wanted a private key without a passphrase or an ssh-agent, found neither" in told
        key.write_private_key(home / "id_ed25519")
        told = trouble_at(access, tmp_path)
        assert "refuses the login of me; add your public key there: ssh-copy-id desk" in told


def test_no_terminal_is_asked_for_which_would_answer_with_what_it_is_sent(
    tmp_path: Path, home: Path
) -> None:
    class Telling(asyncssh.SSHServer):
        """Says whether it was asked for a terminal."""

        def begin_auth(self, username: str) -> bool:
            return False

        def session_requested(self) -> asyncssh.SSHServerProcess[str]:
            return asyncssh.SSHServerProcess(tell, None, 3, True)

    def tell(process: asyncssh.SSHServerProcess[str]) -> None:
        process.stdout.write(json.dumps({"refused": str(process.get_terminal_type())}) + "\n")

    with reached(tmp_path, Telling) as telling:
        configure(home, telling, "  RequestTTY force\n")
        told = trouble_at(Access(known_hosts=telling.known_hosts), tmp_path)
        assert told.endswith("desk: None")
