"""Replaces what a job's file only names by its content: requirements files, variables, secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from api.documents import JsonValue
from elastic.errors import InvalidInput, cannot_read

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
    sources = found.get("secrets")
    if isinstance(sources, dict):  # `settle_secrets` takes these with its own
        for name in map(str, secrets):
            # Out of the plain variables: `settle_secrets` puts them in again, as secrets.
            del values[name]
        found["secrets"] = {**{str(name): {"env": name} for name in secrets}, **sources}
    else:
        found["secrets"] = secrets
    return found


def settle_secrets(
    document: Mapping[str, JsonValue], environment: Mapping[str, str], folder: Path
) -> dict[str, JsonValue]:
    """The document with its secrets' values among its variables, after `settle_env`.

    Those of SSM parameters stay names, which nodes read. The path of a file counts from `folder`.

    >>> settle_secrets({"secrets": {"A": {"env": "B"}, "C": {"ssm": "/c"}}}, {"B": "x"}, Path())
    {'env': {'A': 'x'}, 'secrets': ['A'], 'secret_parameters': {'C': '/c'}}
    """
    sources = document.get("secrets")
    if not isinstance(sources, dict):
        return dict(document)
    found = {name: value for name, value in document.items() if name != "secrets"}
    env = found.get("env") or {}
    if not isinstance(env, dict):
        return dict(document)  # the document's check says what is wrong
    values: dict[str, JsonValue] = {}
    parameters: dict[str, JsonValue] = {}
    for name, source in sources.items():
        match source:
            case {"env": str(variable), **rest} if not rest:
                values[name] = _from_shell(name, variable, environment)
            case {"file": str(path), **rest} if not rest:
                values[name] = _from_file(name, folder / Path(path).expanduser())
            case {"ssm": str(parameter), **rest} if not rest:
                parameters[name] = parameter
            case _:
                raise InvalidInput(
                    f"secrets.{name}: wanted where its value is: {{env: VARIABLE}}, {{file: PATH}} "
                    "or {ssm: PARAMETER}",
                    field=f"secrets.{name}",
                )
    found["env"] = {**env, **values}
    found["secrets"] = list(values)
    if parameters:
        found["secret_parameters"] = parameters
    return found


def _from_shell(name: str, variable: str, environment: Mapping[str, str]) -> str:
    if variable not in environment:
        raise InvalidInput(
            f"secrets.{name}: wanted {variable} in the environment of this shell, found none: "
            "export it",
            field=f"secrets.{name}",
        )
    return environment[variable]


def _from_file(name: str, path: Path) -> str:
    try:
        # Editors end a file with a line's end, and no secret has one there.
        return path.read_text().rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"secrets.{name}: wanted a file with its value: {error}", field=f"secrets.{name}"
        ) from error


def settle_requirements(document: Mapping[str, JsonValue], folder: Path) -> dict[str, JsonValue]:
    """The document with the lines of its requirements file, whose path counts from `folder`."""
    found = dict(document)
    match found.get("requirements"):
        case str(name):
            found["requirements"] = list(_lines(folder / Path(name).expanduser(), seen=[]))
    return found


def _lines(path: Path, *, seen: list[Path]) -> Iterator[str]:
    """The lines of a requirements file, without comments; included files are read in place."""
    # Files that include each other would be read for ever.
    if path in seen or len(seen) >= _MOST_FILES:
        raise InvalidInput(
            f"requirements: wanted at most {_MOST_FILES} files, each once; got {path}",
            field="requirements",
        )
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise cannot_read(
            f"requirements: {path}",
            error,
            wanted="a file of pip's lines",
            advice="name it as it is seen from the job's file, or write the lines as a list",
            field="requirements",
        ) from error
    for line in text.replace("\\\n", " ").splitlines():
        # As pip reads it: a # within a word, as in a URL's fragment, begins no comment.
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
