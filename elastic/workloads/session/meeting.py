"""How a generation begins: its members compare their steps, and whoever lacks the last one gets it."""

from __future__ import annotations

import torch

from elastic.workloads.session.buffers import Buffers
from elastic.workloads.session.generation import Generation
from elastic.workloads.session.gloo import GenerationLost, Gloo


class TooOld(GenerationLost):
    """This rank's own state is too old for the generation to go on with."""


class Meeting:
    """Every generation's first sum, which goes on by itself from here: by step, how far each of the members is."""

    def __init__(self, generation: Generation, group: Gloo, step: int, *, is_torn: bool) -> None:
        """Comes with state after `step` committed steps, or with none. Raises GenerationLost."""
        assert generation.rank is not None
        self._rank, self._group = generation.rank, group
        self._steps = torch.zeros(generation.world_size, dtype=torch.int64)
        self._steps[self._rank] = 0 if is_torn else step + 1
        self._work = group.all_reduce(self._steps)

    def end(self, buffers: Buffers) -> bool:
        """Waits for all, and has the last step's sums handed on where some lack that step.

        Gives whether this rank is one of them: it then finds the sums where the next message is filled, and must
        apply them. Raises GenerationLost, and TooOld where it lacks more.
        """
        self._group.wait(self._work)
        steps: list[int] = [each - 1 for each in self._steps.tolist()]
        newest, own = max(steps), steps[self._rank]
        if own < newest - 1:
            raise TooOld("this process's state is too old to go on with")
        if any(each < newest - 1 for each in steps):
            raise GenerationLost("a member's state is too old to go on with")
        if all(each == newest for each in steps):
            return False
        source = steps.index(newest)
        sums = buffers.flat() if self._rank == source else buffers.other()
        self._group.wait(self._group.broadcast(sums, source=source))
        return own < newest
