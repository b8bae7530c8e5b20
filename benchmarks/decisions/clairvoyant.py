"""The least that could have been spent, and the part of it that boots and pauses cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elastic.simulator.clairvoyant import GroupOption, least_usd

__all__ = ["GroupOption", "Least", "least", "least_usd"]

_DEARER = 1e-6


@dataclass(frozen=True, slots=True)
class Least:
    """The least dollars, and the part of them that boots and pauses cost."""

    usd: float
    dead_usd: float


def least(
    choices: Sequence[GroupOption], *, work: int, deadline: int, boot: int = 0, pause: int = 0
) -> Least:
    """Gives the least dollars, and the part of them for dead ticks.

    That part is how fast the least grows with the price of dead ticks (the envelope theorem), so no
    path needs to be kept.
    """

    def found(dearer: float) -> float:
        return least_usd(
            choices, work=work, deadline=deadline, boot=boot, pause=pause, dead_factor=1 + dearer
        )

    usd = found(0.0)
    return Least(usd, (found(_DEARER) - usd) / _DEARER if np.isfinite(usd) else 0.0)
