"""Why a turn stands still: who is waited for, and how many sums each member has begun."""

from __future__ import annotations

from collections.abc import Mapping

from elastic.workloads.session.links import Status


def why_stalled(own: Status, others: Mapping[str, Status], *, is_waiting: bool) -> str | None:
    """Says which member keeps the others waiting; None if none waits, because all are computing.

    `is_waiting` says that this process's training thread waits for a sum.

    >>> why_stalled(Status(3, 144, begun=7), {"a": Status(3, 144, begun=6)}, is_waiting=True)
    'turn 144 waits for member a (sums begun in round 3: this process 7, a 6)'
    >>> why_stalled(Status(3, 144, begun=6), {"a": Status(3, 144, begun=7)}, is_waiting=False)
    'the others wait for this process in turn 144 (sums begun in round 3: this process 6, a 7)'
    >>> why_stalled(Status(3, 144, begun=7), {"a": Status(3, 144, begun=7)}, is_waiting=False)
    """
    furthest = max((each.round, each.begun) for each in (own, *others.values()))
    behind = [name for name, each in others.items() if (each.round, each.begun) < furthest]
    if (own.round, own.begun) < furthest:
        why = f"the others wait for this process in turn {own.step}"
    elif behind:
        why = f"turn {own.step} waits for member{'s' * (len(behind) > 1)} {', '.join(behind)}"
    elif is_waiting:
        why = (
            f"turn {own.step} waits for a sum that all have begun: other values on other ranks, or "
            "a slow network"
        )
    else:
        return None
    begun = [
        f"this process {own.begun}",
        *(f"{name} {_begun(each, own)}" for name, each in others.items()),
    ]
    return f"{why} (sums begun in round {own.round}: {', '.join(begun)})"


def _begun(status: Status, own: Status) -> str:
    return f"{status.begun}" if status.round == own.round else f"is in round {status.round}"
