"""A session's rounds: each change of who trains, numbered by the members themselves; a fencing
token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from elastic.bounds import Bound, Positive


@dataclass(frozen=True, slots=True)
class RoundRegistration:
    """A round that a member is about to publish, and of how many members it will have."""

    round: Positive
    members: Annotated[int, Bound(ge=0, le=1_000_000)]


@dataclass(frozen=True, slots=True)
class Rounds:
    """What is on record of a job's rounds; 0 for none."""

    # The newest that members have trained in: a member that knows only an older one does not have
    # the job's state.
    newest: int = 0
    # The newest that was about to be published: no other may have its number.
    registered: int = 0
    # Whether members train on: then they fill a new store, and no newcomer may found a session in
    # it.
    is_held: bool = False
