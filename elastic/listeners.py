"""Where the daemon answers users and nodes, and the certificates that it shows there."""

from __future__ import annotations

import errno
import json
import socket
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil

from elastic.authority import Authority, key_pair, listening_context
from elastic.config import Settings
from elastic.errors import AlreadyRunning, ElasticError, InvalidInput


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """An address that is answered. `pem` is the certificate shown there with its key, once it is
    made; plain HTTP has none."""

    host: str
    port: int
    is_encrypted: bool
    pem: str | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """Its address as a URL.

        >>> ListenAddress("::1", 8471, is_encrypted=True).url
        'https://[::1]:8471'
        """
        scheme = "http"
        if self.is_encrypted:
            scheme = "https"
        return f"{scheme}://{_bracketed(self.host)}:{self.port}"


def find_listeners(settings: Settings) -> tuple[ListenAddress, ListenAddress]:
    """The listeners of users and of nodes, without certificates.

    Raises AlreadyRunning if another process listens there, InvalidInput if no process can.
    """
    last = _last_ports(settings.data_dir)
    port = settings.port or _same_port(settings.host, last.get("port", 0), "port")
    node_host = settings.address_of_nodes
    node_port = settings.port_of_nodes
    node_port = node_port or _same_port(node_host, last.get("node_port", 0), "node_port")
    if node_port == port:
        raise InvalidInput(
            f"setting node_port: wanted another port than that of users, got {port}",
            field="node_port",
        )
    _check_free(settings.host, port, "--port", "--host or --port")
    _check_free(node_host, node_port, "node_port", "node_host or node_port")
    return (
        ListenAddress(settings.host, port, settings.is_encrypted_for_users),
        ListenAddress(node_host, node_port, is_encrypted=True),
    )


def with_certificates(
    users: ListenAddress, nodes: ListenAddress, settings: Settings, authority: Authority
) -> tuple[ListenAddress, ListenAddress]:
    """The same listeners with certificates, by which this machine's command line checks users'.

    Raises InvalidInput if those of the settings cannot be used.
    """
    own = authority.issue(_names(settings))
    to_users = None
    checked_by = authority.certificate
    if settings.tls is not None:
        to_users = key_pair(settings.tls.cert, settings.tls.key)
        listening_context(to_users)  # reports a wrong one now, instead of to each user
        checked_by = settings.tls.cert.read_text()
    elif users.is_encrypted:
        to_users = own
    settings.certificate_file.write_text(checked_by)
    if settings.metrics_token_file is not None:
        settings.metrics_token_file.with_name(settings.certificate_file.name).write_text(checked_by)
    return replace(users, pem=to_users), replace(nodes, pem=own)


def _names(settings: Settings) -> set[str]:
    """What this machine is called, as far as it knows."""
    addresses = [each for found in psutil.net_if_addrs().values() for each in found]
    own = {
        each.address.partition("%")[0]
        for each in addresses
        if each.family in (socket.AF_INET, socket.AF_INET6)
    }
    told = {settings.host, settings.address_of_nodes, *settings.allowed_hosts}
    return own | told | {"localhost", socket.gethostname()}


def _last_ports(data_dir: Path) -> dict[str, int]:
    """The ports that this folder's last daemon had."""
    with suppress(FileNotFoundError, ValueError, TypeError):
        told = json.loads((data_dir / "daemon.json").read_text())
        return {name: int(told[name]) for name in ("port", "node_port") if name in told}
    return {}


def _same_port(host: str, last: int, name: str) -> int:
    """A free port, if possible the one used last: nodes of an earlier daemon still call that."""
    for candidate in (last, 0):
        with socket.socket(_family(host)) as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, candidate))
            return int(probe.getsockname()[1])
    raise ElasticError(f"{host}: wanted a free {name}, found none")


def _check_free(host: str, port: int, port_setting: str, settings: str) -> None:
    """Raises AlreadyRunning if another process listens there."""
    with socket.socket(_family(host)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            wanted = f"wanted to listen on {_bracketed(host)}:{port}: {error.strerror}"
            if error.errno == errno.EADDRINUSE:
                raise AlreadyRunning(
                    f"{wanted}; choose another {port_setting}, or stop the process that has it"
                ) from error
            raise InvalidInput(f"{wanted}; choose another {settings}") from error


def _family(host: str) -> socket.AddressFamily:
    if ":" in host:
        return socket.AF_INET6
    return socket.AF_INET


def _bracketed(host: str) -> str:
    """The host as a URL wants it.

    >>> _bracketed("127.0.0.1"), _bracketed("::1")
    ('127.0.0.1', '[::1]')
    """
    if ":" in host:
        return f"[{host}]"
    return host
