"""Watching shows progress, ends with the job, and leaves the job alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from elastic.cli import ExitCode
from elastic.cli.watch import ANSWER_S, PATIENCE_S, POLL_S, WatchedJob, watch
from elastic.clock import ManualClock
from elastic.errors import DaemonUnreachable

RUNNING = WatchedJob("a", "running", "1 x small on-demand", 1, 10, 2.0, 3000.0, 0.01, 4.5, None)


def looks(*standings: WatchedJob) -> Iterator[WatchedJob]:
    yield from standings
    raise KeyboardInterrupt


def watched(
    standings: Iterator[WatchedJob], *, is_live: bool = False, timeout_s: float | None = None
) -> ExitCode:
    return watch(lambda: next(standings), is_live=is_live, timeout_s=timeout_s, clock=ManualClock())


@pytest.mark.parametrize("is_live", [False, True])
def test_ends_with_the_jobs_own_status(is_live: bool, capsys: pytest.CaptureFixture[str]) -> None:
    failed = replace(RUNNING, phase="failed", message="the workers exited with 1")
    assert watched(looks(RUNNING, failed), is_live=is_live) is ExitCode.JOB_FAILED
    assert "job a: failed: the workers exited with 1" in capsys.readouterr().out


def test_why_a_job_waits_is_said_once_for_each_reason(capsys: pytest.CaptureFixture[str]) -> None:
    dear = replace(
        RUNNING, phase="submitted", group=None, waits_because="every candidate is above the cap"
    )
    watched(
        looks(
            dear,
            dear,
            replace(dear, waits_because="no capacity"),
            replace(RUNNING, phase="succeeded"),
        )
    )
    lines = [line.split("  ") for line in capsys.readouterr().out.splitlines() if " it  " in line]
    assert [line[-1] for line in lines[:2]] == ["every candidate is above the cap", "no capacity"]


def test_an_alarm_is_said_when_it_begins_and_no_more_when_it_is_over(
    capsys: pytest.CaptureFixture[str],
) -> None:
    alarmed = [replace(RUNNING, alarms=(f"standstill: no turn for {each} s",)) for each in (61, 62)]
    watched(looks(RUNNING, *alarmed, RUNNING, replace(RUNNING, phase="succeeded")))
    lines = [
        line.split("  ")[-1] for line in capsys.readouterr().out.splitlines() if " it  " in line
    ]
    assert lines[:3] == ["4.5 s left", "alarm: standstill: no turn for 61 s", "4.5 s left"]


def test_errors_are_said_as_they_come_and_the_last_one_with_its_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    trace = "Traceback (most recent call last):\nValueError: no"
    failing = replace(RUNNING, error="ValueError: no (train.py, line 3)", error_lines=trace)
    ended = replace(
        failing, phase="failed", message="it failed twice in the same way: ValueError: no"
    )
    again = replace(failing, iteration=5)  # it runs again: what it failed with is the past
    watched(looks(RUNNING, failing, again, ended))
    out = capsys.readouterr().out.splitlines()
    assert out[1:4] == [
        "failed: ValueError: no (train.py, line 3)",
        "  Traceback (most recent call last):",
        "  ValueError: no",
    ]
    assert [line.split("  ")[-1] for line in out if " it  " in line] == ["4.5 s left"] * 2 + [
        "spent $0.01"
    ]
    assert out[-3:] == [
        *trace.splitlines(),
        "job a: failed: it failed twice in the same way: ValueError: no",
    ]


def test_the_same_error_at_a_later_iteration_is_said_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = replace(RUNNING, error="ValueError: no", error_iteration=1_200)
    later = replace(first, error_iteration=2_400)
    watched(looks(first, first, later, replace(RUNNING, phase="succeeded")))
    said = [each for each in capsys.readouterr().out.splitlines() if each.startswith("failed")]
    assert said == [f"failed at iteration {each}: ValueError: no" for each in ("1,200", "2,400")]


class Falls:
    """A daemon that answers, and for some looks does not."""

    def __init__(self, *answers: WatchedJob | None) -> None:
        self._answers = iter(answers)
        self.clock = ManualClock()

    def look(self) -> WatchedJob:
        answer = next(self._answers)
        if answer is None:
            raise DaemonUnreachable("wanted a daemon at http://127.0.0.1:1, found none")
        return answer

    def watched(self, *, timeout_s: float | None = None) -> ExitCode:
        return watch(self.look, is_live=False, timeout_s=timeout_s, clock=self.clock)


def test_a_daemon_that_falls_silent_is_said_once_and_so_is_its_return(
    capsys: pytest.CaptureFixture[str],
) -> None:
    daemon = Falls(RUNNING, None, None, None, RUNNING, replace(RUNNING, phase="succeeded"))
    assert daemon.watched() is ExitCode.OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("the daemon does not answer; trying again (wanted a daemon at")
    assert lines[2] == "the daemon answers again"
    # A silent daemon costs the poll before it and the wait for the answer.
    assert POLL_S + ANSWER_S <= 3.0


def test_a_daemon_that_stays_away_ends_the_watching(capsys: pytest.CaptureFixture[str]) -> None:
    daemon = Falls(RUNNING, *[None] * 100)
    begun_s = daemon.clock.now_s()
    with pytest.raises(DaemonUnreachable):
        daemon.watched()
    assert PATIENCE_S <= daemon.clock.now_s() - begun_s <= PATIENCE_S + 2 * POLL_S
    assert capsys.readouterr().out.count("does not answer") == 1
    assert Falls(RUNNING, *[None] * 100).watched(timeout_s=3.0) is ExitCode.JOB_UNFINISHED


def test_a_daemon_that_is_not_there_at_first_is_an_error() -> None:
    with pytest.raises(DaemonUnreachable):
        Falls(None).watched()


def test_ctrl_c_leaves_the_job_running_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert watched(looks(RUNNING)) is ExitCode.JOB_UNFINISHED
    assert "the job goes on" in capsys.readouterr().out


def test_a_timeout_ends_the_watching_only() -> None:
    assert watched(looks(*[RUNNING] * 5), timeout_s=3.0) is ExitCode.JOB_UNFINISHED


def test_a_line_is_printed_only_when_something_moved(capsys: pytest.CaptureFixture[str]) -> None:
    moved = replace(RUNNING, group="1 x large on-demand")
    watched(looks(RUNNING, RUNNING, moved, moved, replace(RUNNING, phase="succeeded")))
    lines = [line for line in capsys.readouterr().out.splitlines() if " it  " in line]
    assert [line.split("  ")[4] for line in lines] == [
        "1 x small on-demand",
        "1 x large on-demand",
        "1 x small on-demand",
    ]


def test_a_warning_is_said_as_soon_as_it_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    warned = replace(RUNNING, warnings=("a move or a loss restarts this job",))
    watched(
        looks(RUNNING, warned, replace(warned, iteration=5), replace(warned, phase="succeeded"))
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "warning: a move or a loss restarts this job"
    assert sum("warning" in line for line in lines) == 1, "said once"


@pytest.mark.parametrize("is_live", [False, True])
def test_a_note_is_said_once(is_live: bool, capsys: pytest.CaptureFixture[str]) -> None:
    noted = replace(RUNNING, notes=("it is not carried home",))
    watched(looks(RUNNING, noted, noted, replace(noted, phase="succeeded")), is_live=is_live)
    assert capsys.readouterr().out.count("note: it is not carried home") == 1


def test_what_nodes_get_ready_is_said_once_while_its_seconds_grow(
    capsys: pytest.CaptureFixture[str],
) -> None:
    installing = [
        replace(RUNNING, preparing=(f"installing 1 requirement on n1, {each} s",))
        for each in (1, 2)
    ]
    setting_up = replace(RUNNING, preparing=("setup: make on n1, 0 s",))
    watched(looks(*installing, setting_up, replace(RUNNING, phase="succeeded")))
    lines = [
        line.split("  ")[-1] for line in capsys.readouterr().out.splitlines() if " it  " in line
    ]
    assert lines[:2] == ["installing 1 requirement on n1, 1 s", "setup: make on n1, 0 s"]


def test_the_pool_that_is_asked_again_first_is_said_while_a_job_waits(
    capsys: pytest.CaptureFixture[str],
) -> None:
    waits = replace(
        RUNNING, phase="submitted", group=None, refusals=("c5.large spot a: no capacity", "another")
    )
    again = replace(waits, refusals=("c5.large spot a: no capacity, refused 2 times",))
    watched(looks(waits, waits, again, replace(RUNNING, phase="succeeded")))
    lines = [line.split("  ") for line in capsys.readouterr().out.splitlines() if " it  " in line]
    assert [line[-1] for line in lines[:2]] == [
        "c5.large spot a: no capacity",
        "c5.large spot a: no capacity, refused 2 times",
    ]
