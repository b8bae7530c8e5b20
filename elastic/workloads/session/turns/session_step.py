"""One turn as the training script sees it: its shares, and its sums over the ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.workloads.group import SumOverRanks
from elastic.workloads.layout import overlaps
from elastic.workloads.session.division import Stopwatch
from elastic.workloads.session.rounds import DEVICES, TYPES, Round


class Outdated(Exception):
    """The turn must not be repeated: another member committed it, and this rank has moved on."""


@dataclass(slots=True)
class SessionStep:
    """One turn. `step` counts the turns committed before it.

    `share` is this rank's places in the global batch of `batch` samples. A turn may be repeated, by
    other ranks with other shares. So all results must follow from `step` and the places, and
    nothing outside may change before the commit.

    `numbers`, if set, is summed over the ranks with the gradients. It can hold losses, for example,
    each as this rank's part.
    """

    step: int
    batch: int
    share: range
    round: Round
    sum_up: Callable[[Tensor], None]
    numbers: Tensor | None = None
    watch: Stopwatch = field(default_factory=Stopwatch)

    @property
    def rank(self) -> int:
        assert self.round.rank is not None
        return self.round.rank

    @property
    def world_size(self) -> int:
        return self.round.world_size

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def places(self) -> range:
        """Returns this rank's positions in the job's whole sequence of samples."""
        first = self.step * self.batch
        return range(first + self.share.start, first + self.share.stop)

    def all_reduce(self, values: Tensor) -> Tensor:
        """Sums `values` over the ranks in place, and returns them; every rank makes this call.

        Raises InvalidInput if they cannot be summed, with one rank too.
        """
        _require_summable(values)
        if not values.is_contiguous() and overlaps(values):
            raise InvalidInput(
                "turn.all_reduce: wanted values that share no memory, to put their sums there, "
                f"found strides {tuple(values.stride())} of shape {tuple(values.shape)}; sum a "
                "copy (.clone())",
                field="values",
            )
        if self.round.group is not None:
            self.watch.pause()
            own = values.detach()
            # gloo sums plain memory: no conjugate or negative views, and no gaps.
            whole = own.resolve_conj().resolve_neg().contiguous()
            self.sum_up(whole)
            if whole is not own:
                own.copy_(whole)
            self.watch.go_on()
        return values

    def summed(self, values: Tensor) -> Tensor:
        """Returns the sum over all ranks; gradients flow back to every rank's values.

        Raises InvalidInput.
        """
        _require_summable(values)
        if self.round.group is None:
            # New values, as the sum of several ranks is: the script may change them in place.
            return values.clone()
        # torch leaves apply untyped.
        total: Tensor = SumOverRanks.apply(values, self.all_reduce)  # type: ignore[no-untyped-call]
        return total


# Returns this rank's part of a turn's gradients, one for each unit.
Compute = Callable[[SessionStep], Sequence[Tensor | None]]


@dataclass(frozen=True, slots=True)
class CommittedStep:
    """A committed turn: the steps done, and the job's own numbers, summed, `(numbers,)`."""

    step: int
    numbers: Tensor


def _require_summable(values: object) -> None:
    """Raises InvalidInput for what gloo does not sum."""
    if not isinstance(values, Tensor):
        found = f"a {type(values).__name__}"
    elif (
        values.layout is not torch.strided
        or values.device.type not in DEVICES
        or values.dtype not in TYPES
    ):
        found = f"one of {values.dtype}, {values.layout}, on {values.device}"
    else:
        return
    types = ", ".join(str(each).removeprefix("torch.") for each in TYPES)
    raise InvalidInput(
        f"turn: wanted a dense tensor of {types} on {' or '.join(DEVICES)} to sum, got {found}; "
        "convert it first",
        field="values",
    )
