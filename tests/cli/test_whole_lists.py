"""A program gets the whole of a list; a person gets its newest part."""

from __future__ import annotations

import csv
import io

from tests.cli.commands import Run
from tests.cli.conftest import Live

MANY = 600


def test_a_table_has_the_newest_and_csv_has_all(live: Live, run: Run) -> None:
    store = live.world.store
    for number in range(MANY):
        store.events.add("note", f"note {number}", now_s=live.world.clock.now_s())

    table = run("event", "ls").out
    assert f"note {MANY - 1}" in table
    assert f"note {MANY - 101}" not in table

    texts = [
        each["text"] for each in csv.DictReader(io.StringIO(run("event", "ls", "-o", "csv").out))
    ]
    assert texts[-MANY:] == [f"note {number}" for number in range(MANY)]
    assert len(texts) > MANY, "what happened before"

    some = list(csv.DictReader(io.StringIO(run("event", "ls", "-o", "csv", "-n", "550").out)))
    assert [each["text"] for each in some] == texts[-550:]

    first = run("event", "ls", "-o", "csv", "-n", "3", "--after", "0").out
    assert [each["text"] for each in csv.DictReader(io.StringIO(first))] == texts[:3]


def test_windows_are_all_in_csv_unless_fewer_are_wanted(run: Run) -> None:
    whole = list(csv.DictReader(io.StringIO(run("measurement", "ls", "-o", "csv").out)))
    assert whole
    some = list(csv.DictReader(io.StringIO(run("measurement", "ls", "-o", "csv", "-n", "1").out)))
    assert some == whole[:1]
