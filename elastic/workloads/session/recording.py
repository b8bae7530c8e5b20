"""Records a round before it is published, by the script itself or by the daemon."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from elastic.worker.round_registrar import registrar_from
from elastic.workloads.session.c10d import StoreLost

OnGeneration = Callable[[int, Sequence[str]], None]


def recorder(
    on_generation: OnGeneration | None, *, present: Callable[[], tuple[str, ...]]
) -> Callable[[int, Sequence[str]], None] | None:
    """Returns what records a round by its number and members; None if no one records it.

    It raises StoreLost to put the round off. `present` returns the members of the current round.
    """
    if on_generation is None:
        return registrar_from(present=present, later=StoreLost)
    return _patiently(on_generation)


def _patiently(on_generation: OnGeneration) -> OnGeneration:
    """Wraps a script's own recorder: its failures put a change off, and end nothing."""

    def record(number: int, members: Sequence[str]) -> None:
        try:
            on_generation(number, members)
        except StoreLost:
            raise
        except BaseException as error:  # `sys.exit` would end this thread silently
            raise StoreLost(f"on_generation({number}, ...) has failed: {error!r}") from error

    return record
