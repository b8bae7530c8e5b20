"""A public class name has one meaning in the whole product."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]


def defined_twice(files: Iterable[Path]) -> dict[str, list[str]]:
    """Gives each public class name that several modules define, and where they stand."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in files:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{path}:{node.lineno}")
    return {name: where for name, where in places.items() if len(where) > 1}


def test_no_public_class_name_is_defined_twice() -> None:
    files = [
        path for room in ("elastic", "elastic_lab", "api") for path in (ROOT / room).rglob("*.py")
    ]
    assert len(files) > 400
    assert defined_twice(files) == {}


def test_a_name_that_is_defined_twice_is_found_with_both_places(tmp_path: Path) -> None:
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text("class Verdict: ...\nclass _Own: ...\n")
    second.write_text("class _Own: ...\n\nclass Verdict: ...\n")
    assert defined_twice([first, second]) == {"Verdict": [f"{first}:1", f"{second}:3"]}
