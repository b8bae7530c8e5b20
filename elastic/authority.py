"""The daemon's own certificate authority, whose key follows from the daemon's secret.

So it is where that secret is: in backups, and with each daemon that takes over. Nodes are given the
authority's certificate when they are launched, and trust nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import ssl
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from elastic.errors import InvalidInput
from elastic.rendezvous.credential import load_key

_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "elasticd authority")])
# No clock of any machine makes a certificate invalid: a new secret does.
# The last instant is that of RFC 5280, 4.1.2.5, for "no well-defined expiration date".
_FROM = datetime(2000, 1, 1, tzinfo=UTC)
_UNTIL = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
# The order of the group of P-256 (FIPS 186-5 and SP 800-186, 3.2.1.3).
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


class Authority:
    """Issues the certificates that this daemon's listeners show.

    The same secret gives the same authority, to the byte.
    """

    def __init__(self, secret: bytes) -> None:
        # As FIPS 186-5, A.2.1: 128 bits more than the order has, so that no key is likelier.
        drawn = int.from_bytes(hmac.digest(secret, b"authority", hashlib.sha384), "big")
        self._key = ec.derive_private_key(drawn % (_ORDER - 1) + 1, ec.SECP256R1())
        public = self._key.public_key()
        self._key_id = x509.SubjectKeyIdentifier.from_public_key(public)
        made = (
            x509.CertificateBuilder()
            .subject_name(_NAME)
            .issuer_name(_NAME)
            .public_key(public)
            .serial_number(1)
            .not_valid_before(_FROM)
            .not_valid_after(_UNTIL)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(is_authority=True), critical=True)
            .add_extension(self._key_id, critical=False)
            # A launch that is repeated must send the same bytes.
            .sign(self._key, hashes.SHA256(), ecdsa_deterministic=True)
        )
        # What nodes and clients trust, as PEM. It is no secret.
        self.certificate = made.public_bytes(Encoding.PEM).decode()

    def issue(self, names: Collection[str]) -> str:
        """A new key with a certificate for these host names and addresses, as PEM."""
        key = ec.generate_private_key(ec.SECP256R1())
        made = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "elasticd")]))
            .issuer_name(_NAME)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(_FROM)
            .not_valid_after(_UNTIL)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(is_authority=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(
                x509.SubjectAlternativeName([_named(each) for each in sorted(set(names))]),
                critical=False,
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(self._key_id),
                critical=False,
            )
            .sign(self._key, hashes.SHA256())
        )
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return (secret + made.public_bytes(Encoding.PEM)).decode()


def listening_context(pem: str) -> ssl.SSLContext:
    """What a listener shows: a key with its certificate, as PEM. Raises InvalidInput."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    try:
        load_key(context, pem)
    except ssl.SSLError as error:
        raise InvalidInput(
            f"tls: wanted a certificate and its private key as PEM, found others: {error}",
            field="tls",
        ) from error
    return context


def key_pair(certificate: Path, key: Path) -> str:
    """A certificate and its key from two files, as PEM. Raises InvalidInput."""
    try:
        return f"{key.read_text()}\n{certificate.read_text()}"
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"tls: wanted a file as PEM: {error}", field="tls") from error


def validity_s(certificate: Path) -> tuple[float, float]:
    """From when until when the first certificate in a file is valid. Raises InvalidInput."""
    try:
        first = x509.load_pem_x509_certificates(certificate.read_bytes())[0]
    except (OSError, ValueError) as error:
        raise InvalidInput(f"tls: wanted a file as PEM: {error}", field="tls") from error
    return first.not_valid_before_utc.timestamp(), first.not_valid_after_utc.timestamp()


def _named(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name.encode("idna").decode())


def _usage(*, is_authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not is_authority,
        key_cert_sign=is_authority,
        crl_sign=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
