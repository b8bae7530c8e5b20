"""The ports of what runs instances: a hypervisor, and the machines that it starts."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from elastic_lab.imds import Metadata

# Marks every process of one lab's machines, so that a later lab finds what a killed one left.
LAB_MARK = "ELASTICD_LAB"
INSTANCE_MARK = "ELASTICD_LAB_INSTANCE"


@dataclass(frozen=True, slots=True)
class GuestOrder:
    """A machine to start."""

    instance_id: str
    address: str
    hostname: str
    # Its quota in cores; None: no quota.
    cpu: float | None
    user_data: str | None
    # Only the first boot runs the user data.
    is_first_boot: bool
    read_metadata: Callable[[], Metadata]
    # The vector units that torch may use, by its ATEN_CPU_CAPABILITY; None: those of this machine.
    cpu_capability: str | None = None
    # If set, the machine runs on a copy of this file system, and its cloud-init runs the user data.
    root: Path | None = None


class RunningGuest(Protocol):
    """A running machine."""

    def wait(self) -> None:
        """Returns once the machine is off, and nothing of it runs any more."""
        ...

    def end(self) -> None:
        """Ends the machine at once, and returns when nothing of it is left."""
        ...

    def cut_off(self, *, is_cut: bool) -> None:
        """Takes the machine off the network, or puts it back."""
        ...

    def first_pid(self) -> int | None:
        """The number, on this machine, of the machine's first process; None once it is off."""
        ...


class Hypervisor(Protocol):
    """Where machines run."""

    address: str
    network: str
    kind: str

    def open(self) -> None:
        """Removes what an earlier lab with this name left, and makes what machines need."""
        ...

    def start(self, order: GuestOrder) -> RunningGuest:
        """Starts a machine; it may already be off again when this returns."""
        ...

    def close(self) -> None:
        """Removes everything; no machine may be running."""
        ...


def environment(
    order: GuestOrder, *, lab_name: str, folder: Path, endpoint_url: str
) -> Mapping[str, str]:
    """The environment of everything on a machine; only the language is the lab's own."""
    path = (
        folder / "bin",
        Path(sys.executable).parent,
        "/usr/local/sbin",
        "/usr/local/bin",
        "/usr/sbin",
        "/usr/bin",
    )
    kept = {name: os.environ[name] for name in ("LANG", "PYTHONPATH") if name in os.environ}
    # More threads than the quota has cores would only wait for one another.
    if order.cpu is None:
        threads = {}
    else:
        threads = {"OMP_THREAD_LIMIT": str(max(1, int(order.cpu)))}
    if order.cpu_capability is None:
        capability = {}
    else:
        capability = {"ATEN_CPU_CAPABILITY": order.cpu_capability}
    return {
        **kept,
        **threads,
        **capability,
        "PATH": ":".join(str(each) for each in (*path, "/sbin", "/bin")),
        "HOME": str(folder / "home"),
        # A machine shares the real /tmp, but its temporary files must end with it.
        "TMPDIR": str(folder / "tmp"),
        "AWS_ENDPOINT_URL": endpoint_url,
        LAB_MARK: lab_name,
        INSTANCE_MARK: order.instance_id,
    }
