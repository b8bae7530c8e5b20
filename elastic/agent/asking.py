"""Asking the daemon until it answers, for as long as this node may live."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from elastic.agent.lease import Lease
from elastic.clock import SystemClock
from elastic.errors import DaemonUnreachable
from elastic.retrying import retried

# A daemon that is restarted is back within seconds: the first pause is short. The longest is a
# sixtieth of the default lease, so a node that can live on sends its heartbeat in time.
_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 10.0
Answer = TypeVar("Answer")


def ask_until_answered(ask: Callable[[], Answer | None], lease: Lease) -> Answer | None:
    """Gives the first answer that is not None; None once the lease is over."""

    def answered() -> Answer:
        if lease.is_over or (answer := ask()) is None:
            raise DaemonUnreachable("the daemon did not answer this node")
        return answer

    with suppress(DaemonUnreachable):
        return retried(
            answered,
            on=DaemonUnreachable,
            first_s=_FIRST_PAUSE_S,
            longest_s=_LONGEST_PAUSE_S,
            left_s=lambda: lease.left_s,
            sleep=SystemClock().sleep,
        )
    return None
