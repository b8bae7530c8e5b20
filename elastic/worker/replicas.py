"""What a rank holds before its first step, which all data-parallel ranks must share."""

from __future__ import annotations

import gc
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

DDP_MODULE = "torch.nn.parallel.distributed"
# Weights that were trained apart differ nearly everywhere, and each look waits for a GPU: a few
# numbers are enough.
_NUMBERS_A_TENSOR = 16
_STATES = 64


@dataclass(frozen=True, slots=True)
class Replica:
    """One rank's state. An unknown field is None, and matches any other.

    `optimizer` is how many steps its optimizer has made: `no state`, `state`, or `500 steps`.
    `weights` is a digest of the parameters whose gradients DistributedDataParallel averages over
    all ranks.
    """

    optimizer: str | None = None
    weights: str | None = None


def replica_of(optimizer: object, *, world_size: int) -> Replica:
    """What this rank holds, as far as torch shows it."""
    try:
        return Replica(_state_of(optimizer), _digest(world_size))
    # An optimizer or a tensor of an unknown kind tells nothing.
    except Exception:  # noqa: BLE001
        return Replica()


def _state_of(optimizer: Any) -> str | None:
    groups = getattr(optimizer, "param_groups", ())
    if not any(True for group in groups for _ in group["params"]):
        return None  # for example, a sharded optimizer left this rank no share
    states = [each for each in islice(optimizer.state.values(), _STATES) if each]
    if not states:
        return "no state"
    steps = [
        int(float(each["step"])) for each in states if isinstance(each, dict) and "step" in each
    ]
    if not steps:
        return "state"
    # Some optimizers make their state before the first step.
    return f"{max(steps)} steps" if max(steps) else "no state"


def _digest(world_size: int) -> str | None:
    """A digest of all DistributedDataParallel modules over the whole group; None without any."""
    sums = [_sum_of(each) for each in _averaged_modules(world_size)]
    return " ".join(f"{each:08x}" for each in sorted(sums)) or None


def _averaged_modules(world_size: int) -> Iterator[Any]:
    kind = getattr(sys.modules.get(DDP_MODULE), "DistributedDataParallel", None)
    if kind is None:
        return
    # Look at the type alone: isinstance() on a lazy object may import half a library.
    for each in gc.get_objects():
        if issubclass(type(each), kind) and each.process_group.size() == world_size:
            yield each


def _sum_of(averaged: Any) -> int:
    ignored = set(getattr(averaged, "parameters_to_ignore", ()))
    total = 0
    for name, tensor in averaged.module.named_parameters():
        if tensor.requires_grad and name not in ignored:
            numbers = tensor.detach().reshape(-1)
            total = zlib.crc32(
                repr(numbers[:: max(len(numbers) // _NUMBERS_A_TENSOR, 1)].tolist()).encode(), total
            )
    return total
