"""Every error has its exit status, and every status its meaning."""

from __future__ import annotations

import pytest

from elastic import errors
from elastic.cli import MEANINGS, ExitCode
from elastic.cli.exits import exit_code_of, exit_code_of_job
from elastic.model import JobPhase
from tests.cli.commands import Run


def test_every_status_has_a_meaning() -> None:
    assert set(MEANINGS) == set(ExitCode)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.InvalidInput("x"), 2),
        (errors.DaemonUnreachable("x"), 3),
        (errors.Unauthorized("x"), 4),
        (errors.NotFound("x"), 5),
        (errors.Conflict("x"), 6),
        (errors.AlreadyRunning("x"), 6),
        (errors.StoreUnavailable("x"), 7),
        (errors.CapacityUnavailable("x"), 7),
        (errors.ElasticError("x"), 1),
    ],
)
def test_an_error_ends_with_its_status(error: errors.ElasticError, status: int) -> None:
    assert exit_code_of(error) == status


def test_only_success_is_status_zero() -> None:
    statuses = {phase: exit_code_of_job(phase) for phase in JobPhase}
    assert [phase for phase, status in statuses.items() if status == 0] == [JobPhase.SUCCEEDED]
    assert statuses[JobPhase.FAILED] == 100
    assert statuses[JobPhase.BUDGET_EXHAUSTED] == statuses[JobPhase.RUNNING] == 101


@pytest.mark.parametrize(("name", "whole"), [("submit", "job submit"), ("restore", "db restore")])
def test_who_leaves_out_the_noun_is_told_the_whole_command(run: Run, name: str, whole: str) -> None:
    told = run(name)
    assert told.status == ExitCode.USAGE
    assert f"Did you mean `elasticd {whole}`?" in told.err


def test_no_command_is_guessed_where_many_nouns_have_it(run: Run) -> None:
    told = run("list")
    assert told.status == ExitCode.USAGE
    assert "No such command 'list'." in told.err and "mean" not in told.err
