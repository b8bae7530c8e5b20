"""The secrets that open the daemon, kept where the database is: every daemon on it knows them."""

from __future__ import annotations

import hashlib

from sqlalchemy import Connection, select, update

from elastic.store.engine import Repository, reads, writes
from elastic.store.schema import secrets


def get(connection: Connection, name: str) -> bytes | None:
    """The secret of this name that is in force; None if there is none yet."""
    in_force = (secrets.c.name == name) & secrets.c.value.is_not(None)
    found: str | None = connection.execute(
        select(secrets.c.value).where(in_force)
    ).scalar_one_or_none()
    if found is None:
        return None
    return found.encode()


def was_kept(connection: Connection, name: str, value: bytes) -> bool:
    """Whether this value is in force, or once was."""
    mine = (secrets.c.name == name) & (secrets.c.sha256 == _sum_of(value))
    return connection.execute(select(secrets.c.name).where(mine)).first() is not None


def put(connection: Connection, name: str, value: bytes) -> None:
    """Puts a value in force that never was; of the one before it only the sum is kept."""
    connection.execute(update(secrets).where(secrets.c.name == name).values(value=None))
    connection.execute(
        secrets.insert().values(name=name, sha256=_sum_of(value), value=value.decode())
    )


def _sum_of(value: bytes) -> str:
    return hashlib.sha256(value).hexdigest()


class Secrets(Repository):
    """What opens the daemon to its nodes and to its user."""

    get = reads(get)
    was_kept = reads(was_kept)
    put = writes(put)
