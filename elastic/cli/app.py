"""Assembles the commands, and turns errors into messages and exit statuses."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from elastic import __version__
from elastic.cli import (
    adopt,
    backtest,
    db,
    decision,
    doctor,
    event,
    gc,
    host,
    job,
    lab,
    market,
    measurement,
    node,
    notify,
    serve,
    sweep,
    token,
    upscale,
)
from elastic.cli.exits import ExitCode, exit_code_of
from elastic.cli.outlet import outlive_reader
from elastic.client import Connection
from elastic.errors import ElasticError
from elastic.log_line import plain_lines

# Where more groups have a command of that name, such as `list`, no hint is given.
_MOST_NAMED = 3
# What a person can do about a file or a disk that the system refuses.
_REMEDIES = {
    errno.ENOSPC: "free some room",
    errno.EDQUOT: "free some room",
    errno.EACCES: "it must be this user's; has another user run elasticd with this folder?",
    errno.EROFS: "mount it so that it can be written",
}


class _Commands(TyperGroup):
    """All commands. Of a command without its noun, as `elasticd submit`, it says the whole."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if self.get_command(ctx, name) is None:
            found = [
                f"`elasticd {noun} {name}`"
                for noun, group in self.commands.items()
                if isinstance(group, TyperGroup) and name in group.commands
            ]
            if 0 < len(found) <= _MOST_NAMED:
                ctx.fail(f"No such command {name!r}. Did you mean {' or '.join(found)}?")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="elasticd",
    cls=_Commands,
    help="Runs PyTorch training where a dollar buys the most iterations.",
    no_args_is_help=True,
    # typer's own tracebacks may show local variables, and a token may be among them.
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"elasticd {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    url: Annotated[
        str | None,
        typer.Option(
            "--url",
            envvar="ELASTICD_URL",
            help="The daemon's address; else host and port of the settings.",
        ),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file", help="File of the token; else ELASTICD_TOKEN, else the data folder's."
        ),
    ] = None,
    ca_file: Annotated[
        Path | None,
        typer.Option(
            "--ca-file",
            envvar="ELASTICD_CA_FILE",
            help="What the daemon's certificate is checked by, as PEM; else this machine's "
            "authorities, and for its own daemon the data folder's.",
        ),
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    context.obj = Connection(url=url, token_file=token_file, ca_file=ca_file)


# In the order in which `elasticd --help` lists them.
app.command("serve")(serve.serve)
app.command("status")(doctor.status)
app.command("adopt")(adopt.adopt)
app.command("doctor")(doctor.doctor)
app.command("gc")(gc.gc)
app.command("audit")(market.audit)
app.command("purse")(market.purse)
app.command("plan")(job.plan_job)
app.command("backtest")(backtest.backtest)
app.command("sweep")(sweep.sweep)
app.command("lab")(lab.lab)
app.command("upscale")(upscale.upscale)
app.add_typer(job.app, name="job")
app.add_typer(decision.app, name="decision")
app.add_typer(node.app, name="node")
app.add_typer(node.types, name="type")
app.add_typer(host.app, name="host")
app.add_typer(market.prices, name="price")
app.add_typer(measurement.app, name="measurement")
app.add_typer(market.ledger, name="ledger")
app.add_typer(event.app, name="event")
app.add_typer(notify.app, name="notify")
app.add_typer(token.app, name="token")
app.add_typer(token.certificates, name="certificate")
app.add_typer(db.app, name="db")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits with a status of `elastic.cli.exits`."""
    outlive_reader()
    try:
        app(arguments)
    except ElasticError as error:
        # Into one file or pipe, what was printed before the error must stand before it.
        sys.stdout.flush()
        # It may quote what a node said, or the name of a job's file.
        print(f"elasticd: {plain_lines(str(error))}", file=sys.stderr)
        sys.exit(exit_code_of(error))
    except OSError as error:
        if error.errno not in _REMEDIES:
            raise
        # A file that is opened has its name in the error, one that is written has not.
        where = error.filename or "a disk that elasticd writes to"
        told = f"{where}: {error.strerror}; {_REMEDIES[error.errno]}"
        print(f"elasticd: {told}", file=sys.stderr)
        sys.exit(ExitCode.ERROR)
