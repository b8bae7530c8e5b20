"""Prices that somebody has set: in a table, or for machines as they were found to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from elastic.errors import InvalidInput, PriceUnavailable, ProviderError
from elastic.model import Offering
from elastic.pricing.base import Quote
from elastic.pricing.plausible import why_impossible


def static_prices(usd_per_h: Mapping[Offering, float], *, valid_from_s: float) -> OwnedPrices:
    """Quotes a table that never changes. Raises InvalidInput for a price that cannot be one."""
    for offering, price_usd_per_h in usd_per_h.items():
        if (reason := why_impossible(price_usd_per_h)) is not None:
            raise InvalidInput(
                f"{offering}: {reason}; correct the table of prices", field="usd_per_h"
            )
    return OwnedPrices(lambda: usd_per_h, name="static", valid_from_s=valid_from_s)


class OwnedPrices:
    """Quotes each offering that `usd_per_h` names now, since `valid_from_s`."""

    def __init__(
        self,
        usd_per_h: Callable[[], Mapping[Offering, float]],
        *,
        name: str,
        valid_from_s: float,
    ) -> None:
        self.name = name
        self._usd_per_h = usd_per_h
        self._valid_from_s = valid_from_s

    def refresh(self, now_s: float) -> tuple[Quote, ...]:
        if self._valid_from_s > now_s:
            return ()
        try:
            prices = self._usd_per_h()
        except ProviderError as error:
            raise PriceUnavailable(str(error)) from error
        return tuple(
            Quote(offering, usd_per_h, self._valid_from_s, self.name, is_configured=True)
            for offering, usd_per_h in prices.items()
        )
