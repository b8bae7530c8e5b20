"""Whether the ledger is what billing periods and prices give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, select

from elastic.errors import PriceUnavailable
from elastic.figures import counted
from elastic.store import ledger
from elastic.store.schema import ledger as rows
from elastic.store.schema import nodes


def faults(connection: Connection) -> Iterator[str]:
    """Says of each node whose ledger rows are not its chain what is wrong."""
    launched = connection.execute(select(nodes).order_by(nodes.c.seq)).all()
    for node in launched:
        found = [
            ledger.to_row(each)
            for each in connection.execute(
                select(rows).where(rows.c.node_id == node.id).order_by(rows.c.id)
            )
        ]
        # What was never launched costs nothing.
        if node.launched_at_s is None:
            if found:
                yield f"{node.id}: never launched, and charged {counted(len(found), 'time')}"
            continue
        try:
            wanted = ledger.chain(connection, node)
        except PriceUnavailable as error:
            yield f"{node.id}: {error}"
            continue
        # Compare the rows with those that its billing period and the prices give.
        if any(each.job_id != node.job_id for each in found):
            yield f"{node.id}: charged to another job than its own ({node.job_id})"
        has = [
            (each.price_id, each.usd_per_h, each.from_s, each.to_s, each.minimum_s, each.is_waived)
            for each in found
        ]
        wants = [
            (e.price.id, e.price.usd_per_h, e.from_s, e.to_s, e.minimum_s, e.is_waived)
            for e in wanted
        ]
        if has != wants:
            yield (
                f"{node.id}: its billing period and prices give {len(wants)} ledger rows, "
                f"{len(has)} are there{_first_difference(has, wants)}"
            )


def _first_difference(
    has: Sequence[tuple[object, ...]], wants: Sequence[tuple[object, ...]]
) -> str:
    names = ("price", "USD/h", "begin", "end", "minimum", "waiver")
    for number, (one, other) in enumerate(zip(has, wants, strict=False), start=1):
        for name, found, wanted in zip(names, one, other, strict=True):
            if found != wanted:
                return f"; the {name} of row {number} is {found}, not {wanted}"
    return ""
