"""Days, months and hours of the day, in time zones, for instants that are given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from elastic.errors import InvalidInput

_A_DAY = timedelta(1)
_HOURS = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)\s+(\S+)")


@dataclass(frozen=True, slots=True)
class Hours:
    """The same hours of each day in one zone. An end before the beginning is on the next day."""

    begins: time
    ends: time
    zone: tzinfo

    def opens_at_s(self, now_s: float) -> float:
        """When they begin next; `now_s` itself within them.

        >>> from elastic.figures import instant
        >>> hours = hours_of("20:00-07:00 Europe/Madrid")
        >>> evening_s = datetime(2026, 3, 28, 19, 30, tzinfo=UTC).timestamp()  # 20:30 in Madrid
        >>> hours.opens_at_s(evening_s) == evening_s
        True
        >>> noon_s = datetime(2026, 3, 29, 12, 0, tzinfo=UTC).timestamp()  # 14:00 in summer time
        >>> instant(hours.opens_at_s(noon_s))
        '2026-03-29T18:00:00Z'
        """
        today = datetime.fromtimestamp(now_s, self.zone).date()
        # Those that began yesterday may go on; today's may be over.
        for days in (-1, 0, 1, 2):
            day = today + days * _A_DAY
            last = day
            if self.ends <= self.begins:
                last = day + _A_DAY
            begins_s = datetime.combine(day, self.begins, self.zone).timestamp()
            ends_s = datetime.combine(last, self.ends, self.zone).timestamp()
            if now_s < ends_s:
                return max(begins_s, now_s)
        raise AssertionError("each day has its hours")


def hours_of(text: str) -> Hours:
    """Reads hours such as `20:00-07:00 Europe/Madrid`. Raises InvalidInput."""
    found = _HOURS.fullmatch(text.strip())
    if found is None:
        raise InvalidInput(
            f"wanted hours and their zone, such as 20:00-07:00 Europe/Madrid; got {text[:64]!r}"
        )
    first_h, first_min, last_h, last_min = (int(each) for each in found.groups()[:4])
    begins = time(first_h, first_min)
    ends = time(last_h, last_min)
    if begins == ends:
        raise InvalidInput(f"wanted hours that begin and end at different times, got {text[:64]!r}")
    return Hours(begins, ends, zone_of(found.group(5)))


def zone_of(name: str) -> tzinfo:
    """The time zone of an IANA name. Raises InvalidInput."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(
            f"wanted UTC or a zone that this machine knows, such as Europe/Madrid; got "
            f"{name[:64]!r}"
        ) from error


def hour_around(now_s: float, zone: tzinfo) -> tuple[float, float]:
    """When the hour of the clock that an instant lies in began, and when it ends.

    >>> hour_around(7_260.0, UTC)
    (7200.0, 10800.0)
    """
    now = datetime.fromtimestamp(now_s, zone)
    into_s = now.minute * 60.0 + now.second + now.microsecond / 1e6
    began_s = round(now_s - into_s, 3)
    return began_s, began_s + 3_600.0


def day_around(now_s: float, zone: tzinfo) -> tuple[float, float]:
    """When the day that an instant lies in began, and when it ends: 23 to 25 hours later.

    >>> began_s, ends_s = day_around(datetime(2026, 3, 29, 12, tzinfo=UTC).timestamp(),
    ...     zone_of("Europe/Madrid"))
    >>> (ends_s - began_s) / 3600
    23.0
    """
    today = datetime.fromtimestamp(now_s, zone).date()
    tomorrow = today + _A_DAY
    began = datetime.combine(today, time(), zone)
    return began.timestamp(), datetime.combine(tomorrow, time(), zone).timestamp()


def month_around(now_s: float, zone: tzinfo) -> tuple[float, float]:
    """When the month that an instant lies in began, and when it ends.

    >>> [datetime.fromtimestamp(each, UTC).day for each in month_around(1_700_000_000.0, UTC)]
    [1, 1]
    """
    first = datetime.fromtimestamp(now_s, zone).date().replace(day=1)
    # No month has more than 31 days.
    following = (first + 31 * _A_DAY).replace(day=1)
    began = datetime.combine(first, time(), zone)
    return began.timestamp(), datetime.combine(following, time(), zone).timestamp()
