"""A page of docs/decisions fits on a screen, has its four parts, and is listed by its title."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, page

MOST_LINES = 45
MOST_COLUMNS = 100
PARTS = ("**Context.**", "**Choice.**", "**Alternatives.**", "**We would know we were wrong if**")

DECISIONS = tuple(path.name for path in sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md")))


@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_fits_on_a_screen(name: str) -> None:
    lines = page(f"docs/decisions/{name}").splitlines()
    assert len(lines) <= MOST_LINES
    # A table cannot be wrapped.
    wide = [line for line in lines if len(line) > MOST_COLUMNS and not line.startswith("|")]
    assert wide == []


@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_has_its_four_parts_in_order(name: str) -> None:
    text = page(f"docs/decisions/{name}")
    starts = [part for part in re.findall(r"^\*\*[^*]+\*\*", text, re.MULTILINE) if part in PARTS]
    assert tuple(starts) == PARTS


@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_is_listed_by_its_number_and_title(name: str) -> None:
    number = name[:4]
    heading, *_ = page(f"docs/decisions/{name}").splitlines()
    title = heading.removeprefix(f"# {number}: ")
    assert title != heading
    assert f"| [{number}]({name}) | {title}" in page("docs/decisions/README.md")
