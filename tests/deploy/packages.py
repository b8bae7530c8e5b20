"""What this machine's pip is told, in words that a build can use: folders of packages are served to
it on loopback."""

from __future__ import annotations

import functools
import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

_ARGUMENTS = {
    "index-url": "PIP_INDEX_URL",
    "extra-index-url": "PIP_EXTRA_INDEX_URL",
    "find-links": "PIP_FIND_LINKS",
    "trusted-host": "PIP_TRUSTED_HOST",
}


@contextmanager
def build_arguments() -> Iterator[Mapping[str, str]]:
    """Build arguments that make pip in a build (in this machine's network) find what pip here
    finds."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Quiet, directory="/")
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield {
            _ARGUMENTS[name]: " ".join(
                _reachable(each, port=server.server_port) for each in values.split()
            )
            for name, values in _pip_configuration().items()
        }
    finally:
        server.shutdown()
        server.server_close()


def certificates() -> Path | None:
    """The certificates that pip here trusts, if it is told of any."""
    named = _settings().get("cert")
    return None if named is None else Path(named)


def _pip_configuration() -> dict[str, str]:
    return {name: values for name, values in _settings().items() if name in _ARGUMENTS}


def _settings() -> dict[str, str]:
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    )
    found = {}
    for line in sorted(listed.stdout.splitlines(), key=lambda line: line.startswith(":env:")):
        # The environment wins.
        name, _, value = line.partition("=")
        found[name.rpartition(".")[2]] = value.strip("'\"").replace("\\n", " ")
    return found


def _reachable(place: str, *, port: int) -> str:
    """The place itself, or where this machine's folder of that name is served."""
    is_folder = place.startswith(("/", "file:"))
    return f"http://127.0.0.1:{port}{urlsplit(place).path}/" if is_folder else place


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass
