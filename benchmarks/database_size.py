"""How large a database is after years of a cluster, and how long its pages take.

Run: python -m benchmarks.database_size [--nodes 50] [--years 1 3] [--job-days 1] [--scale 10]

Rows are written as they are once they are rolled up (two windows a second for a day, then sums), at
the rates that a simulated spot market with three pools gives (`RATES`). Of the jobs that have ended
one in `scale` is written; their bytes are multiplied. That the rollup finds nothing left to do
shows that the rows are those that it leaves.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import structlog
from fastapi.testclient import TestClient
from sqlalchemy import Connection, insert, text

from api.app import create_app
from api.deps import Context
from elastic.clock import ManualClock
from elastic.config import Settings
from elastic.durations import LONG_KEPT_S
from elastic.model import Action, Candidate, Capacity, Group, Offering, Plan, Reason
from elastic.providers import FakeCloud, FakeProvider
from elastic.reconciler import NodeTokens
from elastic.store import Database, Store, open_store, to_text
from elastic.store.codec import pack
from elastic.store.rollup import CHART_POINTS, WIDTHS_S, WINDOWS_KEPT_S
from elastic.store.schema import (
    buckets,
    decisions,
    events,
    generations,
    jobs,
    ledger,
    nodes,
    prices,
    rollups,
    series,
    windows,
)
from elastic.throughput import RECENT_WINDOWS
from tests import builders

DAY_S = 86_400.0
YEAR_S = 365 * DAY_S
NOW_S = 1_800_000_000.0
WINDOWS_PER_S = 2.0
NODES_A_JOB = 4
SNAPSHOT_BYTES = 6_000
RATES = {"decisions": 45, "events": 149, "nodes": 18, "ledger": 36, "generations": 14}
"""Rows of a job in a day: 72 h on three spot pools that are up 8 h and down 1 h by turns, prices
changing by the hour (benchmarks/simulator.py's third market). Each price is an event, too."""
PRICES_A_DAY = 73 * 4
TARGET_MB, TARGET_MS = 1000.0, 100.0
PAGES_SEEN = 7


def main() -> int:
    """Prints a line for each number of years; ends with 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--years", type=float, nargs="+", default=[1.0, 3.0])
    parser.add_argument("--job-days", type=float, default=1.0, help="how long a job trains")
    parser.add_argument("--scale", type=int, default=10, help="write one ended job in so many")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    missed = False
    for years in given.years:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "elasticd.db")
            store = open_store(f"sqlite:///{path}")
            written = Cluster(Database(f"sqlite:///{path}"), given.nodes, given.job_days, years)
            written.write(scale=given.scale)
            took_s = _seconds(partial(store.rollup.run_to_the_end, now_s=NOW_S))
            megabytes = written.megabytes(path, given.scale)
            pages_ms = pages(store, Path(folder))
            store.close()
        # People wait for pages. A list of REST holds 50 whole jobs, each with its candidates.
        slowest_ms = max(ms for path, ms in pages_ms.items() if not path.startswith("/v1/"))
        print(
            f"{years:g} years of {given.nodes} nodes, jobs of {given.job_days:g} days: "
            f"{megabytes:.0f} MB ({written.told}); pages and lists, CPU-ms: "
            + ", ".join(f"{name} {ms:.0f}" for name, ms in pages_ms.items())
            + f"; the rollup looked through it in {took_s:.1f} s",
            flush=True,
        )
        missed |= (years <= 1 and megabytes > TARGET_MB) or slowest_ms > TARGET_MS
    return int(missed)


class Cluster:
    """The rows of a cluster's years: jobs one after the other on each four of its nodes."""

    def __init__(self, database: Database, nodes: int, job_days: float, years: float) -> None:
        self._database = database
        self._lasts_s = min(job_days, 365 * years) * DAY_S
        self._running = max(nodes // NODES_A_JOB, 1)
        self._years = years
        self._running_bytes = 0
        self._ended = 0
        self._random = random.Random(1)
        snapshot = builders.snapshot(now_s=NOW_S)
        noise = self._random.randbytes(SNAPSHOT_BYTES)
        self._snapshot = pack(snapshot) + noise[len(pack(snapshot)) :]
        self._packed = pack(snapshot)
        self.told = ""

    def write(self, *, scale: int) -> None:
        """Writes the jobs that run now, and one in `scale` of those that have ended."""
        with self._database.write() as connection:
            self._write_prices(connection)
        for number in range(self._running):
            self._write_job(f"run{number:05}", NOW_S - self._lasts_s, is_over=False)
        self._running_bytes = self._bytes()
        a_job = self._years * YEAR_S / self._lasts_s
        self._ended = int(self._running * max(a_job - 1, 0))
        for number in range(0, self._ended, scale):
            share = (number + 0.5) / self._ended
            ended_at_s = NOW_S - self._lasts_s - share * (self._years * YEAR_S - self._lasts_s)
            self._write_job(f"end{number:05}", ended_at_s - self._lasts_s, is_over=True)

    def megabytes(self, path: Path, scale: int) -> float:
        """The size that all jobs would give; says of what it is made."""
        size = self._bytes()
        ended = (size - self._running_bytes) * scale
        self.told = (
            f"{self._running} running jobs {self._running_bytes / 1e6:.0f} MB, {self._ended} ended "
            f"ones {ended / 1e6:.0f} MB; 1 in {scale} of these written, "
            f"{os.stat(path).st_size / 1e6:.0f}"
            " MB in all"
        )
        return (self._running_bytes + ended) / 1e6

    def _bytes(self) -> int:
        with self._database.read() as connection:
            pages = connection.execute(text("PRAGMA page_count")).scalar_one()
            free = connection.execute(text("PRAGMA freelist_count")).scalar_one()
            return int(pages - free) * int(
                connection.execute(text("PRAGMA page_size")).scalar_one()
            )

    def _write_prices(self, connection: Connection) -> None:
        count = int(PRICES_A_DAY * 365 * self._years)
        rows = [
            {
                "node_type": "gpu.large",
                "capacity": "spot",
                "zone": f"zone-{number % 3}",
                "usd_per_h": 0.9 + 0.001 * (number % 7),
                "extras_usd_per_h": 0.0,
                "valid_from_s": NOW_S - number * DAY_S / PRICES_A_DAY,
                "observed_at_s": NOW_S,
                "source": "ec2",
            }
            for number in reversed(range(count))
        ]
        connection.execute(insert(prices), rows)
        told = [
            {
                "at_s": each["valid_from_s"],
                "kind": "price",
                "text": f"gpu.large spot {each['zone']}: $0.9000/h is now $0.9030/h",
                "numbers": '{"before_usd_per_h": 0.9, "usd_per_h": 0.903}',
            }
            for each in rows
        ]
        connection.execute(insert(events), told)

    def _write_job(self, name: str, begin_s: float, *, is_over: bool) -> None:
        job_id, lasts_s = f"job-{name}", self._lasts_s
        days = lasts_s / DAY_S
        with self._database.write() as connection:
            connection.execute(insert(jobs), [self._job(job_id, name, begin_s, is_over=is_over)])
            members = self._write_nodes(connection, job_id, begin_s, days, is_over=is_over)
            self._write_sums(connection, job_id, begin_s, is_over=is_over)
            self._write_windows(connection, job_id, members, begin_s, is_over=is_over)
            self._write_decisions(connection, job_id, begin_s, days)
            rows = [
                {
                    "at_s": begin_s + number * lasts_s / (RATES["events"] * days),
                    "job_id": job_id,
                    "node_id": members[0],
                    "kind": "note",
                    "text": "a note of about as many characters as one of a simulated day: " + name,
                    "numbers": '{"iteration": 12345.0}',
                }
                for number in range(int(RATES["events"] * days))
            ]
            connection.execute(insert(events), rows)

    def _job(self, job_id: str, name: str, begin_s: float, *, is_over: bool) -> dict[str, object]:
        return {
            "id": job_id,
            "name": name,
            "spec": to_text(builders.job_spec(name=name, iterations=10**9)),
            "phase": "succeeded" if is_over else "running",
            "submitted_at_s": begin_s,
            "finished_at_s": begin_s + self._lasts_s if is_over else None,
            "iteration": int(self._lasts_s * 10),
            "progress_generation": 1,
            "training_phase": "main",
            "request_hash": "h",
        }

    def _write_nodes(
        self, connection: Connection, job_id: str, begin_s: float, days: float, *, is_over: bool
    ) -> list[str]:
        count = max(int(RATES["nodes"] * days), NODES_A_JOB)
        ids = [f"node-{job_id[4:]}-{number}" for number in range(count)]
        lasts_s = self._lasts_s * NODES_A_JOB / count
        spans = [
            (begin_s + (number // NODES_A_JOB) * lasts_s, is_over or number < count - NODES_A_JOB)
            for number in range(count)
        ]
        where = {"node_type": "gpu.large", "capacity": "spot", "zone": "zone-0"}
        rows = [
            {
                "id": each,
                "job_id": job_id,
                **where,
                "phase": "terminated" if is_gone else "joined",
                "token": f"launch-{each}",
                "intended_at_s": at_s,
                "provider_id": f"i-{each}",
                "launched_at_s": at_s,
                "joined_at_s": at_s + 60,
                "heartbeat_at_s": at_s + lasts_s,
                "terminated_at_s": at_s + lasts_s if is_gone else None,
                "report": '{"state": "running", "generation": 1, "saving_s": 0.5, "tier": null, '
                '"pulse": null, "preparing": null}',
                "reason": "moved to a cheaper pool",
            }
            for each, (at_s, is_gone) in zip(ids, spans, strict=True)
        ]
        connection.execute(insert(nodes), rows)
        charged = [
            {
                "job_id": job_id,
                "node_id": each,
                **where,
                "price_id": 1,
                "usd_per_h": 0.9,
                "from_s": at_s + part * lasts_s / 2,
                "to_s": at_s + (part + 1) * lasts_s / 2 if is_gone or part == 0 else None,
                "minimum_s": 0.0,
            }
            for each, (at_s, is_gone) in zip(ids, spans, strict=True)
            for part in (0, 1)
        ]
        connection.execute(insert(ledger), charged)
        group = to_text(Group.of(Offering("gpu.large", Capacity.SPOT, "zone-0"), NODES_A_JOB))
        count = max(int(RATES["generations"] * days), 1)
        steps_s = self._lasts_s / count
        each = [
            {
                "job_id": job_id,
                "number": number + 1,
                "node_ids": json.dumps(ids[:NODES_A_JOB]),
                "members": group,
                "rdzv_endpoint": "10.0.0.1:8471",
                "started_at_s": begin_s + number * steps_s,
                "ended_at_s": begin_s + (number + 1) * steps_s,
                "first_step_at_s": begin_s + number * steps_s + 30,
                "last_step_at_s": begin_s + (number + 1) * steps_s - 5,
                "world_size": NODES_A_JOB,
            }
            for number in range(count)
        ]
        connection.execute(insert(generations), each)
        return ids

    def _write_sums(
        self, connection: Connection, job_id: str, begin_s: float, *, is_over: bool
    ) -> None:
        end_s = begin_s + self._lasts_s
        if is_over and end_s < NOW_S - WINDOWS_KEPT_S:
            widths = [(0.0, max(int(self._lasts_s // CHART_POINTS // 5 * 5), 5))]
        else:
            widths = [*WIDTHS_S, (0.0, 5)]
        rows, at_s = [], int(begin_s // 5 * 5)
        for age_s, width_s in widths:
            while at_s < min(NOW_S - age_s, end_s):
                rows.append(
                    {
                        "job_id": job_id,
                        "at_s": at_s,
                        "training_phase": "main",
                        "iterations": 10.0 * width_s,
                        "width_s": width_s,
                    }
                )
                at_s += width_s
        connection.execute(insert(buckets), rows)

    def _write_windows(
        self,
        connection: Connection,
        job_id: str,
        members: list[str],
        begin_s: float,
        *,
        is_over: bool,
    ) -> None:
        end_s = begin_s + self._lasts_s
        group = to_text(Group.of(Offering("gpu.large", Capacity.SPOT, "zone-0"), NODES_A_JOB))
        of_series = connection.execute(
            insert(series).values(
                job_id=job_id,
                members=group,
                training_phase="main",
                iterations=int(self._lasts_s * 10),
                elapsed_s=self._lasts_s,
            )
        ).inserted_primary_key
        assert of_series is not None
        raw = int(max(end_s - max(begin_s, NOW_S - WINDOWS_KEPT_S), 0.0) * WINDOWS_PER_S)
        count = max(raw, RECENT_WINDOWS)
        for first in range(0, count, 20_000):
            rows = [
                {
                    "series_id": of_series[0],
                    "job_id": job_id,
                    "node_id": members[0],
                    "seq": number + 1,
                    "generation": 1,
                    "world_size": NODES_A_JOB,
                    "iteration": number * 5,
                    "iterations": 5,
                    "elapsed_s": 1 / WINDOWS_PER_S,
                    "is_cold": False,
                    "ended_at_s": end_s - (count - number - 1) / WINDOWS_PER_S,
                }
                for number in range(first, min(first + 20_000, count))
            ]
            connection.execute(insert(windows), rows)
        connection.execute(
            insert(rollups).values(job_id=job_id, windows_to_s=NOW_S - WINDOWS_KEPT_S)
        )

    def _write_decisions(
        self, connection: Connection, job_id: str, begin_s: float, days: float
    ) -> None:
        group = Group.of(Offering("gpu.large", Capacity.SPOT, "zone-0"), NODES_A_JOB)
        candidates = tuple(
            Candidate(replace_zone(group, zone), "main", 64, 3.6, remaining_usd=100.0)
            for zone in range(6)
        )
        count = max(int(RATES["decisions"] * days), 1)
        rows = []
        for number in range(count):
            at_s = begin_s + (number + 0.5) * self._lasts_s / count
            action = Action.MOVE if number % 3 == 0 else Action.HOLD
            is_thin = at_s < NOW_S - LONG_KEPT_S and number < count - 1
            reason = Reason(
                f"code-{number % 5}", "Scaling to 4 nodes of the best-value type: $3.6/h"
            )
            shown = () if is_thin else candidates
            snapshot = self._packed if number == count - 1 else b"" if is_thin else self._snapshot
            rows.append(
                {
                    "job_id": job_id,
                    "at_s": at_s,
                    "last_at_s": at_s,
                    "weighed_at_s": at_s,
                    "ticks": 1,
                    "policy": "best_value",
                    "version": 1,
                    "action": str(action),
                    "code": reason.code,
                    "from_group": to_text(group),
                    "to_group": to_text(group),
                    "plan": to_text(Plan(action, group, reason, shown)),
                    "snapshot": snapshot,
                }
            )
        connection.execute(insert(decisions), rows)


def replace_zone(group: Group, zone: int) -> Group:
    """The same group in another zone."""
    ((offering, count),) = group.members
    return Group.of(replace(offering, zone=f"zone-{zone}"), count)


def pages(store: Store, folder: Path) -> dict[str, float]:
    """Milliseconds of processor that each page takes, by its path: the median of several.

    Between two a second passes, so that nothing is answered from what was just found.
    """
    ended = next(each.id for each in store.jobs.listed(limit=500) if each.phase.is_final)
    paths = [
        *("/", "/jobs", "/jobs/run00000", f"/jobs/{ended}", "/nodes", "/decisions", "/costs"),
        *("/prices", "/v1/jobs", "/v1/nodes", "/v1/decisions", "/v1/events", "/v1/ledger"),
        *("/v1/prices", "/v1/measurements", "/metrics"),
    ]
    clock = ManualClock(NOW_S)
    context = Context(
        store=store,
        clock=clock,
        settings=Settings(data_dir=folder),
        provider=FakeProvider(FakeCloud((), clock=clock)),
        node_tokens=NodeTokens(b"secret"),
        wake=lambda: None,
        user_token="token",
    )
    found = {}
    headers = {"Authorization": "Bearer token"}
    with TestClient(create_app(context), base_url="http://127.0.0.1", headers=headers) as client:

        def show(path: str) -> None:
            clock.advance(1.0)
            client.get(path).raise_for_status()

        for path in paths:
            found[path] = 1000 * statistics.median(_spans(partial(show, path)))
    return found


def _spans(page: Callable[[], object]) -> Iterator[float]:
    for _ in range(PAGES_SEEN):
        yield _seconds(page)


def _seconds(what: Callable[[], object]) -> float:
    begun_s = time.process_time()
    what()
    return time.process_time() - begun_s


if __name__ == "__main__":
    raise SystemExit(main())
