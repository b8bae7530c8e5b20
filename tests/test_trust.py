"""Whose word a client takes for who answers it."""

from __future__ import annotations

import ssl

import pytest

from elastic.trust import trust_for


@pytest.mark.parametrize(
    "url", ["https://daemon.example", "HTTPS://daemon.example", "daemon.example"]
)
def test_where_there_is_something_to_prove_the_machines_authorities_are_asked(url: str) -> None:
    assert trust_for(url) is True


def test_over_plain_http_nobody_is_trusted_and_nothing_less_is_checked() -> None:
    trust = trust_for("HTTP://127.0.0.1:8470")
    assert isinstance(trust, ssl.SSLContext)
    assert trust.get_ca_certs() == []
    assert (trust.verify_mode, trust.check_hostname) == (ssl.CERT_REQUIRED, True)
