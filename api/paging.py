"""Divides lists into pages.

One item more than asked for is read, to know whether a page follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from api.schemas import Page, Wire

Value = TypeVar("Value")
Shown = TypeVar("Shown", bound=Wire)


class Numbered(Protocol):
    """Anything whose id grows with time."""

    @property
    def id(self) -> int: ...


def cut(
    found: Sequence[Value], limit: int, number_of: Callable[[Value], int]
) -> tuple[Sequence[Value], int | None]:
    """The first `limit` items, and the number before which the next page begins, if there is one.

    >>> cut([9, 8, 7], 2, lambda each: each)
    ([9, 8], 8)
    >>> cut([9, 8], 2, lambda each: each)
    ([9, 8], None)
    """
    if len(found) > limit:
        return found[:limit], number_of(found[limit - 1])
    return found[:limit], None


def page_of(kind: type[Shown], found: Sequence[Numbered], limit: int) -> Page[Shown]:
    """A page of up to `limit` values; `found` has one more if another page follows."""
    kept, next_before = cut(found, limit, lambda each: each.id)
    items = [kind.of(each) for each in kept]
    return Page[kind](items=items, next_before=next_before)  # type: ignore[valid-type]
