"""Doctor proves the account where nodes come from EC2, and prints policies."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import boto3
import pytest

from elastic.cli.account import check_checkpoints, check_region, judge_disk_price, judge_prices
from elastic.cli.checks import judge_lease
from elastic.config import load_settings
from elastic.model import Capacity, Offering
from elastic.providers import LeaderLease
from tests.cli.commands import Run, runner
from tests.cli.torch_stand_in import torch_that_loads_at_once
from tests.providers import ec2_world
from tests.providers.ec2_endpoint import Endpoint

served, endpoint = ec2_world.served, ec2_world.endpoint

OFFERINGS = tuple(Offering("c5.large", Capacity.SPOT, f"us-east-1{zone}") for zone in "abcdefghi")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.setenv("ELASTICD_CONFIG", os.devnull)
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ELASTICD_PORT", "0")
    monkeypatch.setenv("ELASTICD_EC2__TYPES", '["c5.large"]')
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    return runner(capsys)


def test_what_must_be_mended_ends_with_status_1(
    run: Run, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch_that_loads_at_once(tmp_path, monkeypatch)
    endpoint.answer_json("GetProducts", {"FormatVersion": "aws_v1", "PriceList": []})
    monkeypatch.setenv("ELASTICD_EC2__INSTANCE_PROFILE", "nobody-made-it")
    outcome = run("doctor", "--provider", "ec2", "-o", "json")
    found = {each["name"]: each["level"] for each in json.loads(outcome.out)}
    assert found["aws identity"] == "ok"
    assert found["aws instance profile"] == "error"
    assert found["aws daemon address"] == found["aws checkpoints"] == "ok", (
        "this EC2 is on this machine"
    )
    assert found["aws leader lease"] == found["alarms"] == "ok"
    assert found["aws prices"] == "warning", "spot prices come, others do not"
    assert outcome.status == 1


@pytest.mark.parametrize(
    ("priced", "level"), [(9, "ok"), (8, "warning"), (1, "warning"), (0, "error")]
)
def test_a_market_without_prices_is_an_error_and_one_with_gaps_a_warning(
    priced: int, level: str
) -> None:
    assert judge_prices(OFFERINGS, set(OFFERINGS[:priced])).level == level


def test_a_gap_names_some_of_what_has_no_price() -> None:
    assert judge_prices(OFFERINGS, set(OFFERINGS[:1])).found.endswith(" and 2 more")


LEASE = LeaderLease(
    "db-1", "run-1", "host other, data in /srv", epoch=3, since_s=0.0, seen_at_s=1000.0
)


@pytest.mark.parametrize(
    ("lease", "place", "now_s", "level", "said"),
    [
        (None, "host mine", 1010.0, "ok", "no daemon holds"),
        (replace(LEASE, is_over=True), "host mine", 1010.0, "ok", "no daemon holds"),
        (LEASE, LEASE.place, 1010.0, "ok", "the one of this data folder"),
        (LEASE, "host mine", 1010.0, "warning", "host other, data in /srv, seen 10 s ago"),
        (LEASE, "host mine", 1600.0, "ok", "for another one to take them"),
    ],
)
def test_who_holds_the_machines_is_told(
    lease: LeaderLease | None, place: str, now_s: float, level: str, said: str
) -> None:
    found = judge_lease(lease, cluster="c", place=place, now_s=now_s)
    assert (found.level, said in found.found) == (level, True)


AWS = "https://ec2.us-east-1.amazonaws.com"


def _checkpoints(**ec2: object) -> str:
    settings = load_settings(checkpoint_root="s3://training/elasticd", ec2=ec2)
    return check_checkpoints(settings, endpoint_url=AWS).level


@pytest.mark.parametrize(
    ("root", "endpoint_url", "level"),
    [(None, AWS, "error"), ("/mnt/shared", AWS, "warning"), (None, "http://127.0.0.1:8469", "ok")],
)
def test_a_folder_holds_checkpoints_where_all_nodes_share_it(
    root: str | None, endpoint_url: str, level: str
) -> None:
    assert (
        check_checkpoints(load_settings(checkpoint_root=root), endpoint_url=endpoint_url).level
        == level
    )


def test_a_bucket_must_be_there_and_nodes_need_a_role_for_it(run: Run, endpoint: Endpoint) -> None:
    assert _checkpoints(region="us-east-1") == "error"
    assert _checkpoints(region="us-east-1", instance_profile="nodes") == "warning"
    s3 = boto3.client("s3", region_name="us-east-1")
    s3.create_bucket(Bucket="training")
    assert _checkpoints(region="us-east-1") == "error"
    assert _checkpoints(region="us-east-1", bootstrap="./credentials") == "warning"
    assert _checkpoints(region="us-east-1", instance_profile="nodes") == "ok"
    assert s3.list_objects_v2(Bucket="training")["KeyCount"] == 0


@pytest.mark.parametrize(("region", "level"), [("us-east-1", "ok"), ("eu-west-1", "warning")])
def test_a_bucket_in_another_region_than_nodes_costs_what_no_price_includes(
    run: Run, endpoint: Endpoint, region: str, level: str
) -> None:
    boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="in-virginia")
    settings = load_settings(checkpoint_root="s3://in-virginia/elasticd")
    (found,) = check_region(settings, region)
    assert (found.level, "us-east-1" in found.found) == (level, True)


def test_without_a_bucket_nothing_is_said_of_its_region(run: Run, endpoint: Endpoint) -> None:
    for root in ("/mnt/shared", "s3://none-such/elasticd"):
        assert list(check_region(load_settings(checkpoint_root=root), "us-east-1")) == []


@pytest.mark.parametrize(
    ("region", "ec2", "level"),
    [
        ("us-east-1", {}, "ok"),
        ("eu-central-1", {}, "warning"),
        ("eu-central-1", {"volume_usd_per_gib_month": 0.08}, "ok"),
    ],
)
def test_the_disks_price_is_one_regions_unless_it_is_set(
    region: str, ec2: dict[str, float], level: str
) -> None:
    assert judge_disk_price(load_settings(ec2=ec2), region).level == level


@pytest.mark.parametrize("name", ["daemon", "node", "reaper", "person"])
def test_a_policy_is_printed_without_asking_aws_anything(
    run: Run, endpoint: Endpoint, name: str
) -> None:
    printed = json.loads(run("doctor", "--print-policy", name).out)
    assert printed["Version"] == "2012-10-17"
    assert len({each["Sid"] for each in printed["Statement"]}) == len(printed["Statement"])
    assert endpoint.calls == []


def test_an_unknown_policy_is_refused_with_the_names_there_are(run: Run) -> None:
    outcome = run("doctor", "--print-policy", "root")
    assert (outcome.status, "daemon, node, reaper, person" in outcome.err) == (2, True)
