"""Rounds in which nothing is known of the members yet: a test names only what it is about."""

from __future__ import annotations

from collections.abc import Sequence

from elastic.workloads.session.rounds import Gloo, Round


def met(
    number: int,
    members: Sequence[str],
    rank: int,
    *,
    group: Gloo | None = None,
    costs: Sequence[float] | None = None,
    limits: Sequence[int | None] | None = None,
    are_new: Sequence[bool] | None = None,
    losses_per_h: Sequence[float | None] | None = None,
) -> Round:
    """Gives a round of old members of which no pace, no limit and no losses are known."""
    size = len(members)
    return Round(
        number,
        tuple(members),
        rank,
        group,
        costs=tuple(costs or [0.0] * size),
        limits=tuple(limits or [None] * size),
        are_new=tuple(are_new or [False] * size),
        losses_per_h=tuple(losses_per_h or [None] * size),
    )
