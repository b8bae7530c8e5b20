"""Finds a daemon's address and token: what is told over the environment over settings."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from elastic.errors import Unauthorized, cannot_read

if TYPE_CHECKING:
    import ssl

    from elastic.client.records import DaemonRecords
    from elastic.client.rest import Client


@dataclass(frozen=True, slots=True)
class Connection:
    """The daemon as the command line names it."""

    # None: as the environment or the settings say.
    url: str | None = None
    token_file: Path | None = None
    ca_file: Path | None = None

    def open(self) -> Client:
        """Returns a client of that daemon. Raises Unauthorized if there is no token."""
        from elastic.client.rest import Client  # HTTP is slow to import; `--help` needs none
        from elastic.client.strangers import is_there

        url = self.address()
        if self.token_file is None and (token := os.environ.get("ELASTICD_TOKEN")):
            return Client(url=url, token=token, trust=self._trust(url))
        file = self.token_file or default_token_file()
        token = read_token(file)
        # The daemon made the file, or it is a copy of this user's.
        owner = file.stat().st_uid
        return Client(
            url=url,
            token=token,
            trust=self._trust(url),
            is_there=lambda: is_there(url, owner=owner),
        )

    def address(self) -> str:
        """The daemon's URL."""
        return self.url or os.environ.get("ELASTICD_URL") or default_url()

    def is_of_this_machine(self) -> bool:
        """Whether it is the daemon of this machine's data folder."""
        return self.address() == default_url()

    def _trust(self, url: str) -> ssl.SSLContext | bool:
        """What the daemon's certificate is checked by. Raises InvalidInput."""
        from elastic.trust import trust_for  # ssl is slow to import

        if self.ca_file is not None:
            return trust_for(url, _certificates_in(self.ca_file))
        if not url.startswith("https:") or not self.is_of_this_machine():
            return trust_for(url)
        # This machine's own daemon wrote the file: whatever name it is called by, it is that one.
        return trust_for(url, _certificates_in(default_certificate_file()), checks_name=False)


def connect(
    url: str | None = None, *, token_file: Path | None = None, ca_file: Path | None = None
) -> DaemonRecords:
    """Opens a daemon's records: of this machine's daemon, unless `url` or ELASTICD_URL names one.

    `token_file` holds the token, unless ELASTICD_TOKEN is set; `ca_file` the certificate to trust.
    Raises Unauthorized, InvalidInput.
    """
    from elastic.client.records import DaemonRecords  # HTTP is slow to import; `--help` needs none

    return DaemonRecords(Connection(url, token_file, ca_file).open())


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
        unread = cannot_read(
            path,
            error,
            wanted="a file with a token",
            advice="name another with --token-file, or set ELASTICD_TOKEN",
        )
        raise Unauthorized(str(unread)) from error
    if not token:
        raise Unauthorized(
            f"wanted a token in {path}, found an empty file: `elasticd token rotate` writes a new "
            "one"
        )
    return token


def _certificates_in(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise cannot_read(
            path,
            error,
            wanted="the daemon's certificate as PEM",
            advice="name it with --ca-file or ELASTICD_CA_FILE (`elasticd certificate show` on the "
            "daemon's machine)",
        ) from error


def default_url() -> str:
    """The address of this machine's daemon."""
    from elastic.config import load_settings  # pydantic takes 0.2 s

    settings = load_settings()
    # The address that the daemon wrote comes first: its port may be one that was free.
    with suppress(OSError, ValueError, KeyError):
        return str(json.loads((settings.data_dir / "daemon.json").read_text())["url"])
    scheme = "http"
    if settings.is_encrypted_for_users:
        scheme = "https"
    if ":" in settings.host:
        return f"{scheme}://[{settings.host}]:{settings.port}"
    return f"{scheme}://{settings.host}:{settings.port}"


def default_certificate_file() -> Path:
    """What the certificate of a daemon on this machine is checked by."""
    from elastic.config import load_settings  # pydantic takes 0.2 s

    return load_settings().certificate_file


def default_token_file() -> Path:
    """The token file of a daemon on this machine."""
    from elastic.config import load_settings  # pydantic takes 0.2 s

    return load_settings().token_file
