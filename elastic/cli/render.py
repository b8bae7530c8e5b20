"""Writes lists and values for people: tables of chosen columns, or the daemon's JSON."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from elastic import figures
from elastic.clock import SystemClock
from elastic.figures import instant, number, span
from elastic.log_line import harmless, plain_lines
from elastic.model import Notice, NoticeKind, Workers

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

UNKNOWN = "-"
# What JSON does not have to escape: C1 controls, and what changes a line's direction.
_ACTING = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
# Longer lines of prose are hard to read.
_WIDTH = 110
# Prose in a narrower column cannot be read.
_LEAST_PROSE = 30
# Blanks between columns.
_GAP = 2
# Into a file a table is as wide as it needs, up to this.
_WIDEST = 240


class Output(StrEnum):
    """The forms in which one thing is printed."""

    TABLE = "table"
    JSON = "json"


class ListOutput(StrEnum):
    """The forms in which a list is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    title: str
    # Where the value stands in an item, with dots between the names.
    path: str
    # Writes the value.
    show: Callable[[Any], str] = str
    is_number: bool = False
    can_wrap: bool = False
    # Left out of a terminal that is too narrow for all columns.
    is_extra: bool = False


def show_list(
    items: Sequence[Mapping[str, Any]], columns: Sequence[Column], output: ListOutput | Output
) -> None:
    """Prints `items` as a table of `columns`, or everything in them as a JSON array or as CSV."""
    match output.value:
        case "json":
            show_json(list(items))
        case "csv" if sys.stdout.isatty():
            # A script's own words must not act on the terminal. Into a file they are exact.
            print("\n".join(map(harmless, csv_of(items).split("\n"))), end="")
        case "csv":
            print(csv_of(items), end="")
        case _ if sys.stdout.isatty():
            _show_in_terminal(items, columns, now_s=SystemClock().now_s())
        case _:
            show(table_of(items, columns))


def csv_of(items: Sequence[Mapping[str, Any]]) -> str:
    """Writes everything in `items` as CSV, for spreadsheets and notebooks.

    Values are as the daemon gives them: seconds, dollars, instants since 1970. A part of an item
    has columns of its own. A list is JSON. What is unknown is empty.

    >>> csv_of([{"id": 1, "cost": {"usd": 0.5}}, {"id": 2, "nodes": ["a", "b"]}])
    'id,cost.usd,nodes\\n1,0.5,\\n2,,"[""a"", ""b""]"\\n'
    """
    rows = [dict(_flat(each)) for each in items]
    # The columns of all rows: an item lacks what is unknown of it.
    names = list(dict.fromkeys(name for row in rows for name in row))
    written = io.StringIO()
    writer = csv.DictWriter(written, names, lineterminator="\n")
    if names:
        writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()


def _flat(item: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in item.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        elif isinstance(value, list | tuple):
            yield before + name, json.dumps(value, ensure_ascii=False)
        else:
            yield before + name, value


def show_json(value: object) -> None:
    """Prints `value` as JSON."""
    # Another encoding may lack a letter, which JSON can escape.
    text = json.dumps(value, indent=2, ensure_ascii=sys.stdout.encoding.lower() != "utf-8")
    # JSON's own escapes for what may act on a terminal: the value stays the same.
    print(_ACTING.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def show_one(
    found: Mapping[str, Any], output: Output, write: Callable[[Mapping[str, Any]], None]
) -> None:
    """Prints one thing as JSON, or as `write` does for people."""
    if output is Output.JSON:
        show_json(found)
    else:
        write(found)


def show(renderable: object) -> None:
    """Prints a table or a text; into a file, lines are as long as they need to be."""
    from rich.console import Console  # rich takes 50 ms, which --help need not wait for
    from rich.measure import Measurement

    console = Console(highlight=False, soft_wrap=False)
    roomy = console.options.update(width=_WIDEST)
    # A terminal that is too narrow breaks the lines itself. rich would cut columns instead, and
    # half an id or half an amount is of no use.
    least = Measurement.get(console, roomy, renderable).minimum  # type: ignore[arg-type]
    console.width = max(console.width, least) if console.is_terminal else _WIDEST
    console.print(renderable)


def fitting(
    items: Sequence[Mapping[str, Any]], columns: Sequence[Column], width: int
) -> tuple[Column, ...]:
    """The columns that a terminal of this width has room for: extra ones go first, from the right.

    >>> columns = (Column("A", "a"), Column("B", "b", is_extra=True), Column("C", "c"))
    >>> [each.title for each in fitting([{"a": "aaaa", "b": "bbbb", "c": "cccc"}], columns, 12)]
    ['A', 'C']
    """
    kept = list(columns)
    widths = {column.title: _width(items, column) for column in columns}
    for column in reversed(columns):
        if sum(widths[each.title] + _GAP for each in kept) - _GAP <= width:
            break
        # The others are what the list is for: rather lines that the terminal breaks than without
        # them.
        if column.is_extra:
            kept.remove(column)
    return tuple(kept)


def _show_in_terminal(
    items: Sequence[Mapping[str, Any]], columns: Sequence[Column], *, now_s: float
) -> None:
    """Prints a table for a person: instants relative to now, and no wider than the terminal."""

    def ago(at_s: float) -> str:
        return figures.ago(at_s, now_s)

    relative = [
        replace(each, show=ago) if each.show is figures.instant else each for each in columns
    ]
    kept = fitting(items, relative, get_terminal_size().columns)
    show(table_of(items, kept))
    left_out = [each.title for each in columns if each.title not in {own.title for own in kept}]
    if items and left_out:
        print(f"left out for lack of room: {', '.join(left_out)} (-o csv has everything)")


def _width(items: Sequence[Mapping[str, Any]], column: Column) -> int:
    from rich.cells import cell_len

    widest = max((cell_len(_cell(item, column).plain) for item in items), default=0)
    if column.can_wrap:
        widest = min(widest, _LEAST_PROSE)
    return max(widest, cell_len(column.title))


def table_of(items: Sequence[Mapping[str, Any]], columns: Sequence[Column]) -> Table:
    """The table of `items`; an unknown value is a dash."""
    from rich.cells import cell_len
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    rows = [[_cell(item, column) for column in columns] for item in items]
    # A column that must not wrap is as wide as its longest text.
    for at_column, column in enumerate(columns):
        texts = [column.title, *(row[at_column].plain for row in rows)]
        table.add_column(
            column.title,
            justify="right" if column.is_number else "left",
            no_wrap=not column.can_wrap,
            # rich would put dots in place of the end, and half an id is of no use.
            overflow="fold",
            min_width=None if column.can_wrap else max(map(cell_len, texts)),
        )
    for row in rows:
        table.add_row(*row)
    return table


def at(item: Any, path: str) -> Any:
    """The value at `path` in `item`; None if some part of the path is missing.

    >>> at({"offering": {"zone": "local"}}, "offering.zone")
    'local'
    """
    for step in path.split("."):
        if not isinstance(item, Mapping):
            return None
        item = item.get(step)
    return item


def interval(estimate: Mapping[str, Any], write: Callable[[float], str] = number) -> str:
    """Writes an estimate with its 95 % interval, if it has one.

    >>> interval({"value": 3000.0, "low": 2900.0, "high": 3100.0})
    '3,000 (2,900 to 3,100)'
    """
    low = estimate.get("low")
    high = estimate.get("high")
    value = write(estimate["value"])
    if low is None or high is None:
        return value
    return f"{value} ({span(low, high, write)})"


def offering(each: Mapping[str, Any]) -> str:
    """Writes an offering; its zone only where it is not this machine."""
    if each.get("zone") in (None, "local"):
        zone = ""
    else:
        zone = f" {each['zone']}"
    return f"{each['node_type']} {each['capacity']}{zone}"


def blocks(unavailable: Sequence[Mapping[str, Any]]) -> str:
    """Writes why an offering is not bought now, for how many nodes, and until when.

    >>> blocks([{"why": "launch_failed", "until_s": 1_700_000_000.0, "nodes": 1}])
    'launch failed until 2023-11-14T22:13:20Z'
    >>> blocks([{"why": "capacity", "until_s": 1_700_000_000.0, "nodes": 4}])
    'capacity for 4 or more until 2023-11-14T22:13:20Z'
    """
    return "; ".join(map(_block, unavailable)) or UNKNOWN


def notice(each: Mapping[str, Any]) -> str:
    """Writes the cloud's notice of a node's end.

    >>> notice({"kind": "interruption", "at_s": 1_700_000_000.0})
    'leaves at 2023-11-14T22:13:20Z (spot interruption)'
    >>> notice({"kind": "interruption", "at_s": 1_700_000_000.0, "action": "time limit"})
    'leaves at 2023-11-14T22:13:20Z (time limit)'
    >>> notice({"kind": "rebalance", "at_s": None})
    'rebalance recommended'
    """
    if each["at_s"] is None:
        return "rebalance recommended"
    at_s = each["at_s"]
    told = Notice(NoticeKind.INTERRUPTION, at_s, at_s, each.get("action", ""))
    return f"leaves at {instant(at_s)} ({told.cause})"


def group(value: Mapping[str, Any]) -> str:
    """Writes the nodes that train together.

    >>> group({"members": [[{"node_type": "c5.large", "capacity": "spot", "zone": "local"}, 2]]})
    '2 x c5.large spot'
    """
    return " + ".join(f"{count} x {offering(each)}" for each, count in value["members"])


def workers(of_types: Sequence[Mapping[str, int]]) -> str:
    """Writes what each node of a group runs.

    >>> workers([{"processes": 1, "threads": 4}]), workers([{"processes": 2, "threads": 1}])
    ('1 x 4 threads', '2 x 1 thread')
    """
    return " + ".join(dict.fromkeys(str(Workers(**each)) for each in of_types))


def _block(unavailable: Mapping[str, Any]) -> str:
    least = ""
    if unavailable["nodes"] > 1:
        least = f" for {unavailable['nodes']} or more"
    return f"{unavailable['why'].replace('_', ' ')}{least} until {instant(unavailable['until_s'])}"


def paragraph(text: str) -> str:
    """Breaks and indents a long line.

    >>> paragraph("a = 1, b = 2")
    '  a = 1, b = 2'
    """
    return textwrap.fill(text, width=_WIDTH, initial_indent="  ", subsequent_indent="  ")


def _cell(item: Mapping[str, Any], column: Column) -> Text:
    from rich.text import Text

    value = at(item, column.path)
    if value is None or value == "":
        return Text(UNKNOWN)
    # A script's own words may have been recorded with escape sequences.
    return Text(plain_lines(column.show(value)))
