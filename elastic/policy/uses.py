"""What every dollar of a job paid for: each stretch of each node's life, by what the job did
then."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from elastic.model import Change, LedgerRow, Node, Stint

_S_PER_H = 3600.0


class Use(StrEnum):
    """What a dollar paid for.

    `useful`: iterations that count. `boot`: until a node has joined and is prepared. `waiting`: for
    other nodes, or for the first generation. `warm-up`: until the job's first iteration. `pause`:
    training stands still for a change of nodes. `trial`: all of these, if they were for a trial;
    what a trial trains is useful. `redone`: iterations that were lost and done again. `idle`: a
    node that is no longer used, and the unused rest of a least bill.
    """

    USEFUL = "useful"
    BOOT = "boot"
    WARM_UP = "warm-up"
    PAUSE = "pause"
    TRIAL = "trial"
    REDONE = "redone"
    IDLE = "idle"
    WAITING = "waiting"


_OVERHEAD = frozenset({Use.BOOT, Use.WARM_UP, Use.PAUSE, Use.IDLE, Use.WAITING})


def uses(
    rows: Iterable[LedgerRow],
    nodes: Iterable[Node],
    stints: Sequence[Stint],
    changes: Sequence[Change],
    lost: Sequence[tuple[float, float]] = (),
    *,
    now_s: float,
) -> dict[Use, float]:
    """Dollars for each use; their sum is what the rows have cost.

    Args:
        rows: the job's ledger.
        nodes: those that the rows are of.
        stints: its generations, oldest first.
        changes: the decisions that changed something, oldest first.
        lost: from when to when iterations were made that a restart threw away.
    """
    ledger = list(rows)
    life = _Life({each.id: each for each in nodes}, stints, _trials(changes, stints), lost, now_s)
    found = dict.fromkeys(Use, 0.0)
    for row in ledger:
        for use, dollars in _divided(row, life):
            found[use] += dollars
    # Only rounding may be left: it is added to the greatest use, so that the sum is exact.
    greatest = max(found, key=lambda each: found[each])
    others = math.fsum(dollars for use, dollars in found.items() if use is not greatest)
    found[greatest] = sum(row.usd(now_s) for row in ledger) - others
    return found


@dataclass(frozen=True, slots=True)
class _Trial:
    """A trial, until training continues after it."""

    change: Change
    # When its end was decided; infinity while it lasts.
    over_s: float
    # When training continued after it.
    until_s: float

    def bought(self, row: LedgerRow) -> bool:
        """Whether a row is of a node that was bought for the trial."""
        return self.change.at_s <= row.from_s < self.over_s and self.names(row)

    def names(self, row: LedgerRow) -> bool:
        group = self.change.to_group
        return group is not None and row.offering in dict(group.members)


@dataclass(frozen=True, slots=True)
class _Life:
    nodes: Mapping[str, Node]
    stints: Sequence[Stint]
    trials: Sequence[_Trial]
    lost: Sequence[tuple[float, float]]
    now_s: float


def _trials(changes: Sequence[Change], stints: Sequence[Stint]) -> list[_Trial]:
    found = []
    for change, following in pairwise([*changes, None]):
        if change is None or change.code != "trial":
            continue
        if following is None:
            over_s = math.inf
        else:
            over_s = following.at_s
        after = (
            each.first_step_at_s
            for each in stints
            if each.started_at_s >= over_s and each.first_step_at_s
        )
        found.append(_Trial(change, over_s, min(after, default=over_s)))
    return found


def _divided(row: LedgerRow, life: _Life) -> list[tuple[Use, float]]:
    """A row's dollars by use. What is billed after its end, for the minimum, comes last."""
    end_s = max(life.now_s if row.to_s is None else row.to_s, row.from_s)
    rate = (row.extras_usd_per_h if row.is_waived else row.usd_per_h) / _S_PER_H
    own = [each for each in life.stints if row.node_id in each.node_ids]
    cuts = _cuts(row, own, life)
    inner = cuts[bisect_right(cuts, row.from_s) : bisect_left(cuts, end_s)]
    found = [
        (_use(row, own, life, (from_s + to_s) / 2), rate * (to_s - from_s))
        for from_s, to_s in pairwise([row.from_s, *inner, end_s])
    ]
    unused_s = row.minimum_s - (end_s - row.from_s)
    if unused_s > 0:
        found.append((_use(row, own, life, end_s, is_over=True), rate * unused_s))
    return found


def _cuts(row: LedgerRow, own: Sequence[Stint], life: _Life) -> list[float]:
    """The instants at which a node's use may change."""
    ready_s = _ready_s(life.nodes.get(row.node_id))
    instants = [ready_s, *(each for span in life.lost for each in span)]
    for stint in own:
        instants += [
            stint.started_at_s,
            stint.first_step_at_s,
            stint.last_step_at_s,
            stint.ended_at_s,
        ]
    for trial in life.trials:
        instants += [trial.change.at_s, trial.over_s, trial.until_s]
    return sorted({each for each in instants if each is not None})


def _use(
    row: LedgerRow, own: Sequence[Stint], life: _Life, at_s: float, *, is_over: bool = False
) -> Use:
    if is_over:
        use = Use.IDLE
    else:
        use = _own_use(row, own, life, at_s)
    # An overhead that a trial caused is the trial's.
    if use in _OVERHEAD and _is_for_a_trial(row, own, life, at_s, use):
        return Use.TRIAL
    return use


def _own_use(row: LedgerRow, own: Sequence[Stint], life: _Life, at_s: float) -> Use:
    ready_s = _ready_s(life.nodes.get(row.node_id))
    if ready_s is None or at_s < ready_s:
        return Use.BOOT
    # The node's latest generation by then decides.
    begun = [each for each in own if each.started_at_s <= at_s]
    if not begun:
        return Use.WAITING
    stint = begun[-1]
    is_last = len(begun) == len(own)
    # After it: a pause if the node trained again, else it was idle.
    if stint.ended_at_s is not None and at_s >= stint.ended_at_s:
        if is_last:
            return Use.IDLE
        return Use.PAUSE
    if stint.first_step_at_s is None or at_s < stint.first_step_at_s:
        # Before its first step: the job's first warm-up, or a pause of a later change.
        earlier = (each for each in life.stints if each.number < stint.number)
        if any(each.first_step_at_s is not None for each in earlier):
            return Use.PAUSE
        return Use.WARM_UP
    # After its last step: stopping for a change, or at the very end.
    is_open = stint.ended_at_s is None
    if not is_open and stint.last_step_at_s is not None and at_s > stint.last_step_at_s:
        if stint is not life.stints[-1]:
            return Use.PAUSE
        return Use.IDLE
    if any(from_s <= at_s < to_s for from_s, to_s in life.lost):
        return Use.REDONE
    return Use.USEFUL


def _is_for_a_trial(
    row: LedgerRow, own: Sequence[Stint], life: _Life, at_s: float, use: Use
) -> bool:
    """Whether an overhead was for a trial.

    During a trial that is what its own nodes cost, and every pause. After it that is the pause of
    going back, and its nodes until they are gone.
    """
    for trial in life.trials:
        if trial.change.at_s <= at_s < trial.over_s and (trial.names(row) or use is Use.PAUSE):
            return True
        if trial.over_s <= at_s < trial.until_s and use is Use.PAUSE:
            return True
        stayed = any(each.started_at_s >= trial.over_s for each in own)
        if at_s >= trial.over_s and trial.bought(row) and not stayed:
            return True
    return False


def _ready_s(node: Node | None) -> float | None:
    """When a node had joined and prepared what its job brings; None if it never joined."""
    if node is None or node.joined_at_s is None:
        return None
    return node.joined_at_s + (node.prepared_s or 0.0)
