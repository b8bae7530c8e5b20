"""Converts a node's instants to the daemon's clock, since a machine's own clock may be wrong."""

from __future__ import annotations

# The longest time that a heartbeat may take to arrive; more means a wrong clock. The node gives it
# up after 10 s (`ANSWER_TIMEOUT_S`), and until then lost packets are sent
# again. A new connection takes its time on top.
TOLERANCE_S = 15.0


def behind_s(sent_at_s: float, *, now_s: float) -> float:
    """How far the clock of a node is behind, given its time of sending; below 0 if it is ahead.

    >>> behind_s(1000.0, now_s=4600.0), behind_s(4600.0, now_s=1000.0)
    (3600.0, -3600.0)
    >>> behind_s(1000.0, now_s=1014.9)
    0.0
    """
    offset_s = now_s - sent_at_s
    if abs(offset_s) > TOLERANCE_S:
        return offset_s
    return 0.0
