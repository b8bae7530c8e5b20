"""`elasticd gc`: finds and ends machines on EC2 that no daemon keeps alive.

It needs credentials and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.options import ListOutputOption, YesOption, confirm
from elastic.cli.render import Column, ListOutput
from elastic.clock import SystemClock
from elastic.durations import ABANDONED_S
from elastic.errors import ElasticError, InvalidInput

if TYPE_CHECKING:
    from elastic.providers.ec2 import Aws, Ec2Machine

COLUMNS = (
    Column("INSTANCE", "provider_id"),
    Column("NODE", "node_id"),
    Column("JOB", "job_id"),
    Column("OFFERING", "offering", render.offering),
    Column("STATE", "state"),
    Column("LAUNCHED", "launched_at_s", figures.instant),
    Column("KEPT ALIVE", "kept_alive_at_s", figures.instant),
    Column("VERDICT", "verdict"),
)
_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def gc(
    terminate: Annotated[
        bool, typer.Option("--terminate", help="End the abandoned ones; else they are listed.")
    ] = False,
    older_than: Annotated[
        str,
        typer.Option(
            "--older-than",
            help="Abandoned is what no daemon kept alive for this long: 30m, 2h, 1d.",
        ),
    ] = "30m",
    cluster: Annotated[
        str | None, typer.Option("--cluster", help="The cluster; else ec2.cluster of the settings.")
    ] = None,
    region: Annotated[
        str | None, typer.Option("--region", help="The region; else ec2.region, else AWS's own.")
    ] = None,
    yes: YesOption = False,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """List a cluster's machines on EC2, and end those that no daemon keeps alive.

    Needs no daemon or database.
    """
    from elastic.config import load_settings  # boto3 takes 0.3 s, which --help need not wait for
    from elastic.providers.base import InstanceState
    from elastic.providers.ec2 import CLUSTER, connect, read_machines, sweep_templates

    after_s = duration_s(older_than)
    now_s = SystemClock().now_s()
    if terminate and after_s < ABANDONED_S:
        raise InvalidInput(
            f"--older-than: wanted at least {ABANDONED_S / 60:.0f}m with --terminate, got "
            f"{older_than}: a daemon tags its machines every 5 minutes, so less would end machines "
            "that train; without --terminate any time will do",
            field="older_than",
        )
    settings = load_settings().ec2
    name = cluster or settings.cluster
    aws = connect(region or settings.region)
    alive = [
        each
        for each in read_machines(aws, {CLUSTER: name})
        # EC2 lists a machine for about an hour after its end.
        if each.instance.state is not InstanceState.GONE
    ]
    abandoned = [
        each.instance.provider_id
        for each in alive
        if each.is_abandoned(now_s=now_s, after_s=after_s)
    ]
    render.show_list(
        [_row(each, each.instance.provider_id in abandoned) for each in alive], COLUMNS, output
    )
    if not terminate or not abandoned:
        return
    confirm(f"end {figures.counted(len(abandoned), 'machine')} of cluster {name}?", yes=yes)
    # One machine that cannot be ended must not keep the others alive.
    refused = _end_each(aws, abandoned)
    # Jobs of all that live, those that were just asked to end too: the next run sweeps the rest.
    sweep_templates(aws, name, living_jobs={each.instance.job_id for each in alive}, now_s=now_s)
    if asked := [each for each in abandoned if each not in refused]:
        typer.echo(
            f"asked for the end of {', '.join(asked)}; run this again to see them gone", err=True
        )
    if refused:
        raise ElasticError(
            f"wanted to end {figures.counted(len(abandoned), 'machine')}, could not end "
            f"{', '.join(refused)}, which may still cost money; the reasons are above: "
            "fix them and run this again"
        )


def duration_s(text: str) -> float:
    """Reads a length of time.

    >>> duration_s("90s"), duration_s("30m")
    (90.0, 1800.0)

    Raises InvalidInput.
    """
    found = re.fullmatch(r"(\d{1,6}(?:\.\d+)?)([smhd])", text)
    if found is None:
        raise InvalidInput(
            f"--older-than: wanted a time such as 30m, 2h or 1d, got {text!r}", field="older_than"
        )
    return float(found[1]) * _UNITS_S[found[2]]


def _end_each(aws: Aws, provider_ids: Sequence[str]) -> tuple[str, ...]:
    """Asks for each machine's end; prints each refusal, and returns the machines refused."""
    from elastic.providers.ec2 import end_machine

    refused: list[str] = []
    for provider_id in provider_ids:
        try:
            end_machine(aws, provider_id)
        except ElasticError as error:
            typer.echo(f"elasticd: {error}", err=True)
            refused.append(provider_id)
    return tuple(refused)


def _row(machine: Ec2Machine, is_abandoned: bool) -> dict[str, Any]:
    instance = machine.instance
    return {
        "provider_id": instance.provider_id,
        "node_id": instance.node_id,
        "job_id": instance.job_id,
        "offering": {
            "node_type": instance.offering.node_type,
            "capacity": instance.offering.capacity.value,
            "zone": instance.offering.zone,
        },
        "state": instance.state.value,
        "launched_at_s": instance.launched_at_s,
        "kept_alive_at_s": machine.kept_alive_at_s,
        "verdict": "abandoned" if is_abandoned else "kept alive",
    }
