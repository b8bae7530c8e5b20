"""How much of what tests import comes through the packages' faces.

    python -m benchmarks.faces               tests, benchmarks and examples
    python -m benchmarks.faces --list tests  and each name that comes past a face

A package's face is what its `__init__.py` lists in `__all__`. Where that lists nothing, as in `api`,
the package's modules are its face. A module that is imported whole from behind a face comes past it.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRODUCT = ("elastic", "elastic_lab", "api")
FOLDERS = ("tests", "benchmarks", "examples")


@dataclass(frozen=True, slots=True)
class ImportedName:
    """A name that a file imports from the product, and whether it comes through a face."""

    path: str
    line: int
    module: str
    name: str
    is_through_face: bool


def imported_names(folder: str) -> Iterator[ImportedName]:
    """Every name of the product that the Python files of a folder import, wherever they do so."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and _is_product(node.module):
                for each in node.names:
                    yield ImportedName(
                        str(path.relative_to(ROOT)),
                        node.lineno,
                        str(node.module),
                        each.name,
                        is_through_face(str(node.module), each.name),
                    )


def is_through_face(module: str, name: str) -> bool:
    """Whether `from module import name` takes what a face offers.

    >>> is_through_face("elastic.store", "Store")
    True
    >>> is_through_face("elastic.store.store", "Store")
    False
    >>> is_through_face("elastic.figures", "usd"), is_through_face("elastic.store", "rollup")
    (True, False)
    """
    if _is_package(module):
        return not _face(module) or name in _face(module)
    return not _face(module.rpartition(".")[0])


def _is_product(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] in PRODUCT


def _is_package(module: str) -> bool:
    return (ROOT / module.replace(".", "/") / "__init__.py").is_file()


@cache
def _face(package: str) -> frozenset[str]:
    """The names that a package lists in `__all__`; none if it lists nothing."""
    source = (ROOT / package.replace(".", "/") / "__init__.py").read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return frozenset(ast.literal_eval(node.value))
    return frozenset()


def share(found: Sequence[ImportedName]) -> float:
    """The part of some names that comes through faces."""
    return sum(each.is_through_face for each in found) / len(found)


def main() -> int:
    parser = argparse.ArgumentParser(description="What comes through the packages' faces.")
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parser.add_argument("--list", action="store_true", help="each name that comes past a face")
    wanted = parser.parse_args()
    for folder in wanted.folders:
        found = list(imported_names(folder))
        print(f"{folder:12}{100 * share(found):6.1f} %")
        if wanted.list:
            for each in found:
                if not each.is_through_face:
                    print(f"  {each.path}:{each.line}: {each.module} {each.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
