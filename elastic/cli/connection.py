"""Finds the daemon's address and token: command line over environment over settings."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from elastic.errors import Unauthorized

if TYPE_CHECKING:
    from elastic.cli.client import Client


@dataclass(frozen=True, slots=True)
class Connection:
    """The daemon as the command line names it."""

    # None: as the environment or the settings say.
    url: str | None = None
    token_file: Path | None = None

    def open(self) -> Client:
        """Returns a client of that daemon. Raises Unauthorized if there is no token."""
        from elastic.cli.client import Client  # HTTP is slow to import; `--help` needs none

        return Client(url=self.address(), token=self._token())

    def address(self) -> str:
        """The daemon's URL."""
        return self.url or os.environ.get("ELASTICD_URL") or default_url()

    def _token(self) -> str:
        if self.token_file is None and (token := os.environ.get("ELASTICD_TOKEN")):
            return token
        return read_token(self.token_file or default_token_file())


def read_token(path: Path) -> str:
    """Returns the token in the file `path`. Raises Unauthorized."""
    try:
        token = path.read_text(encoding="ascii").strip()
    except FileNotFoundError as error:
        raise Unauthorized(
            f"wanted a token in {path}, found no such file: `elasticd serve` makes it at its first "
            "start; for a daemon elsewhere, set ELASTICD_URL and ELASTICD_TOKEN"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Unauthorized(f"cannot read the token in {path}: {error}") from error
    if not token:
        raise Unauthorized(
            f"wanted a token in {path}, found an empty file: `elasticd token rotate` writes a new "
            "one"
        )
    return token


def default_url() -> str:
    """The address of this machine's daemon."""
    from elastic.config import load_settings  # pydantic takes 0.2 s

    settings = load_settings()
    # The address that the daemon wrote comes first: its port may be one that was free.
    with suppress(OSError, ValueError, KeyError):
        return str(json.loads((settings.data_dir / "daemon.json").read_text())["url"])
    if ":" in settings.host:
        return f"http://[{settings.host}]:{settings.port}"
    return f"http://{settings.host}:{settings.port}"


def default_token_file() -> Path:
    """The token file of a daemon on this machine."""
    from elastic.config import load_settings  # pydantic takes 0.2 s

    return load_settings().token_file
