"""Reads which hosts there are: from a YAML hosts file, an MPI hostfile, or the settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from elastic.config import SshHost, SshSettings
from elastic.errors import InvalidInput, cannot_read
from elastic.faults import in_words, no_such
from elastic.figures import price

# A host as ssh is given it: an alias of its configuration, a DNS name or an address.
_NAME = re.compile(r"(?:[A-Za-z0-9_.-]+@)?[A-Za-z0-9][A-Za-z0-9_.:-]{0,200}")
# `host slots=4` is Open MPI's way, `host:4` that of MPICH and Intel MPI.
_SLOTS = re.compile(r"slots=(\d+)")
_YAML = re.compile(r"\s*(?:-\s|---|\{|hosts\s*:(?:\s|$))")
_COUNT = re.compile(r"([^:]+):(\d+)")
# In words, what `SshHost` says by a pattern.
_TYPE = "wanted a name of a-z, 0-9, dots and hyphens"


@dataclass(frozen=True, slots=True)
class Host:
    """One machine that somebody has, and what its owner says of it."""

    name: str
    usd_per_h: float
    # The node type; None: named after what is found there.
    type: str | None = None
    # So many cores and GPUs count at most; None: all.
    slots: int | None = None
    # Where other nodes reach it; None: its own address on the way to the daemon.
    address: str | None = None
    # Where elasticd keeps its files there; a relative one is below the home folder.
    folder: str = ".elasticd"
    # A Python that has elasticd and torch already; None: they are installed there.
    python: str | None = None


def read_hosts(settings: SshSettings) -> tuple[Host, ...]:
    """Every host that the settings name, in their order. Raises InvalidInput."""
    entries = list(settings.hosts)
    if settings.hosts_file is not None:
        entries += _from_file(settings.hosts_file.expanduser())
    if not entries:
        raise InvalidInput(
            "provider ssh: wanted hosts, got none; name a file of them in ssh.hosts_file",
            field="ssh.hosts_file",
        )
    hosts = tuple(_host(each, settings) for each in entries)
    _refuse_contradictions(hosts)
    return hosts


def parse_hostfile(text: str) -> tuple[SshHost, ...]:
    """The hosts of an MPI hostfile; the same host on more lines has the sum of their slots.

    >>> [(each.name, each.slots) for each in parse_hostfile("a slots=2\\n# no\\nb:4\\na slots=1")]
    [('a', 3), ('b', 4)]
    """
    slots: dict[str, int | None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = re.sub(r"\s*=\s*", "=", line.partition("#")[0]).split()
        if not words:
            continue
        name, count = words[0], None
        if found := _COUNT.fullmatch(words[0]):
            name, count = found[1], int(found[2])
        for word in words[1:]:
            if found := _SLOTS.fullmatch(word):
                count = int(found[1])
        if not _NAME.fullmatch(name) or count == 0:
            raise InvalidInput(f"line {number}: wanted `HOST slots=N`, got {line.strip()!r}")
        before = slots.get(name)
        slots[name] = count if before is None else before + (count or 1)
    return tuple(SshHost(name=name, slots=count) for name, count in slots.items())


def parse_hosts_yaml(document: Any) -> tuple[SshHost, ...]:
    """The hosts of a YAML document: `hosts`, a map of names to what is said of each, or a list.

    >>> parse_hosts_yaml({"hosts": {"desk": {"usd_per_h": 0.05}}})[0].usd_per_h
    0.05
    """
    listed = document.get("hosts") if isinstance(document, dict) else document
    if isinstance(listed, dict):
        listed = [{"name": name, **(each or {})} for name, each in listed.items()]
    if not isinstance(listed, list):
        raise InvalidInput("wanted `hosts:` and below it the name of each host")
    return tuple(_entry(each) for each in listed)


def _entry(each: Any) -> SshHost:
    if isinstance(each, str):
        each = {"name": each}
    try:
        return SshHost.model_validate(each)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            fault = no_such("field", where, SshHost.model_fields)
        elif first["type"] == "string_pattern_mismatch":
            fault = f"{where}: {in_words(first, wanted=_TYPE)}"
        else:
            fault = f"{where}: {in_words(first)}"
        name = each.get("name", each) if isinstance(each, dict) else each
        raise InvalidInput(f"host {name}: {fault}") from error


def _from_file(path: Path) -> Iterator[SshHost]:
    try:
        # Some editors put a mark of its encoding before a text.
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise cannot_read(
            f"ssh.hosts_file: {path}",
            error,
            wanted="a hosts file",
            advice="write one (docs/how-to/ssh.md), or name it by its whole path",
            field="ssh.hosts_file",
        ) from error
    try:
        if _is_hostfile(text):
            yield from parse_hostfile(text)
        else:
            yield from parse_hosts_yaml(yaml.safe_load(text))
    except (InvalidInput, yaml.YAMLError, TypeError) as error:
        raise InvalidInput(f"{path}: {error}", field="ssh.hosts_file") from error


def _is_hostfile(text: str) -> bool:
    """An MPI hostfile has one host a line; YAML has `hosts:`, or a list."""
    return not any(_YAML.match(line) for line in text.splitlines())


def _host(entry: SshHost, settings: SshSettings) -> Host:
    usd_per_h = settings.usd_per_h if entry.usd_per_h is None else entry.usd_per_h
    if not _NAME.fullmatch(entry.name):
        raise InvalidInput(f"host {entry.name!r}: wanted a name or an address as ssh takes it")
    if found := _COUNT.fullmatch(entry.name):
        raise InvalidInput(
            f"host {entry.name}: ssh takes no port after a name; name the host {found[1]}, and "
            f"write `Port {found[2]}` below `Host {found[1]}` in ~/.ssh/config"
        )
    return Host(
        entry.name,
        usd_per_h,
        entry.type,
        entry.slots,
        entry.address,
        entry.folder or settings.folder,
        entry.python or settings.python,
    )


def _refuse_contradictions(hosts: Iterable[Host]) -> None:
    names: set[str] = set()
    prices: dict[str, Host] = {}
    for host in hosts:
        if host.name in names:
            raise InvalidInput(f"host {host.name}: named twice; leave one out")
        names.add(host.name)
        if host.type is None:
            continue
        other = prices.setdefault(host.type, host)
        if other.usd_per_h != host.usd_per_h:
            raise InvalidInput(
                f"type {host.type}: {other.name} costs {price(other.usd_per_h)}/h and "
                f"{host.name} {price(host.usd_per_h)}/h; one type has one price, so name two types"
            )
