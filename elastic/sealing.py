"""Secrets of jobs, sealed with the daemon's secret: so they are in no row, snapshot or answer."""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from elastic.errors import InvalidInput
from elastic.model import JobSpec

_SEALED = "sealed:1:"


class Sealer:
    """Seals values and opens them again. The same value of the same name is sealed the same way.

    >>> sealer = Sealer(b"secret")
    >>> sealed = sealer.seal("TOKEN", "x")
    >>> sealed.startswith("sealed:1:"), sealer.open("TOKEN", sealed), sealer.open("TOKEN", "plain")
    (True, 'x', 'plain')
    """

    def __init__(self, secret: bytes) -> None:
        # AES-SIV (RFC 5297) needs no nonce: a job that is submitted again equals the first one.
        self._cipher = AESSIV(hmac.digest(secret, b"secrets of jobs", hashlib.sha512))

    def seal(self, name: str, value: str) -> str:
        """What is stored in place of a variable's value."""
        # The cipher refuses to seal nothing, and a variable may be empty.
        sealed = self._cipher.encrypt(b"." + value.encode(), [name.encode()])
        return _SEALED + urlsafe_b64encode(sealed).decode()

    def open(self, name: str, text: str) -> str:
        """The value again; what was never sealed stays as it is.

        Raises InvalidInput for what another secret has sealed.
        """
        if not text.startswith(_SEALED):
            return text
        try:
            sealed = urlsafe_b64decode(text.removeprefix(_SEALED))
            return self._cipher.decrypt(sealed, [name.encode()])[1:].decode()
        except (InvalidTag, ValueError) as error:
            raise InvalidInput(
                f"the job's secret {name} was sealed with another secret than this daemon's, which "
                "cannot open it: submit the job again"
            ) from error

    def sealed(self, spec: JobSpec) -> JobSpec:
        """The job with its secrets sealed."""
        return replace(spec, env=self._changed(spec, self.seal))

    def opened(self, spec: JobSpec) -> Mapping[str, str]:
        """The job's variables as its nodes need them. Raises InvalidInput."""
        if not spec.secrets:
            return spec.env
        return self._changed(spec, self.open)

    def _changed(self, spec: JobSpec, change: Callable[[str, str], str]) -> dict[str, str]:
        return {
            name: change(name, value) if name in spec.secrets else value
            for name, value in spec.env.items()
        }
