"""Values to JSON text and back, exactly: what is read equals what was written. Rows by job."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from elastic.model import Group, JobSpec

Value = TypeVar("Value")

# Building one costs milliseconds; there are as many as there are stored types.
_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def to_text(value: Any) -> str:
    """Gives `value` as JSON; floats keep every bit."""
    return _adapter(type(value)).dump_json(value).decode()


def from_text(kind: type[Value], text: str | bytes) -> Value:
    """Gives the value of type `kind` that `to_text` wrote."""
    value: Value = _adapter(kind).validate_json(text)
    return value


@lru_cache(maxsize=1024)
def group_from_text(text: str) -> Group:
    """Gives the group that `to_text` wrote: a job's past names the same few again and again."""
    return from_text(Group, text)


@lru_cache(maxsize=256)
def spec_from_text(text: str) -> JobSpec:
    """Gives the specification that `to_text` wrote: every tick and heartbeat reads its job's."""
    return from_text(JobSpec, text)


def pack(value: Any) -> bytes:
    """Gives `value` as compressed JSON."""
    return zlib.compress(to_text(value).encode(), level=6)


def unpack(kind: type[Value], blob: bytes) -> Value:
    """Gives the value of type `kind` that `pack` wrote."""
    return from_text(kind, zlib.decompress(blob))


def by_job(
    job_ids: Iterable[str], found: Iterable[tuple[str, Value]]
) -> dict[str, tuple[Value, ...]]:
    """Gives what was found of each of these jobs, in its order."""
    of_jobs: dict[str, list[Value]] = {each: [] for each in job_ids}
    for job_id, value in found:
        of_jobs[job_id].append(value)
    return {job_id: tuple(values) for job_id, values in of_jobs.items()}
