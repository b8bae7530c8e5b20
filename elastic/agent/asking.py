"""Asking the daemon until it answers, for as long as this node may live."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from elastic.agent.lease import Lease
from elastic.clock import SystemClock
from elastic.durations import RETRY_S, SELDOM_S
from elastic.errors import DaemonUnreachable
from elastic.retrying import retried

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
            first_s=RETRY_S,
            # A sixtieth of the default lease: a node that can live on sends its heartbeat in time.
            longest_s=SELDOM_S,
            left_s=lambda: lease.left_s,
            sleep=SystemClock().sleep,
        )
    return None
