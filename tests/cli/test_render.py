"""Tables show what is known, and a dash for what is not."""

from __future__ import annotations

import json

import pytest

from elastic import figures
from elastic.cli import render
from elastic.cli.job_pages import candidate_table
from elastic.cli.render import Column, ListOutput, Output
from elastic.clock import SystemClock

COLUMNS = (Column("NAME", "name"), Column("USD", "cost.usd", figures.usd, is_number=True))


def test_unknown_is_a_dash_and_never_zero(capsys: pytest.CaptureFixture[str]) -> None:
    render.show_list([{"name": "a", "cost": {"usd": None}}, {"name": "b"}], COLUMNS, Output.TABLE)
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["NAME", "USD"],
        ["a", "-"],
        ["b", "-"],
    ]


def test_json_is_what_the_daemon_said(capsys: pytest.CaptureFixture[str]) -> None:
    items = [{"name": "a", "not shown": [1, None]}]
    render.show_list(items, COLUMNS, Output.JSON)
    assert json.loads(capsys.readouterr().out) == items


def test_square_brackets_are_text_and_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    render.show_list([{"name": "[red]a[/red]"}], COLUMNS, Output.TABLE)
    assert "[red]a[/red]" in capsys.readouterr().out


def test_a_cell_holds_no_escape_sequence(capsys: pytest.CaptureFixture[str]) -> None:
    said = [{"attention": "RuntimeError: boom \x1b[31mred\x07"}]
    render.show_list(said, (Column("ATTENTION", "attention"),), ListOutput.TABLE)
    assert "RuntimeError: boom red\\x07" in capsys.readouterr().out


def test_a_group_names_its_zone_unless_it_is_here() -> None:
    members = [[{"node_type": "c5.large", "capacity": "spot", "zone": "us-east-1a"}, 2]]
    assert render.group({"members": members}) == "2 x c5.large spot us-east-1a"


def test_a_terminal_too_narrow_for_a_table_gets_every_id_and_sum_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    columns = (*COLUMNS, Column("WHY", "why", can_wrap=True))
    item = {"name": "job-0123456789abcdef", "cost": {"usd": 1234.5}, "why": "one two three four"}
    render.show_list([item], columns, Output.TABLE)
    said = capsys.readouterr().out
    assert "job-0123456789abcdef" in said
    assert "$1,234" in said


def test_the_table_of_candidates_says_what_is_unavailable_only_if_something_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    group = {"members": [[{"node_type": "small", "capacity": "spot", "zone": "a"}, 1]]}
    for unavailable in (None, "no capacity for small"):
        render.show(candidate_table([{"group": group, "unavailable": unavailable}], chosen=None))
        text = capsys.readouterr().out
        assert (
            ("UNAVAILABLE" in text)
            == ("no capacity for small" in text)
            == (unavailable is not None)
        )


def test_a_block_is_written_with_why_and_until_when() -> None:
    none = {"why": "failed_to_join", "until_s": 0.0, "nodes": 1}
    assert render.blocks([none]) == "failed to join until 1970-01-01T00:00:00Z"
    assert render.blocks([none, {"why": "capacity", "until_s": 60.0, "nodes": 4}]) == (
        "failed to join until 1970-01-01T00:00:00Z; capacity for 4 or more until "
        "1970-01-01T00:01:00Z"
    )
    assert render.blocks([]) == "-"


def test_a_terminal_shows_instants_relative_to_now_and_leaves_extra_columns_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    columns = (
        Column("NAME", "name"),
        Column("SINCE", "since_s", figures.instant),
        Column("NOTE", "note", is_extra=True),
    )
    now_s = SystemClock().now_s()
    items = [{"name": "first", "since_s": now_s - 300, "note": "n" * 60}]
    monkeypatch.setenv("COLUMNS", "60")
    render.show_list(items, columns, ListOutput.TABLE)
    narrow = capsys.readouterr().out
    assert "5 min ago" in narrow and "nnn" not in narrow
    assert "left out for lack of room: NOTE (-o csv has everything)" in narrow
    monkeypatch.setenv("COLUMNS", "120")
    render.show_list(items, columns, ListOutput.TABLE)
    wide = capsys.readouterr().out
    assert "n" * 60 in wide and "left out" not in wide


def test_a_file_gets_whole_instants_and_all_columns(capsys: pytest.CaptureFixture[str]) -> None:
    columns = (Column("SINCE", "since_s", figures.instant), Column("X", "x", is_extra=True))
    render.show_list([{"since_s": 0.0, "x": "y" * 200}], columns, ListOutput.TABLE)
    said = capsys.readouterr().out
    assert "1970-01-01T00:00:00Z" in said and "X" in said


def test_csv_acts_on_no_terminal_while_a_file_gets_it_exactly(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Writes to the clipboard (OSC 52), and erases the line.
    said = "\x1b]52;c;cm0gLXJmIC8=\x07word\x9b2K"
    render.show_list([{"text": said}], COLUMNS, ListOutput.CSV)
    assert said in capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    render.show_list([{"text": said}], COLUMNS, ListOutput.CSV)
    assert capsys.readouterr().out == "text\nword\\x9b2K\n"


def test_json_acts_on_no_terminal_and_keeps_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    found = {"text": "\x1b[2Kword\x9b2K\u202e", "name": "Zürich"}
    render.show_json(found)
    shown = capsys.readouterr().out
    assert not {"\x1b", "\x9b", "\u202e"} & set(shown)
    assert "Zürich" in shown
    assert json.loads(shown) == found
