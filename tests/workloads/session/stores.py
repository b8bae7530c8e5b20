"""A session's store within the test's own process, and settings that name it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from elastic.rendezvous import Credential, StoreServer
from elastic.rendezvous.certificate import new_certificate, write_certificate
from elastic.workloads.session.settings import SessionSettings


_SERVED: list[StoreServer] = []


@cache
def certificate() -> str:
    """The file of the one key and certificate that all jobs of this test run share."""
    path = Path(mkdtemp(prefix="elasticd-certificate-")) / "job.pem"
    write_certificate(path, new_certificate())
    return str(path)


@cache
def credential() -> Credential:
    """What that file holds."""
    return Credential.of_file(certificate())


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
