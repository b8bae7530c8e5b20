"""A trace that grows while it is replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.errors import InvalidInput, PriceUnavailable
from elastic.model import Offering
from elastic.pricing import FollowedTrace, PriceSource, TraceRow
from tests.pricing.contract import PriceSourceContract

HALF = Offering("half")
HEADER = "after_s,node_type,usd_per_h\n"


def replace(path: Path, text: str) -> None:
    new = path.with_suffix(".new")
    new.write_text(HEADER + text)
    new.replace(path)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text(f"{HEADER}0,half,0.2\n")
    return path


class TestFollowedTrace(PriceSourceContract):
    @pytest.fixture
    def source(self, trace: Path) -> PriceSource:
        return FollowedTrace(trace, started_at_s=1000.0)

    @pytest.fixture
    def now_s(self) -> float:
        return 1010.0


def test_a_row_added_while_it_runs_takes_force(trace: Path) -> None:
    source = FollowedTrace(trace, started_at_s=1000.0)
    assert [quote.usd_per_h for quote in source.refresh(1010.0)] == [0.2]
    replace(trace, "0,half,0.2\n15,half,0.4\n")
    assert [quote.usd_per_h for quote in source.refresh(1020.0)] == [0.2, 0.4]
    assert [quote.usd_per_h for quote in source.refresh(1021.0)] == [0.4]


def test_a_price_that_came_and_went_before_the_file_changed_is_not_lost(trace: Path) -> None:
    replace(trace, "0,half,0.2\n12,half,0.3\n14,half,0.2\n")
    source = FollowedTrace(trace, started_at_s=1000.0)
    source.refresh(1010.0)
    replace(trace, "0,half,0.2\n12,half,0.3\n14,half,0.2\n99,half,0.5\n")
    assert 0.3 in [quote.usd_per_h for quote in source.refresh(1020.0)]


def test_the_table_holds_until_the_trace_names_an_offering(trace: Path) -> None:
    table = [TraceRow(HALF, 0.9, after_s=0.0), TraceRow(Offering("full"), 1.8, after_s=0.0)]
    source = FollowedTrace(trace, table=table, started_at_s=1000.0)
    assert {quote.offering.node_type: quote.usd_per_h for quote in source.refresh(1000.0)} == {
        "half": 0.2,
        "full": 1.8,
    }


def test_a_file_that_has_become_wrong_is_no_answer_until_it_is_mended(trace: Path) -> None:
    source = FollowedTrace(trace, started_at_s=1000.0)
    source.refresh(1010.0)
    replace(trace, "15,half,free\n")
    with pytest.raises(PriceUnavailable, match="usd_per_h"):
        source.refresh(1020.0)
    replace(trace, "15,half,0.4\n")
    assert 0.4 in [quote.usd_per_h for quote in source.refresh(1030.0)]


def test_a_file_that_is_wrong_at_the_start_is_an_error_of_the_settings(trace: Path) -> None:
    trace.write_text(f"{HEADER}0,half,free\n")
    with pytest.raises(InvalidInput, match="usd_per_h"):
        FollowedTrace(trace, started_at_s=0.0)
