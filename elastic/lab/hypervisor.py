"""The ports of what runs instances: a hypervisor starts machines, and a machine runs until it is
ended or ends itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from elastic.lab.imds import Metadata

# Names every process of every machine of one lab, so that a later lab finds what a killed one left.
LAB_MARK = "ELASTICD_LAB"
INSTANCE_MARK = "ELASTICD_LAB_INSTANCE"


@dataclass(frozen=True, slots=True)
class GuestOrder:
    """A machine to be started. `cpu` is its quota in cores, None for no quota; `is_first_boot` runs
    the user data.

    `cpu_capability` is the processor that torch is to take this one for, None for this one. Where
    there is a `root`, the machine runs on a copy of that file system, and its cloud-init, not the
    lab, runs the user data.
    """

    instance_id: str
    address: str
    hostname: str
    cpu: float | None
    user_data: str | None
    is_first_boot: bool
    read_metadata: Callable[[], Metadata]
    cpu_capability: str | None = None
    root: Path | None = None


class RunningGuest(Protocol):
    """A running machine."""

    def wait(self) -> None:
        """Returns once the machine is off, by itself or ended; nothing of it runs any more."""
        ...

    def end(self) -> None:
        """Pulls the plug, and returns once nothing of it is left."""
        ...

    def cut_off(self, *, is_cut: bool) -> None:
        """Takes the machine off the network, or puts it back."""
        ...


class Hypervisor(Protocol):
    """Where machines run."""

    address: str
    network: str
    kind: str

    def open(self) -> None:
        """Removes what an earlier lab left under this name, and makes what machines need."""
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
    """What everything on a machine finds in its environment; nothing of the lab's own is inherited
    but the language.

    More threads than the quota has cores would stop one another.
    """
    path = (
        folder / "bin",
        Path(sys.executable).parent,
        "/usr/local/sbin",
        "/usr/local/bin",
        "/usr/sbin",
        "/usr/bin",
    )
    kept = {name: os.environ[name] for name in ("LANG", "PYTHONPATH") if name in os.environ}
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
        # A machine's temporary files go with it, though its /tmp is the real machine's.
        "TMPDIR": str(folder / "tmp"),
        "AWS_ENDPOINT_URL": endpoint_url,
        LAB_MARK: lab_name,
        INSTANCE_MARK: order.instance_id,
    }
