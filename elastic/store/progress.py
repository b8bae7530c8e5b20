"""Progress as rows: what the script has saved, where it begins, and what a restart has cost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection

from elastic.model import Beginning, Save, newest_saves
from elastic.store import jobs as job_rows
from elastic.store.engine import Repository, reads
from elastic.store.events import add_event


def note_saves(connection: Connection, job_id: str, saves: Iterable[Save]) -> None:
    """Records files that the job has saved, the newest one last."""
    row = job_rows.row(connection, job_id)
    later = [(each.mark, each.iteration) for each in saves]
    newest = list(newest_saves([*saved(row.saves).items(), *later]).items())
    job_rows.change(connection, job_id, {"saves": json.dumps(newest)})
    note_kept(connection, job_id, newest[-1][1])


def note_kept(connection: Connection, job_id: str, iteration: int) -> None:
    """Records that a file or a checkpoint holds what the job had done by this iteration."""
    job_rows.change(connection, job_id, {"kept_iteration": iteration})


def saved(text: str | None) -> dict[str, int]:
    """The marks in a row, oldest first, each with the iterations that were done by then."""
    if text is None:
        return {}
    return {str(mark): int(iteration) for mark, iteration in json.loads(text)}


def saves_of(connection: Connection, job_id: str) -> Mapping[str, int]:
    """Marks of the newest files that a job has saved, each with the iterations that were done by
    then."""
    return saved(job_rows.row(connection, job_id).saves)


def note_beginning(
    connection: Connection, job_id: str, beginning: Beginning, *, node_id: str, now_s: float
) -> None:
    """Records where the script began, and what it says of itself."""
    values: dict[str, object] = {
        "stops_when_asked": beginning.stops_when_asked,
        "batch": beginning.batch,
    }
    row = job_rows.row(connection, job_id)
    # Turns can be saved and never be told: while no heartbeat arrived, their node was lost.
    if beginning.iteration > row.iteration:
        values["iteration"] = beginning.iteration
    if beginning.read_from and beginning.iteration > (row.kept_iteration or 0):
        values["kept_iteration"] = beginning.iteration
    job_rows.change(connection, job_id, values)
    if beginning.read_from:
        text = (
            f"the script goes on at iteration {beginning.iteration}: it has read "
            f"{beginning.read_from}"
        )
        if beginning.at_s is None:
            at_s = now_s
        else:
            at_s = min(beginning.at_s, now_s)
        add_event(connection, "begins", text, job_id=job_id, node_id=node_id, now_s=at_s)


class Progress(Repository):
    """What jobs have saved."""

    saves = reads(saves_of)
