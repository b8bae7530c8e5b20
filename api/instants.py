"""When what a node tells of happened by the daemon's clock: a machine's own may be off, and is not
waited for."""

from __future__ import annotations

# A heartbeat may take so long to arrive: that is no clock's fault. Its machine gives it up after 10
# s (`elastic.agent.daemon_client.TIMEOUT_S`), and until then what was lost on the way is sent
# again; what it spends on a new connection comes on top.
TOLERANCE_S = 15.0


def behind_s(sent_at_s: float, *, now_s: float) -> float:
    """How far the clock of a node is behind that sent something at its `sent_at_s`; below 0 if it
    is ahead.

    >>> behind_s(1000.0, now_s=4600.0), behind_s(4600.0, now_s=1000.0)
    (3600.0, -3600.0)
    >>> behind_s(1000.0, now_s=1014.9)
    0.0
    """
    offset_s = now_s - sent_at_s
    if abs(offset_s) > TOLERANCE_S:
        return offset_s
    return 0.0
