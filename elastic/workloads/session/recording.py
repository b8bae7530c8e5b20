"""Who records a generation before it is published: the script itself, or else the daemon."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from elastic.worker.round_registrar import registrar_from
from elastic.workloads.session.c10d import StoreLost

OnGeneration = Callable[[int, Sequence[str]], None]


def recorder(
    on_generation: OnGeneration | None, *, present: Callable[[], tuple[str, ...]]
) -> Callable[[int, Sequence[str]], None] | None:
    """Gives what records a generation by its number and members, and raises StoreLost to put it
    off; None where there is nobody to tell. `present` gives the members of the one that goes on."""
    if on_generation is None:
        return registrar_from(present=present, later=StoreLost)
    return _patiently(on_generation)


def _patiently(on_generation: OnGeneration) -> OnGeneration:
    """Gives a script's own record of generations, whose failures put a change off and end
    nothing."""

    def record(number: int, members: Sequence[str]) -> None:
        try:
            on_generation(number, members)
        except StoreLost:
            raise
        except BaseException as error:  # a thread that `sys.exit` ends is gone without a word
            raise StoreLost(f"on_generation({number}, ...) has failed: {error!r}") from error

    return record
