"""Whose word an HTTP client of the daemon takes for who answers it."""

from __future__ import annotations

import ssl


def trust_for(url: str) -> ssl.SSLContext | bool:
    """Gives what a client of this address takes as `verify`: this machine's authorities, where
    there is one to prove.

    A client reads them when it is made, however it is used: 20 ms for each command, and for each
    start of an agent. One that speaks plain HTTP gets a context that trusts nobody, so that it
    would speak TLS with nobody.

    >>> trust_for("https://daemon.example")
    True
    >>> trust_for("http://127.0.0.1:8470").cert_store_stats()["x509_ca"]
    0
    """
    if url.lower().startswith("http://"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return True
