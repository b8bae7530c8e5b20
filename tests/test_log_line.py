"""A line of a log may be anything; what is kept of it is plain, bounded text."""

from __future__ import annotations

import doctest

import pytest

from elastic import log_line
from elastic.log_line import MAX_CHARACTERS, LogLine, as_text, last_state, plain


def test_the_docstrings_examples_are_right() -> None:
    found = doctest.testmod(log_line)
    assert (found.failed, found.attempted) == (0, 6)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("loss 0.5", "loss 0.5"),
        ("tab\there, ümlaut, 字, 🙂", "tab\there, ümlaut, 字, 🙂"),
        ("\x1b[1;31mred\x1b[0m and \x1b]0;title\x07plain \x1b(B", "red and plain "),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[A\x1b[2K 10%", " 10%"),
        ("nul \x00 bell \x07 escape \x1b", "nul \\x00 bell \\x07 escape \\x1b"),
        ("turned \u202egnp.exe", "turned \\u202egnp.exe"),
        ("half \ud83d of a pair", "half \\ud83d of a pair"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    ],
)
def test_a_line_loses_what_acts_on_a_terminal_and_keeps_its_words(raw: str, shown: str) -> None:
    assert plain(raw) == shown


def test_a_long_line_says_how_much_of_it_is_missing() -> None:
    assert plain("x" * MAX_CHARACTERS) == "x" * MAX_CHARACTERS
    assert plain("x" * (MAX_CHARACTERS + 7), cut=10).endswith("x ... (17 characters more)")


def test_what_is_plain_stays_as_it_is() -> None:
    once = plain("\x1b[31m" + "y\x00" * 4000)
    assert plain(once)[:MAX_CHARACTERS] == once[:MAX_CHARACTERS]


def test_of_a_line_that_is_drawn_again_the_last_state_counts() -> None:
    assert last_state(b"10%\r20%\r30%") == b"30%"
    assert last_state(last_state(b"10%\r") + b"20%\r") == b"20%\r"
    assert last_state(b"\r") == b"\r"


def test_lines_are_headed_by_their_generation_and_say_who_wrote_them() -> None:
    first = LogLine(1, 0.0, 2, "n1", 0, 3, "a")
    own = LogLine(2, 0.0, 2, "n1", None, None, "b")
    waiting = LogLine(3, 0.0, 3, "n2", 0, None, "c")
    lines = [
        as_text(line, before=before, is_labelled=True)
        for line, before in ((own, first), (waiting, own))
    ]
    assert lines == ["[torchrun on n1] b\n", "==> generation 3 <==\n[n2] c\n"]
    assert as_text(first, before=None, is_labelled=False) == "==> generation 2, rank 3 <==\na\n"
