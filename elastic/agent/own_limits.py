"""Reads what the control groups of this process let it use, version 1 and 2."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from elastic.agent.container import OwnLimits

# Version 1 writes a huge number where there is no limit.
_ENDLESS_BYTES = 1 << 60


def own_limits(proc: Path = Path("/proc")) -> OwnLimits:
    """The limits of this process, those of every group above it included.

    A container of docker's is in a group of docker's own, so it needs them said again.
    """
    cpus: list[float] = []
    memory: list[int] = []
    for folder in _groups(proc):
        cpus += _cpus(folder)
        memory += _memory(folder)
    # An engine refuses more cores than there are.
    all_cores = os.cpu_count() or 1
    cores = None
    if len(os.sched_getaffinity(0)) < all_cores:
        cores = tuple(sorted(os.sched_getaffinity(0)))
    return OwnLimits(
        cpus=min((each for each in cpus if each < all_cores), default=None),
        memory_bytes=min(memory, default=None),
        cores=cores,
    )


def _groups(proc: Path) -> Iterator[Path]:
    """The folders of this process's groups, and of those above them."""
    places = {}
    for line in (proc / "self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for each in controllers.split(","):
            places[each] = path
    for line in (proc / "self/mounts").read_text().splitlines():
        _, mount, kind, options, *_ = line.split()
        names = []
        if kind == "cgroup2":
            names = [""]
        elif kind == "cgroup":
            names = [each for each in options.split(",") if each in ("cpu", "memory")]
        for name in names:
            if name in places:
                folder = Path(mount, places[name].lstrip("/"))
                yield folder
                yield from (each for each in folder.parents if each.is_relative_to(mount))


def _cpus(folder: Path) -> Iterator[float]:
    with suppress(OSError):
        quota, period = (folder / "cpu.max").read_text().split()
        if quota != "max":
            yield int(quota) / int(period)
    with suppress(OSError):
        quota_us = int((folder / "cpu.cfs_quota_us").read_text())
        if quota_us > 0:
            yield quota_us / int((folder / "cpu.cfs_period_us").read_text())


def _memory(folder: Path) -> Iterator[int]:
    for name in ("memory.max", "memory.limit_in_bytes"):
        with suppress(OSError):
            limit = (folder / name).read_text().strip()
            if limit != "max" and int(limit) < _ENDLESS_BYTES:
                yield int(limit)
