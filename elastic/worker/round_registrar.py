"""Has the daemon record a session's round before it is published.

If the daemon is silent, the round goes ahead: at once, or after a short delay if only newcomers
wait.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from time import monotonic

from elastic.worker.messages import RoundQuestion
from elastic.worker.unix_address import asked

# After a loss, survivors wait no longer than this for a daemon that hangs. A daemon that is not
# running is noticed at once.
ANSWER_TIMEOUT_S = 0.25
# Training goes on while a newcomer is kept waiting.
PUT_OFF_S = 5.0


class RoundRegistrar:
    """Registers rounds at the agent that answers at `path`.

    `present` returns the members of the current round, empty if there is none. A round that only
    adds newcomers costs the members nothing by waiting. It is put off until it is recorded, for 5 s
    at most, by raising what `later` makes.
    """

    def __init__(
        self,
        path: str,
        *,
        present: Callable[[], Collection[str]],
        later: Callable[[str], Exception],
    ) -> None:
        self._path = path
        self._present = present
        self._later = later
        self._put_off_since_s: float | None = None

    def __call__(self, number: int, members: Collection[str]) -> None:
        is_recorded = self._is_recorded(number, len(members))
        present = frozenset(self._present())
        if not is_recorded and present and present < frozenset(members):
            self._put_off_since_s = self._put_off_since_s or monotonic()
            if monotonic() - self._put_off_since_s < PUT_OFF_S:
                raise self._later(f"round {number} is not recorded yet")
        self._put_off_since_s = None

    def _is_recorded(self, number: int, members: int) -> bool:
        question = RoundQuestion(number, members, ANSWER_TIMEOUT_S)
        with contextlib.suppress(OSError, ValueError):
            return bool(
                asked(self._path, asdict(question), timeout_s=2 * ANSWER_TIMEOUT_S)["is_recorded"]
            )
        return False


def registrar_from(
    environment: Mapping[str, str] = os.environ,
    *,
    present: Callable[[], Collection[str]],
    later: Callable[[str], Exception],
) -> RoundRegistrar | None:
    """Gives the way to the agent's record; None without an agent."""
    path = environment.get("ELASTICD_ROUNDS")
    return RoundRegistrar(path, present=present, later=later) if path else None
