"""Four numbers per rank behind each sum, by which all ranks reach the same decisions."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import torch
from torch import Tensor

from elastic.workloads.arithmetic import arithmetic_of
from elastic.workloads.layout import in_memory_order, is_dense
from elastic.workloads.session.rounds import Round, RoundLost
from elastic.workloads.session.state import State
from elastic.workloads.session.turns.buffers import CONTROL

PIECE_BYTES = 8192  # two such are compared at a time
# States are compared after each of a round's first steps, so that a newcomer that calculates
# differently changes nothing. After that they are compared now and then. A comparison takes 5 us
# alone, and 35 us if a step's arithmetic has just filled the caches.
FIRST_STEPS = 16
EVERY = 8
UNLIKE = 0.0  # instead of a rank's number for how it calculates
# The largest primes that each type holds exactly: a difference in high bits alone must not be lost.
_PRIMES = {
    torch.float64: 16_777_213,
    torch.float32: 16_777_213,
    torch.float16: 2039,
    torch.bfloat16: 251,
}


class RankValues(NamedTuple):
    """What all ranks conclude from the numbers behind a sum."""

    # Each rank's seconds a sample.
    costs: list[float]
    # Whether all are ready to change over to the same round.
    is_agreed: bool
    # Whether they calculate differently, and apply this step in exact arithmetic.
    is_exact: bool
    # If their states differ, all take over this rank's state.
    source: int | None


class ControlValues:
    """Four numbers of each rank: its next round, its seconds a sample, its step and its arithmetic.

    The first is how far ahead the round is that it is ready for; the last identifies how it
    calculates. At some steps the step number is replaced by a fingerprint of a unit, another unit
    each time. Steps and fingerprints must be the same on all ranks.
    """

    def __init__(self, state: State) -> None:
        self._prime = _PRIMES[state.parameters[0].dtype]
        self._units = [
            [_Memory(tensor) for tensor in unit if tensor.numel()] for unit in state.units
        ]
        self._arithmetic = 1.0 + arithmetic_of(state.device) % (self._prime - 1)
        self._round: Round | None = None
        self._numbers = array("d")
        self._own = torch.zeros(0)
        self._sums = 0
        self._is_mixed = False

    def own(
        self,
        round_: Round,
        *,
        offered: Round | None,
        cost: float,
        step: int,
        is_due: bool = False,
        is_unlike: bool = False,
    ) -> Tensor:
        """Returns this rank's values and zeros for the others', `(4 ranks,)`, valid until the next.

        They hold a fingerprint if one `is_due`, if it is the turn of `step`, and at each step of
        unlike ranks. `is_unlike` means that this rank brings a newcomer up to date that calculates
        differently.
        """
        rank = round_.rank or 0
        size = round_.world_size
        if round_ is not self._round:
            self._round = round_
            self._sums = 0
            self._numbers = array("d", [0.0] * (CONTROL * size))
            self._own = torch.frombuffer(self._numbers, dtype=torch.float64)
            self._is_mixed = False
        is_due = is_due or self._is_mixed or self._sums < FIRST_STEPS or step % EVERY == 0
        numbers = self._numbers
        numbers[rank] = 0.0 if offered is None else offered.number - round_.number
        numbers[size + rank] = cost
        # Without the step number, sums of a rank that is one step ahead or behind would count for
        # this step.
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
        """Returns a number that identifies the state after `step` steps.

        It covers a piece of a unit's parameter, which any mistake moves, and a piece of another of
        its tensors.
        """
        turn, index = divmod(_count(step), len(self._units))
        unit = self._units[index]
        if not unit:
            return 0
        # One piece of the parameter, and one of another tensor; the turns go round all of them.
        parameter, *others = unit
        code = crc32(parameter.piece(turn))
        if others:
            code = crc32(others[turn % len(others)].piece(turn // len(others)), code)
        return code % self._prime

    def compared(self, told: list[float], round_: Round) -> RankValues:
        """Returns what all ranks conclude. Raises RoundLost if they sum different steps."""
        # Count here, because all ranks come here equally often.
        self._sums += 1
        size = round_.world_size
        offers = told[:size]
        prints = told[2 * size : 3 * size]
        arithmetics = told[3 * size :]
        # From the next step on unlike ranks send fingerprints at every step, so that an operation
        # that is not exact shows at once.
        self._is_mixed = arithmetics[0] == UNLIKE or arithmetics.count(arithmetics[0]) < size
        source = None if prints.count(prints[0]) == size else _right(prints, round_)
        is_agreed = offers[0] > 0 and offers.count(offers[0]) == size
        return RankValues(told[size : 2 * size], is_agreed, self._is_mixed, source)


def _right(prints: Sequence[float], round_: Round) -> int:
    """Returns the first rank that has the right state: the one that most earlier members have."""
    if min(prints) < 0:
        raise RoundLost("members sum different steps")
    # The newcomers' states do not vote, unless all are new.
    old = [each for each, is_new in zip(prints, round_.are_new, strict=True) if not is_new]
    ((right, _),) = Counter(old or prints).most_common(1)
    return prints.index(right)


def _count(step: int) -> int:
    """How many units have had their turn before a step: one at each step, another at every
    eighth."""
    return step // EVERY + step % EVERY


class _Memory:
    """A live tensor's bytes. The view is made once: it costs as much as reading from it."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor
        self._address = 0
        self._bytes = torch.empty(0, dtype=torch.uint8).numpy()

    def piece(self, turn: int) -> bytes | memoryview:
        """Returns a piece; the turns go round all pieces."""
        tensor = self._tensor
        count = -(-self._tensor.nbytes // PIECE_BYTES)
        first = turn % count * PIECE_BYTES
        if self._address != tensor.data_ptr():
            tensor = tensor.detach()
            if is_dense(tensor):
                tensor = in_memory_order(tensor)
            flat = tensor.reshape(-1).view(torch.uint8)
            # Any other view is a copy, and would hold another step's values later.
            if not (self._tensor.is_cpu and is_dense(self._tensor)):
                return flat[first : first + PIECE_BYTES].cpu().numpy().tobytes()
            self._address = tensor.data_ptr()
            self._bytes = flat.numpy()
        return self._bytes[first : first + PIECE_BYTES].data
