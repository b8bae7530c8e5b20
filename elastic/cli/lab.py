"""`elasticd lab`: a local EC2 whose instances really boot, in the foreground."""

from __future__ import annotations

import shlex
import signal
import threading
from pathlib import Path
from typing import Annotated

import typer

from elastic.figures import usd


def lab(
    scenario: Annotated[
        Path, typer.Option("--scenario", "-s", help="The YAML file of the lab's scenario.")
    ],
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Port the endpoint listens on; 0 takes a free one."),
    ] = 0,
) -> None:
    """Run a local EC2 until SIGTERM, SIGHUP or Ctrl-C, and leave nothing behind."""
    from elastic.errors import InvalidInput

    try:  # moto is slow to import, and not always installed
        from elastic.lab import read_scenario, running_lab
    except ModuleNotFoundError as error:
        raise InvalidInput(
            f"the lab needs {error.name}: pip install -c constraints.txt -e '.[lab,train]'"
        ) from error

    has_ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # Under nohup, SIGHUP is ignored, and stays so.
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: has_ended.set())
    with running_lab(read_scenario(scenario), port=port) as running:
        typer.echo(
            f"# {running.scenario.name}: instances are {running.state().machines}; export this to "
            "speak to them:"
        )
        for name, value in running.environment().items():
            typer.echo(f"export {name}={shlex.quote(value)}")
        for zone, subnet in running.subnets.items():
            typer.echo(f"# {zone}: {subnet}")
        typer.echo(
            f"# bill: {running.endpoint_url}/_lab/bill; Ctrl-C ends every instance and the lab"
        )
        has_ended.wait()
        bill_usd = running.bill().usd
    typer.echo(f"# the lab has ended; in truth it cost {usd(bill_usd)}")
