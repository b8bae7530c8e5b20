"""Who records a round before it is published: the script itself, or else the daemon."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from elastic.rendezvous import StoreLost
from elastic.worker.round_registrar import registrar_from

OnRound = Callable[[int, Sequence[str]], None]


def recorder(
    on_round: OnRound | None, *, present: Callable[[], tuple[str, ...]]
) -> Callable[[int, Sequence[str]], None] | None:
    """Gives what records a round by its number and members, and raises StoreLost to put it
    off; None where there is nobody to tell. `present` gives the members of the one that goes on."""
    return (
        registrar_from(present=present, later=StoreLost)
        if on_round is None
        else _patiently(on_round)
    )


def _patiently(on_round: OnRound) -> OnRound:
    """Gives a script's own record of rounds, whose failures put a change off and end
    nothing."""

    def record(number: int, members: Sequence[str]) -> None:
        try:
            on_round(number, members)
        except StoreLost:
            raise
        except BaseException as error:  # a thread that `sys.exit` ends is gone without a word
            raise StoreLost(f"on_round({number}, ...) has failed: {error!r}") from error

    return record
