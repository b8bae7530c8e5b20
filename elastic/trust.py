"""Which certificates an HTTP client of the daemon trusts."""

from __future__ import annotations

import ipaddress
import ssl
from urllib.parse import urlsplit

from elastic.errors import InvalidInput


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address. A name may lead anywhere.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("10.0.0.5")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def trust_for(
    url: str, authorities: str | None = None, *, checks_name: bool = True
) -> ssl.SSLContext | bool:
    """Returns the `verify` option of a client of this address.

    With HTTPS it trusts the certificates in `authorities` (PEM) and no others, or the machine's
    authorities if there are none. Without `checks_name`, the name in a certificate does not matter:
    `authorities` then must vouch for one daemon only. With plain HTTP it is a context without any,
    so that TLS would be refused.

    Raises InvalidInput for plain HTTP beyond this machine, and for what is no certificate.

    >>> trust_for("https://daemon.example")
    True
    >>> trust_for("http://127.0.0.1:8470").cert_store_stats()["x509_ca"]
    0
    """
    # To read the machine's authorities takes 20 ms, at each command and each start of an agent.
    parts = urlsplit(url)
    if parts.scheme.lower() == "http":
        if not is_loopback(parts.hostname or ""):
            raise InvalidInput(
                f"wanted https:// for a daemon beyond this machine, got {url}: a token in plain "
                "HTTP can be read on the way"
            )
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if authorities is None:
        return True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = checks_name
    # A certificate that is trusted itself needs no issuer.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        context.load_verify_locations(cadata=authorities)
    except ssl.SSLError as error:
        raise InvalidInput(f"wanted certificates as PEM, found others: {error}") from error
    return context


def is_refused_key(error: BaseException) -> bool:
    """Whether a connection failed because the other end did not show a trusted certificate."""
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, ssl.SSLCertVerificationError):
            return True
        at = at.__cause__ or at.__context__
    return False
