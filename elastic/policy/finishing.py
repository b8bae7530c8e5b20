"""Whether machines that the cloud takes back from a job that is nearly done are replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from elastic.figures import duration
from elastic.model import Action, Group, Node, NodePhase, Plan, Reason, Snapshot, last_safe_instant
from elastic.policy.availability import UNAVAILABLE
from elastic.policy.horizon import Focus, focus_of
from elastic.policy.switch_cost import transition_of
from elastic.policy.words import name
from elastic.throughput import estimate_step_s

# The code of a reason: the job ends before a machine bought now could do anything for it.
FINISHING = "finishing"


def unreplaced(snapshot: Snapshot, plan: Plan) -> Plan:
    """Gives `plan`, or one that keeps the target and buys nothing where a replacement could not
    pay.

    A replacement cannot pay in two cases. All iterations are done before training must stop on what
    is taken back. Or the nodes that stay finish before a new machine would have booted. Paces are
    the slow end of what was measured. Where little was measured, everything is replaced.
    """
    group = snapshot.target
    if group is None or not _is_short(snapshot, group):
        return plan
    focus = focus_of(snapshot.job)
    left = _iterations_left(snapshot, focus)
    step_s = _step_s(snapshot, focus)
    # Only a plan that would replace nodes is changed.
    is_replacing = plan.action is Action.HOLD or plan.reason.code == UNAVAILABLE
    if left is None or step_s is None or not is_replacing or snapshot.limits.reaction_s is None:
        return plan
    leavers = _leavers(snapshot, group)
    stops_in_s = _stops_in_s(snapshot, group, snapshot.limits.reaction_s)
    boot_s = transition_of(snapshot, None, group).boot_s
    # It pays if the end comes after both the last stop and the boot of a new machine.
    ends_in_s = _ends_in_s(snapshot, group, left * step_s, stops_in_s)
    if ends_in_s is None or ends_in_s > max(stops_in_s, boot_s):
        return plan
    if leavers:
        what = f"{leavers[0].id} is taken back"
    else:
        what = f"{len(_staying(snapshot, group))} of {group.node_count} are left"
    if ends_in_s <= stops_in_s:
        why = f"training there may go on for {duration(stops_in_s)}"
    else:
        why = f"another machine takes {duration(boot_s)} to boot"
    text = (
        f"{what}; the {left:,} iterations left take {duration(ends_in_s)} at most, and {why}: "
        f"{name(group)} is kept and nothing is bought"
    )
    numbers = {
        "iterations_left": float(left),
        "ends_in_s": ends_in_s,
        "stops_in_s": stops_in_s,
        "boot_s": boot_s,
    }
    return replace(
        plan,
        action=Action.HOLD,
        target=group,
        reason=Reason(FINISHING, text, numbers),
        limited_by=(*plan.limited_by, FINISHING),
        may_buy=False,
    )


def _is_short(snapshot: Snapshot, group: Group) -> bool:
    """Whether any node of the group is missing, or is being taken back."""
    joined = tuple(_joined(snapshot, group))
    return len(joined) < group.node_count or any(each.leaves_at_s is not None for each in joined)


def _leavers(snapshot: Snapshot, group: Group) -> tuple[Node, ...]:
    """The nodes of the group that are being taken back, the first to go first."""
    found = [node for node in _joined(snapshot, group) if node.leaves_at_s is not None]
    return tuple(sorted(found, key=lambda node: (node.leaves_at_s or 0.0, node.id)))


def _staying(snapshot: Snapshot, group: Group) -> tuple[Node, ...]:
    return tuple(node for node in _joined(snapshot, group) if node.leaves_at_s is None)


def _joined(snapshot: Snapshot, group: Group) -> Iterator[Node]:
    offerings = {offering for offering, _ in group.members}
    for node in snapshot.nodes:
        if (
            node.phase is NodePhase.JOINED
            and node.stopping_at_s is None
            and node.offering in offerings
        ):
            yield node


def _iterations_left(snapshot: Snapshot, focus: Focus) -> int | None:
    """None if no end is known, or if another training phase with another pace is still to come."""
    total = snapshot.job.spec.iterations
    if total is None or focus.current_left is None:
        return None
    left = max(total - snapshot.job.iteration, 0)
    if focus.current_left == left:
        return left
    return None


def _step_s(snapshot: Snapshot, focus: Focus) -> float | None:
    """The slow end of the target's measured pace, in seconds."""
    phase = focus.current_phase
    target = snapshot.target
    samples = [
        sample
        for series in snapshot.series
        if target is not None
        and series.training_phase == phase
        and series.group.node_types == target.node_types
        for sample in series.samples
    ]
    step_s = estimate_step_s(samples)
    if step_s is None:
        return None
    return step_s.high


def _stops_in_s(snapshot: Snapshot, group: Group, reaction_s: float) -> float:
    """How many seconds the whole group may train on.

    0 if it does not train, or if nothing of it is being taken back.
    """
    grace_s = snapshot.job.spec.drain_grace_s
    last_s = last_safe_instant(
        _leavers(snapshot, group), drain_grace_s=grace_s, reaction_s=reaction_s
    )
    if last_s is None or snapshot.current != group:
        return 0.0
    return max(last_s - snapshot.now_s, 0.0)


def _ends_in_s(snapshot: Snapshot, group: Group, lasts_s: float, stops_in_s: float) -> float | None:
    """Seconds until all is done without a replacement.

    None if the nodes that stay are too few to continue, or if none is missing. They are assumed to
    be slower in proportion to their number. That is a safe bound, because fewer nodes also exchange
    less. It does not hold for several node types, of which the fast one may be missing: then None.
    """
    # All is done before training must stop.
    if lasts_s <= stops_in_s and _leavers(snapshot, group):
        return lasts_s
    count = group.node_count
    stay = len(_staying(snapshot, group))
    if not max(snapshot.job.spec.nodes_min, 1) <= stay < count or len(group.node_types) > 1:
        return None
    has_gone_on = snapshot.current is not None and snapshot.current != group
    if has_gone_on:
        pause_s = 0.0
    else:
        pause_s = transition_of(snapshot, None, group).pause_s
    return stops_in_s + pause_s + (lasts_s - stops_in_s) * count / stay
