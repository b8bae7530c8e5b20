"""The code that jobs run, as archives named by their sums."""

from __future__ import annotations

from sqlalchemy import Connection, and_, delete, or_, select, update

from elastic.durations import DAY_S, LONG_KEPT_S
from elastic.errors import NotFound
from elastic.model import JobPhase
from elastic.store.engine import Repository
from elastic.store.schema import DONE, code, jobs

_MAY_RESUME = tuple(phase.value for phase in JobPhase if phase.may_resume)


class Archives(Repository):
    """Folders of code as `elastic.archive` packs them."""

    def put(self, sha256: str, content: bytes, *, now_s: float) -> None:
        """Stores an archive, or begins its day again if it is there; those go that no job needs any
        more."""
        # A job that ended lately may be resumed, and one whose archive is new may be on its way.
        ended_lately = and_(
            jobs.c.phase.in_(_MAY_RESUME), jobs.c.finished_at_s >= now_s - LONG_KEPT_S
        )
        used = select(jobs.c.code).where(
            jobs.c.code.is_not(None), or_(jobs.c.phase.not_in(DONE), ended_lately)
        )
        is_stale = (code.c.stored_at_s < now_s - DAY_S) & code.c.sha256.not_in(used)
        with self._database.write() as connection:
            # Here and not by a timer: the table grows only when something is put in.
            connection.execute(delete(code).where(is_stale))
            if _is_stored(connection, sha256):
                connection.execute(
                    update(code).where(code.c.sha256 == sha256).values(stored_at_s=now_s)
                )
            else:
                connection.execute(
                    code.insert().values(sha256=sha256, content=content, stored_at_s=now_s)
                )

    def get(self, sha256: str) -> bytes:
        """Gives an archive. Raises NotFound."""
        with self._database.read() as connection:
            found = connection.execute(
                select(code.c.content).where(code.c.sha256 == sha256)
            ).scalar_one_or_none()
        if found is None:
            raise _unknown(sha256)
        return bytes(found)


def refuse_unknown(connection: Connection, sha256: str) -> None:
    """Raises NotFound unless the archive is stored."""
    if not _is_stored(connection, sha256):
        raise _unknown(sha256)


def _unknown(sha256: str) -> NotFound:
    return NotFound(
        f"code: no archive of the sum {sha256} is stored: PUT it to /v1/code/{sha256} first, as "
        "`elasticd job submit` does with a folder"
    )


def _is_stored(connection: Connection, sha256: str) -> bool:
    found = connection.execute(select(code.c.sha256).where(code.c.sha256 == sha256))
    return found.scalar_one_or_none() is not None
