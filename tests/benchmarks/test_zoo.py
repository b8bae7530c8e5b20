"""The zoo tells the truth about a run, and two of its rows keep every promise."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from benchmarks.zoo.rows import ROWS
from benchmarks.zoo.script_log import ScriptLog, read_log
from benchmarks.zoo.verdict import Seen, WindowSeen, shortfalls
from tests.docs.pages import ROOT


def log_of(*rounds: tuple[float, int], resumed: float | None = None) -> ScriptLog:
    """The log of rounds, each of one rank that began at a step and made so many, a second each; one
    file is saved."""
    lines, at_s = [], 100.0
    for number, (first, steps) in enumerate(rounds):
        who = f"pid {number} group a:{number} rank 0/1"
        lines += [f"{at_s:.3f} {who} started", f"{at_s:.3f} {who} begins at {first}"]
        if resumed is not None:
            lines.append(f"{at_s:.3f} pid 99 group a:{number} rank 1/2 begins at {resumed}")
        for step in range(steps):
            at_s += 1.0
            lines.append(f"{at_s:.3f} {who} at {first + step + 1} loss 0.1")
        lines.append(f"{at_s:.3f} {who} saved out/last.pt abc")
    return read_log(lines)


def seen(log: ScriptLog) -> Seen:
    """A run of which everything is as it should be."""
    steps = log.rounds[0].steps
    window = WindowSeen(
        iterations=len(steps), elapsed_s=float(len(steps)), ended_at_s=steps[-1].at_s
    )
    return Seen(
        row=ROWS["ddp"],
        preload="yes",
        log=log,
        phase="succeeded",
        said="",
        iteration=log.survived("worker"),
        windows=(window,),
        fetched={"out/last.pt": "abc"},
        nodes=1,
        seconds=1.0,
    )


def test_a_run_that_kept_everything_falls_short_nowhere() -> None:
    assert shortfalls(seen(log_of((0, 100)))) == []


def test_steps_that_are_done_again_survive_once() -> None:
    assert log_of((0, 100), (60, 50), (0, 10), (110, 5)).survived("worker") == 115
    assert log_of((0, 100), (0, 30)).survived("worker") == 30, (
        "it began again at 0: what it had done is lost"
    )


def test_a_step_of_two_workers_is_twice_the_work_where_each_has_a_batch_of_its_own() -> None:
    first = log_of((0, 10)).rounds
    second = replace(log_of((0, 10), (10, 10)).rounds[1], world_size=2)
    log = replace(log_of((0, 10)), rounds=(*first, second))
    assert (log.survived("worker"), log.survived("job")) == (30, 20)
    assert second.rate("worker", from_s=111.0, to_s=120.0) == (10, 2.0)


def test_steps_that_are_counted_twice_are_told() -> None:
    (told,) = shortfalls(replace(seen(log_of((0, 100), (60, 50))), iteration=150))
    assert told == "elasticd counts 150 iterations, the script 110"


def test_a_rate_that_is_not_the_logs_is_told() -> None:
    run = seen(log_of((0, 100)))
    wrong = replace(run.windows[0], iterations=110)
    (told,) = shortfalls(replace(run, windows=(wrong,)))
    assert told == "elasticd measures 1.10 it/s, the script 1.00"


def test_steps_that_the_zoo_slowed_are_in_no_rate() -> None:
    run = seen(log_of((0, 100)))
    wrong = replace(run.windows[0], iterations=30, elapsed_s=50.0, ended_at_s=150.0)
    (alone,) = run.log.rounds
    slowed = [replace(each, is_slowed=number < 60) for number, each in enumerate(alone.steps)]
    log = replace(run.log, rounds=(replace(alone, steps=slowed),))
    right = replace(wrong, iterations=39, elapsed_s=39.0, ended_at_s=200.0)
    assert shortfalls(replace(run, log=log, windows=(wrong, right))) == []


def test_the_time_between_two_rounds_is_in_no_rate() -> None:
    run = seen(log_of((0, 100)))
    first, second = log_of((0, 100), (100, 100)).rounds
    later = replace(
        second,
        begun_s=second.begun_s + 500,
        steps=[replace(s, at_s=s.at_s + 500) for s in second.steps],
    )
    windows = tuple(
        replace(run.windows[0], ended_at_s=each.steps[-1].at_s) for each in (first, later)
    )
    parted = replace(
        run, log=replace(run.log, rounds=(first, later)), windows=windows, iteration=200
    )
    assert shortfalls(parted) == []


def test_a_file_that_came_home_as_it_was_before_is_lost() -> None:
    (told,) = shortfalls(replace(seen(log_of((0, 100))), fetched={"out/last.pt": "older"}))
    assert told == "1 of 1 files lost: out/last.pt"


def test_ranks_that_began_apart_are_told() -> None:
    (told,) = shortfalls(seen(log_of((0, 100), resumed=40)))
    assert told == "ranks began at 0 and 40"


def test_a_script_that_elasticd_cannot_count_may_have_no_count_if_the_daemon_says_what_to_do() -> (
    None
):
    unknown = replace(seen(log_of((0, 100))), row=ROWS["by_hand"], iteration=0, windows=())
    assert shortfalls(unknown) == ["the daemon should say 'paramount'"]
    assert shortfalls(replace(unknown, said="call paramount() once a turn")) == []


def test_a_failure_may_start_two_workers_on_one_node() -> None:
    failed = replace(seen(log_of((0, 1))), row=ROWS["import_error"], phase="failed")
    told = replace(failed, said="no module named some_package_that_is_missing")
    assert shortfalls(told) == []
    thrice = replace(told, log=log_of((0, 1), (0, 1), (0, 1)), nodes=2)
    assert shortfalls(thrice) == [
        "2 nodes were bought, one is enough",
        "3 worker starts, 2 are enough",
    ]


def test_each_row_has_a_script_and_its_job() -> None:
    folders = {each.name for each in (ROOT / "benchmarks/zoo/scripts").iterdir() if each.is_dir()}
    assert folders - {"__pycache__"} == set(ROWS)
    assert all((row.folder / "job.yaml").is_file() for row in ROWS.values())


@pytest.mark.slow
@pytest.mark.timeout(360)
def test_the_short_form_keeps_every_promise() -> None:
    command = [
        sys.executable,
        "-m",
        "benchmarks.zoo",
        "--rows",
        "ddp,import_error",
        "--preload",
        "yes",
        "--jobs",
        "2",
    ]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=340, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
