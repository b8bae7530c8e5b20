"""Messages as hypothesis makes them from the fields and bounds on record: those that fit, and those
that nearly do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from elastic.bounds import Bound

EDGES = (
    -(2**53),
    -1,
    0,
    1,
    300,
    4096,
    10**6,
    2**31,
    2**53,
    10**400,
    True,
    None,
    "1",
    "",
    0.5,
    float("nan"),
    "\ud800",
)
JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [*EDGES, *(each + 1 for each in EDGES if type(each) is int), "x" * 5000, [], {}]
)


def contents(kind: Any, *, junk: bool = False) -> st.SearchStrategy[Any]:
    """JSON for a type: what fits it, with `junk` also what does not, in any of its fields."""
    fit = _fit(kind, junk=junk)
    return st.one_of(fit, fit, fit, JUNK) if junk and not is_dataclass(kind) else fit


def _fit(kind: Any, *, junk: bool) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        bounds = [each for each in arguments[1:] if isinstance(each, Bound)]
        return (
            _within(arguments[0], bounds[0], junk=junk)
            if bounds
            else contents(arguments[0], junk=junk)
        )
    if origin in (Union, UnionType):
        return st.one_of(*(contents(each, junk=junk) for each in arguments))
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(contents(arguments[0], junk=junk), max_size=3)
    if origin is Mapping:
        return st.dictionaries(
            contents(arguments[0]), contents(arguments[1], junk=junk), max_size=2
        )
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from([each.value for each in kind])
    if is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        return st.fixed_dictionaries(
            {each.name: contents(hints[each.name], junk=junk) for each in fields(kind)}
        )
    return st.none() if kind is NoneType else _within(kind, Bound(), junk=junk)


def _within(kind: Any, bound: Bound, *, junk: bool) -> st.SearchStrategy[Any]:
    if kind is bool:
        return st.booleans()
    if kind is str and bound.pattern is not None:
        return st.from_regex(bound.pattern, fullmatch=True).filter(
            lambda text: len(text) <= (bound.max_length or 99)
        )
    if kind is str:
        most = min(bound.max_length or 20, 20)
        return st.text(st.characters(codec="utf-8"), min_size=bound.min_length or 0, max_size=most)
    if kind in (int, float):
        least = (
            -(2**53)
            if bound.ge is None and bound.gt is None
            else (bound.ge or 0) + (bound.gt is not None)
        )
        limits = [bound.le, None if bound.lt is None else bound.lt - 1, 2.0**53]
        largest = min(each for each in limits if each is not None)
        numbers = st.integers(int(least), int(largest))
        return numbers if kind is int else st.one_of(numbers, st.floats(float(least), largest))
    return contents(kind, junk=junk)
