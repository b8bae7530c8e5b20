"""Converts a node's instants to the daemon's clock, since a machine's own clock may be wrong."""

from __future__ import annotations

from elastic.durations import ANSWER_TIMEOUT_S

# The longest time that a heartbeat may take to arrive; more means a wrong clock. An agent gives up
# after ten seconds to connect, or ten to send.
TOLERANCE_S = 2 * ANSWER_TIMEOUT_S


def behind_s(sent_at_s: float, *, now_s: float) -> float:
    """How far the clock of a node is behind, given its time of sending; below 0 if it is ahead.

    >>> behind_s(1000.0, now_s=4600.0), behind_s(4600.0, now_s=1000.0)
    (3600.0, -3600.0)
    >>> behind_s(1000.0, now_s=1019.9)
    0.0
    """
    offset_s = now_s - sent_at_s
    if abs(offset_s) > TOLERANCE_S:
        return offset_s
    return 0.0
