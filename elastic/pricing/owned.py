"""Prices that the owner of machines has set, for what they were found to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from elastic.errors import PriceUnavailable, ProviderError
from elastic.model import Offering
from elastic.pricing.base import Quote


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
