"""What records a round before it is published: the script itself, or else the daemon."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from elastic.rendezvous import StoreLost
from elastic.worker.round_registrar import registrar_from

OnRound = Callable[[int, Sequence[str]], None]


def recorder(
    on_round: OnRound | None, *, present: Callable[[], tuple[str, ...]]
) -> Callable[[int, Sequence[str]], None] | None:
    """Returns what records a round by its number and members; None if nothing does.

    It raises StoreLost to postpone the round. `present` returns the members of the round that
    trains now.
    """
    return (
        registrar_from(present=present, later=StoreLost)
        if on_round is None
        else _patiently(on_round)
    )


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
