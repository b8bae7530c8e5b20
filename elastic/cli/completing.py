"""What a shell offers behind a half-written word: names that the daemon knows.

A shell asks at each press of Tab, so no answer is better than a late one or an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from elastic.client import Connection
from elastic.errors import ElasticError

_MOST = 100


def jobs(incomplete: str) -> list[tuple[str, str]]:
    """Names of jobs, the newest first, each with its phase."""
    found = dict[str, str]()
    for job in _items("/v1/jobs", limit=_MOST):
        # The newest run of a name stands for all: it is what the name alone means.
        found.setdefault(job["spec"]["name"], f"{job['id']}, {job['phase']}")
    return _begun(found, incomplete)


def nodes(incomplete: str) -> list[tuple[str, str]]:
    """Nodes that live."""
    found = _items("/v1/nodes", limit=_MOST)
    return _begun({each["id"]: each["phase"] for each in found}, incomplete)


def node_types(incomplete: str) -> list[tuple[str, str]]:
    """Node types on offer."""
    found = _items("/v1/node-types")
    return _begun({each["name"]: f"{each['cpu']:g} CPUs" for each in found}, incomplete)


def recipients(incomplete: str) -> list[tuple[str, str]]:
    """Recipients of messages."""
    found = _items("/v1/recipients")
    return _begun({each["name"]: ", ".join(each["topics"]) for each in found}, incomplete)


def _items(path: str, **query: int) -> Iterator[dict[str, Any]]:
    with suppress(ElasticError), Connection().open() as client:
        yield from client.get(path, **query)["items"]


def _begun(found: dict[str, str], incomplete: str) -> list[tuple[str, str]]:
    return [each for each in found.items() if each[0].startswith(incomplete)]
