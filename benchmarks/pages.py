"""How large each page of the dashboard is and how long the daemon works on it, with many jobs and a
million measurements.

    python -m benchmarks.pages [--windows 1000000] [--open 100] [--over 200]

Each time is the median of several requests in one process: CPU-seconds, and seconds by the clock.
Ends with status 1 if a page is larger than 150 KB, or takes more than 300 ms of the processor.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from fastapi.testclient import TestClient

from api.app import create_app
from elastic.clock import ManualClock
from elastic.durations import WINDOW_S
from elastic.model import Action, JobPhase, Window
from elastic.store import Store, open_store
from tests.api.dashboard.served import TOKEN, make_context
from tests.api.dashboard.story import FULL, HALF, SPEC, Story, tell

MOST_BYTES = 150_000
MOST_S = 0.3
_RUNS = 5
# Windows are stored in pieces, as heartbeats bring them.
_PIECE = 5_000


def main() -> int:
    """Fills a database, asks for each page, and prints what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--windows", type=int, default=1_000_000)
    parser.add_argument("--open", type=int, default=100, help="jobs that train")
    parser.add_argument("--over", type=int, default=200, help="jobs that are over")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{Path(folder) / 'elasticd.db'}")
        now_s = _filled(store, windows=asked.windows, trains=asked.open, over=asked.over)
        is_good = _measured(store, Path(folder), now_s=now_s)
        store.close()
    return 0 if is_good else 1


def _filled(store: Store, *, windows: int, trains: int, over: int) -> float:
    """Tells the lives of all jobs; gives the instant at which the last of them is."""
    long = tell(store)
    for number in range(over + trains):
        spec = replace(SPEC, name=f"net-{number}")
        job, _ = store.jobs.submit(spec, key=None, request_hash=spec.name, now_s=long.now_s)
        story = Story(store, spec, long.now_s, job.id, phase="gan")
        story.enter(JobPhase.PROFILING)
        story.train_on(HALF, 100.0)
        story.decide(Action.HOLD, HALF, "best_already", "Nothing else would finish cheaper.")
        story.enter(JobPhase.RUNNING)
        if number < over:
            story.finish()
    stored = sum(long.measured.values())
    while stored < windows:
        _train(long, _PIECE)
        stored += _PIECE
    print(f"{stored:,} windows of one job, {trains + over + 1:,} jobs")
    long.decide(Action.HOLD, FULL, "best_already", "Nothing else would finish cheaper.")
    return long.now_s


def _train(story: Story, count: int) -> None:
    """Stores so many windows, each as long as a worker makes one."""
    assert story.node is not None
    generation = len(story.store.generations.listed(story.job_id))
    windows = []
    for _ in range(count):
        story.seq += 1
        story.now_s += WINDOW_S
        story.iteration += 2
        windows.append(
            Window(
                node_id=story.node.id,
                seq=story.seq,
                generation=generation,
                world_size=1,
                phase="gan",
                iteration=story.iteration,
                iterations=2,
                elapsed_s=WINDOW_S,
                is_cold=False,
                ended_at_s=story.now_s,
            )
        )
    story.store.measurements.append(story.node.id, windows)
    story.beat()


def _measured(store: Store, folder: Path, *, now_s: float) -> bool:
    """Prints a line for each page; whether all of them are small and fast enough."""
    app = create_app(make_context(store, folder, ManualClock(now_s)))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    is_good = True
    newest = store.decisions.listed(limit=1)[0].id
    paths = (
        "/",
        "/?order=value",
        "/?order=cost",
        "/?order=left",
        "/?state=attention",
        "/jobs/esrgan-demo",
        "/compare?jobs=esrgan-demo,net-0,net-1,net-2,net-3",
        "/nodes",
        "/decisions",
        f"/decisions/{newest}",
        "/prices",
        "/costs",
    )
    with TestClient(app, base_url="http://127.0.0.1", headers=headers) as client:
        for path in paths:
            spans = []
            for _ in range(_RUNS):
                began = (time.process_time(), time.perf_counter())
                answer = client.get(path)
                spans.append((time.process_time() - began[0], time.perf_counter() - began[1]))
                answer.raise_for_status()
            cpu_s, wall_s = (statistics.median(each) for each in zip(*spans, strict=True))
            size = len(answer.content)
            verdict = "" if size <= MOST_BYTES and cpu_s <= MOST_S else "  TOO MUCH"
            is_good = is_good and not verdict
            print(
                f"{path:52} {size / 1e3:6.1f} KB {cpu_s * 1e3:6.0f} CPU-ms {wall_s * 1e3:6.0f} ms"
                f"{verdict}"
            )
    return is_good


if __name__ == "__main__":
    sys.exit(main())
