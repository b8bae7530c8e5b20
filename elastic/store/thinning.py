"""Old decisions made thin: the facts that they were made from take most of a database's room.

A decision keeps its reason and its groups for ever. The facts go, and with them its candidates and
what decides again from them. A job's newest decision keeps all, for pages read it.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection, bindparam, func, select, update

from elastic.durations import LONG_KEPT_S
from elastic.model import Plan
from elastic.store.codec import from_text, to_text
from elastic.store.schema import decisions

_BATCH = 200

_NEWEST = select(func.max(decisions.c.id)).where(decisions.c.job_id == bindparam("job_id"))
_THICK = (
    select(decisions.c.id, decisions.c.plan)
    .where(
        decisions.c.job_id == bindparam("job_id"),
        decisions.c.last_at_s < bindparam("before_s"),
        # The newest keeps its facts: the job's forecast is made of them, however old they are.
        decisions.c.id < bindparam("newest"),
        func.length(decisions.c.snapshot) > 0,
    )
    .order_by(decisions.c.id)
    .limit(_BATCH)
)
_THIN = (
    update(decisions)
    .where(decisions.c.id == bindparam("of_id"))
    .values(snapshot=b"", plan=bindparam("thin_plan"))
)


def thick(connection: Connection, job_id: str, *, now_s: float) -> list[dict[str, object]]:
    """Some decisions of a job that are old enough, as `thin` takes them."""
    newest = connection.execute(_NEWEST, {"job_id": job_id}).scalar_one()
    if newest is None:
        return []
    said = {"job_id": job_id, "before_s": now_s - LONG_KEPT_S, "newest": newest}
    return [
        {"of_id": row.id, "thin_plan": _thin(row.plan)} for row in connection.execute(_THICK, said)
    ]


def thin(connection: Connection, found: list[dict[str, object]]) -> None:
    """Takes their facts from these decisions."""
    connection.execute(_THIN, found)


def _thin(plan: str) -> str:
    return to_text(replace(from_text(Plan, plan), candidates=(), left_out={}, pruned={}))
