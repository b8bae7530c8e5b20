"""The page that prepares an AWS account: its commands run, as they stand, against the lab."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import boto3
import pytest

from elastic.checkpoints import parse_location
from elastic.config import Ec2Settings
from elastic.providers.ec2 import DEFAULT_BOOTSTRAP
from elastic.providers.ec2.account import Scope, policy
from elastic_lab import Lab
from tests.docs.pages import ROOT, blocks, page
from tests.lab import conftest
from tests.lab.conftest import StartLab

start_lab = conftest.start_lab

PAGE = "docs/how-to/aws-account.md"
TYPES = ("c5.xlarge", "c6i.xlarge", "c7i.xlarge")


def code(language: str) -> str:
    return "\n".join(each.text for each in blocks(language) if each.page == ROOT / PAGE)


def run(script: str, folder: Path, lab: Lab, **more: str) -> subprocess.CompletedProcess[str]:
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    for name, module in (("aws", "tests.docs.aws_cli"), ("elasticd", "elastic.cli")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        (tools / name).chmod(0o755)
    environment = {
        **{
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("AWS_", "ELASTICD_"))
        },
        **{name: value for name, value in lab.environment().items() if name.startswith("AWS_")},
        "PATH": f"{tools}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "ELASTICD_DATA_DIR": str(folder / "data"),
        "ELASTICD_PORT": "0",
        **more,
    }
    return subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.slow
def test_the_account_that_the_page_makes_is_one_that_doctor_finds_in_order(
    start_lab: StartLab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    priced = {"on_demand_usd_per_h": 0.17, "spot_usd_per_h": 0.06}
    lab = start_lab(node_types=dict.fromkeys(TYPES, priced))
    (tmp_path / "elasticd.toml").write_text(code("toml"))
    done = run(code("sh"), tmp_path, lab)
    assert done.returncode == 0, done.stdout + done.stderr
    proved = run("elasticd doctor --nodes 4 -o json", tmp_path, lab, ELASTICD_HOST=lab.gateway)
    assert proved.returncode == 0, proved.stdout + proved.stderr
    found = {each["name"]: each for each in json.loads(proved.stdout)}
    assert found["aws instance profile"]["found"] == "elasticd-node with the role elasticd-node"
    assert found["aws checkpoints"]["level"] == "ok"
    for name, value in lab.environment().items():
        monkeypatch.setenv(name, value)
    iam = boto3.client("iam")
    iam.create_user(UserName="training")
    lines = [
        line.removeprefix("$ ") for line in code("console").splitlines() if "policy --" in line
    ]
    done = run("\n".join(lines), tmp_path, lab)
    assert done.returncode == 0, done.stdout + done.stderr
    (theirs,) = iam.list_attached_user_policies(UserName="training")["AttachedPolicies"]
    assert theirs["PolicyName"] == "elasticd-daemon"
    attached = iam.get_role_policy(RoleName="elasticd-node", PolicyName="elasticd")[
        "PolicyDocument"
    ]
    assert "arn:aws:s3:::my-training-0001/elasticd/*" in json.dumps(attached)


def test_the_page_shows_how_nodes_install_unless_they_are_told_otherwise() -> None:
    assert DEFAULT_BOOTSTRAP in code("console")


def test_every_statement_of_the_daemons_policy_is_explained() -> None:
    told = policy(
        "daemon",
        Scope(
            Ec2Settings(instance_profile="elasticd-node"),
            bucket=parse_location("s3://training/elasticd"),
        ),
    )
    statements = {each["Sid"] for each in told["Statement"]}  # type: ignore[attr-defined]
    firsts = [line.split("|")[1] for line in page(PAGE).splitlines() if line.startswith("| `")]
    explained = {name for first in firsts for name in re.findall(r"`(\w+)`", first)}
    assert explained == statements
