"""How many durations the product's code decides by itself, and which of them name no source.

    python -m benchmarks.durations            counts by room
    python -m benchmarks.durations --list     names each, with its place and its value
    python -m benchmarks.durations --bare     names those without a comment; fails if there are any

A duration is a number in the code of `elastic/` or `api/` that says how long something takes or may
take: the value of a name that ends in a unit of time (`_S`, `_ms`, `_days`), an argument or a
default of such a name, a timeout, a sleep, or a bound of `elastic.liveness`. Zero counts for
nothing, and neither do rates (`_per_s`), instants (`_at_s`) and units themselves (`HOUR_S = 3600`).

Its source stands in a comment: on its line, or above the block of lines in which it stands. Two
forms are as good: a string below a constant, and the `description` of a setting.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
_DURATION = re.compile(r"(^|_)(s|ms|us|ns|minutes|h|hours|days|timeout)$", re.IGNORECASE)
_NO_DURATION = re.compile(r"(^|_)(per_\w+|at_s|from_s|to_s|until_s|since_s|now_s)$", re.IGNORECASE)
_UNIT = re.compile(
    r"^_?(A_)?(UNIT|SECOND|MINUTE|HOUR|DAY|WEEK|YEAR|MONTH)S?(_S|_MS)?$|^_?S_PER_\w+$"
)
_YEAR_2001_S = 1e9
_WAITS = frozenset({"sleep", "wait", "join", "settimeout", "usleep"})
_BOUND = "TimeBound"


@dataclass(frozen=True, slots=True)
class Duration:
    """One duration: where it stands, what it is called, and how it is written."""

    path: str
    line: int
    name: str
    value: str
    has_source: bool

    @property
    def room(self) -> str:
        """The package that decides it."""
        parts = self.path.split("/")
        return "/".join(parts[:2]) if parts[0] == "elastic" and len(parts) > 2 else parts[0]


def durations(source: str, path: str = "") -> list[Duration]:
    """Finds the durations in one file's text.

    >>> text = "# By the manual.\\nWAIT_S = 2.0\\n\\n"
    >>> text += "def f(x_s=3.0):\\n    sleep(0.5)\\n    f(x_s=0)\\n"
    >>> [(each.name, each.value, each.has_source) for each in durations(text)]
    [('WAIT_S', '2.0', True), ('x_s', '3.0', False), ('sleep', '0.5', False)]
    """
    lines = source.splitlines()
    tree = ast.parse(source)
    strings = _strings_below(tree)
    found = []
    for node in ast.walk(tree):
        for name, value in _named(node):
            if _is_decided_here(value):
                has_source = (
                    _has_comment(lines, value)
                    or getattr(node, "end_lineno", 0) in strings
                    or _has_description(value)
                )
                text = ast.unparse(value)
                found.append(Duration(path, value.lineno, name, text, has_source))
    return sorted(found, key=lambda each: (each.line, each.name))


def _named(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Gives what a node gives a duration's name to, or waits for."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            pairs = [(_name(name), value) for name, value in zip(names, values, strict=False)]
        case ast.Assign(targets=targets, value=value):
            pairs = [(_name(target), value) for target in targets[:1]]
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            pairs = [(_name(target), value)]
        case ast.arguments():
            positional = [*node.posonlyargs, *node.args]
            defaults = node.defaults
            pairs = [
                (argument.arg, default)
                for argument, default in zip(
                    positional[len(positional) - len(defaults) :], defaults, strict=True
                )
            ]
            pairs += [
                (argument.arg, default)
                for argument, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
                if default is not None
            ]
        case ast.Call(func=func):
            called = _name(func)
            if called == _BOUND:
                yield from ((called, value) for value in node.args[:1])
                yield from (
                    (called, each.value)
                    for each in node.keywords
                    if each.arg in ("least_s", "most_s")
                )
                return
            if called in _WAITS and node.args:
                yield called, node.args[0]
            pairs = [(each.arg or "", each.value) for each in node.keywords]
        case _:
            return
    for name, value in pairs:
        is_duration = _DURATION.search(name) and not _NO_DURATION.search(name)
        if is_duration and not _UNIT.match(name):
            yield name, value


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _is_decided_here(value: ast.expr) -> bool:
    """Whether a value is a number, or is made of numbers and names alone, by arithmetic."""
    match value:
        case ast.Constant(value=(int() | float()) as number):
            # Whatever is larger is an instant.
            return not isinstance(number, bool) and 0 < number < _YEAR_2001_S
        case ast.UnaryOp(operand=operand):
            return _is_decided_here(operand)
        case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right):
            return _is_decided_here(left) or _is_decided_here(right)
        case ast.BinOp(left=left, right=right):
            return _is_decided_here(left) and _is_decided_here(right)
        case ast.Tuple(elts=elements):
            return any(_is_decided_here(each) for each in elements)
        case ast.IfExp(body=body, orelse=otherwise):
            return _is_decided_here(body) or _is_decided_here(otherwise)
        case ast.Call(func=func, args=[first, *_]) if _name(func) in ("Field", "max", "min"):
            return _is_decided_here(first)
        case _:
            return False


def _has_description(value: ast.expr) -> bool:
    """Whether a value is a setting that says what it is."""
    return isinstance(value, ast.Call) and any(each.arg == "description" for each in value.keywords)


def _has_comment(lines: list[str], value: ast.expr) -> bool:
    """Whether a comment stands at a value's lines, or above the block that they belong to."""
    own = lines[value.lineno - 1 : value.end_lineno]
    if any("#" in line for line in own):
        return True
    for line in reversed(lines[: value.lineno - 1]):
        text = line.strip()
        if text.startswith("#"):
            return True
        if not text or text.endswith(('"""', ":")):
            return False
    return False


def _strings_below(tree: ast.AST) -> frozenset[int]:
    """Last lines of the statements that a string stands below: it documents them."""
    found = []
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            for before, after in pairwise(body):
                match after:
                    case ast.Expr(value=ast.Constant(value=str())):
                        found.append(before.end_lineno)
    return frozenset(found)


def product() -> Iterator[Duration]:
    """Every duration of the product."""
    for room in ("elastic", "api"):
        for path in sorted((ROOT / room).rglob("*.py")):
            yield from durations(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))


def show(found: Iterable[Duration]) -> None:
    for each in found:
        print(f"{each.path}:{each.line}: {each.name} = {each.value}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="name each")
    parser.add_argument("--bare", action="store_true", help="name those without a source")
    arguments = parser.parse_args()
    found = list(product())
    bare = [each for each in found if not each.has_source]
    if arguments.bare:
        show(bare)
        return 1 if bare else 0
    if arguments.list:
        show(found)
    by_room = Counter(each.room for each in found)
    without = Counter(each.room for each in bare)
    print(f"{'room':24}{'durations':>10}{'bare':>6}")
    for room, count in sorted(by_room.items()):
        print(f"{room:24}{count:10}{without[room]:6}")
    print(f"{'all':24}{len(found):10}{len(bare):6}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
