"""Bounds of numbers and texts, stated on the field and checked at both ends of the wire.

The daemon checks them through pydantic, workers and agents without it.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Collection, Mapping
from dataclasses import MISSING, dataclass, fields
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

# The names are pydantic's.
_SCALARS = {"int": int, "float": float, "str": str, "bool": bool}
# Of each limit, the comparison that must hold, and its words in a message.
_COMPARED = {
    "ge": (operator.ge, "at least"),
    "gt": (operator.gt, "more than"),
    "le": (operator.le, "at most"),
    "lt": (operator.lt, "less than"),
}


@dataclass(frozen=True, slots=True)
class Bound:
    """Limits of a number or a text, or of how many entries a tuple has.

    Numbers are finite, and never given as text.
    """

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Adds these limits to what pydantic checks."""
        # pydantic finds this method by its name, so this module need not import it.
        limits = {each.name: getattr(self, each.name) for each in fields(self)}
        schema = handler(source) | {
            name: limit for name, limit in limits.items() if limit is not None
        }
        if schema["type"] in _SCALARS:
            # Strict: no number is read from a text, no bool from a number.
            schema["strict"] = True
        if schema["type"] == "float":
            schema["allow_inf_nan"] = False
        return schema

    def fault_in(self, value: float | str) -> str | None:
        """The limit that a value breaks, as pydantic finds it; None if it breaks none."""
        if isinstance(value, str):
            return self._fault_in_text(value)
        try:
            if not math.isfinite(value):
                return "wanted a finite number"
        except OverflowError:  # an integer too large for any float
            return "wanted a finite number"
        for name, (holds, words) in _COMPARED.items():
            limit = getattr(self, name)
            if limit is not None and not holds(value, limit):
                return f"wanted {words} {limit}"
        return None

    def _fault_in_text(self, text: str) -> str | None:
        if text != as_unicode(text):
            return "wanted Unicode"
        if len(text) < (self.min_length or 0) or (
            self.max_length is not None and len(text) > self.max_length
        ):
            return f"wanted {self.min_length or 0} to {self.max_length} characters"
        if self.pattern is not None and re.fullmatch(self.pattern, text) is None:
            return f"wanted {self.pattern}"
        return None


# The kinds of value that messages and specs are made of.
Flag = Annotated[bool, Bound()]
Number = Annotated[float, Bound()]
Amount = Annotated[float, Bound(ge=0)]
Seconds = Amount
Share = Annotated[float, Bound(ge=0, le=1)]
Instant = Annotated[float, Bound(gt=0)]
# JSON readers of other languages hold integers up to 2**53 exactly.
Count = Annotated[int, Bound(ge=0, lt=2**53)]
Positive = Annotated[int, Bound(ge=1, lt=2**53)]
Integer = Annotated[int, Bound(ge=-(2**53), lt=2**53)]
# Numbers of generations are stored in 32 bits.
GenerationNumber = Annotated[int, Bound(ge=1, lt=2**31)]
WorldSize = Annotated[int, Bound(ge=1, le=1_000_000)]
Rank = Annotated[int, Bound(ge=0, lt=1_000_000)]
Name = Annotated[str, Bound(min_length=1, max_length=128)]
Word = Annotated[str, Bound(max_length=64)]
ShortText = Annotated[str, Bound(max_length=300)]
Text = Annotated[str, Bound(max_length=2000)]


def as_unicode(text: str, *, most: int | None = None) -> str:
    r"""Returns the text with what UTF-8 cannot carry replaced by `?`, cut at `most` characters.

    Names of files may hold bytes that are no text.

    >>> as_unicode("model-\udcff.pt"), as_unicode("abc", most=2)
    ('model-?.pt', 'ab')
    """
    return text.encode("utf-8", "replace").decode()[:most]


def fault_in(
    table: type, said: Mapping[str, object], *, absent: Collection[str] = ()
) -> str | None:
    """The first fault of `said` as fields of a dataclass; None if all of it fits.

    Fields that the dataclass does not have are ignored, and so are the `absent` ones.

    >>> @dataclass
    ... class Turn:
    ...     iteration: Count
    ...     phase: Word = "main"
    >>> fault_in(Turn, {"iteration": -1}), fault_in(Turn, {"iteration": 3, "more": True})
    ('iteration: wanted at least 0, got -1', None)
    """
    for name, default, kind, bound, choices in _rules(table):
        value = said.get(name, default)
        if name in absent or (value is None and default is None):
            continue
        if value is MISSING:
            return f"{name}: wanted a value, got none"
        if choices:
            if value in choices:
                fault = None
            else:
                fault = f"wanted one of {', '.join(choices)}"
        # In Python a bool is an int, but a flag is not meant as a number.
        elif not isinstance(value, kind) or (isinstance(value, bool) and bool not in kind):
            fault = f"wanted {kind[-1].__name__}"
        else:
            # The value is of that kind, as was just checked.
            fault = bound.fault_in(value)  # type: ignore[arg-type]
        if fault is not None:
            return f"{name}: {fault}, got {value!r:.60}"
    return None


@functools.cache
def _rules(table: type) -> tuple[tuple[str, object, tuple[type, ...], Bound, tuple[str, ...]], ...]:
    """Each field's name, default, types, bound, and choices if it lists them."""
    hints = get_type_hints(table, include_extras=True)
    rules: list[tuple[str, object, tuple[type, ...], Bound, tuple[str, ...]]] = []
    for each in fields(table):
        hint = hints[each.name]
        if get_origin(hint) in (Union, UnionType):
            options = get_args(hint)
        else:
            options = (hint,)
        (only,) = (option for option in options if option is not NoneType)
        if get_origin(only) is Literal:
            rules.append((each.name, each.default, (str,), Bound(), get_args(only)))
        else:
            kind, bound = get_args(only)
            assert kind in _SCALARS.values(), (
                f"{table.__name__}.{each.name}: only numbers and texts can be checked"
            )
            # A whole number is a fine float.
            kinds = (int, float) if kind is float else (kind,)
            rules.append((each.name, each.default, kinds, bound, ()))
    return tuple(rules)
