"""People who enter a node, as two events: one as they enter, one as they leave."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from sqlalchemy import Connection, select

from elastic.errors import NotFound
from elastic.figures import duration
from elastic.store import nodes as node_rows
from elastic.store.engine import Repository, reads, writes
from elastic.store.events import add_event
from elastic.store.schema import events

ENTERED = "node_entered"
LEFT = "node_left"
# Of a command, in characters.
_SHOWN = 300
# What says why a node ended: that elasticd asked for it, or that it was lost.
ENDS = ("node_terminating", "node_lost")


def entered(
    connection: Connection, node_id: str, *, by: str, command: Sequence[str], now_s: float
) -> int:
    """Records that a person enters a node for a command, or for a shell; gives its number."""
    node = node_rows.get(connection, node_id)
    # One line, however the command is written; people look for the beginning of it.
    shown = " ".join(shlex.join(command).split())[:_SHOWN]
    text = f"{by} runs {shown} on {node_id}"
    if not command:
        text = f"{by} opens a shell on {node_id}"
    return add_event(connection, ENTERED, text, job_id=node.job_id, node_id=node_id, now_s=now_s)


def left(
    connection: Connection,
    node_id: str,
    entry: int,
    *,
    exit_code: int | None,
    because: str,
    now_s: float,
) -> None:
    """Records that a person has left a node; saying so again changes nothing.

    `exit_code` is None where the node's end or a broken connection closed it. Raises NotFound for
    an entry that this node did not have.
    """
    began = connection.execute(
        select(events).where(
            events.c.id == entry, events.c.kind == ENTERED, events.c.node_id == node_id
        )
    ).one_or_none()
    if began is None:
        raise NotFound(f"{node_id}: wanted an entry that `:enter` has given, found no {entry}")
    # Entries are few: these are the ends of one node's.
    known = connection.execute(
        select(events.c.numbers).where(
            events.c.kind == LEFT, events.c.node_id == node_id, events.c.id > entry
        )
    ).scalars()
    if any(json.loads(each)["entry"] == entry for each in known):
        return
    elapsed_s = max(now_s - began.at_s, 0.0)
    numbers = {"entry": float(entry), "elapsed_s": elapsed_s}
    how = because
    if exit_code is not None:
        numbers["exit_code"] = float(exit_code)
        how = f"exit code {exit_code}"
    what = began.text.removesuffix(f" on {node_id}")
    add_event(
        connection,
        LEFT,
        f"closed on {node_id} after {duration(elapsed_s)}, {how}: {what}",
        job_id=began.job_id,
        node_id=node_id,
        numbers=numbers,
        now_s=now_s,
    )


def end_of(connection: Connection, node_id: str) -> str:
    """The newest event of a node's end, in words; empty if there is none."""
    query = (
        select(events.c.text)
        .where(events.c.node_id == node_id, events.c.kind.in_(ENDS))
        .order_by(events.c.id.desc())
        .limit(1)
    )
    return connection.execute(query).scalar_one_or_none() or ""


class Entries(Repository):
    """People on nodes."""

    entered = writes(entered)
    left = writes(left)
    end_of = reads(end_of)
