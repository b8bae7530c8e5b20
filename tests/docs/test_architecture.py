"""The architecture page: what it names exists, every room is on it, and its two ways are short
enough to follow."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, page

PAGE = "docs/architecture.md"
WAYS = (
    "One measurement, from a worker's step to a page",
    "One purchase, from a price change to a terminated node",
)
MOST_FILES = 12
_FILE = re.compile(r"`((?:elastic|api)/[\w/]+\.py)`")
_ROOM = re.compile(r"^\| `((?:elastic/)?\w+)` \|", re.MULTILINE)


def way(title: str) -> list[str]:
    """The files of a numbered list, in their order."""
    _, found, rest = page(PAGE).partition(f"\n## {title}\n")
    assert found, f"no section {title!r}"
    steps = re.findall(r"^\d+\. .*(?:\n {3,}.*)*", rest.partition("\n## ")[0], re.MULTILINE)
    return [file for step in steps for file in _FILE.findall(step)]


def test_every_file_that_the_page_names_exists() -> None:
    named = _FILE.findall(page(PAGE))
    assert named
    assert [each for each in named if not (ROOT / each).is_file()] == []


def test_every_room_has_its_row_and_no_other() -> None:
    real = {f"elastic/{each.parent.name}" for each in ROOT.glob("elastic/*/__init__.py")} | {"api"}
    assert sorted(_ROOM.findall(page(PAGE))) == sorted(real)


def test_the_picture_shows_every_room_that_a_measurement_or_a_purchase_visits() -> None:
    picture = page(PAGE).partition("```text\n")[2].partition("```")[0]
    folders = [file.split("/") for title in WAYS for file in way(title)]
    visited = {"api" if top == "api" else room for top, room, *_ in folders}
    assert visited <= set(re.findall(r"[a-z]+", picture))


@pytest.mark.parametrize("title", WAYS)
def test_a_way_has_few_files_and_names_each_once(title: str) -> None:
    files = way(title)
    assert len(files) == len(set(files)) <= MOST_FILES
    assert len(files) >= MOST_FILES // 2, "what is left out does not make a way short"


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "docs/README.md"])
def test_the_page_is_linked(document: str) -> None:
    assert "architecture.md)" in page(document)
