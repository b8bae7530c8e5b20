"""A price trace that may grow: the file is read again whenever it has changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elastic.errors import InvalidInput, PriceUnavailable
from elastic.pricing.base import Quote
from elastic.pricing.trace import TracePrices
from elastic.pricing.trace_file import TraceRow, read_trace

_Stamp = tuple[int, int, int]


class FollowedTrace:
    """Replays `table` and the trace at `path`, which may be replaced by renaming another file.

    While the file cannot be read, there is no answer, and earlier prices stay in force.
    """

    name = "trace"

    def __init__(
        self,
        path: Path,
        *,
        table: Sequence[TraceRow] = (),
        started_at_s: float,
        speed: float = 1.0,
        observed_to_s: float | None = None,
    ) -> None:
        self._path = path
        self._table = table
        self._started_at_s = started_at_s
        self._speed = speed
        self._observed_to_s = observed_to_s
        self._stamp = _stamp_of(path)
        self._replay = self._read()
        # Changes while no daemon ran are reported only once, by the first replay.
        self._observed_to_s = None

    def refresh(self, now_s: float) -> tuple[Quote, ...]:
        stamp = _stamp_of(self._path)
        if stamp == self._stamp:
            return self._replay.refresh(now_s)
        try:
            fresh = self._read()
        except InvalidInput as error:
            raise PriceUnavailable(str(error)) from error
        # The old replay is asked a last time, so that no change between the two is lost.
        missed = self._replay.refresh(now_s)
        self._stamp = stamp
        self._replay = fresh
        return _in_order({*missed, *fresh.refresh(now_s)})

    def _read(self) -> TracePrices:
        rows = [*self._table, *read_trace(self._path)]
        return TracePrices(
            rows,
            started_at_s=self._started_at_s,
            speed=self._speed,
            observed_to_s=self._observed_to_s,
        )


def _in_order(quotes: set[Quote]) -> tuple[Quote, ...]:
    return tuple(sorted(quotes, key=lambda quote: (quote.valid_from_s, quote.offering)))


def _stamp_of(path: Path) -> _Stamp | None:
    """What identifies the state of a file; None while there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
