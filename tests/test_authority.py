"""What the daemon's authority vouches for, and who is refused."""

from __future__ import annotations

import socket
import ssl
import threading

import pytest

from elastic.authority import Authority, listening_context
from elastic.errors import InvalidInput
from elastic.trust import is_refused_key, trust_for

HERE = "127.0.0.1"


def shaken_hands(authority: Authority, trust: object, *, name: str = HERE) -> str | None:
    """Connects to a listener with a certificate for this address; gives TLS's version."""
    assert isinstance(trust, ssl.SSLContext)
    context = listening_context(authority.issue([HERE, "daemon.example"]))
    with socket.create_server((HERE, 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                try:
                    context.wrap_socket(connection, server_side=True).close()
                except OSError:
                    return

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            with (
                socket.create_connection(server.getsockname(), timeout=20) as plain,
                trust.wrap_socket(plain, server_hostname=name) as connection,
            ):
                return connection.version()
        finally:
            thread.join(20)


def test_the_same_secret_gives_the_same_authority_to_the_byte() -> None:
    assert Authority(b"one").certificate == Authority(b"one").certificate
    assert Authority(b"one").certificate != Authority(b"two").certificate


def test_whoever_was_given_the_authority_knows_the_daemon_after_its_restart() -> None:
    trust = trust_for(f"https://{HERE}", Authority(b"one").certificate)
    assert shaken_hands(Authority(b"one"), trust) == "TLSv1.3"


def test_another_daemon_is_refused_before_anything_is_sent() -> None:
    trust = trust_for(f"https://{HERE}", Authority(b"one").certificate, checks_name=False)
    with pytest.raises(ssl.SSLCertVerificationError) as refused:
        shaken_hands(Authority(b"two"), trust)
    assert is_refused_key(refused.value)


def test_users_are_told_where_the_name_is_another_and_nodes_do_not_ask_for_it() -> None:
    authority = Authority(b"one")
    strict = trust_for("https://other.example", authority.certificate)
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        shaken_hands(authority, strict, name="other.example")
    pinned = trust_for("https://other.example", authority.certificate, checks_name=False)
    assert shaken_hands(authority, pinned, name="other.example") == "TLSv1.3"


@pytest.mark.parametrize("url", ["http://10.0.0.5:8470", "http://daemon.example", "HTTP://[::2]"])
def test_no_client_sends_a_token_in_clear_to_another_machine(url: str) -> None:
    with pytest.raises(InvalidInput, match="wanted https://"):
        trust_for(url)


def test_what_is_no_certificate_is_refused() -> None:
    with pytest.raises(InvalidInput, match="wanted certificates as PEM"):
        trust_for("https://daemon.example", "nothing")
    with pytest.raises(InvalidInput, match="private key as PEM"):
        listening_context(Authority(b"one").certificate)
