"""How a round begins: its members compare their steps, and a member that lacks the last
one gets it."""

from __future__ import annotations

import torch

from elastic.workloads.session.buffers import Buffers
from elastic.workloads.session.gloo import Gloo, RoundLost
from elastic.workloads.session.round import Round
from elastic.workloads.session.shared_state import NOBODY_WHOLE, SessionEnded


class TooOld(RoundLost):
    """This rank's own state is too old for the round to go on with."""


class Meeting:
    """Every round's first sum, which goes on by itself from here.

    Each member reports its step, whether it has the last step's sums, how often its script made
    other sums than usual, and whether it applied the last step in exact arithmetic. A newcomer has
    no sums: another member's sums moved it.
    """

    def __init__(
        self,
        round_: Round,
        group: Gloo,
        step: int,
        *,
        is_torn: bool,
        has_sums: bool,
        surprises: int = 0,
        is_exact: bool = False,
    ) -> None:
        """Comes with state after `step` committed steps, or with none. Raises RoundLost."""
        assert round_.rank is not None
        self._rank, self._group = round_.rank, group
        self.surprises = surprises  # once it has ended: the most of any member
        self._told = torch.zeros(4, round_.world_size, dtype=torch.int64)
        self._told[0, self._rank] = 0 if is_torn else step + 1
        self._told[1, self._rank] = has_sums and not is_torn
        self._told[2, self._rank] = surprises
        self._told[3, self._rank] = is_exact
        self.is_exact = False  # after the end: how the sums that were handed on are applied
        self._work = group.all_reduce(self._told)

    def end(self, buffers: Buffers) -> bool:
        """Waits for all; if some lack the last step, one that has its sums hands them on.

        Gives whether this rank is one of them: it then finds the sums where the next message is
        filled, and must apply them. Raises RoundLost, TooOld where it lacks more, or nobody
        has them any more, and SessionEnded where all have come with none of the state.
        """
        self._group.wait(self._work)
        told, has_sums, surprises, are_exact = self._told.tolist()
        self.surprises = max(surprises)
        steps: list[int] = [each - 1 for each in told]
        newest = max(steps)
        own = steps[self._rank]
        if newest < 0:
            raise SessionEnded(NOBODY_WHOLE)
        oldest = max(newest - 1, 0)
        if own < oldest:
            raise TooOld("this process's state is too old to go on with")
        if any(each < oldest for each in steps):
            raise RoundLost("a member's state is too old to go on with")
        if all(each == newest for each in steps):
            return False
        sources = [rank for rank, each in enumerate(steps) if each == newest and has_sums[rank]]
        if not sources:
            # The ranks that computed them are gone, and those left at the newest step were moved by
            # what they were sent.
            lost = "the last step's sums are lost with all who had them"
            raise TooOld(lost) if own < newest else RoundLost(lost)
        source = sources[0]
        self.is_exact = bool(are_exact[source])
        if self._rank == source:
            sums = buffers.flat()
        else:
            sums = buffers.other()
        self._group.wait(self._group.broadcast(sums, source=source))
        return own < newest
