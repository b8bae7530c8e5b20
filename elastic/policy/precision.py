"""The precision of a job: the number format that promises the most iterations per dollar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from elastic.figures import number
from elastic.model import Mode, NodeType, Obstacle, Precision, Snapshot, longest_block
from elastic.policy.quotes import PriceInForce, fresh_quotes, latest_quotes
from elastic.policy.words import shortened

# The least measured gain: bf16 took 1.31 times less than fp32 on the preset `small` (0.042 against
# 0.055 s, GAN turn, one thread), and 1.76 to 2.09 times less on large models
# (benchmarks/esrgan_step.py).
_CPU_GAIN = 1.3
# The least of 1.5 to 5.5 on V100, as published; it was not measured here. pytorch.org/blog, "What
# Every User Should Know About Mixed Precision Training in PyTorch".
_GPU_GAIN = 1.5


@dataclass(frozen=True, slots=True)
class ChosenPrecision:
    """A precision, and why it was chosen, for a person."""

    precision: Precision
    why: str


@dataclass(frozen=True, slots=True)
class _Promise:
    """Iterations per dollar on the node type that promises most, in units of one fp32 core or
    GPU."""

    precision: Precision
    value: float
    node_type: str


def choose_precision(snapshot: Snapshot) -> ChosenPrecision:
    """Gives the format in which a dollar should buy the most iterations, on the best type that
    supports it.

    A node type promises its cores, or GPUs if it has any, per dollar, times what the format gains
    over fp32. Cores and GPUs cannot be compared: if the job may buy both, a faster format must be
    the best for each of them. bf16 comes before fp16, because fp16 needs a loss scale and sessions
    have none.
    """
    spec = snapshot.job.spec
    fit = [
        each
        for each in snapshot.node_types
        if spec.admits_type(each.name) and spec.unfit(each) is None
    ]
    if not fit:
        return ChosenPrecision(Precision.FP32, "no node type fits the job")
    # In the order of preference among equals.
    formats = [
        Precision.BF16,
        *([] if spec.mode is Mode.LIVE else [Precision.FP16]),
        Precision.FP32,
    ]
    usd_per_h = _usd_per_h(snapshot, fit)
    with_gpus = [each for each in fit if each.name in usd_per_h and each.gpu_count]
    without = [each for each in fit if each.name in usd_per_h and not each.gpu_count]
    if not (with_gpus and without):
        return _best(formats, with_gpus or without, usd_per_h)
    # Both kinds may be bought: each has its own best format.
    gpus = _best(formats, with_gpus, usd_per_h)
    cores = _best(formats, without, usd_per_h)
    why = (
        f"with GPUs {gpus.precision} is best ({gpus.why}), without GPUs {cores.precision} "
        f"({cores.why})"
    )
    if gpus.precision is cores.precision:
        return ChosenPrecision(gpus.precision, why)
    return ChosenPrecision(Precision.FP32, f"no faster format is best for both: {why}")


def _usd_per_h(snapshot: Snapshot, types: Iterable[NodeType]) -> Mapping[str, float]:
    """The least price of each type that the job may buy now.

    If it may buy none, the least known price of each. If nothing has a price, prices that make all
    cores cost the same.
    """
    units = {each.name: _units(each) for each in types}
    buyable = [each for each in fresh_quotes(snapshot).values() if _may_be_bought(snapshot, each)]
    return (
        _least(snapshot, units, buyable)
        or _least(snapshot, units, latest_quotes(snapshot).values())
        or units
    )


def _may_be_bought(snapshot: Snapshot, quote: PriceInForce) -> bool:
    """Whether its fewest nodes are within the job's cap, and no lasting refusal is known."""
    spec = snapshot.job.spec
    cap = spec.objective.max_usd_per_hour
    if cap is not None and spec.sizes[0] * quote.usd_per_h > cap:
        return False
    # A lack of capacity soon passes. A missing permission or quota lasts until a person acts.
    refusals = [
        each for each in snapshot.unavailable if each.why in (Obstacle.FORBIDDEN, Obstacle.QUOTA)
    ]
    return longest_block(refusals, quote.offering, spec.sizes[0], now_s=snapshot.now_s) is None


def _least(
    snapshot: Snapshot, names: Iterable[str], quotes: Iterable[PriceInForce]
) -> dict[str, float]:
    """The least price of each of these types, among the offerings that the job admits."""
    wanted = set(names)
    found: dict[str, float] = {}
    for quote in quotes:
        name = quote.offering.node_type
        if name in wanted and snapshot.job.spec.admits(quote.offering):
            found[name] = min(quote.usd_per_h, found.get(name, quote.usd_per_h))
    return found


def _best(
    formats: Iterable[Precision], types: Sequence[NodeType], usd_per_h: Mapping[str, float]
) -> ChosenPrecision:
    """The format with the best promise, among types that all have GPUs or all have none."""
    promises = [
        each
        for each in (_promise(format_, types, usd_per_h) for format_ in formats)
        if each is not None
    ]
    if len(promises) < 2:
        names = ", ".join(shortened([each.name for each in types]))
        return ChosenPrecision(Precision.FP32, f"no faster format suits {names}")
    *lower, fp32 = promises
    best = max(promises, key=lambda each: each.value)  # of equals the first
    if best is fp32:
        other = max(lower, key=lambda each: each.value)
    else:
        other = fp32
    value = "its iterations per dollar"
    if other.node_type != best.node_type:
        value = f"the iterations per dollar of {other.node_type}"
    ratio = number(best.value / other.value)
    return ChosenPrecision(
        best.precision, f"{best.node_type} promises {ratio} x {value} in {other.precision}"
    )


def _promise(
    precision: Precision, types: Iterable[NodeType], usd_per_h: Mapping[str, float]
) -> _Promise | None:
    """The best promise among types that compute in a format; of equals the last by name."""
    found = [
        (_units(each) * _gain(precision, each) / usd_per_h[each.name], each.name)
        for each in types
        if precision in each.precisions
    ]
    if found:
        return _Promise(precision, *max(found))
    return None


def _units(node_type: NodeType) -> float:
    return float(node_type.gpu_count or node_type.cores)


def _gain(precision: Precision, node_type: NodeType) -> float:
    if precision is Precision.FP32:
        return 1.0
    if node_type.gpu_count:
        return _GPU_GAIN
    return _CPU_GAIN
