"""What must be known of a job to go on with it in another database: its rows, as one value.

A record lies outside the database, where the job's checkpoints are. It is a slice of the tables,
so that a job that is adopted is what it was. Only measurements, decisions and the ledger are not in
it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, func, select

from elastic.errors import Conflict
from elastic.model import Capacity, NodePhase, Offering
from elastic.store import certificates, ledger, prices
from elastic.store import jobs as job_rows
from elastic.store.code import refuse_unknown
from elastic.store.codec import spec_from_text
from elastic.store.engine import Repository, reads, writes
from elastic.store.events import add_event
from elastic.store.schema import DONE, generations, intents, jobs, nodes, resumes
from elastic.store.schema import prices as price_rows

Values = Mapping[str, Any]

_GONE = [phase.value for phase in NodePhase if phase.is_gone]


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job as it stood at `written_at_s`, with its nodes that were not proven gone."""

    written_at_s: float
    # What those of its nodes had cost that were gone by then.
    gone_usd: float
    job: Values
    nodes: tuple[Values, ...]
    intents: tuple[Values, ...] = ()
    resumes: tuple[Values, ...] = ()
    # The newest; None if there was none.
    generation: Values | None = None
    # What the nodes' offerings cost since their launch, each with its offering, in order.
    prices: tuple[Values, ...] = ()
    # The job's key and certificate, encrypted; empty if it had none.
    certificate: str = ""
    # Which secret the nodes' tokens are made of.
    secret: str = ""

    @property
    def job_id(self) -> str:
        return str(self.job["id"])

    @property
    def name(self) -> str:
        return str(self.job["name"])

    @property
    def sealed(self) -> tuple[str, ...]:
        """The job's secrets that only the daemon's own secret opens, by their names."""
        return spec_from_text(str(self.job["spec"])).sealed

    @property
    def code(self) -> str | None:
        """The sum of the archive of code that it runs."""
        found = self.job["code"]
        return None if found is None else str(found)


@dataclass(frozen=True, slots=True)
class RecordMark:
    """What changes as often as a job's record should be written again."""

    version: int
    phase: str
    code: str | None
    generation: int
    nodes: int
    joined: int
    newest_node: int


def record(connection: Connection, job_id: str, *, now_s: float) -> JobRecord:
    """Gives the record of a job. Raises NotFound."""
    job = job_rows.row(connection, job_id)
    living = _rows(connection, nodes, nodes.c.job_id == job_id, nodes.c.phase.not_in(_GONE))
    ids = [each["id"] for each in living]
    of_job = generations.c.job_id == job_id
    newest = select(func.max(generations.c.number)).where(of_job).scalar_subquery()
    latest = _rows(connection, generations, of_job, generations.c.number == newest)
    since_s: dict[Offering, float] = {}
    for node in living:
        offering = _offering(node)
        # Prices belong to offerings, and nodes of one offering share them: once from the oldest
        # node on.
        since_s[offering] = min(_since_s(node), since_s.get(offering, now_s))
    held = [
        price
        for offering, from_s in sorted(since_s.items())
        for price in prices.held(connection, [offering], from_s=from_s, to_s=now_s)
    ]
    spent_usd = ledger.spent(connection, job_id, now_s)
    return JobRecord(
        written_at_s=now_s,
        # Two sums of floats: their difference may be a hair below nothing.
        gone_usd=max(spent_usd - ledger.spent_on(connection, ids, now_s), 0.0),
        job=_values(job),
        nodes=tuple(living),
        intents=tuple(_rows(connection, intents, intents.c.node_id.in_(ids))),
        resumes=tuple(_rows(connection, resumes, resumes.c.job_id == job_id)),
        generation=latest[0] if latest else None,
        prices=tuple(
            {
                "node_type": each.offering.node_type,
                "capacity": each.offering.capacity.value,
                "zone": each.offering.zone,
                "usd_per_h": each.usd_per_h,
                "extras_usd_per_h": each.extras_usd_per_h,
                "valid_from_s": each.valid_from_s,
                "source": each.source,
            }
            for each in held
        ),
    )


def marks(connection: Connection) -> Mapping[str, RecordMark]:
    """Of each job that is not over, by its id, what its record must be written again for."""
    return {
        row.id: RecordMark(
            row.version,
            row.phase,
            row.code,
            row.number or 0,
            row.nodes or 0,
            row.joined or 0,
            row.newest or 0,
        )
        for row in connection.execute(_marks())
    }


def unknown(connection: Connection, job_ids: Collection[str]) -> frozenset[str]:
    """Those of these jobs that this database does not know."""
    wanted = frozenset(job_ids)
    if not wanted:
        return wanted
    found = connection.execute(select(jobs.c.id).where(jobs.c.id.in_(wanted))).scalars()
    return wanted.difference(found)


def gap_usd(record: JobRecord, machines: Collection[str], *, now_s: float) -> tuple[float, float]:
    """The least and the most that a job cost without its `machines`, which live by `now_s`.

    The least is what it had cost by the last heartbeats that the record has. The most is that with
    its other machines as if they had lived until now. An earlier gap is in both.
    """
    most_usd = record.gone_usd
    earlier_usd = record.job.get("unknown_most_usd") or 0.0
    least_usd = most_usd - earlier_usd + (record.job.get("unknown_least_usd") or 0.0)
    for node in record.nodes:
        if node["launched_at_s"] is None or node["provider_id"] in machines:
            continue
        # It may have ended before the record was written: nothing has proven that it lived then.
        heard_s = node.get("heartbeat_at_s") or node["launched_at_s"]
        least_usd += _node_usd(record, node, to_s=min(heard_s, record.written_at_s))
        most_usd += _node_usd(record, node, to_s=now_s)
    return least_usd, most_usd


def adopt(
    connection: Connection,
    record: JobRecord,
    machines: Collection[str],
    *,
    certificate: str | None,
    why: str,
    now_s: float,
) -> None:
    """Makes the job this database's own, with those of its nodes whose `machines` live.

    Raises Conflict if the database has it, or another one of its name that goes on; NotFound if its
    code was not stored.
    """
    job_id = record.job_id
    if not unknown(connection, [job_id]):
        raise Conflict(f"job {record.name} ({job_id}) is known here already")
    if (other := job_rows.living_of_name(connection, record.name)) is not None:
        raise Conflict(
            f"wanted to adopt {job_id}, but {other} has its name, {record.name!r}: stop that first"
        )
    if record.code is not None:
        refuse_unknown(connection, record.code)
    least_usd, most_usd = gap_usd(record, machines, now_s=now_s)
    of_job = {"unknown_least_usd": least_usd, "unknown_most_usd": most_usd}
    _insert(connection, jobs, {**record.job, **of_job}, without="seq")
    for each in record.resumes:
        _insert(connection, resumes, each)
    adopted = []
    for node in record.nodes:
        if node["provider_id"] in machines:
            adopted.append(node["id"])
            # Its silence counts from now.
            _insert(connection, nodes, {**node, "heartbeat_at_s": now_s}, without="seq")
            _remember_price(connection, record, node)
        else:
            over = {"phase": NodePhase.LOST, "terminated_at_s": record.written_at_s}
            # Never launched, as far as the ledger sees it: what it may have cost is in the job's
            # gap.
            _insert(connection, nodes, {**node, **over, "launched_at_s": None}, without="seq")
    for each in record.intents:
        _insert(connection, intents, each, without="id")
    if record.generation is not None:
        _insert(connection, generations, record.generation)
    # After the prices: a chain without a price at its launch is refused.
    ledger.rewrite(connection, adopted)
    if certificate is not None:
        certificates.keep(connection, job_id, certificate, now_s=now_s)
    numbers = {"least_usd": least_usd, "most_usd": most_usd, "nodes": float(len(adopted))}
    add_event(connection, "job_adopted", why, job_id=job_id, numbers=numbers, now_s=now_s)


@cache
def _marks() -> Select[Any]:
    numbers = (
        select(generations.c.job_id, func.max(generations.c.number).label("number"))
        .group_by(generations.c.job_id)
        .subquery()
    )
    held = (
        select(
            nodes.c.job_id,
            func.count().label("nodes"),
            func.count(nodes.c.joined_at_s).label("joined"),
            func.max(nodes.c.seq).label("newest"),
        )
        .where(nodes.c.phase.not_in(_GONE), nodes.c.provider_id.is_not(None))
        .group_by(nodes.c.job_id)
        .subquery()
    )
    return (
        select(
            jobs.c.id,
            jobs.c.version,
            jobs.c.phase,
            jobs.c.code,
            numbers.c.number,
            held.c.nodes,
            held.c.joined,
            held.c.newest,
        )
        .outerjoin(numbers, numbers.c.job_id == jobs.c.id)
        .outerjoin(held, held.c.job_id == jobs.c.id)
        .where(jobs.c.phase.not_in(DONE))
    )


def _remember_price(connection: Connection, record: JobRecord, node: Values) -> None:
    """Charges an adopted machine at the prices that its record has, where none is known."""
    offering = _offering(node)
    since_s = _since_s(node)
    for each in record.prices:
        if _offering(each) != offering:
            continue
        # Records of earlier versions have one price, without an instant.
        valid_from_s = each.get("valid_from_s")
        known = prices.in_force(connection, offering, at_s=max(valid_from_s or since_s, since_s))
        if known is None or (valid_from_s is not None and known.valid_from_s < valid_from_s):
            dated = {
                "valid_from_s": since_s if valid_from_s is None else valid_from_s,
                "observed_at_s": record.written_at_s,
            }
            _insert(connection, price_rows, {**each, **dated})


def _node_usd(record: JobRecord, node: Values, *, to_s: float) -> float:
    """Dollars of a node's machine by `to_s`, at the prices that the record has of it."""
    held = [each for each in record.prices if _offering(each) == _offering(node)]
    from_s = node["launched_at_s"]
    # The first price also covers what was before it, and the last one all that follows.
    cuts_s = [min(max(each.get("valid_from_s", from_s), from_s), to_s) for each in held[1:]]
    usd = 0.0
    for each, (begin_s, end_s) in zip(held, pairwise([from_s, *cuts_s, to_s]), strict=False):
        usd += each["usd_per_h"] * max(end_s - begin_s, 0.0) / 3600
    return usd


def _since_s(node: Values) -> float:
    """From when a node's machine is charged at the latest price."""
    return max(float(node["launched_at_s"] or 0.0), float(node["intended_at_s"]))


def _offering(values: Values) -> Offering:
    return Offering(values["node_type"], Capacity(values["capacity"]), values["zone"])


def _rows(connection: Connection, table: Table, *where: Any) -> list[Values]:
    return [_values(row) for row in connection.execute(select(table).where(*where))]


def _values(row: Row[Any]) -> Values:
    return row._asdict()


def _insert(connection: Connection, table: Table, values: Values, *, without: str = "") -> None:
    """Inserts a row, without columns that this version does not know, or numbers by itself."""
    # A record may be of another version. What this one does not know it cannot use.
    known = {name: value for name, value in values.items() if name in table.c and name != without}
    connection.execute(table.insert().values(known))


class Records(Repository):
    """Jobs as they are kept outside the database, and taken in again."""

    of = reads(record)
    marks = reads(marks)
    unknown = reads(unknown)
    adopt = writes(adopt)
