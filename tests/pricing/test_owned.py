"""The prices that the owner of hosts has set."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from elastic.errors import PriceUnavailable, ProviderUnavailable
from elastic.model import Offering
from elastic.pricing import PRICE_SOURCES, PriceSetup, PriceSource, Quote
from tests.pricing.contract import PriceSourceContract

DESK, LAB = Offering("desk"), Offering("lab")


def source_of(prices: Mapping[Offering, float]) -> PriceSource:
    return PRICE_SOURCES["ssh"](PriceSetup(started_at_s=100.0, owned=lambda: prices))


class TestOwnedPrices(PriceSourceContract):
    @pytest.fixture
    def source(self) -> PriceSource:
        return source_of({DESK: 0.1, LAB: 0.4})

    @pytest.fixture
    def now_s(self) -> float:
        return 100.0


def test_a_host_that_is_found_later_is_quoted_from_then_on() -> None:
    prices = {DESK: 0.1}
    source = source_of(prices)
    assert source.refresh(99.0) == ()
    assert [each.offering for each in source.refresh(100.0)] == [DESK]
    prices[LAB] = 0.4
    assert source.refresh(200.0)[1] == Quote(LAB, 0.4, 100.0, "ssh", is_configured=True)


def test_without_any_host_there_is_no_price_yet() -> None:
    def unknown() -> Mapping[Offering, float]:
        raise ProviderUnavailable("no host was ever reached")

    source = PRICE_SOURCES["ssh"](PriceSetup(started_at_s=100.0, owned=unknown))
    with pytest.raises(PriceUnavailable, match="no host was ever reached"):
        source.refresh(100.0)
