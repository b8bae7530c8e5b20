"""Recipients of messages: names that settings give to addresses, which may be secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from elastic.config import NotifySettings
from elastic.errors import InvalidInput
from elastic.model import Topic
from elastic.notify.sending import is_address

_ENV = "env:"
_FILE = "file:"


@dataclass(frozen=True, slots=True)
class Recipient:
    """Somebody with a name, and an address as Apprise writes it."""

    name: str
    # Often holds a token, so it is shown nowhere.
    address: str = field(repr=False)


def recipients_of(
    settings: NotifySettings, environment: Mapping[str, str] | None = None
) -> dict[str, Recipient]:
    """Reads the address of each recipient: `env:NAME`, `file:PATH`, or the address itself.

    Raises InvalidInput, which never shows an address.
    """
    for each in settings.topics:
        if each not in tuple(Topic):
            raise InvalidInput(
                f"setting notify.topics: wanted some of {', '.join(Topic)}, got {each!r}",
                field="notify.topics",
            )
    known = os.environ if environment is None else environment
    return {
        name: Recipient(name, _address(name, said, known)) for name, said in settings.to.items()
    }


def _address(name: str, said: str, environment: Mapping[str, str]) -> str:
    field_name = f"notify.to.{name}"
    if said.startswith(_ENV):
        variable = said.removeprefix(_ENV)
        if not environment.get(variable):
            raise InvalidInput(
                f"setting {field_name}: wanted an address in the variable {variable} of the "
                "daemon's environment, found none",
                field=field_name,
            )
        address = environment[variable]
    elif said.startswith(_FILE):
        path = Path(said.removeprefix(_FILE)).expanduser()
        try:
            address = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(
                f"setting {field_name}: wanted an address in the file {path}, got: {error}",
                field=field_name,
            ) from error
    else:
        address = said
    if not is_address(address):
        raise InvalidInput(
            f"setting {field_name}: wanted an address that Apprise knows, such as "
            "slack://TOKENS, mailto://USER:PASSWORD@HOST or json://HOST/PATH, got another "
            "(not shown, because it may hold a secret)",
            field=field_name,
        )
    return address
