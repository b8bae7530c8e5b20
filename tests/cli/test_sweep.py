"""A sweep's layouts, its jobs, and how it compares what came of them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from elastic.cli.job import read_spec
from elastic.cli.options import confirm
from elastic.cli.sweep import (
    Layout,
    LayoutRun,
    Row,
    _Follower,
    _numbers,
    _played,
    _sizes,
    job_of,
    layouts_of,
    rows_of,
    shown,
)
from elastic.client.rest import Client
from elastic.clock import ManualClock
from elastic.errors import InvalidInput
from tests.api.world import TOKEN
from tests.cli.commands import Run
from tests.cli.conftest import Live

ONE, TWO = Layout("small", 1, 1), Layout("small", 2, 2)


def ran(layout: Layout, rate: float | None, *, phase: str = "succeeded", **rest: Any) -> LayoutRun:
    base = {"number": 1, "job": "job-1", "seconds": 10.0, "usd": 0.1, "iterations": 100}
    per_usd = None if rate is None else rate * 100
    known = {**base, "iterations_per_s": rate, "iterations_per_usd": per_usd, "reported": {}}
    return LayoutRun(layout=layout, phase=phase, **{**known, **rest})


def test_layouts_are_every_combination_by_type() -> None:
    sizes = [(nodes, ranks) for nodes in (1, 2) for ranks in (1, 4)]
    found = layouts_of(["a", "b"], sizes)
    assert [(each.node_type, each.nodes, each.ranks) for each in found] == [
        (name, *size) for name in "ab" for size in sizes
    ]
    with pytest.raises(InvalidInput, match="wanted the node types to compare"):
        layouts_of([], sizes)


def test_single_layouts_may_be_named() -> None:
    assert _sizes("1x1, 2x4,1x1") == [(1, 1), (2, 4)] and _sizes(None) == []


@pytest.mark.parametrize("given", ["2", "0x1", "2x", "2x-1", "2x4x8"])
def test_a_wrong_layout_is_named(given: str, run: Run, job_file: str) -> None:
    refused = run("sweep", job_file, "--layouts", given, "--types", "small", "-y")
    assert refused.status == 2 and f"such as 1x1,2x4, got '{given}'" in refused.err


def test_a_run_stays_on_its_layout_and_within_what_is_left() -> None:
    document = {"name": "photos", "command": ["train.py"], "objective": {"budget_usd": 2.0}}
    job = job_of(document, TWO, 3, left_usd=0.5)
    assert job["name"] == "photos-2x2-small-3"
    assert job["nodes"] == {"min": 2, "max": 2} and job["nproc_per_node"] == 2
    assert job["policy"] == {"name": "fixed", "node_type": "small"}
    assert job["objective"] == {"budget_usd": 0.5}
    assert job_of(document, TWO, 3, left_usd=9.0)["objective"] == {"budget_usd": 2.0}
    assert job_of(document, TWO, 3, left_usd=None)["objective"] == {"budget_usd": 2.0}
    long = job_of({**document, "name": "n" * 63}, Layout("g5.48xlarge", 16, 8), 100, left_usd=None)
    assert len(long["name"]) <= 63 and long["name"].endswith("-100")


def test_efficiency_is_a_worker_s_pace_over_that_of_the_first_layout() -> None:
    runs = [ran(ONE, 8.0), ran(ONE, 12.0), ran(TWO, 30.0), ran(TWO, 1.0, phase="failed")]
    first, second = rows_of(runs)
    assert (first.iterations_per_s, first.low, first.high) == (10.0, 8.0, 12.0)
    assert (first.efficiency, second.efficiency) == (1.0, 0.75)
    assert (second.runs, second.failed, second.iterations_per_s) == (2, 1, 30.0)


def test_a_layout_that_never_trained_has_no_numbers_and_no_bar() -> None:
    (row,) = rows_of([ran(ONE, None, phase="failed")])
    assert row == Row(ONE, 1, 1, None, 0.1, None, None, None, None, None)
    (line,) = shown([row])
    assert line["runs"] == "1, 1 failed" and line["bar"] == ""


def test_a_layout_that_was_refused_says_so_and_has_no_price() -> None:
    refused = LayoutRun(TWO, 1, job=None, phase="refused", message="no such type")
    first, second = shown(rows_of([ran(ONE, 10.0), refused]))
    assert (second["runs"], second["usd"]) == ("1, 1 refused", None)
    assert first["runs"] == "1"


def test_bars_are_as_long_as_what_a_dollar_buys() -> None:
    lines = shown(rows_of([ran(ONE, 10.0), ran(TWO, 5.0)]))
    assert [len(each["bar"]) for each in lines] == [30, 15]


@pytest.mark.parametrize("given", ["", "0", "two", "1,-1"])
def test_wrong_numbers_are_named(given: str, run: Run, job_file: str) -> None:
    refused = run("sweep", job_file, "--nodes", given, "--types", "small", "-y")
    assert refused.status == 2 and "--nodes: wanted whole numbers such as 1,2,4" in refused.err


def test_without_types_it_says_where_to_find_them(run: Run, job_file: str) -> None:
    refused = run("sweep", job_file, "-y")
    assert refused.status == 2 and "elasticd type ls" in refused.err


def test_a_file_without_a_name_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    path.write_text("command: [/srv/train.py]\niterations: 5\n")
    refused = run("sweep", str(path), "--types", "small", "-y")
    assert refused.status == 2 and "name: wanted a value" in refused.err


def test_a_number_that_is_named_twice_is_one_layout() -> None:
    assert _numbers("--nodes", "2,1,2") == [2, 1]


def test_a_layout_that_is_refused_is_known_before_another_is_bought(
    run: Run, job_file: str, live: Live
) -> None:
    before = len(live.world.store.jobs.listed())
    refused = run("sweep", job_file, "--types", "small,tiny", "--nodes", "1,2", "-y")
    assert refused.status == 2 and "2 of 4 layouts are refused, and nothing was" in refused.err
    assert "2 x tiny, 1 a node: node_types: no node type 'tiny'" in refused.err
    assert len(live.world.store.jobs.listed()) == before


def test_a_sweep_asks_before_it_buys(run: Run, job_file: str) -> None:
    refused = run("sweep", job_file, "--types", "small")
    assert refused.status == 2 and "say --yes" in refused.err


def test_a_question_does_not_go_into_the_file_of_the_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = io.StringIO("y\n")
    monkeypatch.setattr(typed, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", typed)
    confirm("12 runs?", yes=False)
    asked = capsys.readouterr()
    assert (asked.out, asked.err) == ("", "12 runs? [y/N]: ")


def test_a_sweep_asks_about_runs_that_are_not_there_yet(
    run: Run, job_file: str, live: Live
) -> None:
    document, _ = read_spec(job_file)
    with Client(url=live.url, token=TOKEN) as client:
        client.post("/v1/jobs", job_of(document, ONE, 1, left_usd=None))
    asked = run("sweep", job_file, "--types", "small", "--nodes", "1,2")
    assert "runs to buy, one after another: 1 of 2, without a budget?" in asked.err
    again = run("sweep", job_file, "--types", "small", "--nodes", "1,2", "--again")
    assert "runs to buy, one after another: 2 of 2, without a budget?" in again.err


IDLE = {"iteration": 0, "iterations": 5, "iterations_per_s": None, "eta_s": None}


def looked(**of_job: Any) -> dict[str, Any]:
    """A job as the daemon shows it."""
    job = {
        "id": "job-1",
        "phase": "waiting",
        "is_final": False,
        "progress": IDLE,
        "current_group": None,
        "target_group": None,
        "candidates": [],
        "spent_usd": 0.1,
        "waits_because": None,
        "message": None,
        "spec": {"name": "photos"},
    }
    return job | of_job


@dataclass(slots=True)
class Daemon:
    """Answers a sweep. It refuses jobs on `refuses`, and shows others as `looks`, then as over."""

    looks: list[dict[str, Any]] = field(default_factory=list)
    refuses: str = ""
    clock: ManualClock = field(default_factory=ManualClock)

    def played(self, *layouts: Layout) -> list[LayoutRun]:
        transport = httpx2.MockTransport(self._answer)
        with Client(url="http://127.0.0.1:1", token="t", transport=transport) as client:
            follower = _Follower(client, self.clock)
            return list(_played(follower, {"name": "photos"}, layouts, 1, None, again=False))

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        match request.method, request.url.path:
            case "POST", "/v1/jobs:plan":
                return httpx2.Response(200, json={"spec": json.loads(request.content)})
            case "POST", "/v1/jobs" if json.loads(request.content)["node_types"] == [self.refuses]:
                return httpx2.Response(422, json={"detail": "no price is known"})
            case "GET", "/v1/jobs" | "/v1/measurements":
                return httpx2.Response(200, json={"items": []})
            case "GET", "/v1/jobs/job-1/report":
                return httpx2.Response(200, json=REPORT)
        over = looked(phase="succeeded", is_final=True)
        return httpx2.Response(200, json=self.looks.pop(0) if self.looks else over)


REPORT: Mapping[str, Any] = {
    "elapsed_s": 10.0,
    "spent_usd": 0.1,
    "iterations_done": 5,
    "iterations_per_usd": 50.0,
    "quality": {},
}


def test_a_refusal_in_the_middle_of_a_sweep_keeps_what_was_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    last = Layout("large", 1, 1)
    runs = Daemon(refuses="tiny").played(ONE, Layout("tiny", 1, 1), last)
    assert [each.phase for each in runs] == ["succeeded", "refused", "succeeded"]
    assert runs[1].message == "no price is known" and runs[2].layout == last
    said = "run 2 of 3: 1 x tiny, 1 a node: refused: no price is known"
    assert said in capsys.readouterr().err


def test_what_a_run_waits_for_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    # What passes within seconds belongs to every start.
    starts = [looked(waits_because="start on small")] * 3
    waits = [looked(waits_because="no capacity for small")] * 30
    boots = [looked(preparing=[f"booting n1, {each} s"]) for each in range(30)]
    Daemon(looks=[*starts, *waits, *boots]).played(ONE)
    assert capsys.readouterr().err.splitlines()[:-1] == [
        "1 x small, 1 a node: no capacity for small",
        "1 x small, 1 a node: booting n1, 10 s",
    ]


def test_a_job_s_notes_and_warnings_are_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    note, warning = "4 workers train 4 separate models", "a move restarts it"
    noted = looked(notes=[note], warnings=[warning])
    Daemon(looks=[looked(), noted, noted]).played(ONE)
    assert capsys.readouterr().err.splitlines()[:-1] == [
        f"1 x small, 1 a node: note: {note}",
        f"1 x small, 1 a node: warning: {warning}",
    ]


@pytest.fixture
def job_file(tmp_path: Any) -> str:
    path = tmp_path / "job.yaml"
    path.write_text("name: photos\ncommand: [/srv/train.py]\niterations: 5\n")
    return str(path)
