"""What rides behind each sum: four numbers of each rank, by which all ranks come to the same
decisions."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import torch
from torch import Tensor

from elastic.workloads.layout import in_memory_order, is_dense
from elastic.workloads.session.buffers import CONTROL
from elastic.workloads.session.exact import arithmetic_of
from elastic.workloads.session.gloo import GenerationLost
from elastic.workloads.session.round import Round
from elastic.workloads.session.state import State

PIECE_BYTES = 8192  # two such are compared at a time
# States are compared after each of a generation's first steps, so that a newcomer that calculates
# otherwise moves nothing, and now and then later: it takes 5 us by itself, 35 where a step's
# arithmetic has just had the caches.
FIRST_STEPS = 16
EVERY = 8
UNLIKE = 0.0  # in the place of how a rank calculates
# The largest primes among the numbers that a type holds exactly: what differs in high bits alone
# must not be lost.
_PRIMES = {
    torch.float64: 16_777_213,
    torch.float32: 16_777_213,
    torch.float16: 2039,
    torch.bfloat16: 251,
}


class RankValues(NamedTuple):
    """What all ranks conclude from what rides behind a sum.

    `costs` are their seconds a sample; `is_agreed` says that all are ready to change over to the
    same generation; `is_exact` that they do not all calculate alike, and apply this step in exact
    arithmetic. Where their states differ, all are brought level with rank `source`'s.
    """

    costs: list[float]
    is_agreed: bool
    is_exact: bool
    source: int | None


class ControlValues:
    """Of each rank: how far ahead the generation is that it is ready for, its seconds a sample, its
    step, and a number for how it calculates. Now and then a fingerprint of a unit stands in the
    step's place, another one each time; both must be the same on all."""

    def __init__(self, state: State) -> None:
        self._prime = _PRIMES[state.parameters[0].dtype]
        self._units = [
            [_Memory(tensor) for tensor in unit if tensor.numel()] for unit in state.units
        ]
        self._arithmetic = 1.0 + arithmetic_of(state.device) % (self._prime - 1)
        self._generation: Round | None = None
        self._numbers = array("d")
        self._own = torch.zeros(0)
        self._sums = 0
        self._is_mixed = False

    def own(
        self,
        generation: Round,
        *,
        offered: Round | None,
        cost: float,
        step: int,
        is_due: bool = False,
        is_unlike: bool = False,
    ) -> Tensor:
        """Gives this rank's, and zeros for the others', `(4 ranks,)`, valid until the next.

        A fingerprint is among them where one `is_due`, where `step` has its turn, and at each step
        of unlike ranks. `is_unlike`: this rank brings a newcomer up to date that calculates
        otherwise.
        """
        rank = generation.rank or 0
        size = generation.world_size
        if generation is not self._generation:
            self._generation = generation
            self._sums = 0
            self._numbers = array("d", [0.0] * (CONTROL * size))
            self._own = torch.frombuffer(self._numbers, dtype=torch.float64)
            self._is_mixed = False
        is_due = is_due or self._is_mixed or self._sums < FIRST_STEPS or step % EVERY == 0
        numbers = self._numbers
        if offered is None:
            numbers[rank] = 0.0
        else:
            numbers[rank] = offered.number - generation.number
        numbers[size + rank] = cost
        # Of whoever is one step ahead or behind the others' sums would be taken for this step's.
        if is_due and size > 1:
            numbers[2 * size + rank] = self.fingerprint(step)
        else:
            numbers[2 * size + rank] = -1.0 - step % self._prime
        if is_unlike:
            numbers[3 * size + rank] = UNLIKE
        else:
            numbers[3 * size + rank] = self._arithmetic
        return self._own

    def fingerprint(self, step: int) -> int:
        """Gives a number that tells the state after `step` steps from others: by a piece of a
        unit's parameter, which any mistake moves, and one of another of its tensors."""
        turn, index = divmod(_count(step), len(self._units))
        unit = self._units[index]
        if not unit:
            return 0
        parameter, *others = unit
        code = crc32(parameter.piece(turn))
        if others:
            code = crc32(others[turn % len(others)].piece(turn // len(others)), code)
        return code % self._prime

    def compared(self, told: list[float], generation: Round) -> RankValues:
        """Gives what all ranks conclude. Raises GenerationLost where they sum different steps."""
        self._sums += 1  # here, where all ranks come equally often
        size = generation.world_size
        offers = told[:size]
        prints = told[2 * size : 3 * size]
        arithmetics = told[3 * size :]
        # Each prints at every step then, from the next one on: an operation that is not exact shows
        # at once.
        self._is_mixed = arithmetics[0] == UNLIKE or arithmetics.count(arithmetics[0]) < size
        source = None
        if prints.count(prints[0]) != size:
            source = _right(prints, generation)
        is_agreed = offers[0] > 0 and offers.count(offers[0]) == size
        return RankValues(told[size : 2 * size], is_agreed, self._is_mixed, source)


def _right(prints: Sequence[float], generation: Round) -> int:
    """Gives the first rank whose state is the right one: what most of those have who were members
    before."""
    if min(prints) < 0:
        raise GenerationLost("members sum different steps")
    old = [each for each, is_new in zip(prints, generation.are_new, strict=True) if not is_new]
    ((right, _),) = Counter(old or prints).most_common(1)
    return prints.index(right)


def _count(step: int) -> int:
    """Gives how often units have had their turn before a step: another one's comes at each, and at
    every eighth."""
    return step // EVERY + step % EVERY


class _Memory:
    """A live tensor's bytes, the view of which is made once: making it would cost as much as
    reading from it."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor
        self._address = 0
        self._bytes = torch.empty(0, dtype=torch.uint8).numpy()

    def piece(self, turn: int) -> bytes | memoryview:
        """Gives a piece; after so many turns as there are pieces all have had theirs."""
        tensor = self._tensor
        count = -(-self._tensor.nbytes // PIECE_BYTES)
        first = turn % count * PIECE_BYTES
        if self._address != tensor.data_ptr():
            tensor = tensor.detach()
            flat = (
                (in_memory_order(tensor) if is_dense(tensor) else tensor)
                .reshape(-1)
                .view(torch.uint8)
            )
            if not (
                tensor.is_cpu and is_dense(tensor)
            ):  # such a view is a copy, of another step's values then
                return flat[first : first + PIECE_BYTES].cpu().numpy().tobytes()
            self._address = tensor.data_ptr()
            self._bytes = flat.numpy()
        return self._bytes[first : first + PIECE_BYTES].data
