"""What records a round before it is published: the script itself, or else the daemon."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from time import monotonic

from elastic.rendezvous import StoreLost
from elastic.worker.messages import RoundQuestion
from elastic.worker.unix_address import asked

OnRound = Callable[[int, Sequence[str]], None]

# After a loss, survivors wait no longer than this for a daemon that hangs. A daemon that is not
# running is noticed at once.
ANSWER_TIMEOUT_S = 0.25
# Training goes on while a newcomer is kept waiting.
PUT_OFF_S = 5.0


def recorder(
    on_round: OnRound | None,
    *,
    present: Callable[[], tuple[str, ...]],
    environment: Mapping[str, str] = os.environ,
) -> OnRound | None:
    """Returns what records a round by its number and members; None if nothing does.

    It raises StoreLost to postpone the round. `present` returns the members of the round that
    trains now.
    """
    if on_round is not None:
        return _patiently(on_round)
    path = environment.get("ELASTICD_ROUNDS")
    return RoundRegistrar(path, present=present) if path else None


class RoundRegistrar:
    """Has the daemon record rounds, by the agent that answers at `path`.

    If the daemon is silent, a round goes ahead. One that only adds newcomers costs the members of
    `present` nothing by waiting: it is postponed until it is recorded, for 5 s at most.
    """

    def __init__(self, path: str, *, present: Callable[[], tuple[str, ...]]) -> None:
        self._path = path
        self._present = present
        self._put_off_since_s: float | None = None

    def __call__(self, number: int, members: Sequence[str]) -> None:
        """Returns if the round may be published. Raises StoreLost to postpone it."""
        is_recorded = self._is_recorded(number, len(members))
        present = frozenset(self._present())
        if not is_recorded and present and present < frozenset(members):
            self._put_off_since_s = self._put_off_since_s or monotonic()
            if monotonic() - self._put_off_since_s < PUT_OFF_S:
                raise StoreLost(f"round {number} is not recorded yet")
        self._put_off_since_s = None

    def _is_recorded(self, number: int, members: int) -> bool:
        question = RoundQuestion(number, members, ANSWER_TIMEOUT_S)
        with contextlib.suppress(OSError, ValueError):
            return bool(
                asked(self._path, asdict(question), timeout_s=2 * ANSWER_TIMEOUT_S)["is_recorded"]
            )
        return False


def _patiently(on_round: OnRound) -> OnRound:
    """Wraps a script's own record of rounds: if it fails, the change is postponed, and nothing
    ends."""

    def record(number: int, members: Sequence[str]) -> None:
        try:
            on_round(number, members)
        except StoreLost:
            raise
        # Also SystemExit, which would end this thread silently.
        except BaseException as error:
            raise StoreLost(f"on_round({number}, ...) has failed: {error!r}") from error

    return record
