"""Asking the daemon until it answers, for as long as this node may live."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeVar

from elastic.agent.lease import Lease
from elastic.clock import SystemClock

FIRST_RETRY_S = 0.2
LONGEST_RETRY_S = 10.0
Answer = TypeVar("Answer")


def ask_until_answered(ask: Callable[[], Answer | None], lease: Lease) -> Answer | None:
    """Gives the first answer that is not None; None once the lease is over."""
    retry_s = FIRST_RETRY_S
    while not lease.is_over:
        if (answer := ask()) is not None:
            return answer
        # Jitter: nodes that booted together must not ask together.
        SystemClock().sleep(min(retry_s * random.uniform(0.5, 1.0), max(0.0, lease.left_s)))
        retry_s = min(2 * retry_s, LONGEST_RETRY_S)
    return None
