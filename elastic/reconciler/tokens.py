"""Tokens of nodes: derived from one secret, so that none is stored and each is good for its own node only."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from elastic.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class NodeTokens:
    """Makes and checks the tokens of nodes. A node registers by its join token and speaks by its node token."""

    secret: bytes = field(repr=False)

    def join_token(self, node_id: str) -> str:
        return self._token("join", node_id)

    def node_token(self, node_id: str) -> str:
        return f"{node_id}.{self._token('node', node_id)}"

    def is_join_token(self, node_id: str, token: str) -> bool:
        return hmac.compare_digest(self.join_token(node_id).encode(), token.encode())

    def node_of(self, token: str) -> str | None:
        """The node that this node token speaks for; None if it is not one of ours."""
        node_id = token.partition(".")[0]
        return node_id if hmac.compare_digest(self.node_token(node_id).encode(), token.encode()) else None

    def _token(self, purpose: str, node_id: str) -> str:
        return hmac.new(self.secret, f"{purpose}:{node_id}".encode(), hashlib.sha256).hexdigest()


def secret_in(path: Path) -> bytes:
    """The secret kept in a file only its owner can read, made at first use."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        # Whole or not at all: an empty secret would make tokens that anybody can forge.
        descriptor, partial = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_urlsafe(32).encode())
            file.flush()
            os.fsync(descriptor)
        with suppress(FileExistsError):
            os.link(partial, path)
        os.unlink(partial)
    secret = path.read_bytes().strip()
    if not secret:
        raise InvalidInput(f"{path}: wanted a secret, found nothing; remove the file, and a new one is made")
    return secret
