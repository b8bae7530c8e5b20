"""What is wrong with a document or a setting, in words: pydantic's own are for programmers."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


# For pydantic's kinds of faults whose own words are hard to read.
_WANTED: Mapping[str, str] = {
    "bool_parsing": "wanted true or false",
    "dataclass_type": "wanted a map",
    "dict_type": "wanted a map",
    "float_parsing": "wanted a number",
    "float_type": "wanted a number",
    "int_from_float": "wanted a whole number",
    "int_parsing": "wanted a whole number",
    "int_type": "wanted a whole number",
    "list_type": 'wanted a list, such as ["a", "b"]',
    "model_type": "wanted a map",
    "string_type": "wanted text (in quotes, if it looks like a number)",
}


def no_such(what: str, name: str, known: Collection[str]) -> str:
    """Says that there is no such name, and which was meant.

    >>> no_such("setting", "margn", ("margin", "cooldown_s"))
    "no setting 'margn'; did you mean 'margin'?"
    """
    # A typing error is more likely than a wrong idea, so the closest name is suggested.
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        hint = f"did you mean {close[0]!r}?"
    else:
        hint = f"wanted one of {', '.join(sorted(known))}"
    return f"no {what} {name[:64]!r}; {hint}"


def in_words(error: ErrorDetails, *, wanted: str = "", is_secret: bool = False) -> str:
    """One fault as what was wanted and what was found, unless that `is_secret`.

    `wanted` replaces pydantic's own words.
    """
    match error["type"]:
        case "missing":
            # Its input is everything around the missing field, which may hold a secret.
            return "wanted a value, got none"
        case "value_error":
            # Our own sentence, from a validator: pydantic would put "Value error" before it.
            return str(error["ctx"]["error"])
    found = ""
    if not is_secret:
        found = f", got {error['input']!r:.60}"
    said = error["msg"].replace("Input should be", "wanted").replace("String should", "should")
    return (wanted or _WANTED.get(error["type"], said)) + found
