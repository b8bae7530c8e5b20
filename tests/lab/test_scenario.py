from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from elastic.errors import InvalidInput
from elastic_lab import Effect, parse_scenario, read_scenario
from tests.lab.world import FIELDS

EXAMPLES = sorted(Path("examples/lab").glob("*.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.stem))
def test_every_example_is_valid(path: Path) -> None:
    assert read_scenario(path).name == path.stem


def test_a_scenario_is_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "storm.yaml"
    file.write_text(
        "node_types: {c5.large: {on_demand_usd_per_h: 0.085}}\nfaults: [{effect: lose, action: "
        "RunInstances}]\n"
    )
    scenario = read_scenario(file)
    assert scenario.name == "storm"
    assert scenario.faults[0].effect is Effect.LOSE
    assert scenario.node_types["c5.large"].spot_usd_per_h is None


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"node_types": {}}, "node_types"),
        (
            {"node_types": {"c5.large": {"on_demand_usd_per_h": 0}}},
            "node_types.c5.large.on_demand_usd_per_h",
        ),
        (
            {"node_types": {"c5.large": {"on_demand_usd_per_h": float("nan")}}},
            "node_types.c5.large.on_demand_usd_per_h",
        ),
        ({"zones": ["eu-west-1a"]}, "zones"),
        (
            {"prices": [{"after_s": 1, "node_type": "c9.huge", "spot_usd_per_h": 1}]},
            "prices.0.node_type",
        ),
        ({"interruptions": [{"after_s": 1, "zone": "us-east-1f"}]}, "interruptions.0.zone"),
        ({"faults": [{"effect": "explode"}]}, "faults.0.effect"),
        ({"outages": [{"from_s": 5, "until_s": 5}]}, "outages.0"),
        ({"colour": "blue"}, "colour"),
    ],
)
def test_an_error_names_its_field(fields: dict[str, Any], place: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_scenario({**FIELDS, **fields})
    assert caught.value.field is not None
    assert caught.value.field.startswith(place)
    assert place in str(caught.value)


@pytest.mark.parametrize("text", ["- a list", "{", "text"])
def test_a_file_that_is_no_scenario_says_so(tmp_path: Path, text: str) -> None:
    file = tmp_path / "odd.yaml"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=r"odd\.yaml"):
        read_scenario(file)


def test_a_file_that_is_no_scenario_is_told_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text("name: mine\n")
    with pytest.raises(InvalidInput, match=r"job\.yaml: node_types: wanted a value, got none"):
        read_scenario(tmp_path / "job.yaml")
