"""The code that jobs run, as archives named by their sums."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select

from elastic.errors import NotFound
from elastic.model import JobPhase
from elastic.store.schema import code, jobs

_DONE = [phase.value for phase in JobPhase if phase.is_final]
UNUSED_KEPT_S = 86_400.0
"""How long an archive that no unfinished job runs is kept: its job may be on its way."""


def put(connection: Connection, sha256: str, content: bytes, *, now_s: float) -> None:
    """Stores an archive, if it is not there; those that nobody has run for a day go."""
    used = select(jobs.c.code).where(jobs.c.code.is_not(None), jobs.c.phase.not_in(_DONE))
    stale = code.c.stored_at_s < now_s - UNUSED_KEPT_S
    connection.execute(delete(code).where(stale, code.c.sha256.not_in(used)))
    if connection.execute(select(code.c.sha256).where(code.c.sha256 == sha256)).one_or_none() is None:
        connection.execute(code.insert().values(sha256=sha256, content=content, stored_at_s=now_s))


def get(connection: Connection, sha256: str) -> bytes:
    """Gives an archive. Raises NotFound."""
    found = connection.execute(select(code.c.content).where(code.c.sha256 == sha256)).scalar_one_or_none()
    if found is None:
        raise NotFound(
            f"code: no archive of the sum {sha256} is stored: PUT it to /v1/code/{sha256} first, as "
            "`elasticd job submit` does with a folder"
        )
    return bytes(found)
