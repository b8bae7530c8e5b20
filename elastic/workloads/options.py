"""A workload's options as a frozen dataclass: checked, read from a mapping or argv, written."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any, TypeAlias, TypeVar, get_args, get_type_hints

from elastic.errors import InvalidInput

OptionValue: TypeAlias = bool | int | float | str | None
Placed: TypeAlias = Callable[[dict[str, object]], Mapping[str, object]]
T = TypeVar("T")


def option(
    default: OptionValue,
    description: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    multiple_of: int | None = None,
    choices: Sequence[OptionValue] | None = None,
) -> Any:
    """Returns a dataclass field for `check_options` and `from_argv`; limits are inclusive."""
    rules = {"minimum": minimum, "maximum": maximum, "multiple_of": multiple_of, "choices": choices}
    return dataclasses.field(default=default, metadata={"description": description, **rules})


def check_options(options: Any) -> None:
    """Raises InvalidInput naming the first field with a wrong type or outside its limits."""
    types = _types_of(type(options))
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        wanted, may_be_none = types[field.name]
        if value is None and may_be_none:
            continue
        _check_type(field.name, value, wanted)
        _check_limits(field.name, value, field.metadata)


def from_mapping(kind: type[T], values: Mapping[str, object]) -> T:
    """Returns options of `kind` with `values` set; an unknown name raises InvalidInput."""
    # kind is a dataclass, which mypy cannot know.
    known = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    for name in values:
        if name not in known:
            raise InvalidInput(
                f"{name}: no such option; the options are {', '.join(known)}", field=name
            )
    return kind(**values)


def from_argv(kind: type[T], argv: Sequence[str], *, program: str, placed: Placed = dict) -> T:
    """Returns options of `kind` from `--name value` pairs, as the reference scripts spell them.

    `placed` may change the given values before they are checked.
    """
    parser = argparse.ArgumentParser(
        prog=program, argument_default=argparse.SUPPRESS, allow_abbrev=False
    )
    types = _types_of(kind)
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]  # kind is a dataclass
        wanted, _ = types[field.name]
        text = f"{field.metadata['description']} (default: {field.default})".replace("%", "%%")
        # Some launchers and users write hyphens: torch.distributed.launch passes --local-rank.
        names = dict.fromkeys([f"--{field.name}", f"--{field.name.replace('_', '-')}"])
        if wanted is bool:
            parser.add_argument(
                *names, dest=field.name, type=_as_bool, nargs="?", const=True, help=text
            )
        else:
            parser.add_argument(*names, dest=field.name, type=wanted, help=text)
    return from_mapping(kind, placed(vars(parser.parse_args(argv))))


def to_argv(options: Any) -> list[str]:
    """Gives the `--name value` pairs of every field that differs from its default."""
    argv: list[str] = []
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        if value != field.default:
            argv += [f"--{field.name}", str(value)]
    return argv


def _as_bool(text: str) -> bool:
    if text.lower() in ("1", "true", "yes", "on"):
        return True
    if text.lower() in ("0", "false", "no", "off"):
        return False
    raise argparse.ArgumentTypeError(f"wanted true or false, got {text!r}")


def _types_of(kind: type[Any]) -> dict[str, tuple[type, bool]]:
    """Gives each field's plain type, and whether None is a value of it."""
    hints = get_type_hints(kind)
    plain: dict[str, tuple[type, bool]] = {}
    for field in dataclasses.fields(kind):
        members = get_args(hints[field.name]) or (hints[field.name],)
        (wanted,) = (member for member in members if member is not NoneType)
        plain[field.name] = (wanted, NoneType in members)
    return plain


def _check_type(name: str, value: object, wanted: type) -> None:
    accepted = (int, float) if wanted is float else (wanted,)
    # In Python a bool is an int too.
    if not isinstance(value, accepted) or (isinstance(value, bool) and wanted is not bool):
        raise InvalidInput(f"{name}: wanted {_NAMES[wanted]}, got {value!r}", field=name)
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(f"{name}: wanted a finite number, got {value!r}", field=name)


def _check_limits(name: str, value: Any, rules: Mapping[str, Any]) -> None:
    low, high, step, choices = (
        rules[key] for key in ("minimum", "maximum", "multiple_of", "choices")
    )
    if choices is not None and value not in choices:
        raise InvalidInput(
            f"{name}: wanted one of {', '.join(map(str, choices))}, got {value!r}", field=name
        )
    if low is not None and value < low:
        raise InvalidInput(f"{name}: wanted at least {low}, got {value!r}", field=name)
    if high is not None and value > high:
        raise InvalidInput(f"{name}: wanted at most {high}, got {value!r}", field=name)
    if step is not None and value % step:
        raise InvalidInput(f"{name}: wanted a multiple of {step}, got {value!r}", field=name)


_NAMES: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
}
