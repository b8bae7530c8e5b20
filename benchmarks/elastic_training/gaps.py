"""What a log of steps says about a change of membership."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """One change as a surviving member saw it: seconds lost (the step that spans it, less a median step), the longest
    step near it over the median one, and committed steps that were lost."""

    lost_s: float
    longest: float
    iterations_lost: int


def change_at(steps: Sequence[Event], *, after_s: float) -> Change:
    """Gives the first change of generation after an instant; the steps around it must be there."""
    index = next(
        i for i in range(1, len(steps)) if steps[i]["at_s"] > after_s and _place(steps[i]) != _place(steps[i - 1])
    )
    gaps = [later["at_s"] - earlier["at_s"] for earlier, later in pairwise(steps)]
    usual_s = median(gaps[max(0, index - 21) : index - 1])
    began = next(i for i, event in enumerate(steps) if event["at_s"] > after_s)
    near = gaps[began - 1 : index + 5]
    lost = max(0, steps[index - 1]["step"] + 1 - steps[index]["step"])
    return Change(max(0.0, gaps[index - 1] - usual_s), max(near) / usual_s, lost)


def _place(event: Event) -> tuple[int, int]:
    return event["generation"], event["world_size"]
