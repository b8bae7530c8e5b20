from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import psutil
import pytest

from elastic.errors import Conflict
from elastic_lab import parse_scenario, running_lab
from tests.lab.conftest import StartLab, processes_of
from tests.lab.world import FIELDS, eventually, launch, terminate_all
from tests.unprivileged import identity, needs_root

_SIGNED = "AWS4-HMAC-SHA256 Credential=lab/20260101/us-east-1/ec2/aws4_request, Signature=0"
_IMDS = "AWS_EC2_METADATA_SERVICE_ENDPOINT"
_FORM = "application/x-www-form-urlencoded"
_RUN = (
    b"Action=RunInstances&Version=2016-11-15&ImageId=ami-12c6146b&InstanceType=c5.large"
    b"&MinCount=1&MaxCount=1&UserData=IyEvYmluL3NoCmlkCg=="
)
# With the standard library alone: the tests' own Python may lie in root's home.
_OTHER_USER = """
import sys, urllib.error, urllib.request
method, url, body, *headers = sys.argv[1:]
asked = urllib.request.Request(
    url, body.encode() or None, dict(each.split(": ", 1) for each in headers), method=method
)
try:
    print(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=5).status)
except urllib.error.HTTPError as error:
    print(error.code)
except OSError:
    print("hung up")
"""


def as_other_user(method: str, url: str, body: bytes, headers: Mapping[str, str]) -> str:
    said = [f"{name}: {value}" for name, value in headers.items()]
    python = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
    done = subprocess.run(
        [python, "-I", "-c", _OTHER_USER, method, url, body.decode(), *said],
        capture_output=True,
        text=True,
        check=True,
        **identity(),
    )
    return str(done.stdout).strip()


def status_of(url: str, body: bytes | None = None, **headers: str) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, named)) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


@needs_root
def test_another_user_of_the_machine_buys_nothing_whose_user_data_would_run(
    start_lab: StartLab,
) -> None:
    lab = start_lab()
    headers = {"Authorization": _SIGNED, "Content-Type": _FORM}
    assert as_other_user("POST", lab.endpoint_url, _RUN, headers) == "403"
    price = json.dumps({"node_type": "c5.large", "spot_usd_per_h": 9.0}).encode()
    assert as_other_user("POST", f"{lab.endpoint_url}/_lab/price", price, {}) == "403"
    assert lab.instances() == ()


def test_a_web_page_in_the_users_own_browser_buys_nothing(start_lab: StartLab) -> None:
    lab = start_lab()
    url = lab.endpoint_url
    assert status_of(f"{url}/_lab/state") == 200
    assert status_of(f"{url}/_lab/state", Origin="https://evil.example") == 403
    assert status_of(f"{url}/_lab/state", Sec_Fetch_Site="cross-site") == 403
    # A name of the page's own that resolves to the lab's address.
    assert status_of(f"{url}/_lab/state", Host="evil.example:80") == 403
    signed = {"Authorization": _SIGNED, "Content-Type": _FORM, "Origin": "null"}
    assert status_of(url, _RUN, **signed) == 403
    assert lab.instances() == ()


@needs_root
def test_another_user_reads_no_user_data_of_an_instance_that_is_a_process(
    start_lab: StartLab, client: Callable[..., Any]
) -> None:
    lab = start_lab(machines="processes")
    ec2 = client(lab)
    bought = launch(ec2, UserData="#!/bin/sh\nsleep 60")

    def endpoints() -> list[str]:
        found = (psutil.Process(each).environ().get(_IMDS) for each in processes_of(bought))
        return [each for each in found if each]

    eventually(lambda: bool(endpoints()))
    url = f"{endpoints()[0]}/latest/api/token"
    ttl = {"X-aws-ec2-metadata-token-ttl-seconds": "60"}
    own = urllib.request.Request(url, headers=ttl, method="PUT")
    assert urllib.request.urlopen(own).status == 200
    assert as_other_user("PUT", url, b"", ttl) == "hung up"
    terminate_all(ec2)


def test_a_lab_does_not_follow_a_link_that_another_user_laid_where_its_files_will_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elastic_lab.slots._SHARED", tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    name = f"elasticd-lab-{os.geteuid()}"
    (tmp_path / name).symlink_to(elsewhere)
    with pytest.raises(Conflict, match="a link"), running_lab(parse_scenario(FIELDS)):
        pass
    assert list(elsewhere.iterdir()) == []


def test_a_lab_does_not_work_in_a_folder_that_others_may_write_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elastic_lab.slots._SHARED", tmp_path)
    folder = tmp_path / f"elasticd-lab-{os.geteuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(Conflict, match="another mode"), running_lab(parse_scenario(FIELDS)):
        pass
