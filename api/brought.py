"""Replaces what a job's file only names by its content: requirements files, shell variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from api.documents import JsonValue
from elastic.errors import InvalidInput

_MOST_FILES = 16


def settle_env(
    document: Mapping[str, JsonValue], environment: Mapping[str, str]
) -> dict[str, JsonValue]:
    """The document with its variables as a map.

    A variable that is only named gets the value in `environment`, and is secret.

    >>> settle_env({"env": ["KEY", "LR=1"]}, {"KEY": "x"})
    {'env': {'KEY': 'x', 'LR': '1'}, 'secrets': ['KEY']}
    """
    found = dict(document)
    match found.get("env"):
        case list(entries) if all(isinstance(each, str) for each in entries):
            pass
        case _:
            return found
    values: dict[str, JsonValue] = {}
    secrets: list[JsonValue] = []
    missing: list[str] = []
    for entry in map(str, entries):
        name, equals, value = entry.partition("=")
        if equals:
            values[name] = value
        elif name in environment:
            values[name] = environment[name]
            secrets.append(name)
        else:
            missing.append(name)
    if missing:
        raise InvalidInput(
            f"env: wanted {', '.join(missing)} in the environment of this shell, found none: "
            "export it, or write NAME=value",
            field="env",
        )
    found["env"] = values
    found["secrets"] = secrets
    return found


def settle_requirements(document: Mapping[str, JsonValue], folder: Path) -> dict[str, JsonValue]:
    """The document with the lines of its requirements file, whose path counts from `folder`."""
    found = dict(document)
    match found.get("requirements"):
        case str(name):
            found["requirements"] = list(_lines(folder / Path(name).expanduser(), seen=[]))
    return found


def _lines(path: Path, *, seen: list[Path]) -> Iterator[str]:
    """The lines of a requirements file, without comments; included files are read in place."""
    if path in seen or len(seen) >= _MOST_FILES:
        raise InvalidInput(
            f"requirements: wanted at most {_MOST_FILES} files, each once; got {path}",
            field="requirements",
        )
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"requirements: wanted a file of pip's lines: {error}", field="requirements"
        ) from error
    for line in text.replace("\\\n", " ").splitlines():
        wanted = line.partition(" #")[0].strip()
        if not wanted or wanted.startswith("#"):
            continue
        option, _, rest = wanted.partition(" ")
        if option in ("-r", "--requirement"):
            yield from _lines(path.parent / rest.strip(), seen=[*seen, path])
        elif option in ("-c", "--constraint"):
            raise InvalidInput(
                f"requirements: {path.name} names a file of constraints, {rest.strip()}, which "
                "nodes do not have: write its versions into the requirements",
                field="requirements",
            )
        else:
            yield wanted
