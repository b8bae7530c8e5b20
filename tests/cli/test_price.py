"""What prices look like in a terminal."""

from __future__ import annotations

import doctest
from dataclasses import replace

import pytest

from elastic.cli import market
from elastic.model import Offering
from elastic.pricing import Quarantined, Quote
from tests.cli.commands import Run
from tests.cli.conftest import Live


def test_the_numbers_in_docstrings_are_right() -> None:
    assert doctest.testmod(market).failed == 0


def test_a_price_that_never_changed_is_a_flat_line() -> None:
    told = [{"valid_from_s": 0.0, "usd_per_h": 0.1}]
    assert market.sparkline({"from_s": 5.0, "to_s": 9.0, "points": told}, width=3) == "▁▁▁"


def test_what_is_not_believed_stands_below_the_prices(
    run: Run, live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "not believed" not in run("price", "ls").out
    told = Quarantined(Quote(Offering("small"), 3.6, 0.0, "ec2"), "wanted at most a 5-fold change")
    context = replace(live.world.context, disbelieved=lambda: (told,))
    monkeypatch.setattr(live.app.state, "context", context)
    listed = run("price", "ls", "--limit", "1").out.splitlines()
    assert listed[-1] == (
        "not believed: small on-demand at $3.60/h from 1970-01-01T00:00:00Z on, told by ec2: "
        "wanted at most a 5-fold change"
    )
    assert "not believed" not in run("price", "ls", "-o", "csv").out
