"""Machines in their own namespaces, with an address, process ids and a quota; for root."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from elastic.clock import Clock
from elastic.providers.local.cgroup import find_cpu_cgroups, remove
from elastic_lab.boot import write_boot_files
from elastic_lab.hypervisor import LAB_MARK, GuestOrder, RunningGuest, environment
from elastic_lab.imds import ADDRESS, PORT, MetadataServer
from elastic_lab.plain import end_processes, start_process

TOOLS = ("ip", "nsenter", "unshare")
_CLONE_NEWNET = 0x40000000
_NAMESPACES = Path("/run/netns")


def has_namespaces() -> bool:
    """True if this process is root and the tools are there."""
    return os.geteuid() == 0 and all(shutil.which(tool) for tool in TOOLS)


class NamespaceHypervisor:
    """Connects machines by a bridge, which has the lab's address."""

    kind = "namespaces"

    def __init__(self, *, name: str, number: int, folder: Path, clock: Clock) -> None:
        self.address = f"10.{208 + number}.0.1"
        self.network = f"10.{208 + number}.0.0/16"
        self.endpoint_url = ""
        self._name = name
        self._hardware_address = f"02:00:00:00:00:{number:02x}"
        self.folder = folder
        self._clock = clock
        self._cgroups = find_cpu_cgroups()
        self._count = 0
        self._lock = threading.Lock()

    def open(self) -> None:
        self._sweep()
        ip(
            # Without a fixed address, a bridge takes the lowest hardware address of its members.
            # When they come and go it changes, and until they ask again, half a minute later, the
            # others send to an address that no one has.
            f"link add {self._name} address {self._hardware_address} type bridge",
            f"addr add {self.address}/16 dev {self._name}",
            f"link set {self._name} up",
        )

    def start(self, order: GuestOrder) -> RunningGuest:
        with self._lock:
            self._count += 1
            name = f"{self._name}-{self._count}"
        folder = self.folder / order.instance_id
        init = write_boot_files(folder, order)
        self._plug_in(name, order.address)
        # Before the machine starts: its first script asks who it is.
        metadata = MetadataServer(_listener(name), order.read_metadata, clock=self._clock)
        metadata.start()
        cgroup = None
        if self._cgroups is not None and order.cpu is not None:
            cgroup = self._cgroups.create(name, cpu=order.cpu)
        env = {
            **environment(
                order, lab_name=self._name, folder=folder, endpoint_url=self.endpoint_url
            ),
            "ELASTICD_LAB_FOLDER": str(folder),
        }
        return NamespaceMachine(_boot(name, init, folder, cgroup, env), metadata, name, cgroup)

    def close(self) -> None:
        self._sweep()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _plug_in(self, name: str, address: str) -> None:
        ip(
            f"netns add {name}",
            f"link add {_cable(name)} type veth peer name eth0 netns {name}",
            f"link set {_cable(name)} master {self._name} up",
        )
        ip(
            "link set lo up",
            # The address of the metadata service, on loopback: each machine has its own, and none
            # reaches another's.
            f"addr add {ADDRESS}/32 dev lo",
            f"addr add {address}/16 dev eth0",
            "link set eth0 up",
            f"route add default via {self.address}",
            namespace=name,
        )

    def _sweep(self) -> None:
        """Removes everything with this name, even if another lab made it."""
        # Processes first: they hold the namespaces open.
        end_processes({LAB_MARK: self._name})
        # The kernel removes a namespace's content later, so an interface with its other end in
        # there may still exist.
        for path in sorted(Path("/sys/class/net").glob(f"{_cable(self._name)}v*")):
            with suppress(RuntimeError):  # gone by now
                ip(f"link del {path.name}")
        for path in sorted(_NAMESPACES.glob(f"{self._name}-*")):
            ip(f"netns del {path.name}")
        if Path("/sys/class/net", self._name).exists():
            ip(f"link del {self._name}")
        if self._cgroups is not None:
            for group in self._cgroups.path("").glob(f"{self._name}-*"):
                remove(group)


@dataclass(slots=True)
class NamespaceMachine:
    """A tree of processes; the kernel ends all of them with process 1 of their namespace."""

    process: subprocess.Popen[bytes]
    metadata: MetadataServer
    name: str
    cgroup: Path | None

    def wait(self) -> None:
        self.process.wait()
        self.metadata.end()
        ip(f"netns del {self.name}")
        if self.cgroup is not None:
            remove(self.cgroup)

    def end(self) -> None:
        # The kernel ends all others in the namespace before it.
        # Again and again: the first process may not be there yet in a machine that has just begun.
        while self.process.poll() is None:
            first = self.first_pid()
            if first is not None:
                with suppress(psutil.Error):
                    psutil.Process(first).send_signal(signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                # A killed namespace is gone within milliseconds.
                self.process.wait(0.02)

    def first_pid(self) -> int | None:
        # The inner process 1, not `unshare`, which is its parent.
        with suppress(psutil.Error):
            for child in psutil.Process(self.process.pid).children():
                return int(child.pid)
        return None

    def cut_off(self, *, is_cut: bool) -> None:
        ip(f"link set {_cable(self.name)} {'down' if is_cut else 'up'}")


def ip(*commands: str, namespace: str | None = None) -> None:
    """Runs commands of `ip`; raises RuntimeError at the first that fails."""
    if namespace is None:
        where = []
    else:
        where = ["-netns", namespace]
    done = subprocess.run(
        ["ip", *where, "-batch", "-"],
        input="\n".join(commands),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"ip {'; '.join(commands)}: {done.stderr.strip()}")


def _cable(name: str) -> str:
    # An interface's name has 15 characters at most.
    return name.replace("-", "v")


def _boot(
    name: str, init: Path, folder: Path, cgroup: Path | None, env: dict[str, str]
) -> subprocess.Popen[bytes]:
    join = ""
    if cgroup is not None:
        join = f"echo $$ >'{cgroup}/cgroup.procs' && "
    script = (
        f"{join}exec nsenter --net={_NAMESPACES}/{name} unshare --pid --mount --uts --ipc --fork "
        "--kill-child "
        '--mount-proc --propagation private /bin/sh "$@"'
    )
    return start_process(
        ["/bin/sh", "-c", script, "sh", init, folder, "namespaces"], env=env, folder=folder
    )


def _listener(namespace: str) -> socket.socket:
    """Opens a listening socket inside a namespace, by a thread that enters it."""
    made: list[socket.socket | OSError] = []

    def enter() -> None:
        try:
            with open(_NAMESPACES / namespace) as handle:
                if ctypes.CDLL(None, use_errno=True).setns(handle.fileno(), _CLONE_NEWNET) != 0:
                    raise OSError(
                        ctypes.get_errno(), f"cannot enter the network namespace {namespace}"
                    )
            made.append(socket.create_server((ADDRESS, PORT), backlog=64))
        except OSError as error:
            made.append(error)

    # A thread of its own: setns changes the network of the calling thread, and this one is needed
    # here.
    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    if isinstance(made[0], OSError):
        raise made[0]
    return made[0]
