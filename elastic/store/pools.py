"""What launches, refusals and losses showed of spot pools, over all jobs: one row an
offering."""

from __future__ import annotations

from sqlalchemy import Connection, and_, bindparam, select, update

from elastic.model import Capacity, Node, NodePhase, NoticeKind, Offering, Pool
from elastic.store.codec import from_text, to_text
from elastic.store.engine import Database, Repository, Versions
from elastic.store.schema import nodes, pools

_OFFERING = ("node_type", "capacity", "zone")
_IS_MEANT = and_(*(pools.c[name] == bindparam(name) for name in _OFFERING))
_GET = select(pools.c.history).where(_IS_MEANT)
_CHANGE = update(pools).where(*(pools.c[name] == bindparam(f"of_{name}") for name in _OFFERING))
_ALL = select(pools.c.history).order_by(*(pools.c[name] for name in _OFFERING))
_HELD = (
    select(nodes.c.id)
    .where(*(nodes.c[name] == bindparam(name) for name in _OFFERING))
    .where(nodes.c.phase.in_((NodePhase.BOOTING, NodePhase.JOINED, NodePhase.TERMINATING)))
    .where(nodes.c.launched_at_s.is_not(None))
    .limit(1)
)

# How EC2's word for an end begins where the market had no part in it: somebody, or the machine,
# ended it.
_OTHERS_DOING = "Client."


def listed(connection: Connection, *, now_s: float) -> tuple[Pool, ...]:
    """Every pool that something is known of, as it is known at an instant."""
    return tuple(from_text(Pool, row.history).as_of(now_s) for row in connection.execute(_ALL))


def granted(connection: Connection, node: Node, *, at_s: float) -> None:
    """Takes in that a node's launch was granted."""
    if (pool := _of(connection, node.offering)) is not None:
        _save(connection, pool, pool.granted(at_s))


def refused(connection: Connection, offering: Offering, *, at_s: float) -> bool:
    """Takes in that a launch was refused for want of capacity; False if that was known already."""
    if (pool := _of(connection, offering)) is None:
        return True
    after = pool.refused(at_s)
    _save(connection, pool, after)
    return after.refusals == 1 or after.is_up is True


def gone(connection: Connection, node: Node, *, is_lost: bool, why: str, at_s: float) -> None:
    """Takes in that a node that was held is gone, on record already; `is_lost` if elasticd had not
    asked for that.

    One that had never joined proves nothing about its pool: it may have failed to boot.
    """
    if node.launched_at_s is not None:
        pool = _of(connection, node.offering)
    else:
        pool = None
    if pool is None:
        return
    # It was taken back if the cloud said so, or if it was lost and nothing else explains that.
    is_noticed = node.notice is not None and node.notice.kind is NoticeKind.INTERRUPTION
    was_taken = is_noticed or (
        is_lost and node.joined_at_s is not None and not why.startswith(_OTHERS_DOING)
    )
    if was_taken:
        _save(connection, pool, pool.taken_back(at_s))
    # We ended the last node of this pool ourselves: the spell was not seen to its end.
    elif connection.execute(_HELD, _key(node.offering)).first() is None:
        _save(connection, pool, pool.let_go(at_s))


def _of(connection: Connection, offering: Offering) -> Pool | None:
    """What is known of a pool; None for what is no spot pool, of which nothing is kept."""
    if offering.capacity is not Capacity.SPOT:
        return None
    row = connection.execute(_GET, _key(offering)).one_or_none()
    if row is None:
        return Pool(offering)
    return from_text(Pool, row.history)


def _save(connection: Connection, before: Pool, after: Pool) -> None:
    if after == before:
        return
    key = _key(after.offering)
    found = connection.execute(
        _CHANGE.values(history=to_text(after)), {f"of_{name}": each for name, each in key.items()}
    )
    # The two databases have no common upsert in SQLAlchemy. No other writer can come between.
    if found.rowcount == 0:
        connection.execute(pools.insert(), key | {"history": to_text(after)})


def _key(offering: Offering) -> dict[str, str]:
    return {"node_type": offering.node_type, "capacity": offering.capacity, "zone": offering.zone}


class Pools(Repository):
    """What is known of spot pools."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._listed: tuple[float, Versions, tuple[Pool, ...]] | None = None

    def listed(self, *, now_s: float) -> tuple[Pool, ...]:
        """Every pool that something is known of, as it is known at an instant.

        A tick asks for each job: what did not change is read once for all.
        """
        versions = self._database.versions
        if self._listed is not None and self._listed[0] == now_s:
            _, before, found = self._listed
            if before.stamp((pools.name,)) == versions.stamp((pools.name,)):
                return found
        with self._database.read() as connection:
            found = listed(connection, now_s=now_s)
        self._listed = now_s, versions, found
        return found
