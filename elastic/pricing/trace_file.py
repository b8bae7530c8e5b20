"""Reads price traces: CSV or JSON rows, or EC2's spot price events, each also as `.gz`."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from elastic.errors import InvalidInput, cannot_read
from elastic.model import Capacity, Offering
from elastic.pricing.plausible import why_impossible

_REQUIRED = ("node_type", "usd_per_h")
_FIELDS = frozenset({"after_s", "at_s", "node_type", "capacity", "zone", "usd_per_h"})
_EC2_EVENTS = frozenset({"az", "instance_type", "timestamp", "price_usd_h"})

_Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One price change; exactly one of its two times is set."""

    offering: Offering
    usd_per_h: float
    # From the beginning of the replay.
    after_s: float | None = None
    at_s: float | None = None


def read_trace(path: Path) -> tuple[TraceRow, ...]:
    """The rows of a trace, in the file's order.

    A CSV file has a header, a JSON file is a list of objects. Fields: `node_type`, `usd_per_h`, one
    of `after_s` and `at_s` (Unix seconds), and if wanted `capacity` ("on-demand") and `zone`
    ("local"). A CSV file with the columns az, instance_type, timestamp, price_usd_h is read as spot
    price events, whose first one happens 0 s into the replay.

    Raises InvalidInput, naming file, line and field.
    """
    text = _text_of(path)
    is_json = path.suffixes[-2:] == [".json", ".gz"] or path.suffix == ".json"
    header, rows = _json_rows(path, text) if is_json else _csv_rows(path, text)
    if header >= _EC2_EVENTS:
        return _ec2_events(rows)
    _check_header(path, header, is_json=is_json)
    return tuple(_trace_row(row) for row in rows)


@dataclass(frozen=True, slots=True)
class _Located:
    """A row, and its place for messages."""

    place: str
    fields: _Row

    def text(self, name: str, default: str | None = None) -> str:
        value = self.fields.get(name)
        if value in (None, "") and default is not None:
            return default
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(name, "a name", value)
        return value.strip()

    def number(self, name: str, wanted: str) -> float:
        value = self.fields.get(name)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self.wrong(name, wanted, value)
        try:
            number = float(value)
        except ValueError as error:
            raise self.wrong(name, wanted, value) from error
        if not math.isfinite(number):
            raise self.wrong(name, wanted, value)
        return number

    def wrong(self, name: str, wanted: str, found: object) -> InvalidInput:
        if found in (None, ""):
            shown = "nothing"
        else:
            shown = repr(found)
        return InvalidInput(
            f"{self.place}: {name}: wanted {wanted}, got {shown}; correct the trace", field=name
        )


def _text_of(path: Path) -> str:
    try:
        raw = path.read_bytes()
        return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise cannot_read(
            path,
            error,
            wanted="a price trace (CSV or JSON, UTF-8)",
            advice="docs/how-to/backtest.md shows one",
        ) from error


def _csv_rows(path: Path, text: str) -> tuple[frozenset[str], tuple[_Located, ...]]:
    reader = csv.DictReader(io.StringIO(text), strict=True)
    rows = []
    try:
        header = frozenset(name.strip() for name in reader.fieldnames or ())
        for row in reader:
            place = f"{path}, line {reader.line_num}"
            if None in row or None in row.values():
                raise InvalidInput(
                    f"{place}: wanted {len(header)} fields as in the header; correct the trace"
                )
            rows.append(_Located(place, {name.strip(): value for name, value in row.items()}))
    except csv.Error as error:
        raise InvalidInput(
            f"{path}, line {reader.reader.line_num}: wanted CSV, got {error}; correct the trace"
        ) from error
    return header, tuple(rows)


def _json_rows(path: Path, text: str) -> tuple[frozenset[str], tuple[_Located, ...]]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{path}, line {error.lineno}: wanted JSON, got {error.msg}; correct the trace"
        ) from error
    if not isinstance(document, list):
        raise InvalidInput(
            f"{path}: wanted a list of rows, got {type(document).__name__}; correct the trace"
        )
    rows = []
    for number, row in enumerate(document, start=1):
        if not isinstance(row, dict):
            raise InvalidInput(
                f"{path}, row {number}: wanted an object, got {row!r}; correct the trace"
            )
        rows.append(_Located(f"{path}, row {number}", row))
    return frozenset(name for row in rows for name in row.fields), tuple(rows)


def _check_header(path: Path, header: frozenset[str], *, is_json: bool) -> None:
    """Raises InvalidInput for a missing or unknown column, once and not for every row."""
    place = f"{path}" if is_json else f"{path}, line 1"
    for name in _REQUIRED if header or not is_json else ():
        if name not in header:
            raise InvalidInput(f"{place}: {name}: this field is missing; add it", field=name)
    for name in sorted(header - _FIELDS):
        raise InvalidInput(
            f"{place}: {name}: no such field; known are {', '.join(sorted(_FIELDS))}", field=name
        )


def _trace_row(row: _Located) -> TraceRow:
    offering = Offering(row.text("node_type"), _capacity(row), row.text("zone", default="local"))
    after_s, at_s = (
        None if row.fields.get(name) in (None, "") else row.number(name, "a number of seconds")
        for name in ("after_s", "at_s")
    )
    if (after_s is None) is (at_s is None):
        found = "neither" if after_s is None else "both"
        raise InvalidInput(
            f"{row.place}: after_s: wanted either after_s or at_s, got {found}", field="after_s"
        )
    if after_s is not None and after_s < 0:
        raise row.wrong("after_s", "0 or more seconds", after_s)
    return TraceRow(offering, _price(row, "usd_per_h"), after_s, at_s)


def _capacity(row: _Located) -> Capacity:
    name = row.text("capacity", default=Capacity.ON_DEMAND)
    try:
        return Capacity(name)
    except ValueError as error:
        raise row.wrong("capacity", " or ".join(Capacity), name) from error


def _price(row: _Located, name: str) -> float:
    wanted = "a positive number of USD per hour"
    usd_per_h = row.number(name, wanted)
    if why_impossible(usd_per_h) is not None:
        raise row.wrong(name, wanted, usd_per_h)
    return usd_per_h


def _ec2_events(rows: Sequence[_Located]) -> tuple[TraceRow, ...]:
    instants_s = [_timestamp_s(row) for row in rows]
    first_s = min(instants_s, default=0.0)
    return tuple(
        TraceRow(
            Offering(row.text("instance_type"), Capacity.SPOT, row.text("az")),
            _price(row, "price_usd_h"),
            after_s=instant_s - first_s,
        )
        for row, instant_s in zip(rows, instants_s, strict=True)
    )


def _timestamp_s(row: _Located) -> float:
    text = row.text("timestamp")
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise row.wrong("timestamp", "an ISO 8601 instant", text) from error
    if instant.tzinfo is None:
        raise row.wrong("timestamp", "an ISO 8601 instant with its zone (Z for UTC)", text)
    return instant.timestamp()
