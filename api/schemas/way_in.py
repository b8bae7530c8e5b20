"""The way in to a node on the wire."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from api.schemas.wire import Wire
from elastic import model

# The person, as the event shows it: a name, an at sign and a computer's name.
_By = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[^\x00-\x1f]*$")]
# Linux takes at most 128 KiB a word (execve(2)); what people type is much shorter.
_Word = Annotated[str, StringConstraints(max_length=4096, pattern=r"^[^\x00]*$")]


class EnterIn(Wire):
    """The person that enters a node, and the command to run there; a shell if there is none."""

    model_config = ConfigDict(strict=True)

    by: _By
    command: list[_Word] = Field(default_factory=list, max_length=256)


class WayInOut(Wire):
    """How to enter a node. `elasticd node ssh` knows what to run for each of the means."""

    means: model.Means
    target: str
    folder: str
    marks: dict[str, str]
    boot_id: str
    machine: str
    cgroup: str
    ssh_config: str
    known_hosts: str
    region: str


class EntryOut(Wire):
    """An entry that has begun: its number, for the end of it, and the way in."""

    entry: int
    node_id: str
    job_id: str
    way: WayInOut


class LeaveIn(Wire):
    """How an entry ended: with an exit code, or null and why it was closed."""

    model_config = ConfigDict(strict=True)

    entry: Annotated[int, Field(ge=1, le=2**53)]
    exit_code: Annotated[int, Field(ge=0, le=255)] | None = None
    because: Annotated[str, StringConstraints(max_length=500)] = ""


class LeaveOut(Wire):
    """An entry that is on record as ended."""

    entry: int
    node_id: str
