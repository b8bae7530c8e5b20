"""Brings members to one state if theirs differ within rounding. One that really differs ends."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from elastic.workloads.session.membership import SessionEnded
from elastic.workloads.session.rounds import Round, RoundLost
from elastic.workloads.session.state import State


class Leveling:
    """All ranks of a round take over the state of one of them, `source`, chunk by chunk.

    First all chunks are compared, and nothing changes. If a rank really differs, only that one
    ends.
    """

    def __init__(self, state: State, round_: Round, source: int, *, chunk_bytes: int) -> None:
        assert round_.group is not None
        self._state = state
        self._round = round_
        self._group = round_.group
        self._source = source
        self._chunk_bytes = chunk_bytes

    def differing_unit(self) -> int | None:
        """Compares this rank's state with the source's; returns the first unit that really differs.

        Raises RoundLost if another rank's state does.
        """
        found: int | None = None
        # Go on to the end even after a difference, because every rank takes part in each chunk.
        for first, last, packed in self._chunks():
            found = self._differing(first, last, packed) if found is None else found
        # Every rank learns whether any of them differs.
        differing = torch.zeros(self._round.world_size)
        differing[self._round.rank or 0] = found is not None
        self._group.wait(self._group.all_reduce(differing))
        if found is None and differing.any():
            raise RoundLost("a member has other values")
        return found

    def take_over(self) -> None:
        """Overwrites this rank's state by the source's."""
        for first, last, packed in self._chunks():
            if self._round.rank != self._source:
                self._state.unpack(first, last, packed)

    def _chunks(self) -> Iterator[tuple[int, int, Tensor]]:
        """Yields the source's state, as many units at a time as fit into a chunk."""
        first = 0
        while first < len(self._state.units):
            last = self._state.chunk_end(first, self._chunk_bytes)
            packed = self._state.pack(first, last)
            self._group.wait(self._group.broadcast(packed, source=self._source))
            yield first, last, packed
            first = last

    def _differing(self, first: int, last: int, packed: Tensor) -> int | None:
        own = [
            (index, tensor) for index in range(first, last) for tensor in self._state.units[index]
        ]
        theirs = self._state.unpacked(first, last, packed)
        pairs = zip(own, theirs, strict=True)
        return next((index for (index, mine), other in pairs if not is_close(mine, other)), None)


def is_close(mine: Tensor, theirs: Tensor) -> bool:
    """Whether two tensors agree in half of their digits, as rounding alone leaves them.

    >>> one = torch.ones(1000)
    >>> is_close(one * 1.0001, one), is_close(one * 1.01, one)
    (True, False)
    >>> is_close(one.double() * 1.0001, one.double())
    False
    """
    mine = mine.detach().cpu()
    theirs = theirs.cpu()
    if torch.equal(mine, theirs):
        return True
    if mine.is_complex():
        return is_close(torch.view_as_real(mine), torch.view_as_real(theirs))
    if not mine.is_floating_point():
        return False
    tolerance = torch.finfo(mine.dtype).eps ** 0.5
    # If both hold the same infinity or NaN, they do not differ.
    difference = torch.where(_same(mine, theirs), 0.0, mine.double() - theirs.double())
    return bool(
        difference.norm()
        <= tolerance * torch.nan_to_num(theirs.double(), posinf=0.0, neginf=0.0).norm()
    )


def _same(mine: Tensor, theirs: Tensor) -> Tensor:
    return (mine == theirs) | (mine.isnan() & theirs.isnan())


def ended(unit: int, step: int) -> SessionEnded:
    """The error with which a member ends whose state really differs."""
    return SessionEnded(
        f"unit {unit}: after step {step} this process has other values than the session's members, "
        "by more than rounding. Give all of them the same program and options. Let apply depend "
        "only on units, gradients and step. Let it leave the gradients as they are: a change in "
        "place, through .data too, changes what newcomers are sent. Name in its unit every tensor "
        "that apply moves, also the optimizer's state. Load that state before optimizer_units, "
        "because load_state_dict replaces the units' tensors"
    )
