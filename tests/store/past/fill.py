"""Fills a database as a past release did: run by make.py with the code of that release."""

from __future__ import annotations

import inspect
import sys
from dataclasses import replace
from operator import attrgetter
from typing import Any

from elastic.model import Action, JobPhase, Offering, Plan, Reason, Window
from elastic.store import open_store
from tests import builders

START_S = 1_700_000_000.0
HALF = Offering("local.half")
WINDOWS = 100
# Releases up to acaf34e had one class with all calls; since then each belongs to a repository.
CALLS = {
    "add_event": "events.add",
    "add_price": "ledger.add_price",
    "append_windows": "measurements.append",
    "end_generation": "generations.end",
    "intend_end": "nodes.intend_end",
    "intend_launch": "nodes.intend_launch",
    "job": "jobs.get",
    "move_job": "jobs.move",
    "node_gone": "nodes.gone",
    "node_joined": "nodes.joined",
    "node_launched": "nodes.launched",
    "record_decision": "decisions.record",
    "request_stop": "jobs.request_stop",
    "start_generation": "generations.start",
    "submit_job": "jobs.submit",
}


def main(path: str) -> None:
    """One job that has ended, and one that trains on two nodes, with all that a page shows."""
    store = open_store(f"sqlite:///{path}")
    for usd_per_h, valid_from_s in ((0.36, START_S - 100), (0.72, START_S + 300)):
        said = {"valid_from_s": valid_from_s, "observed_at_s": valid_from_s, "source": "test"}
        if hasattr(builders, "add_price"):
            vars(builders)["add_price"](store, HALF, usd_per_h, **said)
        else:
            _call(store, "add_price")(HALF, usd_per_h, **said)
    for name in ("ended", "training"):
        job = _submitted(store, name)
        members = tuple(_joined(store, job.id, f"{name}-{number}") for number in (1, 2))
        _call(store, "start_generation")(
            job.id, members, rdzv_endpoint="127.0.0.1:1", now_s=START_S + 30
        )
        _call(store, "append_windows")(
            members[0].id, [_window(members[0].id, n) for n in range(WINDOWS)]
        )
        _decide(store, job)
        _call(store, "add_event")("note", f"a note of {name}", job_id=job.id, now_s=START_S + 60)
        if name == "ended":
            _call(store, "end_generation")(job.id, 1, now_s=START_S + 600)
            for node in members:
                _end(store, node.id)
            _call(store, "request_stop")(job.id, JobPhase.CANCELLED, "asked", now_s=START_S + 590)
            _call(store, "move_job")(job.id, JobPhase.CANCELLED, now_s=START_S + 620)
    store.close()


def _call(store: Any, name: str) -> Any:
    """The call of that name of a past release, or what stands in its place today."""
    if hasattr(store, "submit_job"):
        return getattr(store, name)
    return attrgetter(CALLS[name])(store)


def _submitted(store: Any, name: str) -> Any:
    job = _call(store, "submit_job")(
        builders.job_spec(name=name), key=name, request_hash=name, now_s=START_S
    )[0]
    for phase in (JobPhase.PROFILING, JobPhase.RUNNING):
        _call(store, "move_job")(job.id, phase, now_s=START_S + 1)
    return job


def _joined(store: Any, job_id: str, machine: str) -> Any:
    said: dict[str, Any] = {"reason": "test", "request_hash": "h", "now_s": START_S + 1}
    parameters = inspect.signature(_call(store, "intend_launch")).parameters
    if "count" in parameters:
        said["count"] = 1
    if "workers" in parameters:
        said["workers"] = vars(builders)["ONE_WORKER"]
    bought = _call(store, "intend_launch")(job_id, HALF, **said)
    (node,) = getattr(bought, "nodes", (bought,))
    _call(store, "node_launched")(node.id, machine, launched_at_s=START_S + 5, minimum_s=60.0)
    return _call(store, "node_joined")(node.id, now_s=START_S + 20)


def _end(store: Any, node_id: str) -> None:
    _call(store, "intend_end")(node_id, reason="asked", now_s=START_S + 600)
    _call(store, "node_gone")(node_id, at_s=START_S + 610)


def _window(node_id: str, number: int) -> Window:
    return Window(
        node_id=node_id,
        seq=number + 1,
        generation=1,
        world_size=2,
        phase="main",
        iteration=(number + 1) * 4,
        iterations=4,
        elapsed_s=0.5,
        is_cold=number == 0,
        ended_at_s=START_S + 40 + number * 0.5,
    )


def _decide(store: Any, job: Any) -> None:
    snapshot = replace(
        builders.snapshot(now_s=START_S + 2),
        job=_call(store, "job")(job.id),
    )
    group = builders.group("local.half", 2)
    reason = Reason("start", "start on 2 nodes", {"usd_per_h": 0.72})
    _call(store, "record_decision")(
        snapshot, Plan(Action.START, group, reason), "best_value", sets_target=True
    )


if __name__ == "__main__":
    main(sys.argv[1])
