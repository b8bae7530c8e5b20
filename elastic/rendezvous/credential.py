"""What a job's members prove to each other: that they hold the job's key.

Each job has one key with one certificate that it signs itself. Both ends of every connection show
this certificate and accept no other (mutual TLS 1.3). So every holder of the key is a member, and
no other process gets a byte in or out.
"""

from __future__ import annotations

import os
import socket
import ssl
from pathlib import Path

_END_OF_KEY = "-----BEGIN CERTIFICATE-----"


class Credential:
    """A job's key and certificate, ready for connections.

    `pem` holds both as text. Raises ValueError if they are not there, or do not fit.
    """

    def __init__(self, pem: str) -> None:
        self._accepting = _context(ssl.PROTOCOL_TLS_SERVER, pem)
        self._connecting = _context(ssl.PROTOCOL_TLS_CLIENT, pem)

    @classmethod
    def of_file(cls, path: str | Path) -> Credential:
        """Reads what the daemon gave this node, or what `python -m elastic.rendezvous.certificate`
        wrote. Raises OSError and ValueError."""
        return cls(Path(path).read_text())

    def accepting(self, connection: socket.socket, *, handshakes: bool = True) -> ssl.SSLSocket:
        """Wraps the side of a connection that was connected to.

        The handshake takes place at once, within the connection's own timeout, unless it is left to
        `do_handshake`. Raises OSError if the other end does not prove itself.
        """
        return self._accepting.wrap_socket(
            connection, server_side=True, do_handshake_on_connect=handshakes
        )

    def connecting(self, connection: socket.socket, *, handshakes: bool = True) -> ssl.SSLSocket:
        """Wraps the side that connected; as `accepting`."""
        return self._connecting.wrap_socket(connection, do_handshake_on_connect=handshakes)


def write_credential(path: Path, pem: str) -> None:
    """Writes a key and certificate for its owner's eyes only, whole or not at all."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    # The mode from the first moment: a chmod later would leave time for others to open it.
    with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(pem)
    partial.replace(path)


def _context(side: ssl._SSLMethod, pem: str) -> ssl.SSLContext:
    if _END_OF_KEY not in pem:
        raise ValueError("wanted a job's key and certificate as PEM, found none")
    context = ssl.SSLContext(side)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # the certificate is the job's, whatever a machine is called
    context.verify_mode = ssl.CERT_REQUIRED
    try:
        load_key(context, pem)
        # The one certificate that is trusted is its own: no authority of this machine counts.
        context.load_verify_locations(cadata=pem[pem.index(_END_OF_KEY) :])
    except ssl.SSLError as error:
        raise ValueError(f"wanted a job's key and certificate as PEM, found others: {error}") from (
            error
        )
    if side == ssl.PROTOCOL_TLS_SERVER:
        # Tickets are for meeting again without certificates, and come as unasked data.
        context.num_tickets = 0
    return context


def load_key(context: ssl.SSLContext, pem: str) -> None:
    """Has the context show this key's certificate. Raises SSLError."""
    # Python reads keys from files only: this one has no name, and is gone once it is closed.
    descriptor = os.memfd_create("certificate")
    try:
        os.write(descriptor, pem.encode())
        context.load_cert_chain(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)
