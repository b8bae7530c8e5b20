"""One purse for all jobs: its caps as they stand, what each job asks of it, and may have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CalendarUnit(StrEnum):
    """The stretch of the calendar that a cap holds for."""

    HOUR = "hour"
    DAY = "day"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that all jobs together may cost in the present hour, day or month."""

    unit: CalendarUnit
    usd: float
    # What the ledger charges since that began, the least bills of young machines included.
    spent_usd: float
    # When the next one begins.
    ends_at_s: float


@dataclass(frozen=True, slots=True)
class Claim:
    """What one job asks of the purse."""

    job_id: str
    name: str
    # Higher ones come first.
    priority: int
    # What its cheapest group costs that can be bought now, and the one that its policy wants. Both
    # are 0 if it wants none.
    least_usd_per_h: float
    wanted_usd_per_h: float
    # What its machines cost, those on their way in and out included.
    held_usd_per_h: float
    # Since when it holds machines, or waits for some.
    since_s: float
    # Of a job that holds machines: for how long it had waited for them.
    waited_s: float = 0.0
    # For how long a start must last, so that its boot takes only a small part of it.
    slice_s: float = 0.0
    # Whether it gave its machines back to the purse, and so rests for a cooldown.
    rests: bool = False
    # Whether a pause loses nothing; else it is not paused to give others a time slice.
    keeps_work: bool = True
    # The share of the whole job that a dollar buys; None if that is not known.
    done_per_usd: float | None = None
    # Until its end, on what it wants; None if that is not known.
    lasts_s: float | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """What the purse leaves one job, and the numbers for its reason."""

    # The most that its machines may cost an hour; 0: it waits.
    usd_per_h: float
    wanted_usd_per_h: float
    # How much of that it may add to what runs now: the rest has not been given back by others yet.
    free_usd_per_h: float
    # What a change may cost while the machines of both groups run.
    change_usd: float
    # What the purse pays an hour now, for all jobs; None without a cap of the hour.
    purse_usd_per_h: float | None
    # The jobs that come before this one, and what they take of it.
    before: int = 0
    before_usd_per_h: float = 0.0
    # The cap that leaves least, and when its next one begins.
    unit: CalendarUnit = CalendarUnit.HOUR
    ends_at_s: float = 0.0
    left_usd: float = 0.0
    done_per_usd: float | None = None

    @property
    def is_short(self) -> bool:
        """Whether the job gets less than it wants."""
        return self.usd_per_h < self.wanted_usd_per_h * (1 - 1e-9)
