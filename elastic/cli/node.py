"""`elasticd node` and `elasticd type`: machines that jobs have and had, and the kinds on offer."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import typer

from elastic import figures
from elastic.cli import entering, render
from elastic.cli.options import (
    JobOption,
    LimitOption,
    ListOutputOption,
    NodeArgument,
    connection_of,
    show_items,
)
from elastic.cli.render import Column, ListOutput
from elastic.durations import TICK_S

app = typer.Typer(help="The machines that jobs have.", no_args_is_help=True)
types = typer.Typer(help="The kinds of machine on offer.", no_args_is_help=True)
# Heartbeats may be five seconds apart (`heartbeat_s`), and each tick writes those that came.
_USUAL_S = 3 * TICK_S


def _unheard(unheard_s: float) -> str:
    """How long ago the last heartbeat was, if longer than usual."""
    if unheard_s > _USUAL_S:
        return figures.duration(unheard_s)
    return render.UNKNOWN


COLUMNS = (
    Column("NODE", "id"),
    Column("JOB", "job_id", is_extra=True),
    Column("MACHINE", "provider_id", is_extra=True),
    Column("OFFERING", "offering", render.offering),
    Column("PHASE", "phase"),
    Column("AGENT", "agent_state", is_extra=True),
    Column("UNHEARD", "unheard_s", _unheard, is_extra=True),
    Column("GEN", "agent_generation", is_number=True, is_extra=True),
    Column("LAUNCHED", "launched_at_s", figures.instant),
    Column("JOINED", "joined_at_s", figures.instant, is_extra=True),
    Column("ENDED", "terminated_at_s", figures.instant, is_extra=True),
    Column("NOTICE", "notice", render.notice, is_extra=True),
    Column("REASON", "reason", can_wrap=True, is_extra=True),
)

TYPE_COLUMNS = (
    Column("TYPE", "name"),
    Column("CPU", "cpu", figures.number, is_number=True),
    Column("CORES", "cores", figures.number, is_number=True),
    Column("GIB", "memory_gib", figures.number, is_number=True),
    Column("GPUS", "gpu_count", is_number=True),
    Column("GPU", "gpu_model"),
    Column("COMPUTES IN", "precisions", " ".join),
)

app.command("ssh")(entering.ssh)
# What follows the node is the command's own, options included.
app.command("exec", context_settings={"allow_interspersed_args": False})(entering.execute)


@app.command("ls")
def list_nodes(
    context: typer.Context,
    job: JobOption = None,
    show_all: Annotated[
        bool, typer.Option("--all", "-a", help="Also those that are gone.")
    ] = False,
    limit: LimitOption = None,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """List nodes, newest first."""
    every = "true" if show_all else None
    show_items(
        context, "/v1/nodes", COLUMNS, limit=limit, output=output, in_table=100, job=job, all=every
    )


@app.command("get")
def get(context: typer.Context, node: NodeArgument) -> None:
    """Print everything that is known of one node, as JSON."""
    with connection_of(context).open() as client:
        render.show_json(client.get(f"/v1/nodes/{quote(node, safe='')}"))


@types.command("ls")
def list_types(
    context: typer.Context, limit: LimitOption = None, output: ListOutputOption = ListOutput.TABLE
) -> None:
    """List node types."""
    with connection_of(context).open() as client:
        found = client.get("/v1/node-types")["items"]
    render.show_list(found[:limit], TYPE_COLUMNS, output)
