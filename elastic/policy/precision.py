"""The one precision of a job: the format that promises most iterations per dollar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from elastic.model import JobSpec, NodeType, Precision, Price, Tier
from elastic.policy.words import figures

_CPU_GAIN = 1.8  # bf16 took 1.76 to 2.09 times less than fp32 (benchmarks/esrgan_step.py)
# The least of 1.5 to 5.5 on V100; none was measured here.
# pytorch.org/blog, "What Every User Should Know About Mixed Precision Training in PyTorch".
_GPU_GAIN = 1.5


@dataclass(frozen=True, slots=True)
class Choice:
    """A precision, and why it was chosen, for a person."""

    precision: Precision
    why: str


@dataclass(frozen=True, slots=True)
class _Promise:
    """Iterations per dollar in units of one fp32 core's or GPU's, on the node type that promises most."""

    precision: Precision
    value: float
    node_type: str


def choose_precision(spec: JobSpec, node_types: Iterable[NodeType], prices: Iterable[Price]) -> Choice:
    """Gives the format in which a dollar should buy the most iterations, on the best node type that computes in it.

    A node type promises its cores per dollar, times what the format gains over fp32. Where a candidate has GPUs, they
    count instead of cores. Without prices it is a format that all candidates share. bf16 comes before fp16, which needs
    a loss scale; sessions (T2) have none.
    """
    types = [each for each in node_types if spec.admits_type(each.name) and spec.unfit(each) is None]
    formats = [Precision.BF16, *([] if spec.tier is Tier.T2 else [Precision.FP16]), Precision.FP32]
    usd_per_h = _cheapest(spec, prices)
    priced = [each for each in types if each.name in usd_per_h]
    if not priced:
        return _shared(types, formats)
    with_gpus = [each for each in priced if each.gpu_count]
    promises = [promise for each in formats if (promise := _promise(each, with_gpus or priced, usd_per_h)) is not None]
    best = max(promises, key=lambda each: each.value)  # of equals the first
    *lower, fp32 = promises
    if not lower:
        return Choice(Precision.FP32, "no node type of the job computes in a faster format")
    other = max(lower, key=lambda each: each.value) if best is fp32 else fp32
    ratio = figures(best.value / other.value)
    why = f"{best.node_type} promises {ratio} x the iterations per dollar of {other.node_type} in {other.precision}"
    return Choice(best.precision, why)


def _cheapest(spec: JobSpec, prices: Iterable[Price]) -> Mapping[str, float]:
    """The least price of each node type that the job may buy."""
    found: dict[str, float] = {}
    for price in prices:
        if spec.admits(price.offering):
            name = price.offering.node_type
            found[name] = min(price.usd_per_h, found.get(name, price.usd_per_h))
    return found


def _promise(precision: Precision, types: Sequence[NodeType], usd_per_h: Mapping[str, float]) -> _Promise | None:
    """The best promise of those that compute in a format; of equals the last by name."""
    found = [
        (_speed(each, precision) / usd_per_h[each.name], each.name) for each in types if precision in each.precisions
    ]
    return _Promise(precision, *max(found)) if found else None


def _speed(node_type: NodeType, precision: Precision) -> float:
    units, gain = (node_type.gpu_count, _GPU_GAIN) if node_type.gpu_count else (node_type.cores, _CPU_GAIN)
    return units * (1.0 if precision is Precision.FP32 else gain)


def _shared(types: Sequence[NodeType], formats: Sequence[Precision]) -> Choice:
    for precision in formats:
        if all(precision in each.precisions for each in types):
            return Choice(precision, "all node types of the job compute in it, and their prices are not known yet")
    raise AssertionError("every node type computes in fp32")
