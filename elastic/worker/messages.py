"""What a worker sends to its agent: one dataclass for each kind of message.

Workers send plain dicts with these fields, and import the standard library alone. Each end checks
the bounds on these fields: the worker and its agent by `fault_of`, the agent and the daemon by
pydantic.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias, get_args

from elastic.bounds import (
    Bound,
    Count,
    Flag,
    GenerationNumber,
    Instant,
    Number,
    Positive,
    Rank,
    Seconds,
    Text,
    WorldSize,
    as_unicode,
    fault_in,
)

Datagram: TypeAlias = dict[str, str | int | float | bool | None]

MOST_OF_A_NOTE = 2000
MOST_OF_A_PHASE = 64
Phase = Annotated[str, Bound(max_length=MOST_OF_A_PHASE, pattern=r"^[A-Za-z0-9_.-]+$")]
Mark = Annotated[str, Bound(max_length=32, pattern=r"^[0-9a-f]{1,16}-[0-9a-f]{8}$")]

Sign = Literal["began", "turns", "needs_signal", "joined", "left", "settle"]


@dataclass(frozen=True)
class WindowMessage:
    """A stretch of turns, timed by rank 0.

    `iteration` counts all turns of the job so far, if the script knows them.
    """

    generation: GenerationNumber
    world_size: WorldSize
    phase: Phase
    iterations: Positive
    elapsed_s: Instant
    is_cold: Flag
    ended_at_s: Instant
    seq: Positive
    iteration: Count | None = None
    kind: Literal["window"] = "window"


@dataclass(frozen=True)
class CheckpointMessage:
    """A durable checkpoint of an iteration exists; writing it took `elapsed_s`.

    Both are null if the agent stored a checkpoint that the script did not report.
    """

    seq: Positive
    iteration: Count | None = None
    elapsed_s: Number | None = None
    at_s: Number | None = None
    kind: Literal["checkpoint"] = "checkpoint"


@dataclass(frozen=True)
class LastMessage:
    """A worker's last message: the job is complete, or the worker stopped on request."""

    kind: Literal["finished", "drained"]
    seq: Positive
    iteration: Count | None = None
    at_s: Number | None = None


@dataclass(frozen=True)
class NoteMessage:
    """A sentence for the job's events."""

    text: Text
    seq: Positive
    at_s: Number | None = None
    kind: Literal["note"] = "note"


@dataclass(frozen=True)
class SavedMessage:
    """The script saved a file: a mark of its content, and the iterations done by then."""

    mark: Mark
    iteration: Count
    seq: Positive
    at_s: Number | None = None
    kind: Literal["saved"] = "saved"


@dataclass(frozen=True)
class BeginsMessage:
    """Where the script began; `text` is the file that it read this from, empty if it read none."""

    iteration: Count
    text: Text
    # Whether the script notices a drain.
    stops_when_asked: Flag
    # Whose batch an iteration is: one worker's, or the whole job's.
    batch: Literal["worker", "job"]
    seq: Positive
    at_s: Number | None = None
    kind: Literal["begins"] = "begins"


@dataclass(frozen=True)
class SignMessage:
    """A message for the node's agent alone: a worker took its place, turns go on, and so on."""

    kind: Sign
    local_rank: Rank | None = None


@dataclass(frozen=True)
class Sender:
    """The part that every datagram has: its sender, and the sender's place in its group."""

    worker: Text = ""
    rank: Rank | None = None
    world_size: WorldSize | None = None
    generation: GenerationNumber | None = None
    round: Positive | None = None


@dataclass(frozen=True)
class Arrival:
    """Asks at the start-up barrier whether a worker may begin; the answer holds a `refusal`, or
    null.

    The worker is on one of `groups` nodes whose torchruns have met, the first of which has
    `group_rank` 0. `meeting` is the same for all workers of one start, and another at each start:
    where the first rank listens.
    """

    generation: GenerationNumber
    # The worker is on one of `groups` nodes whose torchruns have met; the first has rank 0.
    group_rank: Rank = 0
    groups: Positive = 1
    # The address at which the first rank listens: another one at each start.
    meeting: Text = ""


@dataclass(frozen=True)
class RoundQuestion:
    """Asks whether a round with so many members is recorded.

    The answer, `is_recorded`, comes within `timeout_s`.
    """

    round: Positive
    members: Count
    timeout_s: Seconds


SIGNS = frozenset(get_args(Sign))
MESSAGES: Mapping[str, type] = {
    "window": WindowMessage,
    "checkpoint": CheckpointMessage,
    "finished": LastMessage,
    "drained": LastMessage,
    "note": NoteMessage,
    "saved": SavedMessage,
    "begins": BeginsMessage,
    **dict.fromkeys(SIGNS, SignMessage),
}
# Fields that a worker's outbox adds to a message as it sends it.
BESIDE = ("seq", "generation", "world_size")


def fault_of(message: Mapping[str, object], *, absent: Collection[str] = ()) -> str | None:
    """Says why a message does not fit the protocol; None if it does.

    >>> fault_of({"kind": "note", "text": "hello", "seq": 1}) is None
    True
    >>> fault_of({"kind": "checkpoint", "iteration": 5, "elapsed_s": float("nan"), "seq": 2})
    'checkpoint: elapsed_s: wanted a finite number, got nan'
    """
    kind = str(message.get("kind"))
    if kind not in MESSAGES:
        return f"wanted a kind of message, got {kind:.60}"
    fault = fault_in(MESSAGES[kind], message, absent=absent)
    return None if fault is None else f"{kind}: {fault}"


def note_of_dropped(count: int, fault: str) -> Datagram | None:
    """Returns the note that messages were dropped: after 1, 2, 4, 8 and so on, else None."""
    text = f"Dropped messages that do not fit the protocol: {count} so far. The last: {fault}"
    if count.bit_count() == 1:
        return {"kind": "note", "text": as_unicode(text, most=MOST_OF_A_NOTE)}
    return None
