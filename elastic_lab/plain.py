"""Machines that are plain processes on addresses of 127.0.0.0/8; for users without root."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elastic.agent.throttle import Throttle
from elastic.clock import Clock
from elastic.durations import GLANCE_S
from elastic.providers.keeping import find_family, kill
from elastic_lab.boot import write_boot_files
from elastic_lab.hypervisor import INSTANCE_MARK, LAB_MARK, GuestOrder, RunningGuest, environment
from elastic_lab.imds import MetadataServer

_KILL_ROUNDS = 100


class PlainHypervisor:
    """Starts machines as processes; a quota is kept by stopping and continuing them."""

    kind = "processes"

    def __init__(self, *, name: str, number: int, folder: Path, clock: Clock) -> None:
        self.address = "127.0.0.1"
        self.network = f"127.{100 + number}.0.0/16"
        self.endpoint_url = ""
        self._name = name
        self.folder = folder
        self._clock = clock

    def open(self) -> None:
        end_processes({LAB_MARK: self._name})

    def start(self, order: GuestOrder) -> RunningGuest:
        folder = self.folder / order.instance_id
        init = write_boot_files(folder, order)
        # Any port: 169.254.169.254 would need root, so the machine gets the address by a variable.
        listener = socket.create_server((order.address, 0), backlog=64)
        metadata = MetadataServer(listener, order.read_metadata, clock=self._clock, is_shared=True)
        metadata.start()
        env = {
            **environment(
                order, lab_name=self._name, folder=folder, endpoint_url=self.endpoint_url
            ),
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": (
                f"http://{order.address}:{listener.getsockname()[1]}"
            ),
            "ELASTICD_LAB_FOLDER": str(folder),
        }
        process = start_process(["/bin/sh", init, folder, self.kind], env=env, folder=folder)
        machine = PlainMachine(process, metadata, {INSTANCE_MARK: order.instance_id}, cpu=order.cpu)
        machine.start_throttle()
        return machine

    def close(self) -> None:
        end_processes({LAB_MARK: self._name})
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(slots=True)
class PlainMachine:
    """A machine; its processes are those with its mark, and their descendants."""

    process: subprocess.Popen[bytes]
    metadata: MetadataServer
    marks: dict[str, str]
    cpu: float | None
    throttle: Throttle | None = None

    def start_throttle(self) -> None:
        if self.cpu is not None:
            self.throttle = Throttle(quota=self.cpu, members=self._members)
            self.throttle.start()

    def wait(self) -> None:
        self.process.wait()
        if self.throttle is not None:
            self.throttle.stop()
        # What the first process leaves behind: without a namespace no kernel ends it.
        end_processes(self.marks)
        self.metadata.end()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()

    def cut_off(self, *, is_cut: bool) -> None:
        raise NotImplementedError(
            "plain processes share this machine's network: partitions need root"
        )

    def first_pid(self) -> int | None:
        if self.process.poll() is None:
            return self.process.pid
        return None

    def _members(self) -> list[int]:
        return [each.pid for each in find_family(None, marks=self.marks)]


def start_process(
    command: Sequence[str | Path], *, env: Mapping[str, str], folder: Path
) -> subprocess.Popen[bytes]:
    """Starts a machine's first process in its own session, without open files of this process."""
    with open(folder / "init.log", "ab") as log:
        return subprocess.Popen(
            command,
            env=env,
            cwd=folder,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def end_processes(marks: dict[str, str]) -> None:
    """Kills every process with these marks."""
    # Two looks in a row must find none, since one may miss a new process.
    looks_without = 0
    for _ in range(_KILL_ROUNDS):
        family = find_family(None, marks=marks)
        kill(family, patience_s=GLANCE_S)
        looks_without = 0 if family else looks_without + 1
        if looks_without == 2:
            return
    raise RuntimeError(f"processes with {marks} do not end")
