"""Arithmetic that every processor rounds alike, for members on unlike processors.

IEEE 754 rounds a single add, subtract, multiply and divide correctly: their bits are the same
everywhere. A kernel that does two of them in one (`addcmul`, `lerp`, a fused optimizer) rounds once
where the processor has a fused multiply-add, and twice where it has none. On x86 torch takes square
roots from MKL, which rounds about a fifth of them otherwise than IEEE 754 asks for (seen with torch
2.13, against arm64). Sums depend on the width of vectors.
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
    """Gives a number for how this process calculates on `device`: equal where the same kernels run
    on the same kind of processor, with as many threads, and have given the same bits."""
    # Threads add up parts of a tensor each, and take other kernels for what is left over.
    return _arithmetic_of(device, torch.get_num_threads() if device.type == "cpu" else 0)


@cache
def _arithmetic_of(device: torch.device, threads: int) -> int:
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        processor = f"{properties.name} {properties.major}.{properties.minor}"
    else:
        processor = f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()} {threads}"
    # Names are not enough: MKL takes other ways on processors of other makers that have the same
    # vector units.
    return crc32(_sample_of(device), crc32(f"{torch.__version__} {processor}".encode()))


@torch.no_grad()
def _sample_of(device: torch.device) -> bytes:
    """Gives what kernels that may round otherwise elsewhere make of fixed numbers."""
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


class ExactArithmetic(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it untyped
    """Within it, torch does in single operations what it does in fused ones otherwise.

    That holds for all that the optimizers of torch do, but for products of matrices (Muon,
    Adafactor). What is not known here is done as always.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch leaves it untyped

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
    """Gives `base ** exponent` by products alone: a library's `pow` may differ in the last bit.

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
    """Gives a tensor of a narrow type in float32, as torch's own kernels take it: several roundings
    would cost it much of what it holds."""
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
    """As torch does it: from the nearer end, so that a weight of 1 gives `end`."""
    from_start = start + (end - start) * weight
    from_end = end - (end - start) * (1 - weight)
    if isinstance(weight, Tensor):
        return torch.where(weight.abs() < 0.5, from_start, from_end)
    return from_start if abs(weight) < 0.5 else from_end


def _sqrt(own: Any) -> Any:
    """Within two units in the last place. The kernel of `rsqrt` divides 1 by the processor's own
    square root, and both are rounded correctly; a GPU's is an approximation, but its square root is
    rounded correctly."""
    if own.is_cuda:
        return own.sqrt()
    return torch.where((own > 0) & (own < math.inf), own * own.rsqrt(), own.sqrt())


def _rsqrt(own: Any) -> Any:
    return 1 / own.sqrt() if own.is_cuda else own.rsqrt()


def _reciprocal(own: Any) -> Any:
    return 1 / own


# Of floating point numbers in float32 or wider: each operator is a kernel of its own, rounded once.
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
    """Gives what does a formula, and gives a new tensor."""

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
    """Gives what does a formula, and overwrites its first tensor."""

    def in_place(own: Tensor, *args: Any, **options: Any) -> Tensor:
        if _dtype_of(own, *args) is None:
            result: Tensor = original(own, *args, **options)
            return result
        return own.copy_(formula(_wide(own), *map(_wide, args), **options))

    return in_place


def _dtype_of(*values: Any) -> torch.dtype | None:
    """Gives the type that all tensors are of; None where they are not floating point numbers of one
    type, for which torch has rules of its own. A tensor without dimensions counts as a number, as
    it does there."""
    tensors = [each for each in values if isinstance(each, Tensor)]
    if not all(each.is_floating_point() for each in tensors):
        return None
    types = {each.dtype for each in tensors if each.dim()} or {each.dtype for each in tensors}
    return types.pop() if len(types) == 1 else None


def _for_each(function: Function, original: Function) -> Function:
    """Gives what does to lists of tensors what `function` does to one, or what torch does where
    that is not for all."""

    def for_each(own: Sequence[Tensor], *args: Any, **options: Any) -> Any:
        rows = list(zip(own, *(_column(each, len(own)) for each in args), strict=True))
        if any(_dtype_of(*row) is None for row in rows):
            return original(own, *args, **options)
        results = [function(*row, **options) for row in rows]
        return (
            None if results and results[0] is own[0] else results
        )  # in place there is nothing to give

    return for_each


def _column(argument: Any, size: int) -> Sequence[Any]:
    """Gives an argument of a list's operation for each of the list: it is one for all, or a list,
    or numbers in a tensor."""
    if isinstance(argument, Tensor) and argument.dim() == 1:
        return argument.unbind()
    if isinstance(argument, list | tuple):
        return argument
    return [argument] * size


def _vector_norm(own: Tensor, ord: float = 2, *args: Any, **options: Any) -> Tensor:  # noqa: A002 (torch's name)
    has_more = any(each is not None and each is not False for each in (*args, *options.values()))
    if ord != 2 or has_more or not own.is_floating_point():
        return torch.ops.aten.linalg_vector_norm(own, ord, *args, **options)  # type: ignore[no-any-return]
    wide: Tensor = _wide(own)
    return _sqrt(_total(wide * wide)).to(own.dtype)  # type: ignore[no-any-return]


def _sum(own: Tensor, *args: Any, **options: Any) -> Tensor:
    if args or options or not own.is_floating_point():
        return torch.ops.aten.sum(own, *args, **options)  # type: ignore[no-any-return]
    return _total(_wide(own)).to(own.dtype)


def _total(values: Tensor) -> Tensor:
    """Adds up halves to halves: in an order that no width of vectors changes."""
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
    """Gives what moves all parameters of a fused optimizer, one by one."""

    def fused(*lists: Sequence[Tensor], lr: float | Tensor, **options: Any) -> None:
        scaling = (options.pop("grad_scale", None), options.pop("found_inf", None))
        if scaling != (None, None):
            raise NotImplementedError(
                "a session's gradients are not scaled: GradScaler belongs to restarts"
            )
        count = len(lists[0])
        columns = [
            each if len(each) else [None] * count for each in lists
        ]  # what its options do not ask for
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
    """torch.optim.Adam's step, arXiv:1412.6980; AdamW's where the decay `is_decoupled`,
    arXiv:1711.05101."""
    count = int(step.item())
    weight = _wide(parameter)
    gradient = _descending(gradient, maximize)
    if weight_decay and is_decoupled:
        weight = weight * (1 - lr * weight_decay)
    elif weight_decay:
        gradient = gradient + weight * weight_decay
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
        aten._foreach_norm: _for_each(_vector_norm, aten._foreach_norm),  # noqa: SLF001 (torch has no other name for it)
        aten.sum: _sum,
        aten._fused_adam_: _fused(_adam),
        aten._fused_adamw_: _fused(_adamw),
        aten._fused_sgd_: _fused(_sgd),
        aten._fused_adagrad_: _fused(_adagrad),
    }
    for name, formula in FORMULAS.items():
        for ending, kind in (("", _new), ("_", _in_place)):
            one = getattr(aten, f"{name}{ending}", None)
            many = getattr(aten, f"_foreach_{name}{ending}", None)
            if one is not None:
                table[one] = kind(formula, one)
            if one is not None and many is not None:
                table[many] = _for_each(table[one], many)
    return table


# By torch's operation, of all its overloads: what is done in its place.
EXACT = _table()
