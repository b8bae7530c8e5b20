"""`elasticd host`: the machines that somebody has already, as the settings name them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.exits import ExitCode
from elastic.cli.options import OutputOption
from elastic.cli.render import Column, Output
from elastic.clock import SystemClock
from elastic.errors import InvalidInput
from elastic.finding import Finding

if TYPE_CHECKING:
    from elastic.config import Settings
    from elastic.providers.ssh.survey import HostReport

app = typer.Typer(help="The hosts of the provider ssh.", no_args_is_help=True)

COLUMNS = (
    Column("HOST", "name"),
    Column("TYPE", "type"),
    Column("USD/H", "usd_per_h", figures.number, is_number=True),
    Column("CORES", "cores", figures.number, is_number=True),
    Column("GIB", "memory_gib", figures.number, is_number=True),
    Column("GPUS", "gpus"),
    # Why there is none is in the JSON.
    Column("CONTAINERS", "engine", lambda said: said.partition(" (")[0], is_extra=True),
    Column("STATE", "state"),
    Column("CLAIMED BY", "claimed_by", can_wrap=True, is_extra=True),
    Column("WRONG", "troubles", "; ".join, can_wrap=True),
)


@app.command("ls")
def list_hosts(output: OutputOption = Output.TABLE) -> None:
    """List the hosts, and look at each."""
    from elastic.config import load_settings

    _show(_surveyed(load_settings(provider="ssh"), is_checked=False), output)


@app.command("check")
def check_hosts(output: OutputOption = Output.TABLE) -> None:
    """Try on each host what a node needs there, and say what to do; status 1 if one is unfit."""
    from elastic.config import load_settings

    found = _surveyed(load_settings(provider="ssh"), is_checked=True)
    _show(found, output)
    if any(each.troubles for each in found):
        raise typer.Exit(ExitCode.ERROR)


def findings_of_hosts(settings: Settings) -> Iterator[Finding]:
    """What `elasticd doctor` says of each host."""
    try:
        reports = _surveyed(settings, is_checked=True)
    except InvalidInput as error:
        yield Finding("hosts", "error", str(error), "docs/how-to/ssh.md says how to name them")
        return
    for each in reports:
        found = f"{each.state}, type {each.type or 'not known yet'}"
        if each.engine is not None:
            found += f", containers: {each.engine}"
        if each.troubles:
            yield Finding(f"host {each.name}", "warning", found, "; ".join(each.troubles))
        else:
            yield Finding(f"host {each.name}", "ok", found)


def _show(found: tuple[HostReport, ...], output: Output) -> None:
    items = [asdict(each) | {"troubles": list(each.troubles) or None} for each in found]
    render.show_list(items, COLUMNS, output)


def _surveyed(settings: Settings, *, is_checked: bool) -> tuple[HostReport, ...]:
    # asyncssh takes 0.2 s, which --help need not wait for
    from elastic.providers.ssh import Access, read_hosts
    from elastic.providers.ssh.survey import Checks, survey

    hosts = read_hosts(settings.ssh)
    access = Access(settings.ssh.config_file, settings.ssh.known_hosts)
    now_s = SystemClock().now_s()
    if not is_checked:
        return survey(hosts, access, now_s=now_s)
    with _marker(settings) as marker:
        checks = Checks(_daemon_url(settings), None if marker is None else str(marker))
        return survey(hosts, access, checks=checks, now_s=now_s)


@contextmanager
def _marker(settings: Settings) -> Iterator[Path | None]:
    """A file by which a host shows that it has the folder of checkpoints."""
    from elastic.checkpoints import is_location

    if is_location(settings.job_root):
        yield None
        return
    folder = Path(settings.job_root)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f".elasticd-host-check-{uuid4().hex}"
    # An empty file with a name of its own: a host that sees it has the same folder.
    path.touch()
    try:
        yield path
    finally:
        path.unlink()


def _daemon_url(settings: Settings) -> str:
    # The address that nodes are told, by the settings or by the daemon that runs here.
    if settings.daemon_urls:
        return settings.daemon_urls[0]
    with suppress(OSError, ValueError, KeyError):
        return str(json.loads((settings.data_dir / "daemon.json").read_text())["node_url"])
    return f"https://{settings.address_of_nodes}:{settings.port_of_nodes}"
