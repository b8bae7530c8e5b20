"""The small values that all pages are made of: numbers, badges, instants, cards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from elastic import figures
from elastic.figures import ago, count, moment, number, price, usd
from elastic.model import Action, Group, JobPhase, NodePhase


class Tone(StrEnum):
    """What a colour means; each is a class of the style sheet."""

    GOOD = "good"
    INFO = "info"
    WARN = "warn"
    BAD = "bad"
    MUTED = "muted"


@dataclass(frozen=True, slots=True)
class Number:
    """A number as people read it."""

    text: str
    # The exact value, as the API has it; None if it is unknown.
    value: float | None


@dataclass(frozen=True, slots=True)
class Badge:
    """A word for a state."""

    text: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Instant:
    """An instant in three forms."""

    # Short, as it lies near the page's own time.
    text: str
    # As seen from the page's time, such as 5 min ago.
    relative: str
    # ISO 8601.
    full: str
    at_s: float


@dataclass(frozen=True, slots=True)
class Card:
    """One main number of a page."""

    # Its name in the API.
    field: str
    label: str
    number: Number
    notes: tuple[str, ...] = ()
    tone: Tone | None = None
    # A share to draw, from 0 to 100; None if there is none.
    meter: float | None = None


UNKNOWN = Number("–", None)


def dollars(value: float | None) -> Number:
    """An amount of money, or the sign for an unknown one."""
    if value is None:
        return UNKNOWN
    return Number(usd(value), value)


def dollars_an_hour(value: float | None) -> Number:
    """A price, or the sign for an unknown one."""
    if value is None:
        return UNKNOWN
    return Number(price(value), value)


def amount(value: float | None) -> Number:
    """A quantity, or the sign for an unknown one."""
    if value is None:
        return UNKNOWN
    return Number(number(value), value)


def whole(value: int | None) -> Number:
    """A whole number, or the sign for an unknown one."""
    if value is None:
        return UNKNOWN
    return Number(count(value), value)


def instant(at_s: float, now_s: float) -> Instant:
    """An instant as seen at `now_s`."""
    return Instant(moment(at_s, now_s), ago(at_s, now_s), figures.instant(at_s), at_s)


def instant_or_none(at_s: float | None, now_s: float) -> Instant | None:
    """An instant, or None for what has not happened."""
    if at_s is None:
        return None
    return instant(at_s, now_s)


def words(code: str) -> str:
    """A code as words.

    >>> words("budget_exhausted"), words("on-demand")
    ('budget exhausted', 'on-demand')
    """
    return code.replace("_", " ")


def group_name(group: Group | None) -> str:
    """A group in few words; a count of one is left out.

    >>> from elastic.model import Offering
    >>> one = Offering("c5.xlarge")
    >>> group_name(Group.of(one, 4)), group_name(Group.of(one)), group_name(None)
    ('4 × c5.xlarge', 'c5.xlarge', 'no nodes')
    """
    if group is None or not group.members:
        return "no nodes"
    return " + ".join(
        f"{number} × {offering.node_type}" if number > 1 else offering.node_type
        for offering, number in group.members
    )


def group_detail(group: Group) -> str:
    """How and where a group is bought.

    >>> from elastic.model import Offering
    >>> group_detail(Group.of(Offering("c5.xlarge")))
    'on-demand · local'
    """
    return ", ".join(
        dict.fromkeys(f"{offering.capacity} · {offering.zone}" for offering, _ in group.members)
    )


JOB_TONES = {
    JobPhase.SUBMITTED: Tone.MUTED,
    JobPhase.PROFILING: Tone.INFO,
    JobPhase.RUNNING: Tone.GOOD,
    JobPhase.RESCALING: Tone.INFO,
    JobPhase.WAITING: Tone.MUTED,
    JobPhase.PAUSED: Tone.WARN,
    JobPhase.DRAINING: Tone.WARN,
    JobPhase.SUCCEEDED: Tone.GOOD,
    JobPhase.FAILED: Tone.BAD,
    JobPhase.CANCELLED: Tone.MUTED,
    JobPhase.BUDGET_EXHAUSTED: Tone.WARN,
}

NODE_TONES = {
    NodePhase.INTENDED: Tone.MUTED,
    NodePhase.BOOTING: Tone.INFO,
    NodePhase.JOINED: Tone.GOOD,
    NodePhase.TERMINATING: Tone.WARN,
    NodePhase.TERMINATED: Tone.MUTED,
    NodePhase.LOST: Tone.BAD,
}

ACTION_TONES = {
    Action.HOLD: Tone.MUTED,
    Action.START: Tone.GOOD,
    Action.TRIAL: Tone.INFO,
    Action.MOVE: Tone.GOOD,
    Action.PAUSE: Tone.WARN,
    Action.STOP: Tone.WARN,
}
