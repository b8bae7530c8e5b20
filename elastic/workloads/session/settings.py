"""A session's settings, by keyword or by the environment."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from elastic.errors import InvalidInput
from elastic.rendezvous import Credential

CHUNK_BYTES = 8_000_000
# Processes that start together reach the store within this time of each other.
FOUNDING_S = 0.3
# Longer than a checkpoint, an evaluation or a change of phase takes. torch allows an NCCL
# collective as long.
HANG_S = 600.0
_NUMBERS = {
    "silence_s": float,
    "hang_s": float,
    "founding_s": float,
    "chunk_bytes": int,
    "most_samples": int,
    "losses_per_h": float,
}


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """One process's settings for a session."""

    # The rendezvous store's `host:port` (IPv6: `[host]:port`), or a file that holds it. The file
    # may later hold another address.
    store: str
    job: str
    # The address at which the others reach this process. If empty, the one by which it reaches
    # the store.
    host: str = ""
    # The file of the job's key and certificate, which every member and the store show each other.
    certificate: str = ""
    # A member that is silent for this long is given up.
    silence_s: float = 1.25
    # So is one that answers, but keeps the others waiting in a sum for this long. If 20 usual turns
    # are longer, they count instead. 0 means never.
    hang_s: float = HANG_S
    # A process that finds no session founds one after this long, if it is the furthest that waits.
    founding_s: float = FOUNDING_S
    # Bytes of state that are sent to newcomers with each step.
    chunk_bytes: int = CHUNK_BYTES
    # Samples of a turn that fit this rank's memory; None if all do.
    most_samples: int | None = None
    # How often an hour this rank's machine is lost, on average; None if unknown.
    losses_per_h: float | None = None

    def __post_init__(self) -> None:
        if not self.store:
            raise InvalidInput(
                "a session needs its rendezvous store: wanted host:port or a file that holds it in "
                "ELASTICD_SESSION_STORE, found nothing; start one by python -m elastic.rendezvous",
                field="store",
            )
        if "/" not in self.store and not _is_address(self.store):
            raise _wrong(
                "store",
                "host:port of the rendezvous store, or a path with a / to a file that holds it",
                self,
            )
        # The numbers, each with its own range.
        for name in ("silence_s", "chunk_bytes"):
            if not 0 < getattr(self, name) < math.inf:
                raise _wrong(name, "a positive number", self)
        if not 0 <= self.hang_s < math.inf:
            raise _wrong("hang_s", "a positive number, or 0 for never", self)
        if not 0 <= self.founding_s < math.inf:
            raise _wrong("founding_s", "0 or more", self)
        if self.most_samples is not None and self.most_samples < 1:
            raise _wrong("most_samples", "1 or more, or nothing if all fit", self)
        if self.losses_per_h is not None and not 0 <= self.losses_per_h < math.inf:
            raise _wrong("losses_per_h", "0 or more, or nothing if it is unknown", self)
        if not self.certificate:
            raise InvalidInput(
                "a session needs its job's key and certificate: wanted a file in "
                "ELASTICD_CERTIFICATE, found nothing; make one by python -m "
                "elastic.rendezvous.certificate FILE",
                field="certificate",
            )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> SessionSettings:
        """Reads the variables that the agent or the user set. Raises InvalidInput.

        >>> SessionSettings.from_environment({"ELASTICD_SESSION_STORE": "10.0.0.1:29400",
        ...     "ELASTICD_JOB_ID": "j", "ELASTICD_CERTIFICATE": "job.pem"}).store
        '10.0.0.1:29400'
        """
        told = {
            name: _read(environment[_variable(name)], name)
            for name in _NUMBERS
            if environment.get(_variable(name))
        }
        return cls(
            store=environment.get("ELASTICD_SESSION_STORE", ""),
            job=environment.get("ELASTICD_JOB_ID") or "session",
            host=environment.get("ELASTICD_SESSION_HOST", ""),
            certificate=environment.get("ELASTICD_CERTIFICATE", ""),
            **told,
        )

    def address(self) -> str:
        """Returns the store's address as it is now."""
        if "/" not in self.store:
            return self.store
        try:
            return Path(self.store).read_text().strip()
        except OSError:
            return ""

    def credential(self) -> Credential:
        """Returns the job's key and certificate. Raises InvalidInput if the file holds none."""
        return _credential(self.certificate)


@cache
def _credential(path: str) -> Credential:
    try:
        return Credential.of_file(path)
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"certificate (ELASTICD_CERTIFICATE): wanted a file with a job's key and "
            f"certificate, found {path!r}: {error}",
            field="certificate",
        ) from error


def _is_address(text: str) -> bool:
    host, _, port = text.rpartition(":")
    return bool(host) and port.isdecimal() and 0 < int(port) < 65536


def _read(text: str, name: str) -> Any:
    kind = _NUMBERS[name]
    try:
        return kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise InvalidInput(
            f"{_variable(name)}: wanted {wanted}, found {text!r}", field=name
        ) from None


def _wrong(name: str, wanted: str, settings: SessionSettings) -> InvalidInput:
    found = getattr(settings, name)
    return InvalidInput(f"{name} ({_variable(name)}): wanted {wanted}, found {found!r}", field=name)


def _variable(name: str) -> str:
    return f"ELASTICD_SESSION_{name.upper()}"
