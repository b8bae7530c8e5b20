"""How reasons name groups, offerings and rates, in plain and short English."""

from __future__ import annotations

from collections.abc import Sequence

from elastic.figures import number, span
from elastic.model import Capacity, Group, Interval, Offering

_SHOWN = 3
# What to do where a price is missing.
SEE_PRICES = "(`elasticd price ls` shows what is too old, or not believed)"


def name(group: Group) -> str:
    """What people call a group; capacity and zone only where they are not the usual ones.

    >>> name(Group.of(Offering("local.half"))), name(Group.of(Offering("c5.xlarge", Capacity.SPOT,
    ...     "us-east-1a"), 2))
    ('local.half', '2 x c5.xlarge spot us-east-1a')
    """
    return " + ".join(
        f"{f'{count} x ' if count > 1 else ''}{offering_name(offering, where='')}"
        for offering, count in group.members
    )


def kept(group: Group | None) -> str:
    """What becomes of the group that is held, where nothing is changed.

    >>> kept(None), kept(Group.of(Offering("local.half")))
    ('nothing is started', 'local.half is kept')
    """
    if group is None:
        return "nothing is started"
    return f"{name(group)} is kept"


def rate(iterations_per_usd: Interval, *, with_unit: bool = True) -> str:
    """Iterations per dollar with their interval.

    >>> rate(Interval(41200.0, 40100.0, 42400.0)), rate(Interval(30900.0), with_unit=False)
    ('41,200 it/$ (40,100 to 42,400)', '30,900')
    """
    text = number(iterations_per_usd.value) + (" it/$" if with_unit else "")
    if iterations_per_usd.low is None or iterations_per_usd.high is None:
        return text
    return f"{text} ({span(iterations_per_usd.low, iterations_per_usd.high)})"


def shortened(texts: Sequence[str]) -> list[str]:
    """The first few of many texts, and how many more there are.

    >>> shortened(["a", "b", "c", "d", "e"])
    ['a', 'b', 'c', 'and 2 more']
    """
    more = []
    if len(texts) > _SHOWN:
        more = [f"and {len(texts) - _SHOWN} more"]
    return [*texts[:_SHOWN], *more]


def offering_name(offering: Offering, *, where: str = "in ") -> str:
    """What people call an offering; `where` comes before a zone.

    >>> offering_name(Offering("c5.xlarge", Capacity.SPOT,
    ...     "us-east-1a")), offering_name(Offering("local.half"))
    ('c5.xlarge spot in us-east-1a', 'local.half')
    """
    spot = ""
    if offering.capacity is Capacity.SPOT:
        spot = f" {offering.capacity}"
    if offering.zone == "local":
        zone = ""
    else:
        zone = f" {where}{offering.zone}"
    return f"{offering.node_type}{spot}{zone}"
