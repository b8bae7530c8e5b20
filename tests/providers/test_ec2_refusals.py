"""What the settings say against nodes on EC2 is refused, and what is in order is not."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from pathlib import Path

import psutil
import pytest

from elastic.config import load_settings
from elastic.errors import InvalidInput
from elastic.providers.ec2 import refuse

URL = "http://there:8470"
AWS = "https://ec2.us-east-1.amazonaws.com"
OUTWARD = [
    each.address
    for addresses in psutil.net_if_addrs().values()
    for each in addresses
    if each.family == socket.AF_INET and not each.address.startswith("127.")
]


def told(endpoint_url: str = AWS, **settings: object) -> list[tuple[str, str]]:
    given = {
        "provider": "ec2",
        "host": "10.0.0.5",
        "checkpoint_root": "s3://training/elasticd",
        "ec2": {"instance_profile": "node"},
    }
    try:
        refuse(load_settings(**given | settings), url=URL, endpoint_url=endpoint_url)
    except InvalidInput as error:
        return list(error.faults)
    return []


def fields(found: Iterable[tuple[str, str]]) -> list[str]:
    return [field for field, _ in found]


@pytest.fixture(autouse=True)
def no_other_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ELASTICD_CONFIG", os.devnull)
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(tmp_path / "data"))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "localhost", "::1"])
def test_an_address_of_this_machine_alone_is_refused(host: str) -> None:
    ((field, said),) = told(host=host)
    assert field == "node_host"
    assert f"{URL}, which only this machine can reach" in said
    assert "ELASTICD_NODE_HOST" in said


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_an_address_that_stands_for_all_is_refused(host: str) -> None:
    ((_, said),) = told(host=host)
    assert f"{URL}, which is no address" in said


@pytest.mark.parametrize("host", ["10.0.0.5", "fd00::1", "daemon.example"])
def test_an_address_that_nodes_may_reach_is_not(host: str) -> None:
    assert told(host=host) == []


@pytest.mark.parametrize("root", [None, ""])
def test_checkpoints_on_each_nodes_own_disk_are_refused(root: str | None, tmp_path: Path) -> None:
    ((field, said),) = told(checkpoint_root=root)
    assert field == "checkpoint_root"
    assert f"keep them in {tmp_path / 'data' / 'jobs'} on its own disk" in said
    assert "s3://BUCKET/PREFIX" in said


@pytest.mark.parametrize("root", ["s3://training/elasticd", "/mnt/shared"])
def test_a_place_that_was_chosen_for_checkpoints_is_not(root: str) -> None:
    assert told(checkpoint_root=root) == []


def test_a_bucket_that_nodes_have_no_credentials_for_is_refused() -> None:
    ((field, said),) = told(ec2={})
    assert field == "ec2.instance_profile"
    assert "a role that reaches s3://training/elasticd, got none" in said
    assert "ec2.bootstrap" in said


def test_nodes_with_lines_of_their_own_or_without_a_bucket_need_no_profile() -> None:
    assert told(ec2={"bootstrap": "./credentials"}) == []
    assert told(checkpoint_root="/mnt/shared", ec2={}) == []


def test_a_bucket_of_this_machine_needs_no_profile() -> None:
    assert told("http://127.0.0.1:8469", ec2={}) == []


def test_all_that_is_wrong_is_said_at_once() -> None:
    assert fields(told(host="127.0.0.1", checkpoint_root=None)) == ["node_host", "checkpoint_root"]


@pytest.mark.parametrize(
    "endpoint_url", ["http://127.0.0.1:8469", "http://localhost:8469", "http://[::1]:8469"]
)
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_where_machines_are_booted_on_loopback_nothing_is_refused(
    endpoint_url: str, host: str
) -> None:
    assert told(endpoint_url, host=host, checkpoint_root=None) == []


@pytest.mark.skipif(not OUTWARD, reason="this machine has no address but the loopback's")
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_machines_of_this_machine_with_addresses_of_their_own_reach_no_loopback(host: str) -> None:
    there = f"http://{OUTWARD[0]}:8469"
    assert fields(told(there, host=host, checkpoint_root=None)) == ["node_host"]
    assert told(there, host=OUTWARD[0], checkpoint_root=None) == []


@pytest.mark.parametrize("endpoint_url", ["http://203.0.113.77:8469", "http://lab:8469"])
def test_an_endpoint_elsewhere_or_by_name_boots_elsewhere(endpoint_url: str) -> None:
    assert fields(told(endpoint_url, host="127.0.0.1", checkpoint_root=None)) == [
        "node_host",
        "checkpoint_root",
    ]
