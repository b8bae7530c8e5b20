"""How a round begins: its members compare their steps, and those that lack the last get it."""

from __future__ import annotations

import torch

from elastic.workloads.session.buffers import Buffers
from elastic.workloads.session.gloo import GenerationLost, Gloo
from elastic.workloads.session.round import Round
from elastic.workloads.session.shared_state import NOBODY_WHOLE, SessionEnded


class TooOld(GenerationLost):
    """This rank's own state is too old for the round."""


class Meeting:
    """A round's first sum, which runs in the background from here on.

    Each member reports its step, whether it has the last step's sums, how often its script made
    other sums than usual, and whether it applied the last step in exact arithmetic. A newcomer has
    no sums: another member's sums moved it.
    """

    def __init__(
        self,
        generation: Round,
        group: Gloo,
        step: int,
        *,
        is_torn: bool,
        has_sums: bool,
        surprises: int = 0,
        is_exact: bool = False,
    ) -> None:
        """Starts with state after `step` committed steps, or with none. Raises GenerationLost."""
        assert generation.rank is not None
        self._rank = generation.rank
        self._group = group
        self.surprises = surprises  # after the end: the most of any member
        self._told = torch.zeros(4, generation.world_size, dtype=torch.int64)
        self._told[0, self._rank] = 0 if is_torn else step + 1
        self._told[1, self._rank] = has_sums and not is_torn
        self._told[2, self._rank] = surprises
        self._told[3, self._rank] = is_exact
        self.is_exact = False  # after the end: how the sums that were handed on are applied
        self._work = group.all_reduce(self._told)

    def end(self, buffers: Buffers) -> bool:
        """Waits for all; if some lack the last step, one that has its sums hands them on.

        Returns whether this rank lacks it: then it finds the sums where the next message is filled,
        and must apply them. Raises GenerationLost. Raises TooOld if it lacks more, or if no member
        has the sums any more. Raises SessionEnded if none of the members has state.
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
            raise GenerationLost("a member's state is too old to go on with")
        if all(each == newest for each in steps):
            return False
        sources = [rank for rank, each in enumerate(steps) if each == newest and has_sums[rank]]
        if not sources:
            # The ranks that computed them are gone, and those left at the newest step were moved by
            # what they were sent.
            lost = "the last step's sums are lost with all who had them"
            raise TooOld(lost) if own < newest else GenerationLost(lost)
        source = sources[0]
        self.is_exact = bool(are_exact[source])
        if self._rank == source:
            sums = buffers.flat()
        else:
            sums = buffers.other()
        self._group.wait(self._group.broadcast(sums, source=source))
        return own < newest
