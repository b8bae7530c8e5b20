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
    count instead of cores. Without any price all cores are taken to cost the same. bf16 comes before fp16, which needs
    a loss scale; sessions (T2) have none.
    """
    types = [each for each in node_types if spec.admits_type(each.name) and spec.unfit(each) is None]
    types = [each for each in types if each.gpu_count] or types
    formats = [Precision.BF16, *([] if spec.tier is Tier.T2 else [Precision.FP16]), Precision.FP32]
    usd_per_h = _cheapest(spec, types, prices)
    promises = [each for each in (_promise(format_, types, usd_per_h) for format_ in formats) if each is not None]
    if len(promises) < 2:
        return Choice(Precision.FP32, "no node type of the job computes in a faster format")
    *lower, fp32 = promises
    best = max(promises, key=lambda each: each.value)  # of equals the first
    other = max(lower, key=lambda each: each.value) if best is fp32 else fp32
    value = "its iterations per dollar"
    if other.node_type != best.node_type:
        value = f"the iterations per dollar of {other.node_type}"
    ratio = figures(best.value / other.value)
    return Choice(best.precision, f"{best.node_type} promises {ratio} x {value} in {other.precision}")


def _cheapest(spec: JobSpec, types: Sequence[NodeType], prices: Iterable[Price]) -> Mapping[str, float]:
    """The least price of each of the types that has one; where none has, what would make all cores cost the same."""
    units = {each.name: _units(each) for each in types}
    found: dict[str, float] = {}
    for price in prices:
        name = price.offering.node_type
        if name in units and spec.admits(price.offering):
            found[name] = min(price.usd_per_h, found.get(name, price.usd_per_h))
    return found or units


def _promise(precision: Precision, types: Iterable[NodeType], usd_per_h: Mapping[str, float]) -> _Promise | None:
    """The best promise of those that compute in a format; of equals the last by name."""
    found = [
        (_units(each) * _gain(precision, each) / usd_per_h[each.name], each.name)
        for each in types
        if precision in each.precisions and each.name in usd_per_h
    ]
    return _Promise(precision, *max(found)) if found else None


def _units(node_type: NodeType) -> float:
    return float(node_type.gpu_count or node_type.cores)


def _gain(precision: Precision, node_type: NodeType) -> float:
    if precision is Precision.FP32:
        return 1.0
    return _GPU_GAIN if node_type.gpu_count else _CPU_GAIN
