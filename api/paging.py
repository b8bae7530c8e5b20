"""Lists in pages: one item more than asked for is read, to know whether a page follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from api.schemas import Page, Wire

Value = TypeVar("Value")
Shown = TypeVar("Shown", bound=Wire)


class Numbered(Protocol):
    """What has an id that grows with time."""

    @property
    def id(self) -> int: ...


def cut(
    found: Sequence[Value], limit: int, number_of: Callable[[Value], int]
) -> tuple[Sequence[Value], int | None]:
    """Gives the first `limit` of what was found, and the number to read on before, None where
    nothing follows.

    >>> cut([9, 8, 7], 2, lambda each: each)
    ([9, 8], 8)
    >>> cut([9, 8], 2, lambda each: each)
    ([9, 8], None)
    """
    return found[:limit], number_of(found[limit - 1]) if len(found) > limit else None


def page_of(kind: type[Shown], found: Sequence[Numbered], limit: int) -> Page[Shown]:
    """Gives a page of up to `limit` values, of which one more was read."""
    kept, next_before = cut(found, limit, lambda each: each.id)
    return Page[kind](items=[kind.of(each) for each in kept], next_before=next_before)  # type: ignore[valid-type]
