"""What of the settings becomes the limits of decisions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from elastic.clock import ManualClock
from elastic.config import Ec2Settings, LocalType, PolicySettings, Settings
from elastic.errors import InvalidInput
from elastic.market import limits, market
from elastic.model import PerNode, Workers, workers_on
from elastic.providers import FakeCloud, FakeProvider
from elastic.store import open_store
from tests.empty_database import lay_out


@pytest.mark.parametrize(
    ("settings", "boot_prior_s"),
    [
        (Settings(), 60.0),
        (Settings(provider="ec2"), 120.0),
        (Settings(provider="ec2", ec2=Ec2Settings(bootstrap="true")), 60.0),
        (Settings(provider="ec2", policy=PolicySettings(boot_prior_s=7.0)), 7.0),
    ],
)
def test_a_boot_is_taken_for_longer_where_nodes_install_torch_unless_settings_say_how_long(
    settings: Settings, boot_prior_s: float
) -> None:
    assert (
        limits(settings, FakeProvider(FakeCloud([], clock=ManualClock(0.0)))).boot_prior_s
        == boot_prior_s
    )


def test_what_a_network_charges_counts_where_nodes_are_ec2s() -> None:
    provider = FakeProvider(FakeCloud([], clock=ManualClock(0.0)))
    charged = Ec2Settings(usd_per_gib_received=0.045)
    assert limits(Settings(provider="ec2", ec2=charged), provider).usd_per_gib_received == 0.045
    assert limits(Settings(ec2=charged), provider).usd_per_gib_received == 0.0


def test_a_local_type_larger_than_this_machine_computes_with_the_cores_that_are_here(
    tmp_path: Path,
) -> None:
    here = len(os.sched_getaffinity(0))
    table = (
        LocalType(name="larger", cpu=here + 6, usd_per_h=0.1),
        LocalType(name="half", cpu=0.5, usd_per_h=0.1),
    )
    settings = Settings(data_dir=tmp_path, local_types=table)
    store = open_store(lay_out(tmp_path / "elasticd.db"))
    provider, *_ = market(settings, ManualClock(0.0), store, None)
    store.close()
    larger, half = provider.node_types()
    assert (larger.cpu, larger.cores, half.cores) == (here + 6, here, 0.5)
    assert workers_on(PerNode.AUTO, larger) == Workers(1, threads=here)


def price_source(data_dir: Path, **named: str) -> str:
    """The name of what tells prices by these settings, for local nodes."""
    trace = data_dir / "prices.csv"
    trace.write_text("after_s,node_type,usd_per_h\n0,half,0.2\n")
    settings = Settings.model_validate({"data_dir": data_dir, **named})
    store = open_store(lay_out(data_dir / "elasticd.db"))
    try:
        _, source, _ = market(settings, ManualClock(0.0), store, None)
    finally:
        store.close()
    return source.name


def test_prices_come_from_the_source_that_the_settings_name(tmp_path: Path) -> None:
    trace = str(tmp_path / "prices.csv")
    assert price_source(tmp_path) == "static"
    assert price_source(tmp_path, price_trace=trace) == "trace"
    assert price_source(tmp_path, price_source="static") == "static"
    assert price_source(tmp_path, price_source="trace", price_trace=trace) == "trace"


def test_a_price_source_that_does_not_exist_is_refused_with_those_that_do(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"price_source: wanted one of .*static.*, got 'oracle'"):
        price_source(tmp_path, price_source="oracle")


def test_a_price_trace_that_another_source_would_hide_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="wanted trace beside a price_trace, got 'static'"):
        price_source(tmp_path, price_source="static", price_trace=str(tmp_path / "prices.csv"))
