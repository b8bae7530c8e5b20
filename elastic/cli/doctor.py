"""`elasticd doctor`: looks for what would keep elasticd from working here, and says what to do."""

from __future__ import annotations

from dataclasses import asdict

import typer

from elastic.cli import render
from elastic.cli.checks import Finding, findings
from elastic.cli.exits import ExitCode
from elastic.cli.options import OutputOption
from elastic.cli.render import Column, Output
from elastic.clock import SystemClock

COLUMNS = (
    Column("", "level"),
    Column("CHECK", "name"),
    Column("FOUND", "found", can_wrap=True),
    Column("DO", "advice", can_wrap=True),
)


def doctor(output: OutputOption = Output.TABLE) -> None:
    """Check this machine; ends with status 1 if something must be mended."""
    found = findings(SystemClock())
    render.show_list([asdict(each) for each in found], COLUMNS, output)
    if any(is_broken(each) for each in found):
        raise typer.Exit(ExitCode.ERROR)


def is_broken(finding: Finding) -> bool:
    """True if elasticd cannot work until this is mended."""
    return finding.level == "fail"
