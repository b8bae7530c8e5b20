"""Somebody who is not root has a lab of his own: plain processes, which root's labs leave alone."""

from __future__ import annotations

import subprocess

import pytest

from elastic_lab import parse_scenario, running_lab
from tests.lab.conftest import processes_of
from tests.lab.world import FIELDS
from tests.unprivileged import identity, needs_root, nobodys_python

pytestmark = [pytest.mark.slow, needs_root]

_LIFE = """
import os, sys, boto3
from pathlib import Path
from elastic_lab import parse_scenario, running_lab
from tests.lab.world import FIELDS, eventually, launch
SCRIPT = '''#!/bin/sh
set -eu
id -u
imds=$AWS_EC2_METADATA_SERVICE_ENDPOINT/latest
token=$(curl -s -X PUT -H "X-aws-ec2-metadata-token-ttl-seconds: 60" $imds/api/token)
curl -s -H "X-aws-ec2-metadata-token: $token" $imds/meta-data/local-ipv4; echo
(echo -900 >/proc/self/oom_score_adj) 2>/dev/null || echo "no such right"
while ! [ -e GO ]; do sleep 0.1; done
shutdown -h now
'''
go = Path(os.environ["HOME"], "go")
with running_lab(parse_scenario({**FIELDS, "machines": "auto"})) as lab:
    ec2 = boto3.client("ec2", endpoint_url=lab.endpoint_url, region_name=lab.region,
                       aws_access_key_id="lab", aws_secret_access_key="lab")
    bought = launch(ec2, UserData=SCRIPT.replace("GO", str(go)), InstanceInitiatedShutdownBehavior="terminate")
    eventually(lambda: "right" in lab.log(bought))
    print(lab.state().machines, bought, *lab.log(bought).split("\\n"), sep="\\n", flush=True)
    sys.stdin.readline()
    assert lab.running(), "somebody ended the instance"
    go.touch()
    eventually(lambda: not lab.running())
    print(lab.instances()[0].reason, flush=True)
"""


def test_an_instance_of_a_user_without_rights_runs_its_user_data_and_powers_itself_off() -> None:
    with nobodys_python() as (python, environment):
        process = subprocess.Popen(
            [python, "-c", _LIFE],
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            **identity(),
        )
        assert process.stdout is not None
        kind, instance_id, uid, address, right = (
            process.stdout.readline().strip() for _ in range(5)
        )
        assert (kind, uid, right) == ("processes", "65534", "no such right")
        assert address.startswith("127.1")
        assert processes_of(instance_id)
        with running_lab(parse_scenario(FIELDS)):
            # Root's, in the first place of its own, which it sweeps before.
            assert processes_of(instance_id)
        rest, _ = process.communicate("\n", timeout=60)
    assert process.returncode == 0
    assert rest.strip().splitlines()[-1] == "Client.InstanceInitiatedShutdown"
    assert processes_of(instance_id) == []
