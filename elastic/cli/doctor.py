"""`elasticd doctor` and `elasticd status`: what is wrong here or now, and what to do about it."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Annotated

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.checks import findings
from elastic.cli.exits import ExitCode
from elastic.cli.options import ListOutputOption, connection_of
from elastic.cli.render import Column, ListOutput
from elastic.clock import SystemClock
from elastic.finding import Finding

COLUMNS = (
    Column("", "level"),
    Column("CHECK", "name"),
    Column("FOUND", "found", can_wrap=True),
    Column("DO", "advice", can_wrap=True),
)
_ALARMS = (
    Column("ALARM", "kind"),
    Column("SINCE", "since_s", figures.instant),
    Column("WHAT IS WRONG", "text", can_wrap=True),
)


def doctor(
    provider: Annotated[
        str | None,
        typer.Option(
            help="Prove what this provider needs: local, ec2 or ssh; else the settings' own."
        ),
    ] = None,
    nodes: Annotated[
        int, typer.Option(min=1, help="How many nodes the largest job may have, against quotas.")
    ] = 1,
    print_policy: Annotated[
        str | None,
        typer.Option(
            help="Print a least-privilege IAM policy and do nothing else: daemon, node, reaper or "
            "person."
        ),
    ] = None,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """Check this machine, and the AWS account if nodes come from there; status 1 for errors."""
    if print_policy is not None:
        _show_policy(print_policy)
        return
    found = findings(SystemClock(), provider=provider, nodes=nodes)
    render.show_list([asdict(each) for each in found], COLUMNS, output)
    if any(is_broken(each) for each in found):
        raise typer.Exit(ExitCode.ERROR)


def is_broken(finding: Finding) -> bool:
    """True if elasticd cannot work until this is fixed."""
    return finding.level == "error"


def _show_policy(name: str) -> None:
    from elastic.checkpoints import is_location, parse_location
    from elastic.config import load_settings  # boto3 takes 0.3 s, which --help need not wait for
    from elastic.providers.ec2.account import Scope, policy

    settings = load_settings()
    root = settings.job_root
    region = (
        settings.ec2.region
        or os.environ.get("AWS_REGION")
        or os.environ.get("AWS_DEFAULT_REGION")
        or "*"
    )
    bucket = None
    if is_location(root):
        bucket = parse_location(root)
    render.show_json(policy(name, Scope(settings.ec2, region, bucket)))


def status(context: typer.Context, output: ListOutputOption = ListOutput.TABLE) -> None:
    """List the alarms that stand; status 1 if there are any."""
    with connection_of(context).open() as client:
        alarms = client.get("/v1/alarms")["items"]
    if not alarms and output is ListOutput.TABLE:
        print("no alarm stands")
        return
    render.show_list(alarms, _ALARMS, output)
    if alarms:
        raise typer.Exit(ExitCode.ERROR)
