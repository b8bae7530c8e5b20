"""Requirements for candidates: `cpu: 4..`, `memory: 8GB..`, `gpu: T4:1`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from elastic.errors import InvalidInput
from elastic.model import NodeType

_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*(MB|MIB|GB|GIB|TB|TIB)", re.IGNORECASE)
_GIB = {"M": 1 / 1024, "G": 1.0, "T": 1024.0}
# The image for GPUs (ec2.ami_parameter_gpu) has only NVIDIA's driver.
_UNLESS_NAMED = frozenset({"NVIDIA"})
# That driver is the open one, for Turing and later (README of NVIDIA's open-gpu-kernel-modules).
# These are EC2's older GPUs.
_NOT_DRIVEN = frozenset({"K520", "K80", "M60", "P100", "V100"})


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`, both included."""

    low: float = 0.0
    high: float = math.inf

    def admits(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Requirements:
    """What a node type must have."""

    cpu: Range = Range()
    memory_gib: Range = Range()
    # The number of GPUs.
    gpu: Range = Range(0, 0)
    # Models or makers; empty: NVIDIA. A model without a driver in the default image must be named
    # itself.
    gpu_names: frozenset[str] = frozenset()

    def admit(self, node_type: NodeType, *, gpu_maker: str | None = None) -> bool:
        model = (node_type.gpu_model or "").upper()
        maker = (gpu_maker or "").upper()
        is_makers = maker in (self.gpu_names or _UNLESS_NAMED) and model not in _NOT_DRIVEN
        is_named = model in self.gpu_names or is_makers
        return (
            self.cpu.admits(node_type.cpu)
            and self.memory_gib.admits(node_type.memory_gib)
            and self.gpu.admits(node_type.gpu_count)
            and (node_type.gpu_count == 0 or is_named)
        )


def parse_requirements(
    *, cpu: str | None = None, memory: str | None = None, gpu: str | None = None
) -> Requirements:
    """Reads requirements as people write them; without `gpu`, types have no GPUs.

    >>> parse_requirements(cpu="4..8", memory="8GB..").memory_gib
    Range(low=8.0, high=inf)
    >>> parse_requirements(gpu="T4:1").gpu_names
    frozenset({'T4'})

    Raises InvalidInput, naming the setting.
    """
    names, gpus = (frozenset[str](), Range(0, 0)) if gpu is None else _gpu(gpu)
    return Requirements(
        cpu=Range()
        if cpu is None
        else _range(cpu, _count, "cpu", "vCPUs such as 4..8 or 4 (beside memory = '8GB')"),
        memory_gib=Range()
        if memory is None
        else _range(memory, _gib, "memory", "memory such as 8GB.. or 8GB..64GB"),
        gpu=gpus,
        gpu_names=names,
    )


def _gpu(text: str) -> tuple[frozenset[str], Range]:
    wanted = "GPUs such as T4:1, T4,A10G:1..4, T4 or 1..2"
    names, colon, count = text.partition(":")
    if not colon and re.fullmatch(r"[\d. ]+", text):
        return frozenset(), _range(text, _count, "gpu", wanted)
    models = frozenset(name.strip().upper() for name in names.split(","))
    if not all(re.fullmatch(r"[A-Z][A-Z0-9 -]*", name) for name in models):
        raise _wrong("gpu", wanted, text)
    return models, _range(count, _count, "gpu", wanted, whole=text) if colon else Range(1)


def _range(
    text: str,
    value_of: Callable[[str], float | None],
    name: str,
    wanted: str,
    *,
    whole: str | None = None,
) -> Range:
    """Reads a range; `whole` is what to show of it when it cannot be read."""
    shown = text if whole is None else whole
    low, dots, high = (each.strip() for each in text.partition(".."))
    if not (low or high):
        raise _wrong(name, wanted, shown)
    bounds = [
        value_of(each) if each else default for each, default in ((low, 0.0), (high, math.inf))
    ]
    if not dots:
        bounds[1] = bounds[0]
    least, most = bounds
    if least is None or most is None or least > most:
        raise _wrong(name, wanted, shown)
    return Range(least, most)


def _count(text: str) -> float | None:
    if re.fullmatch(r"\d+", text):
        return float(text)
    return None


def _gib(text: str) -> float | None:
    """GB is read as GiB, as tables of instance types write it."""
    found = _MEMORY.fullmatch(text)
    if found:
        return float(found[1]) * _GIB[found[2][0].upper()]
    return None


def _wrong(name: str, wanted: str, found: str) -> InvalidInput:
    field = f"ec2.requirements.{name}"
    return InvalidInput(f"{field}: wanted {wanted}, got {found!r}", field=field)
