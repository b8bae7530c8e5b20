"""Modes in place of tiers: in the specs of jobs, the reports of nodes and the snapshots of
decisions."""

import json
import zlib
from collections.abc import Callable, Iterator

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_JOBS = sa.table("jobs", sa.column("seq"), sa.column("spec"))
_NODES = sa.table("nodes", sa.column("seq"), sa.column("report"))
_DECISIONS = sa.table("decisions", sa.column("id"), sa.column("snapshot", sa.LargeBinary))
# A node of T2 did not report whether its workers were forked.
_MODES = {"T0": ("restart", False), "T1": ("restart", True), "T2": ("live", None)}


def upgrade() -> None:
    _rewrite(spec=_to_mode, node=_to_reported_mode)


def downgrade() -> None:
    _rewrite(spec=_to_tier, node=_to_reported_tier)


def _rewrite(*, spec: Callable[[dict], None], node: Callable[[dict], None]) -> None:
    connection = op.get_bind()
    for seq, text in _rows(_JOBS.c.seq, _JOBS.c.spec):
        found = json.loads(text)
        spec(found)
        change = sa.update(_JOBS).where(_JOBS.c.seq == seq)
        connection.execute(change.values(spec=json.dumps(found)))
    for seq, text in _rows(_NODES.c.seq, _NODES.c.report):
        found = json.loads(text)
        node(found)
        change = sa.update(_NODES).where(_NODES.c.seq == seq)
        connection.execute(change.values(report=json.dumps(found)))
    for number, blob in _rows(_DECISIONS.c.id, _DECISIONS.c.snapshot):
        found = json.loads(zlib.decompress(blob))
        spec(found["job"]["spec"])
        for each in found["nodes"]:
            node(each)
        change = sa.update(_DECISIONS).where(_DECISIONS.c.id == number)
        content = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
        connection.execute(change.values(snapshot=zlib.compress(content, level=6)))


def _rows(key: sa.ColumnClause, value: sa.ColumnClause) -> Iterator[tuple]:
    """Each row that has a value, one at a time: all snapshots together may not fit into memory."""
    connection = op.get_bind()
    for found in connection.execute(sa.select(key).where(value.is_not(None))).scalars().all():
        yield found, connection.execute(sa.select(value).where(key == found)).scalar_one()


def _to_mode(spec: dict) -> None:
    mode, is_preloaded = _MODES[spec.pop("tier", "T1")]
    spec |= {"mode": mode, "preload": is_preloaded is not False}


def _to_tier(spec: dict) -> None:
    spec["tier"] = _tier(spec.pop("mode"), spec.pop("preload"))


def _to_reported_mode(report: dict) -> None:
    mode, is_preloaded = _MODES.get(report.pop("tier", None), (None, None))
    report |= {"mode": mode, "is_preloaded": is_preloaded}


def _to_reported_tier(report: dict) -> None:
    report["tier"] = _tier(report.pop("mode"), report.pop("is_preloaded"))


def _tier(mode: str | None, is_preloaded: bool | None) -> str | None:
    if mode is None:
        return None
    if mode == "live":
        return "T2"
    return "T0" if is_preloaded is False else "T1"
