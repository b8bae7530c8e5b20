"""The small values that every page is made of: numbers, badges, instants, cards."""

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
    """A number as people read it, with the very value that the API gives; `value` is None when it
    is unknown."""

    text: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Badge:
    """A word for a state."""

    text: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Instant:
    """An instant as people read it: near the page's own time, as seen from there, and in full."""

    text: str
    relative: str
    full: str
    at_s: float


@dataclass(frozen=True, slots=True)
class Card:
    """One headline number. `field` is its name in the API; `meter` is a share of 0 to 100 to draw,
    if there is one."""

    field: str
    label: str
    number: Number
    notes: tuple[str, ...] = ()
    tone: Tone | None = None
    meter: float | None = None


UNKNOWN = Number("–", None)


def dollars(value: float | None) -> Number:
    """Gives a sum of money, or the sign for an unknown one."""
    if value is None:
        return UNKNOWN
    return Number(usd(value), value)


def dollars_an_hour(value: float | None) -> Number:
    """Gives a price, or the sign for an unknown one."""
    if value is None:
        return UNKNOWN
    return Number(price(value), value)


def amount(value: float | None) -> Number:
    """Gives a quantity, or the sign for an unknown one."""
    if value is None:
        return UNKNOWN
    return Number(number(value), value)


def whole(value: int | None) -> Number:
    """Gives a whole number, or the sign for an unknown one."""
    if value is None:
        return UNKNOWN
    return Number(count(value), value)


def instant(at_s: float, now_s: float) -> Instant:
    """Gives an instant as seen at `now_s`."""
    return Instant(moment(at_s, now_s), ago(at_s, now_s), figures.instant(at_s), at_s)


def instant_or_none(at_s: float | None, now_s: float) -> Instant | None:
    """Gives an instant, or None for what has not happened."""
    if at_s is None:
        return None
    return instant(at_s, now_s)


def words(code: str) -> str:
    """Gives a code as words.

    >>> words("budget_exhausted"), words("on-demand")
    ('budget exhausted', 'on-demand')
    """
    return code.replace("_", " ")


def group_name(group: Group | None) -> str:
    """Gives a group in few words; a count of one goes without saying.

    >>> from elastic.model import Offering
    >>> group_name(Group.of(Offering("c5.xlarge"), 4)), group_name(Group.of(Offering("c5.xlarge"))), group_name(None)
    ('4 × c5.xlarge', 'c5.xlarge', 'no nodes')
    """
    if group is None or not group.members:
        return "no nodes"
    return " + ".join(
        f"{number} × {offering.node_type}" if number > 1 else offering.node_type
        for offering, number in group.members
    )


def group_detail(group: Group) -> str:
    """Gives how and where a group is bought.

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
    Action.STOP: Tone.WARN,
}
