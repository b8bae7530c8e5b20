"""What every source of prices must do: each implementation's tests inherit this suite."""

import math

from elastic.pricing import PriceSource


class PriceSourceContract:
    """Inherit it, and give the fixtures `source` (fresh) and `now_s`, an instant at which some
    price is in force."""

    def test_has_a_name(self, source: PriceSource) -> None:
        assert source.name

    def test_quotes_are_positive_in_force_and_oldest_first(
        self, source: PriceSource, now_s: float
    ) -> None:
        quotes = source.refresh(now_s)
        assert quotes
        assert all(math.isfinite(quote.usd_per_h) and quote.usd_per_h > 0 for quote in quotes)
        assert all(quote.valid_from_s <= now_s for quote in quotes)
        assert [q.valid_from_s for q in quotes] == sorted(q.valid_from_s for q in quotes)

    def test_the_first_call_gives_each_offering_once(
        self, source: PriceSource, now_s: float
    ) -> None:
        offerings = [quote.offering for quote in source.refresh(now_s)]
        assert len(offerings) == len(set(offerings))

    def test_asking_again_at_once_confirms_what_is_in_force(
        self, source: PriceSource, now_s: float
    ) -> None:
        assert source.refresh(now_s) == source.refresh(now_s)

    def test_each_quote_names_its_source(self, source: PriceSource, now_s: float) -> None:
        assert {quote.source for quote in source.refresh(now_s)} == {source.name}
