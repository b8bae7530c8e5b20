"""Copies of a state in the host's memory, of one instant, while training goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import torch
from torch import Tensor


class HostCopy:
    """Host memory for one copy after another: it is allocated once, and reused."""

    def __init__(self, way: CopyWay) -> None:
        self._way = way
        self._copy: Any = None

    @torch.no_grad()
    def begin(self, state: Any) -> Callable[[], Any]:
        """Begins to copy `state` as it is now; the state may change at once.

        The returned function waits for the copy, and returns it. The copy is valid until the next
        one begins.
        """
        try:
            # Freeze the state where it is, so that training may change it at once.
            frozen = _mapped(state, None, lambda tensor, _: self._way.frozen(tensor.detach()))
            is_frozen = True
        except torch.OutOfMemoryError:
            frozen = state
            is_frozen = False
        with self._way.aside():
            self._copy = _mapped(frozen, self._copy, self._way.copied)
        done = self._way.mark()
        if not is_frozen:  # no memory for it: training waits rather than fails
            done.synchronize()

        def whole() -> Any:
            nonlocal frozen
            done.synchronize()
            frozen = None  # the GPU's copy was read to its end only now: free it
            return self._copy

        return whole


def on_host(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Returns tensors in host memory as they are, and copies of others; waits for a GPU once."""
    found = [tensor if tensor.is_cpu else _pinned_copy(tensor) for tensor in tensors]
    for device in {tensor.device for tensor in tensors if tensor.is_cuda}:
        torch.cuda.current_stream(device).synchronize()
    return found


class Done(Protocol):
    """A mark behind some copies."""

    def synchronize(self) -> None:
        """Returns when the copies are made."""


class CopyWay(Protocol):
    """How tensors of one kind of device get to the host's memory."""

    def frozen(self, tensor: Tensor) -> Tensor:
        """Returns a tensor that stays as this one is now until it has been copied."""

    def copied(self, tensor: Tensor, old: object) -> Tensor:
        """Begins to copy a tensor to host memory, into an `old` copy's memory if it fits."""

    def aside(self) -> AbstractContextManager[object]:
        """Makes copies inside this context run beside the training, from what `frozen` returned."""

    def mark(self) -> Done:
        """Puts a mark behind what was copied aside."""


def way_from(device: torch.device) -> CopyWay:
    """Returns the way from a device to host memory."""
    if device.type == "cuda":
        return Beside(device)
    return AtOnce()


class AtOnce:
    """Copies in the training's own thread, whatever the device."""

    def frozen(self, tensor: Tensor) -> Tensor:
        return tensor

    def copied(self, tensor: Tensor, old: object) -> Tensor:
        return _room(tensor, old, is_pinned=False).copy_(tensor)

    def aside(self) -> AbstractContextManager[object]:
        return nullcontext()

    def mark(self) -> Done:
        return self

    def synchronize(self) -> None:
        """Returns at once: all is copied."""


class Beside:
    """Copies on the GPU first, then to the host on a stream beside the training's.

    Neither the training's thread nor its stream waits for the host, and the next step may change
    the state at once. Until the host has it, the copy takes the state's size on the GPU.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        # torch leaves it untyped.
        self._stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]

    def frozen(self, tensor: Tensor) -> Tensor:
        return tensor.clone() if tensor.is_cuda else tensor

    def copied(self, tensor: Tensor, old: object) -> Tensor:
        return _pinned_copy(tensor, old)

    def aside(self) -> AbstractContextManager[object]:
        self._stream.wait_stream(torch.cuda.current_stream(self._device))
        return torch.cuda.stream(self._stream)

    def mark(self) -> Done:
        # Blocking: a process that waits sleeps, and leaves the processor to the training.
        # torch leaves it untyped.
        event: Done = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
        event.record(self._stream)  # type: ignore[attr-defined]
        return event


def _pinned_copy(tensor: Tensor, old: object = None) -> Tensor:
    """Begins to copy to pinned memory: only there a GPU copies by itself, at full speed."""
    return _room(tensor, old, is_pinned=True).copy_(tensor, non_blocking=True)


def _room(tensor: Tensor, old: object, *, is_pinned: bool) -> Tensor:
    if isinstance(old, Tensor) and (old.shape, old.dtype) == (tensor.shape, tensor.dtype):
        return old
    return torch.empty_like(tensor, device="cpu", pin_memory=is_pinned)


def _mapped(value: Any, old: Any, copied: Callable[[Tensor, Any], Tensor]) -> Any:
    """Returns `value` with each tensor `copied`.

    `copied` also gets what `old` has in that tensor's place, or None.
    """
    match value:
        case Tensor():
            return copied(value, old)
        case Mapping():
            olds = old if isinstance(old, Mapping) else {}
            return {key: _mapped(part, olds.get(key), copied) for key, part in value.items()}
        case list() | tuple():
            if isinstance(old, list | tuple) and len(old) == len(value):
                parts = old
            else:
                parts = [None] * len(value)
            made = [
                _mapped(part, before, copied) for part, before in zip(value, parts, strict=True)
            ]
            return made if isinstance(value, list) else tuple(made)
        case _:
            return value
