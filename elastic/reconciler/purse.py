"""Keeps the purse: what all jobs have spent of its caps, what each asks for, and what each gets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo

from elastic.calendar import day_around, hour_around, month_around, zone_of
from elastic.config import PurseSettings
from elastic.model import CalendarUnit, Cap, Limits, Plan, Share, Snapshot
from elastic.policy import claim_of, divide, wind_down_s
from elastic.store import Store

_AROUND: Mapping[CalendarUnit, Callable[[float, tzinfo], tuple[float, float]]] = {
    CalendarUnit.HOUR: hour_around,
    CalendarUnit.DAY: day_around,
    CalendarUnit.MONTH: month_around,
}


@dataclass(frozen=True, slots=True)
class Purse:
    """The most that all jobs may cost; days and months are those of a zone."""

    caps_usd: Mapping[CalendarUnit, float]
    zone: tzinfo

    def caps(self, store: Store, *, now_s: float) -> tuple[Cap, ...]:
        """The caps as they stand: what the ledger charges since each hour, day or month began."""
        found = []
        for unit, usd in self.caps_usd.items():
            began_s, ends_at_s = _AROUND[unit](now_s, self.zone)
            spent_usd = store.ledger.charged_since(began_s, now_s)
            found.append(Cap(unit, usd, spent_usd, ends_at_s))
        return tuple(found)


def purse_of(settings: PurseSettings) -> Purse | None:
    """The purse that the settings describe; None if they name no cap."""
    usd = {
        CalendarUnit.HOUR: settings.usd_per_h,
        CalendarUnit.DAY: settings.usd_per_day,
        CalendarUnit.MONTH: settings.usd_per_month,
    }
    caps_usd = {unit: most for unit, most in usd.items() if most is not None}
    if not caps_usd:
        return None
    return Purse(caps_usd, zone_of(settings.zone))


def shares_of(
    purse: Purse,
    store: Store,
    wishes: Iterable[tuple[Snapshot, Plan | None]],
    *,
    limits: Limits,
    now_s: float,
) -> dict[str, Share]:
    """Divides the purse: what each job gets, by its id.

    `wishes` are all jobs that are not over, each with what its policy wants if there were no
    purse; None of a job that wants no machines.
    """
    known = list(wishes)
    claims = [claim_of(snapshot, plan) for snapshot, plan in known]
    longest_s = max((wind_down_s(snapshot) for snapshot, _ in known), default=limits.wind_down_s)
    return divide(
        purse.caps(store, now_s=now_s),
        claims,
        wind_down_s=longest_s,
        cooldown_s=limits.cooldown_s,
        ahead_s=limits.price_max_age_s,
        now_s=now_s,
    )
