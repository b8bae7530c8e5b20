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
    """One change as a surviving member saw it: seconds lost (the step that spans it, less a median
    step), the longest step near it over the median one, and committed steps that were lost."""

    lost_s: float
    longest: float
    iterations_lost: int


@dataclass(frozen=True, slots=True)
class NoChange:
    """A change that never came: nobody trained on within `waited_s`, or all who were to have ended
    by then."""

    waited_s: float
    has_ended: bool


Found = Change | NoChange


def change_at(steps: Sequence[Event], *, after_s: float, world_size: int | None = None) -> Change:
    """Gives the first change of generation after an instant; the steps around it must be there.

    `world_size` is what the new world must have: those on the way to it count as time lost.
    """
    index = next(
        i for i in range(1, len(steps)) if _is_new(steps[i - 1], steps[i], after_s, world_size)
    )
    gaps = [later["at_s"] - earlier["at_s"] for earlier, later in pairwise(steps)]
    usual_s = median(gaps[max(0, index - 21) : index - 1])
    began = next(i for i, event in enumerate(steps) if event["at_s"] > after_s)
    near = gaps[max(0, began - 1) : index + 5]
    lost = max(0, steps[index - 1]["step"] + 1 - steps[index]["step"])
    return Change(max(0.0, gaps[index - 1] - usual_s), max(near) / usual_s, lost)


def has_changed(steps: Sequence[Event], *, after_s: float, world_size: int | None = None) -> bool:
    """Whether `change_at` would find a change, with a few steps after it."""
    return any(
        _is_new(steps[i - 1], steps[i], after_s, world_size)
        for i in range(1, max(1, len(steps) - STEPS_AFTER))
    )


STEPS_AFTER = 5


def _is_new(before: Event, event: Event, after_s: float, world_size: int | None) -> bool:
    is_wanted = world_size is None or event["world_size"] == world_size
    return bool(event["at_s"] > after_s and is_wanted and _place(event) != _place(before))


def _place(event: Event) -> tuple[int, int]:
    return event["generation"], event["world_size"]
