"""Nodes and the intents behind them as rows: an intent is committed before the call that spends or
saves money."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, func, select, update

from elastic.errors import NotFound
from elastic.model import (
    Boot,
    Capacity,
    Exit,
    Node,
    NodePhase,
    NodeReport,
    Notice,
    NoticeKind,
    Offering,
    Setup,
    Workers,
    move_node,
)
from elastic.store import ledger, pools, prices
from elastic.store.codec import by_job, from_text
from elastic.store.engine import Repository, reads, writes
from elastic.store.events import add_event
from elastic.store.schema import intents, nodes

_GONE = [phase.value for phase in NodePhase if phase.is_gone]

_IS_MEANT = nodes.c.id == bindparam("node_id")
_GET = select(nodes).where(_IS_MEANT)
_CHANGE = update(nodes).where(_IS_MEANT)
_INTEND = intents.insert()
_TOOK = select(nodes.c.id, (nodes.c.joined_at_s - nodes.c.launched_at_s).label("took_s")).where(
    nodes.c.id.in_(bindparam("ids", expanding=True))
)
_OPEN_LAUNCHES = (
    select(intents.c.token, intents.c.request_hash, intents.c.asked_by)
    .join(nodes, nodes.c.id == intents.c.node_id)
    .where(
        intents.c.kind == "launch",
        intents.c.done_at_s.is_(None),
        # A node of which the answer is known is done, though others of its token are not.
        nodes.c.phase == NodePhase.INTENDED,
    )
    # Once for each call to the provider, however many nodes it buys.
    .group_by(intents.c.token, intents.c.request_hash, intents.c.asked_by)
    .order_by(func.min(intents.c.id))
)
_OF_JOBS = nodes.c.job_id.in_(bindparam("job_ids", expanding=True))
_LIVING = select(nodes).where(_OF_JOBS, nodes.c.phase.not_in(_GONE)).order_by(nodes.c.seq.desc())
_LAST_HELD = (
    select(nodes.c.job_id, func.max(nodes.c.terminated_at_s))
    .where(_OF_JOBS, nodes.c.launched_at_s.is_not(None), nodes.c.terminated_at_s.is_not(None))
    .group_by(nodes.c.job_id)
)
_PREPARED = select(nodes).where(_OF_JOBS, nodes.c.prepared_at_s.is_not(None))
_FIRST_LAUNCHED = select(func.min(nodes.c.launched_at_s)).where(
    nodes.c.job_id == bindparam("job_id"), nodes.c.intended_at_s >= bindparam("since_s")
)
_TELLING = ("seq", "node_type", "image", "launched_at_s", "joined_at_s", "setup_s", "setup_bytes")
_LATE_BOOTS = (
    select(*(nodes.c[name] for name in _TELLING))
    .where(nodes.c.joined_at_s.is_not(None), nodes.c.launched_at_s.is_not(None))
    .order_by(nodes.c.seq.desc())
    .limit(2048)  # each look reads them, however many nodes there ever were
    .subquery()
)
_PLACE = func.row_number().over(
    partition_by=(_LATE_BOOTS.c.node_type, _LATE_BOOTS.c.image), order_by=_LATE_BOOTS.c.seq.desc()
)
_PLACED_BOOTS = select(_LATE_BOOTS, _PLACE.label("place")).subquery()
# No more of a sort tell anything (`elastic.policy.switch_cost`), and a busy type drives out no
# other.
_NEWEST_BOOTS = (
    select(_PLACED_BOOTS).where(_PLACED_BOOTS.c.place <= 16).order_by(_PLACED_BOOTS.c.seq.desc())
)
_OF_LAUNCH = (
    select(nodes)
    .join(intents, intents.c.node_id == nodes.c.id)
    .where(intents.c.token == bindparam("token"), intents.c.kind == "launch")
    .order_by(intents.c.id)
)


@dataclass(frozen=True, slots=True)
class LaunchIntent:
    """One purchase on record."""

    token: str
    request_hash: str
    # All that its token will buy, in the order in which they were asked for.
    nodes: tuple[Node, ...]
    # What its provider last noted about how it asks; empty before that.
    asked_by: str = ""


def intend_launch(
    connection: Connection,
    job_id: str,
    offering: Offering,
    *,
    count: int,
    workers: Workers,
    reason: str,
    request_hash: str,
    now_s: float,
) -> LaunchIntent:
    """Records that so many nodes of `offering` shall be bought for the job at once, before anyone
    is asked for them.

    What their disk and address cost is settled with the purchase, whatever later ones cost. So is
    what `workers` each runs: the node type may be sold no more by the time they begin.
    """
    token = secrets.token_hex(16)
    # One token and one price for all nodes of the launch.
    # Read in this transaction: a price that comes a moment later changes nothing of this purchase.
    price = prices.in_force(connection, offering, at_s=now_s)
    for _ in range(count):
        node_id = f"node-{secrets.token_hex(4)}"
        connection.execute(
            nodes.insert().values(
                id=node_id,
                job_id=job_id,
                node_type=offering.node_type,
                capacity=offering.capacity,
                zone=offering.zone,
                phase=NodePhase.INTENDED,
                token=token,
                intended_at_s=now_s,
                extras_usd_per_h=None if price is None else price.extras_usd_per_h,
                reason=reason,
                processes=workers.processes,
                threads=workers.threads,
            )
        )
        _intend(connection, token, "launch", node_id, request_hash, now_s)
    return LaunchIntent(token, request_hash, of_launch(connection, token))


def open_launches(connection: Connection) -> tuple[LaunchIntent, ...]:
    """Purchases with a node of which it is not known yet whether it was bought, oldest first."""
    return tuple(
        LaunchIntent(token, digest, of_launch(connection, token), asked_by)
        for token, digest, asked_by in connection.execute(_OPEN_LAUNCHES)
    )


def note_asked(connection: Connection, token: str, by: str) -> None:
    """Records by which of its calls the provider is about to ask for a launch; empty if it was not
    asked for."""
    mine = (intents.c.token == token) & (intents.c.kind == "launch")
    connection.execute(update(intents).where(mine).values(asked_by=by))


def of_launch(connection: Connection, token: str) -> tuple[Node, ...]:
    """Every node that this token was to buy, gone ones too, in the order in which they were asked
    for."""
    return tuple(to_node(each) for each in connection.execute(_OF_LAUNCH, {"token": token}))


def launched(
    connection: Connection,
    node_id: str,
    provider_id: str,
    *,
    launched_at_s: float,
    minimum_s: float,
    image: str | None = None,
) -> None:
    """Records that the provider made the machine, wanted still or not: it costs from
    `launched_at_s` on."""
    node = get(connection, node_id)
    # An answer may come twice, or after the node was given up.
    if node.provider_id is not None or node.phase.is_gone:
        return
    if node.phase is NodePhase.INTENDED:
        phase = move_node(node.phase, NodePhase.BOOTING)
    else:
        # It will end, and that stays so. The machine is there all the same, and costs.
        phase = node.phase
    values = {
        "provider_id": provider_id,
        "launched_at_s": launched_at_s,
        "phase": phase,
        "minimum_billed_s": minimum_s,
        "image": image,
    }
    change(connection, node_id, values)
    _done(connection, node, "launch", "launched", launched_at_s)
    ledger.rewrite(connection, [node_id])
    pools.granted(connection, node, at_s=launched_at_s)
    if node.reason:
        text = f"{node.offering.node_type} launched ({node.reason.replace('_', ' ')})"
    else:
        text = f"{node.offering} launched"
    add_event(
        connection, "node_launched", text, job_id=node.job_id, node_id=node_id, now_s=launched_at_s
    )


def launch_failed(
    connection: Connection,
    token: str,
    why: str,
    *,
    for_want_of_capacity: bool = False,
    now_s: float,
) -> None:
    """Records that the provider made no machine under this token and never will.

    A pool that is known to be empty is asked now and then. That it still is, is no event, and what
    was to be bought leaves no row: nothing came of it, and a day has hundreds of them.
    """
    members = [node for node in of_launch(connection, token) if not node.phase.is_gone]
    for node in members:
        phase = move_node(node.phase, NodePhase.TERMINATED)
        change(connection, node.id, {"phase": phase, "terminated_at_s": now_s})
        _done(connection, node, "launch", f"failed: {why}", now_s)
    if not members:
        return
    # An empty pool that is still empty leaves no row and no event.
    is_news = not for_want_of_capacity or pools.refused(connection, members[0].offering, at_s=now_s)
    if not is_news:
        connection.execute(delete(intents).where(intents.c.token == token))
        connection.execute(delete(nodes).where(nodes.c.id.in_([node.id for node in members])))
    else:
        if len(members) == 1:
            node_id = members[0].id
        else:
            node_id = None
        add_event(
            connection, "node_failed", why, job_id=members[0].job_id, node_id=node_id, now_s=now_s
        )


def joined(
    connection: Connection, node_id: str, *, now_s: float, setup: Setup | None = None
) -> Node:
    """Records that the node's agent has registered; saying so again changes nothing."""
    node = get(connection, node_id)
    if node.phase is NodePhase.BOOTING:
        values = {"phase": NodePhase.JOINED, "joined_at_s": now_s, "heartbeat_at_s": now_s}
        if setup is not None:
            values |= {"setup_s": setup.elapsed_s, "setup_bytes": setup.received_bytes}
        change(connection, node_id, values)
        text = f"{node.offering.node_type} joined"
        add_event(connection, "node_joined", text, job_id=node.job_id, node_id=node_id, now_s=now_s)
    return get(connection, node_id)


def intend_end(connection: Connection, node_id: str, *, reason: str, now_s: float) -> Node:
    """Records that a node shall end, before the provider is asked; it stays so until it is proven
    gone."""
    node = get(connection, node_id)
    if node.phase.is_gone or node.phase is NodePhase.TERMINATING:
        return node
    change(connection, node_id, {"phase": move_node(node.phase, NodePhase.TERMINATING)})
    _intend(connection, node.token, "terminate", node_id, node.token, now_s)
    text = f"{node.offering.node_type} is being terminated: {reason}"
    add_event(
        connection, "node_terminating", text, job_id=node.job_id, node_id=node_id, now_s=now_s
    )
    return get(connection, node_id)


def stopping(connection: Connection, node_id: str, *, at_s: float, why: str = "") -> None:
    """Records that its provider ends the machine without having been asked to; saying so again
    changes nothing.

    `why` is the provider's word for it.
    """
    node = get(connection, node_id)
    if node.stopping_at_s is not None:
        return
    change(connection, node_id, {"stopping_at_s": at_s, **_ended_reason(node, why)})
    text = f"{node.offering.node_type} is being ended, though elasticd did not ask for that" + (
        why and f": {why}"
    )
    add_event(connection, "node_stopping", text, job_id=node.job_id, node_id=node_id, now_s=at_s)


def touch(connection: Connection, node_id: str) -> None:
    """Writes, and changes nothing."""
    connection.execute(_CHANGE.values(reason=nodes.c.reason), {"node_id": node_id})


def launched_at(connection: Connection, node_id: str, at_s: float) -> None:
    """Records that the provider made the machine at another instant than was thought."""
    change(connection, node_id, {"launched_at_s": at_s})
    ledger.rewrite(connection, [node_id])


def billed_from(connection: Connection, node_id: str, at_s: float) -> None:
    """Records that the provider bills the machine itself only from this instant on."""
    change(connection, node_id, {"billed_from_s": at_s})
    ledger.rewrite(connection, [node_id])


def gone(
    connection: Connection, node_id: str, *, at_s: float, is_waived: bool = False, why: str = ""
) -> None:
    """Records that a node is proven gone: from `at_s` on it costs nothing. Unasked for, it counts
    as lost.

    If `is_waived`, the provider charges nothing for the machine at all. `why` is its word for an
    end unasked for.
    """
    node = get(connection, node_id)
    if node.phase.is_gone:
        return
    # An end that elasticd did not ask for is a loss.
    was_asked = node.phase in (NodePhase.TERMINATING, NodePhase.INTENDED)
    if was_asked:
        phase = NodePhase.TERMINATED
        why = ""
    else:
        phase = NodePhase.LOST
    values = {
        "phase": move_node(node.phase, phase),
        "terminated_at_s": at_s,
        "is_waived": is_waived,
    }
    change(
        connection,
        node_id,
        values | (_ended_reason(node, why) if node.stopping_at_s is None else {}),
    )
    _done(connection, node, "terminate", "gone", at_s)
    if node.launched_at_s is not None:
        ledger.rewrite(connection, [node_id])
    pools.gone(connection, node, is_lost=not was_asked, why=why, at_s=at_s)
    text = f"{node.offering.node_type} is {'terminated' if was_asked else 'lost'}" + (
        why and f": {why}"
    )
    add_event(connection, f"node_{phase}", text, job_id=node.job_id, node_id=node_id, now_s=at_s)


def get(connection: Connection, node_id: str) -> Node:
    """Gives a node. Raises NotFound."""
    return to_node(row(connection, node_id))


def row(connection: Connection, node_id: str) -> Row[tuple[object, ...]]:
    """The row behind `get`."""
    found = connection.execute(_GET, {"node_id": node_id}).one_or_none()
    if found is None:
        raise NotFound(f"no node {node_id!r}; `elasticd node ls` lists them")
    return found


def acked_seq(connection: Connection, node_id: str) -> int:
    """The highest sequence number whose measurements from this node are stored."""
    found: int = row(connection, node_id).acked_seq
    return found


def listed(
    connection: Connection, job_id: str | None = None, *, include_gone: bool = False
) -> tuple[Node, ...]:
    """Nodes, newest first; those proven gone only on request."""
    query = _listing(of_one_job=job_id is not None, include_gone=include_gone)
    return tuple(to_node(each) for each in connection.execute(query, {"job_id": job_id}))


def living(connection: Connection, job_ids: Collection[str]) -> dict[str, tuple[Node, ...]]:
    """The nodes of each of these jobs that are not proven gone, newest first."""
    rows = connection.execute(_LIVING, {"job_ids": list(job_ids)})
    return by_job(job_ids, ((row.job_id, to_node(row)) for row in rows))


def last_held_s(connection: Connection, job_ids: Collection[str]) -> dict[str, float]:
    """When the last machine was gone of each of these jobs that has had one."""
    rows = connection.execute(_LAST_HELD, {"job_ids": list(job_ids)})
    return {job_id: float(at_s) for job_id, at_s in rows}


def prepared_s(connection: Connection, job_ids: Collection[str]) -> dict[str, tuple[float, ...]]:
    """How long each of these jobs' nodes took to prepare, gone ones too."""
    found: dict[str, tuple[float, ...]] = {}
    for row in connection.execute(_PREPARED, {"job_ids": list(job_ids)}):
        node = to_node(row)
        if node.prepared_s is not None:
            found[node.job_id] = (*found.get(node.job_id, ()), node.prepared_s)
    return found


def first_launched_s(connection: Connection, job_id: str, *, since_s: float) -> float | None:
    """When the first of a job's machines was launched that were wanted since an instant; None if
    there is none."""
    values = {"job_id": job_id, "since_s": since_s}
    launched: float | None = connection.execute(_FIRST_LAUNCHED, values).scalar()
    return launched


def of_ids(connection: Connection, ids: Collection[str]) -> tuple[Node, ...]:
    """These nodes, gone ones too."""
    return tuple(
        to_node(each) for each in connection.execute(select(nodes).where(nodes.c.id.in_(set(ids))))
    )


def boots_s(connection: Connection, ids: Iterable[str]) -> dict[str, float]:
    """How long these nodes took from launch to joining; nothing of those that have not joined."""
    rows = connection.execute(_TOOK, {"ids": list(ids)})
    return {row.id: row.took_s for row in rows if row.took_s is not None}


def boots(connection: Connection) -> tuple[Boot, ...]:
    """How the machines booted that joined last, newest first, of all jobs: 16 of each node type and
    image.

    Times are rounded to 0.1 s, since each decision stores them.
    """
    return tuple(_boot(row) for row in connection.execute(_NEWEST_BOOTS))


def change(connection: Connection, node_id: str, values: Mapping[str, object]) -> None:
    """Writes these columns of a node's row."""
    connection.execute(_CHANGE, {"node_id": node_id, **values})


@lru_cache(maxsize=4096)  # each tick reads all that live, twice, and few of them change
def to_node(row: Row[tuple[object, ...]]) -> Node:
    """One row as a value."""
    return Node(
        id=row.id,
        job_id=row.job_id,
        offering=Offering(row.node_type, Capacity(row.capacity), row.zone),
        phase=NodePhase(row.phase),
        token=row.token,
        intended_at_s=row.intended_at_s,
        provider_id=row.provider_id,
        launched_at_s=row.launched_at_s,
        joined_at_s=row.joined_at_s,
        heartbeat_at_s=row.heartbeat_at_s,
        terminated_at_s=row.terminated_at_s,
        exit=None if row.exit is None else from_text(Exit, row.exit),
        reason=row.reason,
        notice=_notice(row),
        stopping_at_s=row.stopping_at_s,
        failures=row.failures,
        workers=Workers(row.processes, row.threads),
        image=row.image,
        setup=_setup(row),
        prepared_s=None
        if row.prepared_at_s is None
        else max(row.prepared_at_s - row.joined_at_s, 0.0),
        **_reported(row),
    )


def _reported(row: Row[tuple[object, ...]]) -> dict[str, Any]:
    """What its agent said last; of a node that has not spoken, nothing."""
    if row.report is None:
        return {}
    report = from_text(NodeReport, row.report)
    said = {each.name: getattr(report, each.name) for each in fields(report)}
    return {"agent_state": said.pop("state"), "agent_generation": said.pop("generation"), **said}


def _boot(row: Row[tuple[object, ...]]) -> Boot:
    setup = _setup(row)
    if setup is not None:
        setup = replace(setup, elapsed_s=round(setup.elapsed_s, 1))
    return Boot(
        row.node_type, row.image, round(max(row.joined_at_s - row.launched_at_s, 0.0), 1), setup
    )


def _setup(row: Row[tuple[object, ...]]) -> Setup | None:
    if row.setup_s is None:
        return None
    return Setup(row.setup_s, row.setup_bytes or 0)


def _ended_reason(node: Node, why: str) -> dict[str, object]:
    """Beside why the node was bought, why its provider ended it."""
    if why:
        return {
            "reason": "; ".join(
                each for each in (node.reason, f"ended by its provider: {why}") if each
            )
        }
    return {}


def _notice(row: Row[tuple[object, ...]]) -> Notice | None:
    if row.notice_kind is None:
        return None
    return Notice(NoticeKind(row.notice_kind), row.noticed_at_s, row.notice_at_s, row.notice_action)


@cache
def _listing(*, of_one_job: bool, include_gone: bool) -> Select[tuple[object, ...]]:
    query = select(nodes).order_by(nodes.c.seq.desc())
    if of_one_job:
        query = query.where(nodes.c.job_id == bindparam("job_id"))
    if include_gone:
        return query
    return query.where(nodes.c.phase.not_in(_GONE))


def _intend(
    connection: Connection, token: str, kind: str, node_id: str, request_hash: str, now_s: float
) -> None:
    values = {
        "token": token,
        "kind": kind,
        "node_id": node_id,
        "request_hash": request_hash,
        "created_at_s": now_s,
    }
    connection.execute(_INTEND, values)


def _done(connection: Connection, node: Node, kind: str, outcome: str, now_s: float) -> None:
    mine = (
        (intents.c.token == node.token) & (intents.c.kind == kind) & (intents.c.node_id == node.id)
    )
    connection.execute(update(intents).where(mine).values(done_at_s=now_s, outcome=outcome))


class Nodes(Repository):
    """Nodes, from the intent to buy them to the proof that they are gone."""

    intend_launch = writes(intend_launch)
    open_launches = reads(open_launches)
    of_launch = reads(of_launch)
    note_asked = writes(note_asked)
    launched = writes(launched)
    launched_at = writes(launched_at)
    launch_failed = writes(launch_failed)
    joined = writes(joined)
    touch = writes(touch)
    billed_from = writes(billed_from)
    intend_end = writes(intend_end)
    stopping = writes(stopping)
    gone = writes(gone)
    get = reads(get)
    listed = reads(listed)
    of_ids = reads(of_ids)
    acked_seq = reads(acked_seq)
    boots = reads(boots)
