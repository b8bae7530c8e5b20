"""What a daemon has on record, read from Python as a script or a notebook does."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from elastic.client import connect
from elastic.errors import DaemonUnreachable, NotFound, Unauthorized
from elastic.model import JobSpec
from tests.api.world import TOKEN, make_world
from tests.cli.conftest import Live, serving
from tests.empty_database import lay_out

NOTEBOOK = Path(__file__).parents[2] / "examples/notebook/iterations_per_dollar.ipynb"


@pytest.fixture
def address(live: Live, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ELASTICD_TOKEN", TOKEN)
    return live.url


def test_lists_come_whole_and_oldest_first(address: str) -> None:
    with connect(address) as records:
        windows = records.measurements("first")
        assert [each["window"]["iteration"] for each in windows] == [10, 20, 30, 40, 50, 60]
        assert [each["spec"]["name"] for each in records.jobs()] == ["first"]
        assert records.job("first")["id"] == windows[0]["job_id"]
        assert records.decisions("first")[0]["plan"]["reason"]["code"] == "start"
        assert records.ledger("first")[0]["usd_per_h"] > 0


def test_curves_are_points_in_time(address: str) -> None:
    with connect(address) as records:
        throughput = records.throughput("first", buckets=10)
        cost = records.cost("first")
    assert 0 < len(throughput) <= 10
    assert throughput[-1]["iterations_per_s"] > 0
    assert [each["usd"] for each in cost] == sorted(each["usd"] for each in cost)


def test_what_the_daemon_does_not_know_is_an_error(address: str) -> None:
    with connect(address) as records, pytest.raises(NotFound, match="other"):
        records.measurements("other")


def test_a_wrong_token_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELASTICD_TOKEN", "wrong")
    with connect(address) as records, pytest.raises(Unauthorized):
        records.jobs()


def test_without_a_daemon_it_says_how_to_start_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELASTICD_TOKEN", TOKEN)
    with (
        connect("http://127.0.0.1:9") as records,
        pytest.raises(DaemonUnreachable, match="elasticd serve"),
    ):
        records.jobs()


def test_the_notebook_runs_as_it_stands(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib import pyplot

    monkeypatch.delenv("JOB", raising=False)
    monkeypatch.setenv("ELASTICD_URL", address)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    pyplot.switch_backend("Agg")
    known, said = _run_notebook()
    per_usd = known["upper"].lines[0].get_ydata()
    assert len(per_usd) == len(known["throughput"]) and min(per_usd) > 0
    assert (tmp_path / "iterations_per_dollar.png").stat().st_size > 5_000
    assert "1 x small (on-demand): 6 windows, 2 iterations a second\n" in said
    assert "small is the cheapest" in said
    pyplot.close("all")


def test_the_notebook_says_that_a_job_has_had_no_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path / "empty.db")
    world = make_world(tmp_path, template=tmp_path / "empty.db")
    waiting = JobSpec(name="waiting", command=("train.py",), nodes_max=1, iterations=10)
    world.store.jobs.submit(waiting, key=None, request_hash="waiting", now_s=0.0)
    monkeypatch.setenv("ELASTICD_TOKEN", TOKEN)
    monkeypatch.delenv("JOB", raising=False)
    monkeypatch.chdir(tmp_path)
    with serving(world) as (url, _):
        monkeypatch.setenv("ELASTICD_URL", url)
        _, said = _run_notebook()
    assert said == "waiting has had no node yet: there is nothing to plot\n"
    assert not list(tmp_path.glob("*.png"))


def _run_notebook() -> tuple[dict[str, Any], str]:
    """Runs its cells; gives what they have made, and what they have said."""
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    known: dict[str, Any] = {}
    with redirect_stdout(io.StringIO()) as said:
        for each in cells:
            if each["cell_type"] == "code":
                exec("".join(each["source"]), known)  # noqa: S102
    return known, said.getvalue()
