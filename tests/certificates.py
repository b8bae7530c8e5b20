"""Keys and certificates of jobs, made once for a test run: the one of most tests, and another's."""

from __future__ import annotations

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from elastic.rendezvous import Credential, write_credential
from elastic.rendezvous.certificate import new_certificate


def pem(job: str = "job") -> str:
    """A job's key and certificate as text."""
    return _pem(job)


def certificate(job: str = "job") -> str:
    """The file that holds it."""
    return _file(job)


def credential(job: str = "job") -> Credential:
    """What it proves with."""
    return _credential(job)


@cache
def _pem(job: str) -> str:
    return new_certificate()


@cache
def _file(job: str) -> str:
    folder = Path(mkdtemp(prefix="elasticd-certificate-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "job.pem"
    write_credential(path, _pem(job))
    return str(path)


@cache
def _credential(job: str) -> Credential:
    return Credential(_pem(job))
