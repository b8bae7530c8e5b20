"""Makes a job's key and certificate.

``python -m elastic.rendezvous.certificate FILE`` writes them for a session that no daemon runs.
"""

from __future__ import annotations

import base64
import hashlib
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from elastic.rendezvous.credential import write_credential

_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "elasticd job")])
# No clock of any machine makes it invalid: it ends with the job, whose key the daemon then drops.
# The last instant is that of RFC 5280, 4.1.2.5, for "no well-defined expiration date".
_ALWAYS = datetime(2000, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


def new_certificate() -> str:
    """A new key with its certificate, as PEM; both ends of each connection use it."""
    # An elliptic curve: its keys are made in milliseconds, and its handshakes are smaller than
    # RSA's.
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_NAME)
        .issuer_name(_NAME)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_ALWAYS[0])
        .not_valid_after(_ALWAYS[1])
        # It must vouch for itself: there is no other authority.
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return (secret + certificate.public_bytes(Encoding.PEM)).decode()


def sealed(pem: str, secret: bytes) -> str:
    """A key and certificate as they may lie outside the database: only `secret` opens them."""
    return _cipher(secret).encrypt(pem.encode()).decode()


def unsealed(text: str, secret: bytes) -> str | None:
    """What was sealed; None if it was with another secret, or never.

    >>> unsealed(sealed("a key", b"secret"), b"secret"), unsealed("", b"secret")
    ('a key', None)
    """
    try:
        return _cipher(secret).decrypt(text.encode()).decode()
    except InvalidToken:
        return None


def _cipher(secret: bytes) -> Fernet:
    key = hashlib.sha256(b"certificate:" + secret).digest()
    return Fernet(base64.urlsafe_b64encode(key))


def main(arguments: Sequence[str]) -> None:
    """Writes a new one to the file that is named."""
    if len(arguments) != 1:
        raise SystemExit(f"wanted the one file to write, got {list(arguments)}")
    write_credential(Path(arguments[0]), new_certificate())


if __name__ == "__main__":
    main(sys.argv[1:])
