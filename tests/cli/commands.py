"""Runs `elasticd` in this process, as the shell would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from elastic.cli import main


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command printed, and the status it ended with."""

    status: int
    out: str
    err: str


Run = Callable[..., Outcome]


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    """Gives the function that runs a command line."""

    def run(*arguments: str) -> Outcome:
        capsys.readouterr()
        status: object = 0
        try:
            main(arguments)
        except SystemExit as ended:
            status = ended.code
        captured = capsys.readouterr()
        return Outcome(status if isinstance(status, int) else 0, captured.out, captured.err)

    return run
