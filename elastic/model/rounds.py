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
    """What is on record of a job's rounds; 0 for none.

    `newest` is the newest that members have trained in: who knows only an older one holds no state
    of the job. `registered` is the newest that anybody was about to publish: no other may have its
    number. `is_held` says that members train on: a new store is theirs to fill, and no newcomer's
    to found a session in.
    """

    newest: int = 0
    registered: int = 0
    is_held: bool = False
