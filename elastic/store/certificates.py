"""The key and certificate of each job, by which its members and its store know each other."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select

from elastic.store.engine import Repository, reads, writes
from elastic.store.schema import certificates


def get(connection: Connection, job_id: str) -> str | None:
    """A job's key and certificate as PEM; None if it has none yet, or none any more."""
    found: str | None = connection.execute(
        select(certificates.c.pem).where(certificates.c.job_id == job_id)
    ).scalar_one_or_none()
    return found


def keep(connection: Connection, job_id: str, pem: str, *, now_s: float) -> str:
    """Gives a job this one unless it has one; returns the one that it has."""
    found = get(connection, job_id)
    # Never a second one: members that trust the first would not know those that get the other.
    if found is not None:
        return found
    connection.execute(certificates.insert().values(job_id=job_id, pem=pem, made_at_s=now_s))
    return pem


def forget(connection: Connection, job_id: str) -> None:
    """Drops the one of a job that is over."""
    connection.execute(delete(certificates).where(certificates.c.job_id == job_id))


class Certificates(Repository):
    """Keys and certificates of jobs that are not over."""

    get = reads(get)
    keep = writes(keep)
    forget = writes(forget)
