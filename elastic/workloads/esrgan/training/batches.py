"""This rank's samples of each global batch, prepared ahead by threads where there are any."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import torch
from torch import Tensor

from elastic.workloads.esrgan.options import EsrganOptions
from elastic.workloads.group import ProcessGroup
from elastic.workloads.photographs import Photographs, as_batch, draw, share, shrink


@dataclass(frozen=True, slots=True)
class SampleBatch:
    """Samples and their weights in the global mean; a rank with no share holds one of weight 0.

    `low` is `(batch, channels, h / 4, w / 4)`, `high` `(batch, channels, h, w)`, `weights`
    `(batch,)`.
    """

    low: Tensor
    high: Tensor
    weights: Tensor


class Batches:
    """Makes the batch that starts at a position in the job's sequence of samples."""

    def __init__(
        self, photographs: Photographs, options: EsrganOptions, group: ProcessGroup
    ) -> None:
        self._photographs = photographs
        self._options = options
        self._device = group.device
        self._places = share(options.batch_size, rank=group.rank, world_size=group.world_size)
        self._threads = ThreadPoolExecutor(options.n_cpu, "samples") if options.n_cpu else None
        self._ahead: tuple[int, range, list[Future[Tensor]]] | None = None

    def at(self, first_position: int, *, places: range | None = None) -> SampleBatch:
        """Returns this rank's share of the global batch that begins with that sample of the job.

        `places` are its places in the global batch from now on, if they change from turn to turn.
        """
        self._places = self._places if places is None else places
        high = as_batch(self._cuts(first_position))
        weight = 0.0
        if self._places:
            weight = 1.0 / self._options.batch_size
        low = shrink(high)
        return SampleBatch(
            self._placed(low),
            self._placed(high),
            torch.full((len(high),), weight, device=self._device),
        )

    def close(self) -> None:
        """Ends the threads."""
        if self._threads is not None:
            self._threads.shutdown(wait=True, cancel_futures=True)

    def _cuts(self, first_position: int) -> list[Tensor]:
        if self._threads is None:
            return [self._cut(position) for position in self._positions(first_position)]
        is_ready = self._ahead is not None and self._ahead[:2] == (first_position, self._places)
        if self._ahead is not None and is_ready:
            ahead = self._ahead[2]
        else:
            ahead = self._submit(first_position)
        following = first_position + self._options.batch_size
        # The next batch is prepared while this one is computed.
        self._ahead = (following, self._places, self._submit(following))
        return [future.result() for future in ahead]

    def _submit(self, first_position: int) -> list[Future[Tensor]]:
        assert self._threads is not None
        return [
            self._threads.submit(self._cut, position)
            for position in self._positions(first_position)
        ]

    def _positions(self, first_position: int) -> list[int]:
        # A rank without a share computes one sample of weight 0, because it must sum like the
        # others.
        return [first_position + place for place in self._places] or [first_position]

    def _cut(self, position: int) -> Tensor:
        drawn = draw(position, items=len(self._photographs), seed=self._options.seed)
        return self._photographs.cut(drawn, self._options.hr_height, self._options.hr_width)

    def _placed(self, images: Tensor) -> Tensor:
        images = images.contiguous(memory_format=torch.channels_last)
        if self._device.type == "cuda":
            return images.pin_memory().to(self._device, non_blocking=True)
        return images
