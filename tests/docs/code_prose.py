"""The prose of Python code: its docstrings, its comments and the messages that people read."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from tests.docs.prose import sentences

# Text of at least so many words is taken for a message wherever it stands; shorter text may be a
# name or a key, and counts only in a call that shows it to people.
WORDS_OF_A_MESSAGE = 6

_HOLE = "X"  # what stands for the value of a hole in an f-string: one word
_SHOWN_BY = {
    "print", "echo", "debug", "info", "warning", "error", "exception", "Reason", "Finding", "Typer",
    "Option", "Argument", "add_argument", "confirm", "fail",
}  # fmt: skip
_DIRECTIVE = re.compile(r"#\s*(?:noqa|type:|pragma|fmt:|ruff:|mypy:|!|-\*-)|#:?\s*$")
_EXAMPLE = re.compile(r"^[ \t]*>>> .*?(?=^[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_LITERAL_BLOCK = re.compile(r"::[ \t]*\n(?:[ \t]*\n|[ \t]+\S.*(?:\n|\Z))+")
_SECTION = re.compile(r"^[ \t]*[A-Z]\w+:[ \t]*$", re.MULTILINE)
_ENTRY = re.compile(r"^[ \t]+(`?\*{0,2}[\w.]+`?(?: \([^)]*\))?: )", re.MULTILINE)
_CODE_LIKE = re.compile(
    r"^\s*(?:[<{#$/]|SELECT |INSERT |UPDATE |DELETE |CREATE |WITH |import |from \w+ import |set -"
    r"|export |arn:|exec )"
    r"|\$[\w({]|&&|[;|] *\\|=\"|</"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a file, with the line on which its paragraph or message starts."""

    line: int
    text: str


def code_sentences(source: str) -> tuple[Sentence, ...]:
    """The sentences of a Python file, in the order of its lines.

    >>> [each.text for each in code_sentences("# One. Two.\\nraise ValueError(f'got {n} of 3')")]
    ['One.', 'Two.', 'got X of 3']
    """
    tree = ast.parse(source)
    found = [*_docstrings(tree), *_comments(source), *_messages(tree)]
    return tuple(
        Sentence(line, sentence)
        for line, text in sorted(found, key=lambda each: each[0])
        for sentence in sentences(text)
    )


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Each text that stands as a statement: of a module, a class, a function or a field."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str() as text)):
                yield node.lineno, _without_code(inspect.cleandoc(text))


def _without_code(docstring: str) -> str:
    """A docstring without examples and titles of sections; each entry of a section is an item."""
    text = _EXAMPLE.sub("\n", docstring)
    text = _LITERAL_BLOCK.sub(".\n\n", text)
    return _ENTRY.sub(r"\n- \1", _SECTION.sub("\n", text))


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """Each comment; those that follow one another in a column are one paragraph."""
    last = (0, 0)
    paragraph: list[str] = []
    begun = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or _DIRECTIVE.match(token.string):
            continue
        line, column = token.start
        is_alone = not token.line[:column].strip()
        if not (is_alone and last == (line - 1, column)):
            if paragraph:
                yield begun, "\n".join(paragraph)
            paragraph, begun = [], line
        paragraph.append(token.string.lstrip("#: "))
        last = (line, column) if is_alone else (0, 0)
    if paragraph:
        yield begun, "\n".join(paragraph)


def _messages(node: ast.AST, *, is_shown: bool = False) -> Iterator[tuple[int, str]]:
    """Each text that is raised or shown, and each that is long enough to be meant for people."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    text = _text(node)
    if text is not None and isinstance(node, ast.expr):
        if _is_for_people(text, is_shown=is_shown):
            yield node.lineno, text
        for part in _holes(node):
            yield from _messages(part, is_shown=is_shown)
        return
    is_shown = is_shown or isinstance(node, ast.Raise) or _shows(node)
    for child in ast.iter_child_nodes(node):
        yield from _messages(child, is_shown=is_shown)


def _shows(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in _SHOWN_BY


def _text(node: ast.AST) -> str | None:
    """The text of a literal, an f-string or a sum of them; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(value) or _HOLE for value in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = (_text(node.left), _text(node.right))
        if parts != (None, None):
            return "".join(_HOLE if part is None else part for part in parts)
    return None


def _holes(node: ast.expr) -> Iterator[ast.AST]:
    """What a text is put together from that is no text itself."""
    if isinstance(node, ast.JoinedStr):
        yield from (each.value for each in node.values if isinstance(each, ast.FormattedValue))
    if isinstance(node, ast.BinOp):
        for side in (node.left, node.right):
            if _text(side) is None:
                yield side
            else:
                yield from _holes(side)


def _is_for_people(text: str, *, is_shown: bool) -> bool:
    count = len(text.split())
    if _CODE_LIKE.search(text) or (not is_shown and "\n" in text.strip()):
        return False
    return count >= (2 if is_shown else WORDS_OF_A_MESSAGE)
