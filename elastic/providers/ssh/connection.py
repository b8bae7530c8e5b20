"""Keeps one ssh connection to each host, with one program behind it that answers in JSON."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncssh
from asyncssh.known_hosts import match_known_hosts

from elastic.durations import LONGEST_RETRY_S, LOOK_S, RETRY_S, SELDOM_S, SPIN_S, TICK_S
from elastic.errors import ProviderError, ProviderUnavailable
from elastic.figures import duration
from elastic.providers.ssh.bundle import command, first_line
from elastic.providers.ssh.hosts import Host
from elastic.renewal import Renewal

Fields = dict[str, Any]


class HostRefused(ProviderError):
    """The host answers, and cannot do what was asked."""


@dataclass(frozen=True, slots=True)
class Access:
    """How hosts are reached: by OpenSSH's own files. None: where OpenSSH looks for them."""

    config_file: Path | None = None
    known_hosts: Path | None = None
    # Where OpenSSH looks for hosts' keys unless its configuration names other files
    # (ssh_config(5), UserKnownHostsFile and GlobalKnownHostsFile).
    users_keys: Sequence[str] = ("~/.ssh/known_hosts", "~/.ssh/known_hosts2")
    systems_keys: Sequence[str] = ("/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2")


@dataclass(slots=True)
class HostLink:
    """One host's connection; used by the loop's thread only."""

    host: Host
    access: Access
    # How many requests were sent, and how many logins made: what this costs.
    requests: int = 0
    logins: int = 0
    # Where the program is, and its folder; known once it runs.
    program: str = ""
    _connection: asyncssh.SSHClientConnection | None = None
    _process: asyncssh.SSHClientProcess[str] | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _retry: Renewal = field(
        default_factory=lambda: Renewal(
            retry_s=RETRY_S, longest_retry_s=LONGEST_RETRY_S, is_scattered=True
        )
    )
    _why: str = ""

    async def ask(self, request: Fields, timeout_s: float) -> Fields:
        """Gives the host's answer. Raises HostRefused, or ProviderUnavailable without one."""
        async with self._lock:
            try:
                await self._connect()
                self.requests += 1
                answer = await self._exchange(json.dumps(request), timeout_s)
            except ProviderUnavailable as error:
                self._why = str(error)
                await self.close()
                raise
        if "refused" in answer:
            raise HostRefused(f"{self.host.name}: {answer['refused']}")
        return answer

    async def close(self) -> None:
        """Ends the connection; nodes on the host go on."""
        connection = self._connection
        self._connection = None
        self._process = None
        if connection is not None:
            connection.abort()
            # An aborted connection waits for nothing from the other side.
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await connection.wait_closed()

    async def _connect(self) -> None:
        if self._process is not None:
            return
        if not self._retry.is_due(now_s=time.monotonic()):
            raise ProviderUnavailable(self._why)
        try:
            await self._log_in()
        except ProviderUnavailable:
            self._retry.note_failure(now_s=time.monotonic())
            raise
        self._retry.note_success(now_s=time.monotonic())

    async def _log_in(self) -> None:
        host = self.host.name
        try:
            # Without keys, which may be configured and not be there.
            options = await _options(**self._asked(), client_keys=None)
        except (OSError, asyncssh.Error, ValueError) as error:
            raise ProviderUnavailable(
                f"{host}: OpenSSH's configuration cannot be read: {error}"
            ) from error
        try:
            # A login takes tenths of a second. A tick waits for it, and for answers.
            async with asyncio.timeout(TICK_S):
                self.logins += 1
                self._connection = await asyncssh.connect(**self._asked(options))
                # Within the same time: a host may let in, and then open no session.
                # A terminal, which `RequestTTY` may ask for, would answer with what it is sent.
                self._process = await self._connection.create_process(
                    command(self.host.python), request_pty=False
                )
        except (asyncssh.HostKeyNotVerifiable, asyncssh.KeyExchangeFailed) as error:
            raise ProviderUnavailable(self._about_key(options, error)) from error
        except asyncssh.PermissionDenied as error:
            keys = (await _options(**self._asked(options))).client_keys
            raise ProviderUnavailable(
                f"{host}: refuses the login of {options.username}; "
                f"{_about_login(host, has_keys=bool(keys))}"
            ) from error
        except asyncssh.KeyImportError as error:
            raise ProviderUnavailable(
                f"{host}: a private key cannot be read ({error}); load it with ssh-add"
            ) from error
        except TimeoutError as error:
            raise ProviderUnavailable(
                f"{host}: does not answer within {duration(TICK_S)}"
            ) from error
        except (OSError, asyncssh.Error, ValueError) as error:
            raise ProviderUnavailable(f"{host}: cannot be reached by ssh: {error}") from error
        ready = await self._exchange(first_line(self.host.folder), TICK_S)
        if "refused" in ready:
            raise ProviderUnavailable(f"{host}: {ready['refused']}")
        self.program = ready["program"]

    def _asked(self, found: Any = None) -> dict[str, Any]:
        """What asyncssh is told; the rest comes from OpenSSH's files, for jump hosts as well."""
        user, _, name = self.host.name.rpartition("@")
        asked: dict[str, Any] = {
            "host": name,
            # The user's own. Without this, `construct` reads none.
            "config": (),
            "keepalive_interval": SELDOM_S,
            "keepalive_count_max": 2,
        }
        if user:
            asked["username"] = user
        if self.access.config_file is not None:
            asked["config"] = [str(self.access.config_file)]
        if self.access.known_hosts is not None:
            asked["known_hosts"] = str(self.access.known_hosts)
        elif found is not None:
            # Without a file nothing is known: None would switch the check off.
            asked["known_hosts"] = self._known_hosts(found.config) or b""
        if found is not None and found.config.get("IdentityFile"):
            asked["client_keys"] = _there(found.config.get("IdentityFile"))
            asked["ignore_encrypted"] = True
        return asked

    def _known_hosts(self, config: Any) -> list[str]:
        """The files of hosts' keys. asyncssh itself leaves out the system's."""
        users = config.get("UserKnownHostsFile", self.access.users_keys)
        systems = config.get("GlobalKnownHostsFile", self.access.systems_keys)
        return _there([*users, *systems])

    def _about_key(self, options: Any, error: asyncssh.Error) -> str:
        host = self.host.name
        port = options.port
        known = self._asked(options)["known_hosts"]
        alias = options.host_key_alias or options.host
        found: Sequence[Any] = ()
        with suppress(OSError, ValueError):
            found = match_known_hosts(known, alias, "", None if port == 22 else port)[0]
        name = alias if port == 22 else f"[{alias}]:{port}"
        if found:
            return (
                f"{host}: its key is not the one on record for {name}. Either it was installed "
                "again, or another machine answers in its place. If you know that it was: "
                f"ssh-keygen -R '{name}', and log in once with ssh {host}"
            )
        return (
            f"{host}: its key is unknown ({error.reason if hasattr(error, 'reason') else error}). "
            f"Log in once with ssh {host}, and compare the fingerprint that it shows"
        )

    async def _exchange(self, line: str, timeout_s: float) -> Fields:
        assert self._process is not None
        try:
            async with asyncio.timeout(timeout_s):
                self._process.stdin.write(line + "\n")
                answer = await self._process.stdout.readline()
                if not answer:
                    said = (await self._process.stderr.read()).strip().rpartition("\n")[2]
                    raise ProviderUnavailable(
                        f"{self.host.name}: {said or 'the connection was closed'}"
                    )
        except TimeoutError as error:
            raise ProviderUnavailable(
                f"{self.host.name}: has not answered for {duration(timeout_s)}; its link is down, "
                "or it hangs"
            ) from error
        except (OSError, asyncssh.Error) as error:
            raise ProviderUnavailable(f"{self.host.name}: the connection broke: {error}") from error
        try:
            found = json.loads(answer)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise ProviderUnavailable(
                f"{self.host.name}: wanted an answer of elasticd, got {answer[:80]!r}; a login "
                "there must print nothing"
            )
        return found


class HostLinks:
    """The connections to all hosts, in a thread of their own."""

    def __init__(self, hosts: Sequence[Host], access: Access) -> None:
        self._hosts = hosts
        self._access = access
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._links = {each.name: HostLink(each, access) for each in hosts}

    def ask(self, host: str, request: Fields, *, timeout_s: float = TICK_S) -> Fields:
        """One host's answer. Raises HostRefused, or ProviderUnavailable without one."""
        (answer,) = self.ask_each({host: request}, timeout_s=timeout_s).values()
        if isinstance(answer, ProviderError):
            raise answer
        return answer

    def ask_each(
        self, requests: Mapping[str, Fields], *, timeout_s: float = TICK_S
    ) -> Mapping[str, Fields | ProviderError]:
        """Asks hosts at the same time; gives what each answers, or why it does not."""

        async def one(host: str, request: Fields) -> Fields | ProviderError:
            try:
                return await self._links[host].ask(request, timeout_s)
            except ProviderError as error:
                return error

        async def all_of_them() -> list[Fields | ProviderError]:
            return list(await asyncio.gather(*(one(*each) for each in requests.items())))

        return dict(zip(requests, self._run(all_of_them()), strict=True))

    def program(self, host: str) -> str:
        """Where the program is on a host that has answered."""
        return self._links[host].program

    @property
    def costs(self) -> tuple[int, int]:
        """How many logins and requests there were."""
        links = self._links.values()
        return sum(each.logins for each in links), sum(each.requests for each in links)

    def close(self) -> None:
        """Ends every connection."""
        if self._loop is None:
            return

        async def close_all() -> None:
            for each in self._links.values():
                await each.close()
            # Sockets close in the turn of the loop that follows.
            await asyncio.sleep(SPIN_S)

        self._run(close_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._loop = None

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                # A daemon thread: a process that ends waits for no host.
                threading.Thread(target=_turn, args=(self._loop,), daemon=True).start()
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


async def _options(**asked: Any) -> Any:
    return await asyncssh.SSHClientConnectionOptions.construct(**asked)


def _there(paths: Sequence[str]) -> list[str]:
    """Those of the files that can be read, as OpenSSH passes over the others."""
    found = [os.path.expanduser(each) for each in paths]
    return [each for each in found if os.access(each, os.R_OK)]


def _about_login(host: str, *, has_keys: bool) -> str:
    """What to do about a login that a host refused."""
    # The agent of a login that is over leaves its name behind.
    if has_keys or os.path.exists(os.environ.get("SSH_AUTH_SOCK", "")):
        return f"add your public key there: ssh-copy-id {host}"
    return (
        "wanted a private key without a passphrase or an ssh-agent, found neither. Start the "
        "daemon where SSH_AUTH_SOCK leads to an agent that stays, or make a key without a "
        f"passphrase (ssh-keygen, then ssh-copy-id {host})"
    )


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()
