"""Arithmetic that every processor rounds alike, for members on different processors.

IEEE 754 rounds a single add, subtract, multiply and divide correctly: their bits are the same
everywhere. A kernel that does two of them in one (`addcmul`, `lerp`, a fused optimizer) rounds once
where the processor has a fused multiply-add, and twice where it has none. On x86 torch takes square
roots from MKL, which rounds about a fifth of them differently from IEEE 754 (seen with torch 2.13,
against arm64). Sums depend on the width of vectors.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any
from zlib import crc32

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

NARROW = (torch.bfloat16, torch.float16)
SAMPLES = 1031  # a prime: some are left over, whatever the width of vectors
SIDE = 32
Function = Callable[..., Any]


def arithmetic_of(device: torch.device) -> int:
    """Returns a number for how this process calculates on `device`.

    It is equal if the same kernels run on the same kind of processor, with as many threads, and
    gave the same bits.
    """
    # Each thread adds up a part of a tensor, and uses other kernels for the remainder.
    return _arithmetic_of(device, torch.get_num_threads() if device.type == "cpu" else 0)


@cache
def _arithmetic_of(device: torch.device, threads: int) -> int:
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        processor = f"{properties.name} {properties.major}.{properties.minor}"
    else:
        processor = f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()} {threads}"
    # Names are not enough: MKL uses other code on another maker's processors with the same vectors.
    return crc32(_sample_of(device), crc32(f"{torch.__version__} {processor}".encode()))


@torch.no_grad()
def _sample_of(device: torch.device) -> bytes:
    """Returns the results of kernels that may round differently elsewhere, on fixed numbers."""
    results = []
    for dtype in (torch.float32, torch.float64):
        first = torch.arange(1, SAMPLES + 1, device=device).to(dtype) / SAMPLES
        second = first.flip(0)
        square = first[: SIDE * SIDE].reshape(SIDE, SIDE)
        results += [
            torch.addcmul(first, first, second, value=0.1),
            torch.addcdiv(first, first, second, value=0.1),
            torch.lerp(first, second, 0.1),
            *(first.sqrt(), first.rsqrt(), first.pow(0.3), first.exp(), first.log(), first.tanh()),
            *(first.sum(), first.norm(), square @ square),
        ]
    return b"".join(
        each.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() for each in results
    )


# torch leaves its base untyped.
class ExactArithmetic(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Within this context, torch uses single operations instead of fused ones.

    That covers all of torch's optimizers but products of matrices (Muon, Adafactor). An operation
    that is not known here runs as always.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self,
        function: Any,
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        exact = EXACT.get(function.overloadpacket, function)
        return exact(*args, **(kwargs or {}))


def power(base: float, exponent: int) -> float:
    """Returns `base ** exponent` by products alone: a library's `pow` may differ in the last bit.

    >>> power(0.5, 3), power(0.9, 0)
    (0.125, 1.0)
    """
    result = 1.0
    while exponent:
        if exponent % 2:
            result *= base
        base *= base
        exponent //= 2
    return result


def _wide(value: Any) -> Any:
    """Returns a narrow tensor as float32, as torch's own kernels use it.

    Several roundings would lose much of what it holds.
    """
    if isinstance(value, Tensor) and value.dtype in NARROW:
        return value.float()
    return value


def _add(first: Any, second: Any, alpha: float = 1) -> Any:
    if alpha == 1:
        return first + second
    return first + second * alpha


def _sub(first: Any, second: Any, alpha: float = 1) -> Any:
    return _add(first, second, -alpha)


def _rsub(first: Any, second: Any, alpha: float = 1) -> Any:
    return _sub(second, first, alpha)


def _addcmul(own: Any, first: Any, second: Any, value: float = 1) -> Any:
    return own + first * second * value


def _addcdiv(own: Any, first: Any, second: Any, value: float = 1) -> Any:
    return own + first / second * value


def _lerp(start: Any, end: Any, weight: Any) -> Any:
    """Interpolates as torch does: from the nearer end, so that a weight of 1 gives `end`."""
    from_start = start + (end - start) * weight
    from_end = end - (end - start) * (1 - weight)
    if isinstance(weight, Tensor):
        return torch.where(weight.abs() < 0.5, from_start, from_end)
    return from_start if abs(weight) < 0.5 else from_end


def _sqrt(own: Any) -> Any:
    """A square root within two units in the last place.

    The kernel of `rsqrt` divides 1 by the processor's own square root, and both are rounded
    correctly. A GPU's `rsqrt` is an approximation, but its square root is rounded correctly.
    """
    if own.is_cuda:
        return own.sqrt()
    return torch.where((own > 0) & (own < math.inf), own * own.rsqrt(), own.sqrt())


def _rsqrt(own: Any) -> Any:
    return 1 / own.sqrt() if own.is_cuda else own.rsqrt()


def _reciprocal(own: Any) -> Any:
    return 1 / own


# For floating point numbers in float32 or wider: each operator is one kernel, rounded once.
FORMULAS: Mapping[str, Function] = {
    "add": _add,
    "sub": _sub,
    "rsub": _rsub,
    "addcmul": _addcmul,
    "addcdiv": _addcdiv,
    "lerp": _lerp,
    "sqrt": _sqrt,
    "rsqrt": _rsqrt,
    "reciprocal": _reciprocal,
}


def _new(formula: Function, original: Function) -> Function:
    """Returns a function that applies a formula, and returns a new tensor."""

    def new(own: Any, *args: Any, out: Tensor | None = None, **options: Any) -> Tensor:
        dtype = _dtype_of(own, *args)
        if dtype is None:
            more = {} if out is None else {"out": out}
            result: Tensor = original(own, *args, **options, **more)
            return result
        result = formula(_wide(own), *map(_wide, args), **options)
        if dtype in NARROW:
            result = result.to(dtype)
        if out is None:
            return result
        return (out if out.shape == result.shape else out.resize_(result.shape)).copy_(result)

    return new


def _in_place(formula: Function, original: Function) -> Function:
    """Returns a function that applies a formula, and overwrites its first tensor."""

    def in_place(own: Tensor, *args: Any, **options: Any) -> Tensor:
        if _dtype_of(own, *args) is None:
            result: Tensor = original(own, *args, **options)
            return result
        return own.copy_(formula(_wide(own), *map(_wide, args), **options))

    return in_place


def _dtype_of(*values: Any) -> torch.dtype | None:
    """Returns the one floating point type of all tensors, else None.

    torch has its own rules for mixed types. A tensor without dimensions counts as a number, as it
    does there.
    """
    tensors = [each for each in values if isinstance(each, Tensor)]
    if not all(each.is_floating_point() for each in tensors):
        return None
    types = {each.dtype for each in tensors if each.dim()} or {each.dtype for each in tensors}
    return types.pop() if len(types) == 1 else None


def _for_each(function: Function, original: Function) -> Function:
    """Returns a function that applies `function` to lists of tensors.

    If it does not fit all of them, it does what torch does.
    """

    def for_each(own: Sequence[Tensor], *args: Any, **options: Any) -> Any:
        # One row for each tensor of the list, with its share of every argument.
        rows = list(zip(own, *(_column(each, len(own)) for each in args), strict=True))
        if any(_dtype_of(*row) is None for row in rows):
            return original(own, *args, **options)
        results = [function(*row, **options) for row in rows]
        # An operation in place returns nothing.
        return None if results and results[0] is own[0] else results

    return for_each


def _column(argument: Any, size: int) -> Sequence[Any]:
    """Spreads an argument over a list: it is one for all, a list, or numbers in a tensor."""
    if isinstance(argument, Tensor) and argument.dim() == 1:
        return argument.unbind()
    if isinstance(argument, list | tuple):
        return argument
    return [argument] * size


# `ord` is torch's name.
def _vector_norm(own: Tensor, ord: float = 2, *args: Any, **options: Any) -> Tensor:  # noqa: A002
    has_more = any(each is not None and each is not False for each in (*args, *options.values()))
    if ord != 2 or has_more or not own.is_floating_point():
        norm: Tensor = torch.ops.aten.linalg_vector_norm(own, ord, *args, **options)
        return norm
    wide: Tensor = _wide(own)
    return _sqrt(_total(wide * wide)).to(own.dtype)  # type: ignore[no-any-return]


def _sum(own: Tensor, *args: Any, **options: Any) -> Tensor:
    if args or options or not own.is_floating_point():
        return torch.ops.aten.sum(own, *args, **options)  # type: ignore[no-any-return]
    return _total(_wide(own)).to(own.dtype)


def _total(values: Tensor) -> Tensor:
    """Adds halves to halves: in an order that no width of vectors changes."""
    values = values.reshape(-1)
    while (size := values.numel()) > 1:
        half = size // 2
        added = values[:half] + values[half : 2 * half]
        if size % 2:
            values = torch.cat([added, values[2 * half :]])
        else:
            values = added
    return values.sum()


def _fused(step: Function) -> Function:
    """Returns a function that moves all parameters of a fused optimizer, one by one."""

    def fused(*lists: Sequence[Tensor], lr: float | Tensor, **options: Any) -> None:
        scaling = (options.pop("grad_scale", None), options.pop("found_inf", None))
        if scaling != (None, None):
            raise NotImplementedError(
                "a session's gradients are not scaled: GradScaler belongs to restarts"
            )
        count = len(lists[0])
        # A list is empty if the optimizer's options do not need it.
        columns = [each if len(each) else [None] * count for each in lists]
        for row in zip(*columns, strict=True):
            step(*row, lr=float(lr), **options)

    return fused


def _adam(
    parameter: Tensor,
    gradient: Tensor,
    first: Tensor,
    second: Tensor,
    largest: Tensor | None,
    step: Tensor,
    *,
    lr: float,
    beta1: float,
    beta2: float,
    weight_decay: float,
    eps: float,
    amsgrad: bool,
    maximize: bool,
    is_decoupled: bool = False,
) -> None:
    """torch.optim.Adam's step, arXiv:1412.6980.

    AdamW's if the decay `is_decoupled`, arXiv:1711.05101.
    """
    count = int(step.item())
    weight = _wide(parameter)
    gradient = _descending(gradient, maximize)
    if weight_decay and is_decoupled:
        weight = weight * (1 - lr * weight_decay)
    elif weight_decay:
        gradient = gradient + weight * weight_decay
    # The moments, then the weights, in single operations.
    mean = _wide(first) * beta1 + gradient * (1 - beta1)
    square = _wide(second) * beta2 + gradient * gradient * (1 - beta2)
    first.copy_(mean)
    second.copy_(square)
    if amsgrad:
        assert largest is not None
        square = torch.maximum(_wide(largest), square)
        largest.copy_(square)
    spread = _sqrt(square) / math.sqrt(1 - power(beta2, count)) + eps
    parameter.copy_(weight - mean / spread * (lr / (1 - power(beta1, count))))


def _adamw(*tensors: Any, **options: Any) -> None:
    _adam(*tensors, **options, is_decoupled=True)


def _sgd(
    parameter: Tensor,
    gradient: Tensor,
    buffer: Tensor | None,
    *,
    lr: float,
    weight_decay: float,
    momentum: float,
    dampening: float,
    nesterov: bool,
    maximize: bool,
    is_first_step: bool,
) -> None:
    """torch.optim.SGD's step."""
    weight = _wide(parameter)
    gradient = _descending(gradient, maximize)
    if weight_decay:
        gradient = gradient + weight * weight_decay
    if momentum:
        assert buffer is not None
        if is_first_step:
            moved = gradient
        else:
            moved = _wide(buffer) * momentum + gradient * (1 - dampening)
        buffer.copy_(moved)
        if nesterov:
            gradient = gradient + moved * momentum
        else:
            gradient = moved
    parameter.copy_(weight - gradient * lr)


def _adagrad(
    parameter: Tensor,
    gradient: Tensor,
    total: Tensor,
    step: Tensor,
    *,
    lr: float,
    lr_decay: float,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """torch.optim.Adagrad's step."""
    weight = _wide(parameter)
    gradient = _descending(gradient, maximize)
    if weight_decay:
        gradient = gradient + weight * weight_decay
    squares = _wide(total) + gradient * gradient
    total.copy_(squares)
    rate = lr / (1 + (int(step.item()) - 1) * lr_decay)
    parameter.copy_(weight - gradient / (_sqrt(squares) + eps) * rate)


def _descending(gradient: Tensor, maximize: bool) -> Tensor:
    wide: Tensor = _wide(gradient)
    return -wide if maximize else wide


def _table() -> dict[Any, Function]:
    aten: Any = torch.ops.aten
    table: dict[Any, Function] = {
        aten.linalg_vector_norm: _vector_norm,
        # torch has no public name for it.
        aten._foreach_norm: _for_each(_vector_norm, aten._foreach_norm),  # noqa: SLF001
        aten.sum: _sum,
        aten._fused_adam_: _fused(_adam),
        aten._fused_adamw_: _fused(_adamw),
        aten._fused_sgd_: _fused(_sgd),
        aten._fused_adagrad_: _fused(_adagrad),
    }
    for name, formula in FORMULAS.items():
        # Each formula for one tensor and for lists of them, as a new tensor and in place.
        for ending, kind in (("", _new), ("_", _in_place)):
            one = getattr(aten, f"{name}{ending}", None)
            many = getattr(aten, f"_foreach_{name}{ending}", None)
            if one is not None:
                table[one] = kind(formula, one)
            if one is not None and many is not None:
                table[many] = _for_each(table[one], many)
    return table


# What replaces each operation of torch, for all of its overloads.
EXACT = _table()
