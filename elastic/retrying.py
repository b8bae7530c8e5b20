"""Repeats what failed: the one place with a loop of tries and pauses."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import TypeVar

# tenacity, and not stamina, which is built on it. stamina waits by the machine's clock alone, so a
# test could not reach a bound without waiting for it, and its test mode replaces the bounds. At its
# first retry it imports structlog and prometheus_client (0.3 s) and prints a line on standard
# output, which belongs to the command that runs.
from tenacity import RetryCallState, Retrying, retry_if_exception, wait_exponential

Result = TypeVar("Result")


def retried(
    act: Callable[[], Result],
    *,
    on: type[Exception],
    unless: type[Exception] | tuple[()] = (),
    first_s: float,
    longest_s: float | None = None,
    attempts: int | None = None,
    left_s: Callable[[], float] = lambda: math.inf,
    sleep: Callable[[float], None],
) -> Result:
    """Returns what `act` returns, after as many tries as it takes.

    A try that raises `on` is followed by another one, unless the error is of the kind `unless`.
    What the last try raised is raised.

    Args:
        first_s: The first pause. Each later one is twice as long as the one before.
        longest_s: The longest pause; None: all are as long as the first.
        attempts: How many tries there are; None: any number.
        left_s: How much time is left. No pause is longer, and without any the next try is the last.
    """
    exponential = wait_exponential(
        multiplier=first_s, max=first_s if longest_s is None else longest_s
    )

    def pause_s(state: RetryCallState) -> float:
        # Half of a pause is random: nodes that failed together must not come back together.
        return min(exponential(state) * random.uniform(0.5, 1.0), max(0.0, left_s()))

    def is_passing(error: BaseException) -> bool:
        return isinstance(error, on) and not isinstance(error, unless)

    def is_last(state: RetryCallState) -> bool:
        return state.attempt_number == attempts or left_s() <= 0.0

    retrying = Retrying(
        retry=retry_if_exception(is_passing),
        stop=is_last,
        wait=pause_s,
        sleep=sleep,
        reraise=True,
    )
    return retrying(act)
