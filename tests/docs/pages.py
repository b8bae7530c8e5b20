"""The documents as the tests read them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of code: where it stands, in what language."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> tuple[Path, ...]:
    """Every document of the project."""
    return (*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")))


def page(path: str) -> str:
    """The text of one document."""
    return (ROOT / path).read_text(encoding="utf-8")


def blocks(language: str) -> tuple[Block, ...]:
    """Every block of that language in every document."""
    found = []
    for each in pages():
        text = each.read_text(encoding="utf-8")
        for match in _FENCE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(each, line, match["language"], match["text"]))
    return tuple(block for block in found if block.language == language)


def rows(path: str) -> dict[str, tuple[str, ...]]:
    """The cells of each table row of a document, by each of the names in code in its first cell."""
    found: dict[str, tuple[str, ...]] = {}
    for line in page(path).splitlines():
        if line.startswith("| "):
            cells = tuple(cell.strip() for cell in line.strip("| ").split(" | "))
            for name in re.findall(r"`([^`]+)`", cells[0]):
                found[name] = cells
    return found
