"""How densely the code is written, room by room.

    python -m benchmarks.density             every room
    python -m benchmarks.density elastic/cli api

Counted are ternaries and tuple assignments in a thousand lines, lines with a comment in a hundred,
and lines over 100 columns. Directives to tools are no comments. Code bases that we admire have 2 to
13 ternaries, under 2 tuple assignments, and comments on 2 to 9 % of their lines.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
COLUMNS = 100
_DIRECTIVES = ("# noqa", "# type:", "# pragma", "# fmt:", "# ruff:", "# mypy:", "#!")


@dataclass(frozen=True, slots=True)
class Density:
    """What was counted in some files."""

    lines: int
    ternaries: int
    tuple_assignments: int
    comments: int
    long_lines: int


def density(sources: Iterable[str]) -> Density:
    """Counts in the texts of Python files.

    >>> density(["# A pair.\\na, b = 1, 2\\nc = a if b else 3  # Or three.\\n"])
    Density(lines=3, ternaries=1, tuple_assignments=1, comments=2, long_lines=0)
    """
    lines = ternaries = tuple_assignments = comments = long_lines = 0
    for source in sources:
        nodes = list(ast.walk(ast.parse(source)))
        lines += len(source.splitlines())
        ternaries += sum(isinstance(node, ast.IfExp) for node in nodes)
        tuple_assignments += sum(_assigns_a_tuple(node) for node in nodes)
        comments += sum(
            token.type == tokenize.COMMENT and not token.string.startswith(_DIRECTIVES)
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
        )
        long_lines += sum(len(line) > COLUMNS for line in source.splitlines())
    return Density(lines, ternaries, tuple_assignments, comments, long_lines)


def _assigns_a_tuple(node: ast.AST) -> bool:
    """Whether a statement is of the form `a, b = x, y`."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Tuple)
        and any(isinstance(target, ast.Tuple) for target in node.targets)
    )


def rooms() -> tuple[str, ...]:
    """`api`, every package of `elastic`, and its single modules as `elastic/*.py`."""
    packages = sorted(path.parent.name for path in (ROOT / "elastic").glob("*/__init__.py"))
    return ("api", "elastic_lab", "elastic/*.py", *(f"elastic/{name}" for name in packages))


def read(room: str) -> list[str]:
    pattern = room if room.endswith(".py") else f"{room}/**/*.py"
    return [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob(pattern))]


def show(name: str, seen: Density) -> None:
    thousands = seen.lines / 1000
    print(
        f"{name:22}{seen.lines:8}{seen.ternaries / thousands:12.1f}"
        f"{seen.tuple_assignments / thousands:8.1f}{100 * seen.comments / seen.lines:12.1f}"
        f"{seen.long_lines:8}"
    )


def main() -> int:
    wanted = sys.argv[1:] or rooms()
    print(
        f"{'room':22}{'lines':>8}{'ternaries':>12}{'tuples':>8}{'comments %':>12}{'> 100':>8}\n"
        f"{'':30}{'a kloc':>12}{'a kloc':>8}"
    )
    sources = {room: read(room) for room in wanted}
    for room, texts in sources.items():
        show(room, density(texts))
    show("all", density(text for texts in sources.values() for text in texts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
