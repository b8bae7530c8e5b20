"""Hosts with a real sshd each, in namespaces on this machine. Needs root and openssh-server."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count as count_up
from pathlib import Path

import psutil
import pytest

from elastic_lab.namespaces import ip

_SSHD = "/usr/sbin/sshd"
_ESTATES = count_up()
_TOOLS = ("ip", "nsenter", "unshare", "ssh-keygen")
_CONFIG = """\
ListenAddress {address}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/../client_key.pub
UsePAM no
PasswordAuthentication no
StrictModes no
PidFile none
"""
# Each host has its own home folder, process ids and name, resolves its name, and sees a boot id of its own.
_BOOT = """\
hostname {name}
mount --bind {folder}/hosts /etc/hosts
mount --bind {folder}/passwd /etc/passwd
mount --bind {folder}/boot_id /proc/sys/kernel/random/boot_id
{disk}
{sshd} -D -f {folder}/sshd_config -E {folder}/sshd.log &
while :; do wait $! && exit || sleep 1; done
"""


def python_with_elasticd(folder: Path, **variables: str) -> Path:
    """A Python that has this elasticd and torch, as a user may have made one on each host, and sets
    variables."""
    program = folder / "python"
    root = Path(__file__).parents[2]
    set_too = "".join(f" {name}={value}" for name, value in variables.items())
    program.write_text(
        f"#!/bin/sh\nexport OMP_NUM_THREADS=1 PYTHONPATH={root}{set_too}\n"
        f'exec {sys.executable} "$@"\n'
    )
    program.chmod(0o755)
    return program


def skip_where_there_is_no_sshd() -> None:
    """Skips a test, with what it lacks."""
    if os.geteuid() != 0 or not all(map(shutil.which, _TOOLS)):
        pytest.skip("hosts in namespaces need root, iproute2 and util-linux")
    if not Path(_SSHD).exists():
        pytest.skip("hosts need a real sshd (Debian: apt-get install openssh-server)")


@dataclass(slots=True)
class SshHost:
    """A machine of its own, as far as ssh shows."""

    name: str
    namespace: str
    address: str
    folder: Path
    disk_mib: int | None = None
    process: subprocess.Popen[bytes] | None = None
    _boots: int = 0

    @property
    def home(self) -> Path:
        """The home folder of root there."""
        return self.folder / "home"

    @property
    def root(self) -> Path:
        """Where elasticd keeps its files there, as this machine sees them."""
        return self.home / ".elasticd"

    def boot(self) -> None:
        """Starts the host, and waits until its sshd answers."""
        self._boots += 1
        (self.folder / "boot_id").write_text(f"{self.name}-{self._boots}\n")
        disk = ""
        if self.disk_mib is not None:
            disk = f"mount -t tmpfs -o size={self.disk_mib}m tmpfs {self.home}"
        script = _BOOT.format(name=self.name, folder=self.folder, sshd=_SSHD, disk=disk)
        isolate = ["unshare", "--pid", "--mount", "--uts", "--fork", "--kill-child"]
        self.process = subprocess.Popen(
            [
                *("nsenter", f"--net=/run/netns/{self.namespace}", *isolate),
                *("--mount-proc", "--propagation", "private", "/bin/sh", "-c", script),
            ],
            stdin=subprocess.DEVNULL,
            # `unshare` says of its own signals what nobody needs.
            stderr=subprocess.DEVNULL,
        )
        probe = ["nsenter", f"--net=/run/netns/{self.namespace}", sys.executable, "-I", "-c"]
        ask = f"import socket; socket.create_connection(({self.address!r}, 22), 1).close()"
        until = time.monotonic() + 20
        while subprocess.run([*probe, ask], capture_output=True, check=False).returncode != 0:
            assert time.monotonic() < until, f"{self.name}: no sshd"
            time.sleep(0.05)

    def end(self) -> None:
        """Ends the host as a power cut would: every process of it."""
        assert self.process is not None
        while self.process.poll() is None:
            with suppress(psutil.Error):
                for child in psutil.Process(self.process.pid).children():
                    child.send_signal(signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(0.05)

    def reboot(self) -> None:
        self.end()
        self.boot()

    def unplug(self) -> None:
        ip("link set eth0 down", namespace=self.namespace)

    def plug_in(self) -> None:
        ip("link set eth0 up", namespace=self.namespace)

    def change_key(self) -> None:
        """Has another key from now on, as a machine that was installed again."""
        self.end()
        for path in self.folder.glob("host_key*"):
            path.unlink()
        _make_key(self.folder / "host_key")
        self.boot()

    @property
    def entry(self) -> tuple[str, ...]:
        """The beginning of a command that runs inside, past ssh."""
        assert self.process is not None
        (inner,) = psutil.Process(self.process.pid).children()
        return ("nsenter", "--target", str(inner.pid), "--mount", "--pid", "--net", "--uts")

    def run(self, *command: str) -> str:
        """Runs a command inside, past ssh."""
        done = subprocess.run([*self.entry, *command], capture_output=True, text=True, check=False)
        return done.stdout + done.stderr


@dataclass(slots=True)
class Estate:
    """All hosts of a test, and how they are reached."""

    folder: Path
    # This machine's address on their network.
    address: str
    hosts: list[SshHost] = field(default_factory=list)

    @property
    def config(self) -> Path:
        return self.folder / "config"

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"

    def host(self, name: str) -> SshHost:
        return next(each for each in self.hosts if each.name == name)

    def know(self) -> None:
        """Writes down every host's present key, as a first login does."""
        lines = []
        for each in self.hosts:
            kind, key = (each.folder / "host_key.pub").read_text().split()[:2]
            lines.append(f"{each.address} {kind} {key}\n")
        self.known_hosts.write_text("".join(lines))

    def write_config(self) -> None:
        blocks = [
            f"Host {each.name}\n  HostName {each.address}\n  User root\n"
            f"  IdentityFile {self.folder}/client_key\n  UserKnownHostsFile {self.known_hosts}\n"
            for each in self.hosts
        ]
        self.config.write_text("\n".join(blocks))


@contextmanager
def running_hosts(folder: Path, count: int, *, disk_mib: int | None = None) -> Iterator[Estate]:
    """Gives hosts that are up and known, and leaves none of them."""
    # Other tests run beside this one, each with a network of its own.
    number = os.getpid() % 10_000 * 8 + next(_ESTATES) % 8
    stem = f"sh{number}"
    network = f"10.{140 + number % 60}.{number // 60 % 250}"
    estate = Estate(folder, f"{network}.1")
    Path("/run/sshd").mkdir(exist_ok=True)
    _make_key(folder / "client_key")
    try:
        ip(
            f"link add {stem} type bridge",
            f"addr add {estate.address}/24 dev {stem}",
            f"link set {stem} up",
        )
        for index in range(count):
            name = f"desk-{'abcdefgh'[index]}"
            host = SshHost(name, f"{stem}n{index}", f"{network}.{10 + index}", folder / name)
            host.disk_mib = disk_mib
            _prepare(host, stem, f"{stem}v{index}")
            estate.hosts.append(host)
            host.boot()
        estate.know()
        estate.write_config()
        yield estate
    finally:
        for host in estate.hosts:
            host.end()
        for index in range(count):
            for command in (f"netns delete {stem}n{index}", f"link delete {stem}v{index}"):
                subprocess.run(["ip", *command.split()], capture_output=True, check=False)
        subprocess.run(["ip", "link", "delete", stem], capture_output=True, check=False)


def _prepare(host: SshHost, bridge: str, cable: str) -> None:
    host.home.mkdir(parents=True)
    users = Path("/etc/passwd").read_text().replace(":/root:", f":{host.home}:", 1)
    (host.folder / "passwd").write_text(users)
    _make_key(host.folder / "host_key")
    # As Debian and Ubuntu are installed: a machine's own name leads to itself alone.
    (host.folder / "hosts").write_text(f"127.0.0.1 localhost\n127.0.1.1 {host.name}\n")
    (host.folder / "sshd_config").write_text(
        _CONFIG.format(address=host.address, folder=host.folder)
    )
    ip(
        f"netns add {host.namespace}",
        f"link add {cable} type veth peer name eth0 netns {host.namespace}",
        f"link set {cable} master {bridge} up",
    )
    ip(
        "link set lo up",
        f"addr add {host.address}/24 dev eth0",
        "link set eth0 up",
        namespace=host.namespace,
    )


def _make_key(path: Path) -> None:
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)],
        stdin=subprocess.DEVNULL,
        check=True,
    )
