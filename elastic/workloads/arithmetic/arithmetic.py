"""How a GPU multiplies float32, and how it chooses its convolutions' kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

# TF32 came with compute capability 8.0: NVIDIA's A100 whitepaper, and torch's notes on CUDA
# semantics.
TF32_SINCE = (8, 0)

Products = Literal["ieee", "tf32"]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """How float32 is computed.

    `products` are exact to 24 bits (IEEE), or of factors rounded to 11 bits and added in float32
    (TF32).

    With `tries_kernels`, cuDNN times its kernels for each new shape, and keeps the fastest.
    """

    products: Products
    tries_kernels: bool

    def named(self, precision: str) -> str:
        """Names a precision as it is computed in here.

        >>> Arithmetic("tf32", tries_kernels=True).named("fp32")
        'fp32 with products in tf32'
        """
        if self.products == "ieee":
            return precision
        return f"{precision} with products in {self.products}"


def arithmetic_for(capability: tuple[int, int] | None, *, has_fixed_shapes: bool) -> Arithmetic:
    """Returns what suits a GPU of that compute capability; None is a CPU.

    If shapes change from turn to turn, kernels are not tried: that takes seconds, while all other
    ranks wait.

    >>> arithmetic_for((8, 6), has_fixed_shapes=True)
    Arithmetic(products='tf32', tries_kernels=True)
    >>> arithmetic_for((7, 5), has_fixed_shapes=False)
    Arithmetic(products='ieee', tries_kernels=False)
    >>> arithmetic_for(None, has_fixed_shapes=True)
    Arithmetic(products='ieee', tries_kernels=False)
    """
    if capability is None:
        return Arithmetic("ieee", tries_kernels=False)
    return Arithmetic(
        "tf32" if capability >= TF32_SINCE else "ieee", tries_kernels=has_fixed_shapes
    )


def set_up(device: torch.device, *, has_fixed_shapes: bool) -> Arithmetic:
    """Sets this process up for its device, and returns how it computes."""
    capability = None
    if device.type == "cuda":
        capability = torch.cuda.get_device_capability(device)
    arithmetic = arithmetic_for(capability, has_fixed_shapes=has_fixed_shapes)
    if capability is not None:
        use(arithmetic)
    return arithmetic


def use(arithmetic: Arithmetic) -> None:
    """Tells torch; it keeps these settings for the whole process."""
    is_tf32 = arithmetic.products == "tf32"
    # This is the older of torch's two ways. Once the newer one, `fp32_precision`, is used, code
    # that reads the settings by the older one raises, such as torch.compile. By default torch uses
    # TF32 for convolutions alone.
    torch.set_float32_matmul_precision("high" if is_tf32 else "highest")
    torch.backends.cudnn.allow_tf32 = is_tf32
    torch.backends.cudnn.benchmark = arithmetic.tries_kernels
