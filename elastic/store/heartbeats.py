"""Heartbeats as rows: all that one of them brought is stored together, and nothing of it twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row

from elastic.model import (
    AgentState,
    Beginning,
    Exit,
    Generation,
    Job,
    Node,
    NodeReport,
    Notice,
    Outcome,
    RoundRegistration,
    Save,
    Window,
)
from elastic.store import certificates, generations, measurements, notices, progress, rollup
from elastic.store import jobs as job_rows
from elastic.store import nodes as node_rows
from elastic.store.codec import to_text
from elastic.store.engine import Repository, reads
from elastic.store.events import Event, add_event


@dataclass(frozen=True, slots=True)
class HeartbeatReport:
    """What a node said of itself in one heartbeat."""

    report: NodeReport
    last_exit: Exit | None = None
    windows: Sequence[Window] = ()
    notes: Sequence[Event] = ()
    # The newest sequence number among windows and notes; a note's id is its number.
    acked_seq: int = 0
    notice: Notice | None = None
    # The newest of the session that its workers train in.
    round: int | None = None
    # One that they are about to publish.
    next_round: RoundRegistration | None = None
    # By sequence number, as are `beginnings`.
    saves: Mapping[int, Save] = field(default_factory=dict)
    beginnings: Mapping[int, Beginning] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HeartbeatFacts:
    """What the reply to a node's heartbeat is made of. `certificate` is the job's, with its key."""

    node: Node
    acked_seq: int
    job: Job
    generation: Generation | None
    certificate: str


def facts(connection: Connection, node_id: str) -> HeartbeatFacts:
    """All of it as it stands. Raises NotFound."""
    row = node_rows.row(connection, node_id)
    node = node_rows.to_node(row)
    return HeartbeatFacts(
        node,
        row.acked_seq,
        job_rows.get(connection, node.job_id),
        generations.latest(connection, node.job_id),
        certificates.get(connection, node.job_id) or "",
    )


def take_in(connection: Connection, row: Row[Any], said: HeartbeatReport, *, now_s: float) -> int:
    """Stores what is not stored yet of the node of this row, as `Heartbeats.take_in` does."""
    node_id = row.id
    node = node_rows.to_node(row)
    before = row.acked_seq
    # Before the windows, which tell what was lost by it.
    for beginning in [said.beginnings[seq] for seq in sorted(said.beginnings) if seq > before]:
        progress.note_beginning(connection, node.job_id, beginning, node_id=node_id, now_s=now_s)
    # Windows may arrive twice: those that are stored, or were rolled up since, do not count again.
    windows = rollup.not_rolled_up(connection, node.job_id, said.windows, acked_seq=before)
    if windows:
        fresh = measurements.append(connection, node, windows)
    else:
        fresh = 0
    # Notes become events. Some of them also say how far the job's state is safe.
    for note in (each for each in said.notes if each.id > before):
        add_event(
            connection,
            note.kind,
            note.text,
            job_id=node.job_id,
            node_id=node_id,
            numbers=note.numbers,
            now_s=note.at_s,
        )
        if note.kind in ("checkpoint", "drained") and "iteration" in note.numbers:
            progress.note_kept(connection, node.job_id, int(note.numbers["iteration"]))
    # Everything else that has a sequence number above the acknowledged one.
    if saves := [said.saves[seq] for seq in sorted(said.saves) if seq > before]:
        progress.note_saves(connection, node.job_id, saves)
    node_rows.change(
        connection, node_id, _values(said, node, before, now_s) | _exit_values(node, said.last_exit)
    )
    if said.round is not None or said.next_round is not None:
        job_rows.note_rounds(
            connection,
            node.job_id,
            newest=said.round,
            next_round=said.next_round,
            node_id=node_id,
            now_s=now_s,
        )
    if said.notice is not None:
        notices.noticed(connection, node_id, said.notice)
    return fresh


def _values(said: HeartbeatReport, node: Node, acked_seq: int, now_s: float) -> dict[str, object]:
    # The node is prepared from the first heartbeat on that says so.
    is_ready = (
        node.agent_state is AgentState.PREPARING and said.report.state is not AgentState.PREPARING
    )
    return {
        **({"prepared_at_s": now_s} if is_ready else {}),
        "heartbeat_at_s": now_s,
        "report": to_text(said.report.after(node)),
        "acked_seq": max(said.acked_seq, acked_seq),
    }


def _exit_values(node: Node, said: Exit | None) -> dict[str, object]:
    """An earlier exit is kept until another one is reported."""
    if said is None:
        return {}
    # The same exit comes with every heartbeat, and counts as one failure.
    is_news = node.exit is None or node.exit.generation != said.generation
    if said.outcome is Outcome.FAILED:
        failures = node.failures + is_news
    else:
        failures = 0
    return {"exit": to_text(said), "failures": failures}


class Heartbeats(Repository):
    """What nodes report."""

    facts = reads(facts)

    def take_in(self, node_id: str, said: HeartbeatReport, *, now_s: float) -> int:
        """Stores what is not stored yet and gives how many windows were new."""
        with self._database.write() as connection:
            row = node_rows.row(connection, node_id)
            # They come in at any time: the facts about other jobs stay what they are.
            self._database.concerns(row.job_id)
            return take_in(connection, row, said, now_s=now_s)
