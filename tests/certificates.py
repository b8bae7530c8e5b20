"""Keys and certificates of jobs, made once for a test run: the one of most tests, and another's."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from elastic.rendezvous import Credential, write_credential
from elastic.rendezvous.certificate import new_certificate


@cache
def pem(job: str = "job") -> str:
    """A job's key and certificate as text."""
    return new_certificate()


@cache
def certificate(job: str = "job") -> str:
    """The file that holds it."""
    path = Path(mkdtemp(prefix="elasticd-certificate-")) / "job.pem"
    write_credential(path, pem(job))
    return str(path)


@cache
def credential(job: str = "job") -> Credential:
    """What it proves with."""
    return Credential(pem(job))
