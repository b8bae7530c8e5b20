"""Which database this is: a name that it is given once and keeps."""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy import Connection, select

from elastic.store.schema import identity

_ONLY_ID = 1


def holder(connection: Connection) -> str:
    """The name that the database's daemon holds its machines by."""
    found: str | None = connection.execute(select(identity.c.holder)).scalar_one_or_none()
    if found is None:
        found = uuid4().hex
        connection.execute(identity.insert().values(id=_ONLY_ID, holder=found))
    return found
