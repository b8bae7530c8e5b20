"""`elasticd backtest`: its table, its JSON, and what it says of bad files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elastic.model import CapacityChoice
from elastic.policy import decide
from elastic.simulator import Simulation
from elastic.store import open_store
from tests.cli.commands import Run, runner
from tests.postgres import PostgresServer
from tests.simulator.worlds import H, job, market, program

JOB = "name: long\ncommand: python train.py\niterations: 3600\nobjective: {deadline: 3h}\n"
PRICES = "after_s,node_type,capacity,zone,usd_per_h\n0,small,on-demand,a,1.0\n0,small,spot,a,0.3\n"
POOLS = {"one": {"zone": "a", "node_type": "small", "gap_s": 600, "runs": [[1, 4], [0, 3], [1, 9]]}}
SPEEDS = "node_type,nodes,step_s\nsmall,1,1.0\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").touch()
    (tmp_path / "job.yaml").write_text(JOB)
    (tmp_path / "prices.csv").write_text(PRICES)
    (tmp_path / "pools.json").write_text(json.dumps(POOLS))
    (tmp_path / "speeds.csv").write_text(SPEEDS)
    return tmp_path


ALL = ("--prices", "prices.csv", "--availability", "pools.json", "--speeds", "speeds.csv")


def test_compares_the_policy_with_foresight_and_simple_rules(folder: Path, run: Run) -> None:
    found = run("backtest", "job.yaml", *ALL, "--starts", "2")
    assert found.status == 0, found.err
    assert "3,600 iterations, 2 start(s)" in found.out
    rows = {line.split()[0]: line.split() for line in found.out.splitlines()[2:7]}
    assert list(rows) == ["best_value", "clairvoyant", "on-demand", "greedy", "uniform"]
    assert rows["clairvoyant"][2] == "1"


def test_counts_spot_pools_that_have_no_record(folder: Path, run: Run) -> None:
    found = run("backtest", "job.yaml", "--prices", "prices.csv", "--hours", "1")
    assert "2 offerings, 1 of them spot pools" in found.out


def test_shows_a_life_that_did_not_finish_as_unfinished(folder: Path, run: Run) -> None:
    (folder / "job.yaml").write_text(
        JOB.replace("{deadline: 3h}", "{deadline: 3h, budget_usd: 0.15}")
    )
    found = run("backtest", "job.yaml", *ALL)
    assert found.status == 0, found.err
    (row,) = (line.split() for line in found.out.splitlines() if line.startswith("best_value"))
    assert row == [
        "best_value",
        "-",
        "-",
        "-",
        "0",
        "of",
        "1",
        "1",
    ]  # no dollars, no share, no time; and late
    assert "1 of 1 did not finish: budget_exhausted, after $0.1" in found.out


def test_tells_what_is_not_known_of_the_hardware(folder: Path, run: Run) -> None:
    (folder / "prices.csv").write_text(PRICES + "0,large,on-demand,a,2.0\n")
    (folder / "speeds.csv").write_text(SPEEDS + "large,1,0.5\n")
    types = [
        {"name": "small", "cpu": 2, "memory_gib": 4},
        {"name": "large", "cpu": 8, "memory_gib": 16},
    ]
    (folder / "types.json").write_text(json.dumps(types))
    (folder / "job.yaml").write_text(JOB.replace("3600", "600"))
    command = ("backtest", "job.yaml", *ALL)
    assert "The hardware of large, small is not known" in run(*command).out
    found = run(*command, "--node-types", "types.json")
    assert found.status == 0, found.err
    assert "is not known" not in found.out


def test_prints_each_life_as_json(folder: Path, run: Run) -> None:
    found = run("backtest", "job.yaml", *ALL, "--policy", "best_value", "-o", "json")
    (start,) = json.loads(found.out)["starts"]
    assert start["phase"] == "succeeded"
    assert start["usd"] == pytest.approx(start["ledger_usd"])
    assert [each["name"] for each in start["yardsticks"]] == [
        "clairvoyant",
        "on-demand",
        "greedy",
        "uniform",
    ]


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("pools.json", "[]", "pools.json: wanted a JSON object of series by name, got []"),
        ("pools.json", "{", "pools.json: wanted availability as JSON"),
        (
            "pools.json",
            json.dumps({"one": POOLS["one"] | {"gap_s": 0}}),
            "one: gap_s: wanted seconds a tick above 0",
        ),
        (
            "pools.json",
            json.dumps({"one": POOLS["one"] | {"runs": [[2, 1]]}}),
            "one: run 1: wanted a list of",
        ),
        (
            "pools.json",
            json.dumps({"one": POOLS["one"] | {"node_type": None}}),
            "one: node_type: wanted",
        ),
        ("speeds.csv", "node_type,nodes\nsmall,1\n", "speeds.csv, line 1: wanted the fields"),
        (
            "speeds.csv",
            SPEEDS + "small,2,-1\n",
            "speeds.csv, line 3: step_s: wanted a number above 0, got '-1'",
        ),
        (
            "speeds.csv",
            "node_type,nodes,step_s\nlarge,1,1.0\n",
            "wanted a node type with a price and a speed",
        ),
        (
            "prices.csv",
            "node_type,usd_per_h\nsmall,1\n",
            "prices.csv, line 2: after_s: wanted either",
        ),
        (
            "job.yaml",
            JOB.replace("iterations: 3600\n", ""),
            "iterations: wanted how many there are",
        ),
    ],
)
def test_says_what_is_wrong_with_a_file(
    folder: Path, run: Run, file: str, text: str, told: str
) -> None:
    (folder / file).write_text(text)
    found = run("backtest", "job.yaml", *ALL)
    assert found.status != 0
    assert told in found.err


def test_replays_a_job_that_the_database_here_knows(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = job(1.0, name="mine", capacity=CapacityChoice.ON_DEMAND)
    simulation = Simulation(folder, spec, program(1.0), market(), decide)
    simulation.run(until_s=3 * H)
    usd = simulation.bill_usd()
    simulation.close()
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(folder))
    found = run("backtest", "mine", "-o", "json")
    assert found.status == 0, found.err
    (start,) = json.loads(found.out)["starts"]
    assert start["usd"] == pytest.approx(usd, rel=0.02)


def test_says_how_many_iterations_a_job_did_that_named_none(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = job(name="mine", iterations=None, capacity=CapacityChoice.ON_DEMAND)
    simulation = Simulation(folder, spec, program(1.0), market(), decide)
    simulation.run(until_s=3 * H)
    simulation.close()
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(folder))
    found = run("backtest", "mine")
    assert found.out.startswith("mine: 3,600 iterations, 1 start(s) in prices that never change")


def test_looks_into_a_database_of_postgresql_beside_its_daemon(
    run: Run, monkeypatch: pytest.MonkeyPatch, postgres: PostgresServer
) -> None:
    url = postgres.empty_database()
    of_daemon = open_store(url)
    monkeypatch.setenv("ELASTICD_DATABASE_URL", url)
    found = run("backtest", "mine")
    of_daemon.close()
    assert found.err.startswith("elasticd: no job 'mine'")


def test_makes_no_database_where_there_is_none(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(folder / "nowhere"))
    found = run("backtest", "job.yam")
    assert "job.yam: no such file, and no database at" in found.err
    assert not (folder / "nowhere").exists()


def test_refuses_to_fix_what_nobody_named(folder: Path, run: Run) -> None:
    found = run("backtest", "job.yaml", *ALL, "--policy", "fixed")
    assert "wanted policy.node_type" in found.err


def test_refuses_files_for_a_job_that_has_run(folder: Path, run: Run) -> None:
    found = run("backtest", "my-job", "--prices", "prices.csv")
    assert "brings its own prices" in found.err


def test_wants_either_speeds_or_hours(folder: Path, run: Run) -> None:
    found = run("backtest", "job.yaml", "--prices", "prices.csv")
    assert "wanted either --speeds or --hours" in found.err
