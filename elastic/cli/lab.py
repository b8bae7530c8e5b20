"""`elasticd lab`: a local EC2 whose instances really boot, in the foreground."""

from __future__ import annotations

import shlex
import signal
from pathlib import Path
from typing import Annotated

import typer

from elastic.clock import SystemClock
from elastic.durations import GLANCE_S
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
        from elastic_lab import read_scenario, running_lab
    except ModuleNotFoundError as error:
        raise InvalidInput(
            f"the lab needs {error.name}: pip install -c constraints.txt -e '.[lab,train]'"
        ) from error

    clock = SystemClock()
    # A handler must not take a lock: the thread that it interrupts may hold it.
    received: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # Under nohup, SIGHUP is ignored, and stays so.
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: received.append(number))
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
        # The kernel may give a signal to another thread. Its handler runs here, so this one has to
        # wake by itself.
        while not received:
            clock.sleep(GLANCE_S)
        bill_usd = running.bill().usd
    typer.echo(f"# the lab has ended; in truth it cost {usd(bill_usd)}")
