import math

import pytest

from elastic.errors import InvalidInput
from elastic.model import Offering
from elastic.pricing import PRICE_SOURCES, PriceSetup, PriceSource, Quote, static_prices
from tests.pricing.contract import PriceSourceContract

SMALL, LARGE = Offering("small"), Offering("large")


class TestStaticPrices(PriceSourceContract):
    @pytest.fixture
    def source(self) -> PriceSource:
        return static_prices({SMALL: 0.1, LARGE: 0.4}, valid_from_s=100.0)

    @pytest.fixture
    def now_s(self) -> float:
        return 100.0


def test_quotes_the_table() -> None:
    source = static_prices({SMALL: 0.1, LARGE: 0.4}, valid_from_s=100.0)
    assert source.refresh(500.0) == (
        Quote(SMALL, 0.1, 100.0, "static", is_configured=True),
        Quote(LARGE, 0.4, 100.0, "static", is_configured=True),
    )


def test_quotes_nothing_before_the_table_holds() -> None:
    assert static_prices({SMALL: 0.1}, valid_from_s=100.0).refresh(99.0) == ()


@pytest.mark.parametrize("usd_per_h", [0.0, -1.0, math.nan, math.inf])
def test_an_impossible_price_is_refused_with_the_offerings_name(usd_per_h: float) -> None:
    with pytest.raises(InvalidInput, match="small on-demand local: wanted a positive") as refused:
        static_prices({SMALL: usd_per_h}, valid_from_s=0.0)
    assert refused.value.field == "usd_per_h"


def test_settings_find_it_by_name() -> None:
    source = PRICE_SOURCES["static"](PriceSetup(started_at_s=5.0, usd_per_h={SMALL: 0.1}))
    assert source.refresh(5.0) == (Quote(SMALL, 0.1, 5.0, "static", is_configured=True),)
