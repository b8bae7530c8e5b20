"""The sums over the ranks: every rank makes the same sum, or none does.

gloo pairs the ranks' sums by their order alone. If sizes or types differ, it ends the process that
gets more than it expects, adds up what does not belong together, or waits for ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.workloads.session.membership import SharedState
from elastic.workloads.session.rounds import DEVICES, TYPES, Gloo, Round, RoundLost
from elastic.workloads.session.turns.transaction_guard import TransactionGuard

FIRST_TURNS = 4  # a newcomer's first share is empty, and some scripts alternate two kinds of steps


class Sum(NamedTuple):
    """What must be the same on all ranks: size, type and device of a sum, and if it ends a turn."""

    is_last: bool
    kind: torch.dtype
    device: str
    size: int

    def encoded(self) -> list[int]:
        """Returns it as numbers for the other ranks.

        >>> Sum.decoded(Sum(False, torch.float64, "cpu", 3).encoded()).size
        3
        """
        return [int(self.is_last), TYPES.index(self.kind), DEVICES.index(self.device), self.size]

    @classmethod
    def decoded(cls, told: Sequence[int]) -> Sum:
        """Returns the sum that another rank has encoded."""
        is_last, kind, device, size = told
        return cls(bool(is_last), TYPES[kind], DEVICES[device], size)

    def __str__(self) -> str:
        values = f"{self.size} {str(self.kind).removeprefix('torch.')} on {self.device}"
        if self.is_last:
            return f"only the gradients ({values})"
        return values


class Misfit(InvalidInput):
    """This rank's script makes other sums than the others': it cannot be a member."""


class Sums:
    """One process's sums, round after round.

    From each round's first turn on, a small sum goes before each sum: what every rank is about to
    sum. Once some turns in a row have made the same sums, the small one is left out. Later turns
    are compared with those, on each rank alone. A rank that would make another sum gives the round
    up instead, and from then on twice as many turns are compared.
    """

    def __init__(
        self,
        shared: SharedState,
        guard: TransactionGuard,
        *,
        await_meeting: Callable[[], None],
        close: Callable[[], None],
    ) -> None:
        self._shared = shared
        self._guard = guard
        self._await_meeting = await_meeting
        self._close = close
        # How often unusual sums were about to be made: the most of any member that this one met.
        self.surprises = 0
        self._round: Round
        self._step = 0
        self._alike = 0
        self._made: list[Sum] = []
        self._usual: list[Sum] = []
        self._is_known = False
        self._failure: Exception | None = None

    def begin(self, round_: Round) -> None:
        """Begins a round."""
        self._round = round_
        self._alike = 0
        self._is_known = False
        self._failure = None

    def begin_turn(self, step: int) -> None:
        """Begins a turn, or begins it again."""
        self._step = step
        self._made = []

    def own(self, values: Tensor) -> None:
        """Sums what the script sums within a turn, in place. Raises RoundLost, Misfit."""
        self._matched(values, is_last=False)

    def last(self, values: Tensor, aside: Tensor | None = None) -> None:
        """Sums what ends a turn, in place, and what goes aside. Raises RoundLost, Misfit."""
        self._matched(values, aside, is_last=True)
        if self._round.group is not None and not self._is_known:
            self._learn()

    def apart(self, values: Tensor, aside: Tensor | None = None) -> None:
        """Sums, in place, what belongs to no turn, and what goes aside. Raises RoundLost."""
        self._guard.is_exposed = True
        if (group := self._round.group) is None:
            self._shared.hold_to(self._round)
            return
        self._await_meeting()
        beside = None
        if aside is not None:
            beside = group.all_reduce_aside(aside)
        work = group.all_reduce(values)
        if beside is not None:
            group.wait(beside)
        group.wait(work)

    def _matched(self, values: Tensor, aside: Tensor | None = None, *, is_last: bool) -> None:
        if (group := self._round.group) is not None:
            self._guard.is_exposed = True
            self._await_meeting()
            if self._failure is not None:  # the script caught it and went on
                raise self._failure
            try:
                self._match(Sum(is_last, values.dtype, values.device.type, values.numel()), group)
            except (RoundLost, Misfit) as error:
                self._failure = error
                raise
        self.apart(values, aside)

    def _match(self, own: Sum, group: Gloo) -> None:
        """Makes sure that all ranks are about to make the same sum. Raises RoundLost, Misfit."""
        place = len(self._made)
        self._made.append(own)
        # The usual sums are known: compare with those, without a message.
        if self._is_known:
            if place < len(self._usual) and own == self._usual[place]:
                return
            self.surprises += 1
            raise RoundLost(f"{own} would be summed, unlike in this round's earlier turns")
        rank = self._round.rank or 0
        # Each rank fills in its row, so that the sum holds what all are about to sum.
        told = torch.zeros(self._round.world_size, 4, dtype=torch.int64)
        told[rank] = torch.tensor(own.encoded())
        group.wait(group.all_reduce(told))
        all_ = [Sum.decoded(each) for each in told.tolist()]
        if all_.count(own) == len(all_):
            return
        if rank not in odd(all_, self._round.are_new):
            # The odd rank ends, but only after it has received the others' sums: wait for it.
            group.wait(group.all_reduce(torch.zeros(1)))
            raise RoundLost("a member sums something else")
        others = " or ".join(sorted({str(each) for each in all_ if each != own}))
        misfit = Misfit(
            f"turn.all_reduce no. {place + 1} of step {self._step} (turn.summed and its backward "
            f"count too): other ranks sum {others}, this one {own}. Every rank must make the same "
            "sums in a turn, of as many values of the same type, even if its share is empty",
            field="compute",
        )
        self._shared.end = str(misfit)
        self._close()
        raise misfit

    def _learn(self) -> None:
        """Notes a turn's sums, the same on all ranks: all learn the usual ones in one turn."""
        if self._made == self._usual:
            self._alike = self._alike + 1
        else:
            self._alike = 1
        self._usual = self._made
        self._is_known = self._alike == turns_compared(self.surprises)


def turns_compared(surprises: int) -> int:
    """Returns how many turns in a row must make the same sums for these to be the usual ones.

    >>> [turns_compared(surprises) for surprises in range(4)]
    [4, 8, 16, 32]
    """
    return FIRST_TURNS << surprises


def odd(sums: Sequence[Sum], are_new: Sequence[bool]) -> frozenset[int]:
    """Returns which ranks must end, if ranks are about to make these sums.

    Earlier members never end if they agree. Otherwise the minority ends. Without a minority the
    newcomers end, and without newcomers all ranks.

    >>> one, three = (Sum(False, torch.float64, "cpu", size) for size in (1, 3))
    >>> sorted(odd([three, one, one], [False, True, True]))
    [1, 2]
    >>> sorted(odd([three, one, one], [False, False, False]))
    [0]
    >>> sorted(odd([one, three], [True, True]))
    [0, 1]
    """
    old = {each for each, is_new in zip(sums, are_new, strict=True) if not is_new}
    (most, count), *rest = Counter(sums).most_common(2)
    if len(old) == 1:
        (most,) = old
    elif rest and rest[0][1] == count:
        newest = frozenset(rank for rank, is_new in enumerate(are_new) if is_new)
        if old and newest:
            return newest
        return frozenset(range(len(sums)))
    return frozenset(rank for rank, each in enumerate(sums) if each != most)
