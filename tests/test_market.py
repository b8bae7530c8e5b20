"""What of the settings becomes the limits of decisions."""

from __future__ import annotations

import pytest

from elastic.clock import ManualClock
from elastic.config import Ec2Settings, PolicySettings, Settings
from elastic.market import limits
from elastic.providers.fake import FakeCloud, FakeProvider


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
    assert limits(settings, FakeProvider(FakeCloud([], clock=ManualClock(0.0)))).boot_prior_s == boot_prior_s


def test_what_a_network_charges_counts_where_nodes_are_ec2s() -> None:
    provider = FakeProvider(FakeCloud([], clock=ManualClock(0.0)))
    charged = Ec2Settings(usd_per_gib_received=0.045)
    assert limits(Settings(provider="ec2", ec2=charged), provider).usd_per_gib_received == 0.045
    assert limits(Settings(ec2=charged), provider).usd_per_gib_received == 0.0
