"""Which certificate authorities an HTTP client of the daemon trusts."""

from __future__ import annotations

import ssl


def trust_for(url: str) -> ssl.SSLContext | bool:
    """Returns the `verify` option of a client of this address.

    With HTTPS these are the machine's authorities. With plain HTTP it is a context without any, so
    that TLS would be refused.

    >>> trust_for("https://daemon.example")
    True
    >>> trust_for("http://127.0.0.1:8470").cert_store_stats()["x509_ca"]
    0
    """
    # To read the authorities takes 20 ms, at each command and at each start of an agent.
    if url.lower().startswith("http://"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return True
