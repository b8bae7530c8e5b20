"""What goes wrong in a simulated cluster, and when: drawn from a seed, the same for the same seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum

DAY = 86_400.0
MINUTE = 60.0


class FaultKind(StrEnum):
    """One thing that can go wrong. Those with a length last for a while, the others happen once."""

    CRASH_AT_CALL = "the daemon dies at a call of the cloud, before or after the work is done"
    CRASH_AT_COMMIT = "the daemon dies as it commits to its database"
    AWAY = "the daemon is not running"
    LOST_ANSWER = "the cloud does what it is asked, and its answer is lost"
    REFUSED = "the cloud refuses every call"
    LATE_LISTING = "the cloud lists new machines late"
    NO_BOOT = "new machines never register"
    DIES = "a machine ends without a word"
    STORM = "the cloud takes back every spot machine"
    CUT_OFF = "no heartbeat arrives"
    FULL_DISK = "the database takes no write"
    WRONG_PRICES = "the feed tells prices that are a thousand times too low or too high"
    NO_PRICES = "the feed tells nothing"
    CLOCK = "the clock of the daemon's machine is set"
    REBOOTED = "the daemon's machine starts again with a wrong clock"
    WRONG_DATE = "one answer of the cloud tells a wrong time"
    ODD_ERROR = "the cloud answers with an error that says nothing of earlier calls"
    FORBIDDEN = "the cloud forbids to end machines"
    UNANSWERED = "heartbeats arrive, and their answers are lost"
    STRAY = "a machine appears that this database has not bought"
    TAKEN_OVER = "another daemon takes the machines over for a while"
    LOST_STORE = "the database is lost, and a person adopts the job later"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: seconds from the beginning of the life, how long it lasts, and how bad it is.

    `draw`, from 0 to 1, chooses among what the kind leaves open, such as which call.
    """

    kind: FaultKind
    at_s: float
    lasts_s: float
    draw: float


def drawn(
    seed: int, *, until_s: float, a_day: float, kinds: tuple[FaultKind, ...] = tuple(FaultKind)
) -> tuple[Fault, ...]:
    """Draws about `a_day` faults a day, in the order of time.

    >>> drawn(1, until_s=DAY, a_day=4.0) == drawn(1, until_s=DAY, a_day=4.0)
    True
    """
    chance = random.Random(f"faults {seed}")
    found = []
    at_s = chance.expovariate(a_day / DAY)
    while at_s < until_s:
        kind = chance.choice(kinds)
        longest = 60.0
        # Three nodes in a row that never register end a job, as they should.
        if kind is FaultKind.NO_BOOT:
            longest = 15.0
        elif kind is FaultKind.CUT_OFF:
            longest = 20.0
        lasts_s = min(chance.lognormvariate(1.5, 1.0), longest) * MINUTE
        found.append(Fault(kind, at_s, lasts_s, chance.random()))
        at_s += chance.expovariate(a_day / DAY)
    return tuple(found)
