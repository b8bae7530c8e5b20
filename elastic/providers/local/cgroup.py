"""CPU quotas by control groups, version 1 and 2."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from elastic.durations import QUOTA_PERIOD_S

PERIOD_US = int(QUOTA_PERIOD_S * 1e6)
# The kernel refuses less.
_LEAST_QUOTA_US = 1_000


@dataclass(frozen=True, slots=True)
class CpuCgroups:
    """A hierarchy of control groups with the CPU controller; ours are below `elasticd` in it."""

    mount: Path
    version: Literal[1, 2]

    def path(self, name: str) -> Path:
        """The folder of the group `name`, which need not exist."""
        return self.mount / "elasticd" / name

    def create(self, name: str, *, cpu: float) -> Path:
        """Makes the group `name`, if needed, whose processes together get `cpu` cores.

        Raises OSError if this process may not make it.
        """
        group = self.path(name)
        parent = group.parent
        parent.mkdir(exist_ok=True)
        if self.version == 2:
            for folder in (self.mount, parent):
                (folder / "cgroup.subtree_control").write_text("+cpu")
        group.mkdir(exist_ok=True)
        quota_us = max(round(cpu * PERIOD_US), _LEAST_QUOTA_US)
        if self.version == 2:
            (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(quota_us))
        return group


def find_cpu_cgroups(mounts: Path = Path("/proc/self/mounts")) -> CpuCgroups | None:
    """The hierarchy in which this process may limit CPU time; None if there is none."""
    for line in mounts.read_text().splitlines():
        _, mount, kind, options, *_ = line.split()
        if kind == "cgroup" and "cpu" in options.split(","):
            cgroups = CpuCgroups(Path(mount), version=1)
        elif kind == "cgroup2" and "cpu" in _controllers(Path(mount)):
            cgroups = CpuCgroups(Path(mount), version=2)
        else:
            continue
        # Whether it may is only known by trying.
        with suppress(OSError):
            remove(cgroups.create(f"probe-{os.getpid()}", cpu=0.5))
            return cgroups
    return None


def members(group: Path) -> tuple[int, ...]:
    """The processes in the group; none if it is gone."""
    try:
        return tuple(int(line) for line in (group / "cgroup.procs").read_text().splitlines())
    except FileNotFoundError:
        return ()
    except OSError as error:
        if error.errno == errno.ENODEV:  # Removed between opening and reading.
            return ()
        raise


def remove(group: Path) -> bool:
    """Removes an empty group; False if it is not empty yet."""
    try:
        group.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _controllers(mount: Path) -> list[str]:
    try:
        return (mount / "cgroup.controllers").read_text().split()
    except OSError:
        return []
