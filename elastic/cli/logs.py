"""Follows a job's logs on a terminal or into a file, even if the daemon restarts."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from elastic.cli.outlet import has_reader
from elastic.durations import LOOK_S
from elastic.errors import DaemonUnreachable
from elastic.log_line import LogLine, as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from elastic.client.rest import Client, JsonObject, Streamed
    from elastic.clock import Clock

# Moves to the start of the line and clears it.
_ERASE = "\r\x1b[2K"


def follow_logs(
    client: Client,
    path: str,
    *,
    tail: int | None,
    rank: int | None,
    node: str | None,
    is_live: bool,
    clock: Clock,
) -> None:
    """Prints the last lines at `path`, then each new one.

    Ends when the job is over, the output's reader is gone, or at Ctrl-C. On a terminal (`is_live`)
    the line that has not ended yet stands below, so that progress bars move.
    """
    printer = _Printer(is_labelled=rank is None, is_live=is_live)
    after: int | None = None
    is_away = False
    try:
        while True:
            try:
                for event in client.stream(path, tail=tail, rank=rank, node=node, after=after):
                    # The daemon names only the last event.
                    if event.name == "end":
                        printer.end()
                        return
                    is_away = False
                    # After a lost connection the stream begins behind this line: none is shown
                    # twice.
                    after = event.id
                    printer.show(event)
                    # `| head` is done. Writes still succeed (`elastic.cli.outlet`), so it has to be
                    # asked.
                    if not has_reader():
                        return
            except DaemonUnreachable as error:
                # At the first try there may be no daemon at all; later it only restarts.
                if after is None:
                    raise
                if not is_away:
                    print(f"{error}; trying again", file=sys.stderr)
                is_away = True
            clock.sleep(LOOK_S)
    except KeyboardInterrupt:
        printer.end()


class _Printer:
    """Prints lines, and below them the line that has not ended yet."""

    def __init__(self, *, is_labelled: bool, is_live: bool) -> None:
        self._is_labelled = is_labelled
        self._is_live = is_live
        self._before: LogLine | None = None
        self._open = ""

    def show(self, event: Streamed) -> None:
        self._erase()
        for line in map(_line, event.data["lines"]):
            sys.stdout.write(as_text(line, before=self._before, is_labelled=self._is_labelled))
            self._before = line
        if self._is_live:
            self._draw([_line(each) for each in event.data["open"]])
        sys.stdout.flush()

    def end(self) -> None:
        """Leaves the open line where it stands."""
        if self._open:
            sys.stdout.write("\n")
        sys.stdout.flush()

    def _draw(self, lines: Sequence[LogLine]) -> None:
        if lines:
            width = shutil.get_terminal_size().columns
            text = as_text(lines[0], before=self._before, is_labelled=self._is_labelled)
            heading, end, drawn = text.removesuffix("\n").rpartition("\n")
            # A line that wraps could not be erased.
            self._open = drawn[: width - 1]
            self._before = lines[0]
            sys.stdout.write(f"{heading}{end}{self._open}")

    def _erase(self) -> None:
        if self._open:
            sys.stdout.write(_ERASE)
        self._open = ""


def _line(said: JsonObject) -> LogLine:
    return LogLine(
        id=said["id"],
        at_s=said["at_s"],
        generation=said["generation"],
        node_id=said["node_id"],
        worker=said["worker"],
        rank=said["rank"],
        text=said["text"],
        stage=said.get("stage", ""),
    )
