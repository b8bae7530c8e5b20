"""Decisions as rows, each with the snapshot it was made from; holds that repeat share one row."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, select, update

from elastic.durations import COOLDOWN_S
from elastic.errors import NotFound
from elastic.model import Action, Change, Decision, Group, Plan, Snapshot, differs
from elastic.store import jobs
from elastic.store.codec import from_text, group_from_text, pack, to_text, unpack
from elastic.store.engine import MATTERS_NOT, Database, Repository, insert, reads
from elastic.store.events import add_event
from elastic.store.schema import decisions
from elastic.store.schema import jobs as job_rows

# Facts that creep are stored as often as this; the cooldown is as long, so nothing was undone in
# between.
_LAST = (
    select(
        *(
            decisions.c[name]
            for name in ("id", "action", "code", "policy", "version", "weighed_at_s")
        )
    )
    .where(decisions.c.job_id == bindparam("job_id"))
    .order_by(decisions.c.id.desc())
    .limit(1)
)
_REPEAT = (
    update(decisions)
    .where(decisions.c.id == bindparam("of_id"))
    .values(ticks=decisions.c.ticks + 1)
)
_COUNT = (
    update(decisions)
    .where(decisions.c.id == bindparam("of_id"))
    .values(ticks=decisions.c.ticks + bindparam("more"), last_at_s=bindparam("last_at_s"))
)
# All but the snapshot, which is most of a row.
_TOLD = select(*(each for each in decisions.c if each is not decisions.c.snapshot))
_OTHERS = decisions.alias("others")
_NEWEST_ID = select(func.max(_OTHERS.c.id)).where(_OTHERS.c.job_id == job_rows.c.id)
_NEWEST_OF = _TOLD.join_from(
    job_rows, decisions, decisions.c.id == _NEWEST_ID.scalar_subquery()
).where(job_rows.c.id.in_(bindparam("job_ids", expanding=True)))
_PLAN = select(decisions.c.plan).where(decisions.c.id == bindparam("of_id"))
_CHANGES = (
    select(decisions.c.at_s, decisions.c.from_group, decisions.c.to_group, decisions.c.code)
    .where(decisions.c.job_id == bindparam("job_id"), decisions.c.action != Action.HOLD)
    .order_by(decisions.c.id.desc())
    .limit(bindparam("limit"))
)


def record(
    connection: Connection,
    snapshot: Snapshot,
    plan: Plan,
    policy: str,
    *,
    version: int = 1,
    sets_target: bool,
) -> int:
    """Stores a decision, with `sets_target` also the group that it wants as its job's, and gives
    its id.

    A hold for the same reason as the one before it joins that one's row. Its plan and its snapshot
    take the place of those there if they tell something else, or after a while; otherwise it is
    counted, which writes a few bytes.
    """
    if sets_target:
        jobs.set_target(connection, snapshot.job.id, plan.target)
    job_id = snapshot.job.id
    now_s = snapshot.now_s
    last = connection.execute(_LAST, {"job_id": job_id}).one_or_none()
    # A hold that repeats the last decision's reason is no new decision.
    is_repeat = (
        last is not None
        and last.action == Action.HOLD
        and _is_hold_again(plan, policy, version, last)
    )
    if last is not None and is_repeat and not _tells_more(connection, last, plan, now_s=now_s):
        connection.execute(_REPEAT, {"of_id": last.id, "last_at_s": now_s})
        return int(last.id)
    # What a new row has in common with a repeated hold that tells more.
    newest = {
        "last_at_s": now_s,
        "weighed_at_s": now_s,
        "plan": to_text(plan),
        "snapshot": pack(snapshot),
    }
    if last is not None and is_repeat:
        connection.execute(_REPEAT, {"of_id": last.id, **newest})
        return int(last.id)
    # A new decision, with an event that names it.
    row_id = insert(
        connection,
        decisions,
        job_id=job_id,
        at_s=now_s,
        ticks=1,
        policy=policy,
        version=version,
        action=plan.action,
        code=plan.reason.code,
        from_group=None if snapshot.target is None else to_text(snapshot.target),
        to_group=None if plan.target is None else to_text(plan.target),
        **newest,
    )
    reason = plan.reason.text
    if reason.startswith(f"{plan.action} "):
        text = reason
    else:
        text = f"{plan.action}: {reason}"
    add_event(
        connection, "decision", text, job_id=job_id, numbers={"decision_id": row_id}, now_s=now_s
    )
    return row_id


def get(connection: Connection, decision_id: int) -> Decision:
    """Gives a decision. Raises NotFound."""
    return to_decision(_row(connection, decision_id))


def snapshot(connection: Connection, decision_id: int) -> Snapshot:
    """Gives what a decision was made from, bit for bit. Raises NotFound, also for an old one that
    has lost it."""
    row = _row(connection, decision_id)
    if not row.snapshot:
        reason = from_text(Plan, row.plan).reason.text
        raise NotFound(
            f"the facts that decision {decision_id} was made from are gone: they are kept for 30 "
            f"days. It was: {reason}"
        )
    return unpack(Snapshot, row.snapshot)


def listed(
    connection: Connection, job_id: str | None = None, *, limit: int = 50, before: int | None = None
) -> tuple[Decision, ...]:
    """Decisions, newest first."""
    query = _TOLD.order_by(decisions.c.id.desc()).limit(limit)
    if job_id is not None:
        query = query.where(decisions.c.job_id == job_id)
    if before is not None:
        query = query.where(decisions.c.id < before)
    return tuple(to_decision(each) for each in connection.execute(query))


def newest_of(connection: Connection, job_ids: Collection[str]) -> dict[str, Decision]:
    """The newest decision of each of these jobs that has one."""
    rows = connection.execute(_NEWEST_OF, {"job_ids": list(job_ids)})
    return {row.job_id: to_decision(row) for row in rows}


def changes(connection: Connection, job_id: str, *, limit: int = 64) -> tuple[Change, ...]:
    """The latest decisions of a job that changed something, oldest first."""
    rows = connection.execute(_CHANGES, {"job_id": job_id, "limit": limit}).all()[::-1]
    return tuple(
        Change(row.at_s, _group(row.from_group), _group(row.to_group), row.code) for row in rows
    )


def to_decision(row: Row[tuple[object, ...]]) -> Decision:
    """One row as a value."""
    return Decision(
        id=row.id,
        job_id=row.job_id,
        at_s=row.at_s,
        last_at_s=row.last_at_s,
        ticks=row.ticks,
        policy=row.policy,
        plan=from_text(Plan, row.plan),
        version=row.version,
        weighed_at_s=row.last_at_s if row.weighed_at_s is None else row.weighed_at_s,
    )


def _tells_more(connection: Connection, last: Row[Any], plan: Plan, *, now_s: float) -> bool:
    """Whether a hold that repeats says something that its row does not."""
    if last.weighed_at_s is None or now_s - last.weighed_at_s >= COOLDOWN_S:
        return True
    before: str = connection.execute(_PLAN, {"of_id": last.id}).scalar_one()
    return differs(from_text(Plan, before), plan)


def _row(connection: Connection, decision_id: int) -> Row[tuple[object, ...]]:
    found = connection.execute(select(decisions).where(decisions.c.id == decision_id)).one_or_none()
    if found is None:
        raise NotFound(f"no decision {decision_id}; `elasticd decision ls` lists them")
    return found


def _group(text: str | None) -> Group | None:
    if text is None:
        return None
    return group_from_text(text)


def _is_hold_again(plan: Plan, policy: str, version: int, last: Row[Any] | _Last) -> bool:
    """Whether a plan holds for the reason for which the last decision did."""
    reason = (plan.reason.code, policy, version)
    return plan.action is Action.HOLD and reason == (last.code, last.policy, last.version)


@dataclass(frozen=True, slots=True)
class _Last:
    """The newest decision of a job, a hold: what one that repeats it is compared with."""

    id: int
    code: str
    policy: str
    version: int
    weighed_at_s: float
    plan: Plan


class Decisions(Repository):
    """What was decided, and from what.

    A hold that repeats the one before is only counted. The counts are written together, by
    `write_repeats` at the end of a tick; a crash forgets those of one tick.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._last: dict[str, _Last] = {}
        self._decided: set[str] = set()
        self._repeats: dict[int, tuple[int, float]] = {}

    def record(
        self,
        snapshot: Snapshot,
        plan: Plan,
        policy: str,
        *,
        version: int = 1,
        sets_target: bool,
    ) -> int:
        """Stores a decision, as `record` does, and gives its id."""
        job_id = snapshot.job.id
        self._decided.add(job_id)
        last = self._last.get(job_id)
        if last is not None and not sets_target and _is_hold_again(plan, policy, version, last):
            is_aged = snapshot.now_s - last.weighed_at_s >= COOLDOWN_S
            if not is_aged and not differs(last.plan, plan):
                ticks, _ = self._repeats.get(last.id, (0, 0.0))
                # A commit waits for the disk. Hundreds of jobs that hold would cost hundreds of
                # them a tick.
                self._repeats[last.id] = ticks + 1, snapshot.now_s
                return last.id
        # Before the write: if that fails, the next tick must not count on what the row may not say.
        self._last.pop(job_id, None)
        with self._database.write() as connection:
            self._database.concerns(job_id)
            # Counts first, in the same transaction: the new row comes after ticks on record.
            self._count(connection)
            row_id = record(
                connection, snapshot, plan, policy, version=version, sets_target=sets_target
            )
        # Only after the commit: what was not written is kept for the next try.
        self._repeats.clear()
        if plan.action is Action.HOLD:
            weighed_at_s, told = self._weighed(row_id)
            self._last[job_id] = _Last(
                row_id, plan.reason.code, policy, version, weighed_at_s, told
            )
        return row_id

    def write_repeats(self) -> None:
        """Writes how often holds were repeated since this was called last, and forgets jobs for
        which nothing was decided meanwhile. Raises StoreUnavailable, and then it is done later."""
        if self._repeats:
            with self._database.write() as connection:
                self._count(connection)
            self._repeats.clear()
        self._last = {each: last for each, last in self._last.items() if each in self._decided}
        self._decided.clear()

    def _count(self, connection: Connection) -> None:
        rows = [
            {"of_id": of_id, "more": ticks, "last_at_s": at_s}
            for of_id, (ticks, at_s) in self._repeats.items()
        ]
        if rows:
            connection.execute(_COUNT, rows, execution_options={MATTERS_NOT: True})

    def _weighed(self, row_id: int) -> tuple[float, Plan]:
        with self._database.read() as connection:
            row = _row(connection, row_id)
            weighed_at_s = row.last_at_s if row.weighed_at_s is None else row.weighed_at_s
            return weighed_at_s, from_text(Plan, row.plan)

    get = reads(get)
    listed = reads(listed)
    newest_of = reads(newest_of)
    snapshot = reads(snapshot)
    changes = reads(changes)
