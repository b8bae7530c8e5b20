"""Prices from a table that never changes."""

from __future__ import annotations

from collections.abc import Mapping

from elastic.errors import InvalidInput
from elastic.model import Offering
from elastic.pricing.base import Quote
from elastic.pricing.plausible import why_impossible


class StaticPrices:
    """Quotes each offering of `usd_per_h` at its price since `valid_from_s`."""

    name = "static"

    def __init__(self, usd_per_h: Mapping[Offering, float], *, valid_from_s: float) -> None:
        for offering, price_usd_per_h in usd_per_h.items():
            if (reason := why_impossible(price_usd_per_h)) is not None:
                raise InvalidInput(
                    f"{offering}: {reason}; correct the table of prices", field="usd_per_h"
                )
        self._quotes = tuple(
            Quote(offering, price_usd_per_h, valid_from_s, self.name, is_configured=True)
            for offering, price_usd_per_h in usd_per_h.items()
        )

    def refresh(self, now_s: float) -> tuple[Quote, ...]:
        return tuple(quote for quote in self._quotes if quote.valid_from_s <= now_s)
