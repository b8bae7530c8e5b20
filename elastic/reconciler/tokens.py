"""Tokens of nodes: derived from one secret, so that none is stored and each is good for its own
node only."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from elastic.errors import InvalidInput, cannot_read, cannot_write
from elastic.store import Store

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class NodeTokens:
    """Makes and checks the tokens of nodes.

    A machine registers by the join token of the launch that bought it, and speaks by the token of
    its node, which is good on that machine only.
    """

    secret: bytes = field(repr=False)

    def join_token(self, launch: str) -> str:
        """What admits the machines of one launch, which is known by its own token."""
        return f"{launch}.{self._signature('join', launch)}"

    def node_token(self, node_id: str, instance_id: str) -> str:
        return f"{node_id}.{self._signature('node', node_id, instance_id)}"

    def launch_of(self, join_token: str) -> str | None:
        """The launch whose machines this token admits; None if it is not one of ours."""
        launch = join_token.partition(".")[0]
        if _is_same(self.join_token(launch), join_token):
            return launch
        return None

    def node_of(self, token: str, instance_id: str) -> str | None:
        """The node that this token speaks for on this machine; None if it is not one of ours, or
        not this machine's."""
        node_id = token.partition(".")[0]
        if _is_same(self.node_token(node_id, instance_id), token):
            return node_id
        return None

    def _signature(self, *said: str) -> str:
        return hmac.new(self.secret, ":".join(said).encode(), hashlib.sha256).hexdigest()


def _is_same(wanted: str, token: str) -> bool:
    return hmac.compare_digest(wanted.encode(), token.encode())


def kept_secret(store: Store, name: str, path: Path, *, is_replaceable: bool = False) -> bytes:
    """The secret of this name, from the database: every daemon on it has the same.

    `path` holds a copy that only its owner can read. It serves a daemon whose database was lost,
    and the command line. The first secret is the copy's, or a new one. A copy that differs is
    overwritten, unless it `is_replaceable` and was never in force: then somebody has written a new
    one there.
    """
    kept = store.secrets.get(name)
    if kept is None:
        kept = secret_in(path)
        store.secrets.put(name, kept)
        return kept
    copy = _copied(path)
    if copy == kept:
        return kept
    if copy and is_replaceable and not store.secrets.was_kept(name, copy):
        store.secrets.put(name, copy)
        return copy
    if copy:
        log.warning("a secret differs from the database's, which counts", file=str(path))
    path.unlink(missing_ok=True)
    _write(path, kept)
    return kept


def renew_secret(store: Store, name: str, path: Path) -> None:
    """Puts a new secret in force, in the database and in its copy. No daemon may run meanwhile."""
    # The copy goes first: the next start makes one of what the database then has.
    path.unlink(missing_ok=True)
    store.secrets.put(name, _drawn())
    kept_secret(store, name, path)


def secret_in(path: Path) -> bytes:
    """The secret kept in a file only its owner can read, made at first use."""
    if (secret := _copied(path)) is None:
        _write(path, _drawn())
        secret = _copied(path)
    if not secret:
        raise InvalidInput(
            f"{path}: wanted a secret, found nothing; remove the file, and a new one is made"
        )
    return secret


def _drawn() -> bytes:
    return secrets.token_urlsafe(32).encode()


def _copied(path: Path) -> bytes | None:
    """What is in the file; None if it is not there. Raises InvalidInput."""
    try:
        # The database keeps secrets as text.
        return path.read_text(encoding="utf-8").strip().encode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise cannot_read(
            path,
            error,
            wanted="a file with a secret that only this user can read",
            advice="move it away, and a new one is made, or name another place",
        ) from error


def _write(path: Path, secret: bytes) -> None:
    """Writes a file that is not there; one that another process wrote meanwhile stays.

    Raises InvalidInput.
    """
    try:
        _create(path, secret)
    except OSError as error:
        raise cannot_write(
            path, error, wanted="a file for a secret", advice="name another place"
        ) from error


def _create(path: Path, secret: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Whole or not at all: an empty secret would make tokens that anybody can forge.
    descriptor, partial = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secret)
        file.flush()
        os.fsync(descriptor)
    with suppress(FileExistsError):
        os.link(partial, path)
    os.unlink(partial)
