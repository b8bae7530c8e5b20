"""What the daemon is made of: settings that change from one start to the next, on one data
folder."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from elastic.clock import ManualClock
from elastic.config import LocalType, Settings
from elastic.daemon import build
from elastic.log_line import LogPiece
from elastic.model import JobSpec, Offering
from elastic.store import Store
from tests.docs.pages import ROOT
from tests.store.past_databases import lay_out_past

HALF = Offering("half")
DAY_S = 86_400.0


def prices_after(
    data_dir: Path, clock: ManualClock, *seconds: float, trace: Path | None = None
) -> Store:
    """Starts a daemon, and has it look at its prices at once and after each of so many seconds."""
    table = (LocalType(name="half", cpu=0.5, usd_per_h=0.09),)
    settings = Settings(
        data_dir=data_dir, local_types=table, price_trace=trace, rendezvous_ports="0-0"
    )
    daemon = build(settings, clock=clock, url="http://127.0.0.1:1")
    for each in (0.0, *seconds):
        clock.advance(each)
        daemon.reconciler.tick(now_s=clock.now_s())
    return daemon.store


def test_a_trace_that_is_new_to_a_data_folder_begins_now_and_reprices_nothing(
    tmp_path: Path,
) -> None:
    clock, trace = ManualClock(1_800_000_000.0), tmp_path / "prices.csv"
    first_s = clock.now_s()
    prices_after(tmp_path / "data", clock, 3 * DAY_S)
    trace.write_text(
        f"after_s,at_s,node_type,usd_per_h\n7200,,half,0.36\n,{first_s + DAY_S:.0f},half,0.18\n"
    )
    began_s = clock.now_s()
    prices_after(tmp_path / "data", clock, 3600.0, trace=trace)
    store = prices_after(tmp_path / "data", clock, 3600.0, trace=trace)
    found = [
        (each.usd_per_h, each.valid_from_s) for each in reversed(store.prices.listed(offering=HALF))
    ]
    assert found == [(0.09, first_s), (pytest.approx(0.18), began_s), (0.36, began_s + 7200.0)]


def test_the_logs_of_a_job_outlive_its_daemon_and_those_of_a_job_that_is_no_longer_on_record_do_not(
    tmp_path: Path,
) -> None:
    clock = ManualClock(1_800_000_000.0)
    settings = Settings(data_dir=tmp_path, rendezvous_ports="0-0")
    daemon = build(settings, clock=clock, url="http://127.0.0.1:1")
    job, _ = daemon.store.jobs.submit(
        JobSpec("kept", ("train.py",)), key=None, request_hash="h", now_s=clock.now_s()
    )
    for number, job_id in enumerate((job.id, "deleted"), start=1):
        daemon.logs.add(
            job_id, f"n{number}", [LogPiece(1, 0, 0, ("a line",))], seq=1, now_s=clock.now_s()
        )
    daemon.store.close()
    daemon.logs.close()
    daemon = build(settings, clock=clock, url="http://127.0.0.1:1")
    assert daemon.logs.jobs() == (job.id,)
    assert [line.text for line in daemon.logs.lines(job.id, limit=10)] == ["a line"]
    daemon.store.close()
    daemon.logs.close()


def test_a_daemon_rolls_old_measurements_up_beside_its_tick(tmp_path: Path) -> None:
    lay_out_past(ROOT / "tests" / "store" / "past" / "acaf34e.sql", tmp_path / "elasticd.db")
    settings = Settings(data_dir=tmp_path, rendezvous_ports="0-0")
    daemon = build(settings, clock=ManualClock(1_800_000_000.0), url="http://127.0.0.1:1")
    assert daemon.ticker.last is None
    job = daemon.store.jobs.listed()[1]
    assert len(daemon.store.measurements.listed(job.id, limit=500)) == 100
    daemon.housekeeper.start()
    while daemon.housekeeper.last is None:
        time.sleep(0.01)
    daemon.housekeeper.stop()
    _, _, failure = daemon.housekeeper.last
    assert failure is None
    # The 64 warm ones that an estimate reads, and the job's first, which is cold.
    assert len(daemon.store.measurements.listed(job.id, limit=500)) == 65
    assert daemon.ticker.last is None
    daemon.store.close()
    daemon.logs.close()


def test_the_token_that_may_look_is_made_where_the_settings_name_it(tmp_path: Path) -> None:
    file = tmp_path / "look" / "token"
    for named in (None, file, file):
        settings = Settings(data_dir=tmp_path, rendezvous_ports="0-0", look_token_file=named)
        daemon = build(settings, clock=ManualClock(1_800_000_000.0), url="http://127.0.0.1:1")
        daemon.store.close()
        daemon.logs.close()
        if named is None:
            assert daemon.look_token == "" and not file.exists()
        else:
            assert daemon.look_token == file.read_text().strip() != daemon.user_token
            assert len(daemon.look_token) > 30
            assert file.stat().st_mode & 0o777 == 0o600


_FAILING = """
import logging
import structlog
from elastic.daemon import log_to_stderr

log_to_stderr()

def answer(token):
    return 1 / 0

try:
    answer("secret-" + "token")
except ZeroDivisionError as error:
    logging.getLogger("uvicorn.error").exception("a library fails")
    structlog.get_logger().error("the daemon fails", exc_info=error)
"""


def test_a_failure_is_logged_with_its_lines_and_without_the_variables_around_them() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FAILING],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    for what in ("a library fails", "the daemon fails"):
        assert what in done.stderr
    assert done.stderr.count("ZeroDivisionError: division by zero") == 2
    assert "secret-token" not in done.stderr
