"""How reasons name groups, money, rates and times, in plain and short English."""

from __future__ import annotations

import math
from collections.abc import Sequence

from elastic.model import Capacity, Group, Interval, Offering

_SHOWN = 3
_HOUR_S = 3600.0


def name(group: Group) -> str:
    """What people call a group; capacity and zone only where they are not the plain ones.

    >>> name(Group.of(Offering("local.half"))), name(Group.of(Offering("c5.xlarge", Capacity.SPOT, "us-east-1a"), 2))
    ('local.half', '2 x c5.xlarge spot us-east-1a')
    """
    return " + ".join(
        f"{f'{count} x ' if count > 1 else ''}{offering_name(offering, where='')}" for offering, count in group.members
    )


def usd(amount: float) -> str:
    """Dollars to the cent, or to two figures where that would say nothing.

    >>> usd(1234.5), usd(0.045), usd(0.000404), usd(0.0)
    ('$1,234.50', '$0.045', '$0.0004', '$0.00')
    """
    size = abs(amount)
    if size >= 1 or size == 0:
        return f"${amount:,.2f}"
    whole, digits = f"{amount:.{1 - math.floor(math.log10(size))}f}".split(".")
    return f"${whole}.{digits.rstrip('0').ljust(2, '0')}"


def figures(value: float) -> str:
    """A number to three figures.

    >>> figures(41234.5), figures(0.123456), figures(9.5)
    ('41,200', '0.123', '9.5')
    """
    if abs(value) >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}"


def rate(iterations_per_usd: Interval, *, with_unit: bool = True) -> str:
    """Iterations per dollar with their interval.

    >>> rate(Interval(41200.0, 40100.0, 42400.0)), rate(Interval(30900.0), with_unit=False)
    ('41,200 it/$ (40,100-42,400)', '30,900')
    """
    text = figures(iterations_per_usd.value) + (" it/$" if with_unit else "")
    if iterations_per_usd.low is None or iterations_per_usd.high is None:
        return text
    return f"{text} ({figures(iterations_per_usd.low)}-{figures(iterations_per_usd.high)})"


def shortened(texts: Sequence[str]) -> list[str]:
    """The first few of many texts, and how many more there are.

    >>> shortened(["a", "b", "c", "d", "e"])
    ['a', 'b', 'c', 'and 2 more']
    """
    more = [f"and {len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else []
    return [*texts[:_SHOWN], *more]


def percent(ratio: float) -> str:
    """A ratio in percent.

    >>> percent(0.254), percent(0.004)
    ('25 %', '0.4 %')
    """
    return f"{100 * ratio:.{0 if abs(ratio) >= 0.01 or ratio == 0 else 1}f} %"


def duration(seconds: float) -> str:
    """A stretch of time in the unit that suits it.

    >>> duration(42.0), duration(900.0), duration(86400.0)
    ('42 s', '15 min', '24 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 2 * _HOUR_S else f"{figures(seconds / _HOUR_S)} h"


def deadline_in(seconds: float) -> str:
    """When a deadline is, from now.

    >>> deadline_in(900.0), deadline_in(-30.0)
    ('in 15 min', '30 s ago')
    """
    return f"in {duration(seconds)}" if seconds >= 0 else f"{duration(-seconds)} ago"


def offering_name(offering: Offering, *, where: str = "in ") -> str:
    """What people call an offering; `where` comes before a zone.

    >>> offering_name(Offering("c5.xlarge", Capacity.SPOT, "us-east-1a")), offering_name(Offering("local.half"))
    ('c5.xlarge spot in us-east-1a', 'local.half')
    """
    spot = f" {offering.capacity}" if offering.capacity is Capacity.SPOT else ""
    zone = "" if offering.zone == "local" else f" {where}{offering.zone}"
    return f"{offering.node_type}{spot}{zone}"


def clock_time(at_s: float) -> str:
    """The time of day of an instant, to the minute that has come by then.

    >>> clock_time(1_700_000_000.0), clock_time(1_700_006_399.5)
    ('22:14 UTC', '00:00 UTC')
    """
    minutes = math.ceil(at_s / 60) % (24 * 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d} UTC"
