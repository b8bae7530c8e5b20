"""Sources of prices, behind one port, and the check of their quotes."""

from elastic.pricing.base import PriceArchive, PriceSource, Quote
from elastic.pricing.owned import static_prices
from elastic.pricing.plausible import (
    GREATEST_JUMP,
    Quarantined,
    Sifted,
    sift,
    why_implausible,
    why_impossible,
)
from elastic.pricing.sources import PRICE_ARCHIVES, PRICE_SOURCES, PriceSetup
from elastic.pricing.trace import FollowedTrace, TracePrices
from elastic.pricing.trace_file import TraceRow, read_trace

__all__ = [
    "GREATEST_JUMP",
    "PRICE_ARCHIVES",
    "PRICE_SOURCES",
    "FollowedTrace",
    "PriceArchive",
    "PriceSetup",
    "PriceSource",
    "Quarantined",
    "Quote",
    "Sifted",
    "TracePrices",
    "TraceRow",
    "read_trace",
    "sift",
    "static_prices",
    "why_implausible",
    "why_impossible",
]
