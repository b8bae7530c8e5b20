"""A session's store within the test's own process, and settings that name it."""

from __future__ import annotations

from typing import Any

from elastic.rendezvous import StoreServer
from elastic.workloads.session import SessionSettings
from tests.certificates import certificate, credential

_SERVED: list[StoreServer] = []


def serve_store(host: str = "127.0.0.1") -> StoreServer:
    """A store that members of any of these sessions may use, until its test is over."""
    store = StoreServer(credential(), host=host)
    _SERVED.append(store)
    return store


def close_stores() -> None:
    """Ends the stores that were served until now."""
    while _SERVED:
        _SERVED.pop().close()


def session_settings(store: str, job: str, host: str = "", **more: Any) -> SessionSettings:
    """A session's settings with that certificate."""
    return SessionSettings(store, job, host, certificate(), **more)
