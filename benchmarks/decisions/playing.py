"""One case under one policy: the play itself, and the least that it could have cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.decisions.clairvoyant import GroupOption, Least
from benchmarks.decisions.clairvoyant import least as least_of
from benchmarks.decisions.ours import Ours, Shown
from benchmarks.decisions.rivals import RIVALS, Fleet
from benchmarks.decisions.track import OURS
from benchmarks.decisions.world import Policy, Task, TickMarket, TickWorld
from elastic.model import Group

_PATIENCE = 3
"""What is not done after so many times the deadline is given up; the rest counts as late."""


def played(
    market: TickMarket, task: Task, shown: Shown, groups: Sequence[Group], policy: str
) -> dict[str, float]:
    """Plays a policy; gives dollars, seconds late, and where the dollars went."""
    ours = Ours(shown) if policy == OURS else None
    plays: Policy = ours if ours is not None else RIVALS[policy](Fleet(groups))
    world = TickWorld(market, task)
    world.play(plays, until=_PATIENCE * task.deadline)
    late_ticks = max(0, world.tick - task.deadline) + world.left
    return {
        "usd": world.spent.usd,
        "late_s": late_ticks * market.tick_s,
        "dead_usd": world.spent.dead_usd,
        "on_demand_usd": world.spent.on_demand_usd,
        "trial_usd": world.spent.trial_usd,
        "launches": float(world.launches),
        **({"cpu_s": ours.cpu_s, "decisions": float(ours.decisions)} if ours else {}),
    }


def against(played: Mapping[str, float], best: Least) -> dict[str, float]:
    """The values of a play with the least beside them, and what it cost more for which reason.

    `exploring` is what trials cost; `switching` what other boots and pauses cost more than theirs
    who knew the future; `dearer` is the rest: work on a dearer market, type or size, or too late on
    it.
    """
    more_usd = played["usd"] - best.usd
    switching_usd = played["dead_usd"] - best.dead_usd
    return {
        **played,
        "best_usd": best.usd,
        "exploring_usd": played["trial_usd"],
        "switching_usd": switching_usd,
        "dearer_usd": more_usd - switching_usd - played["trial_usd"],
    }


def least(market: TickMarket, task: Task, groups: Sequence[Group]) -> Least:
    """The least dollars for the task on these groups, the future known."""
    row = {each: place for place, each in enumerate(market.offerings)}
    ticks = np.arange(task.deadline) % market.is_up.shape[1]
    choices = []
    for group in groups:
        ((offering, count),) = group.members
        choices.append(
            GroupOption(
                usd=count * market.usd_per_h[row[offering], ticks] * market.tick_s / 3600,
                is_up=market.is_up[row[offering], ticks],
                rate=task.rate(group),
                pool=row[offering],
                nodes=count,
            )
        )
    return least_of(
        choices, work=task.work, deadline=task.deadline, boot=task.boot, pause=task.pause
    )
