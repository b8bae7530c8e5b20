"""A machine of the lab reaches its bucket as one on EC2 does: by its role's credentials, from the metadata service."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lab.conftest import StartLab
from tests.lab.world import eventually, launch, terminate_all

ROOT = Path(__file__).parents[2]
SCRIPT = f"""#!/bin/sh
export PYTHONPATH={ROOT}
python3 - <<'EE'
from elastic.checkpoints import Location
from elastic.checkpoints.proof import check_bucket
from elastic.checkpoints.s3 import Bucket, connect
bucket = Bucket(connect(region="us-east-1"), Location("checkpoints", "elasticd"))
check_bucket(bucket)
bucket.create("proved", b"by the role")
EE
"""


@pytest.mark.slow
def test_a_machine_proves_its_bucket_with_its_roles_credentials(
    start_lab: StartLab, client: Callable[..., Any]
) -> None:
    lab = start_lab(machines="auto")
    s3, ec2 = client(lab, "s3"), client(lab)
    s3.create_bucket(Bucket="checkpoints")
    client(lab, "iam").create_instance_profile(InstanceProfileName="node")
    instance_id = launch(ec2, UserData=SCRIPT, IamInstanceProfile={"Name": "node"})

    def is_proved() -> bool:
        log = urllib.request.urlopen(f"{lab.endpoint_url}/_lab/log/{instance_id}").read().decode()
        assert "Traceback" not in log, log
        found = s3.list_objects_v2(Bucket="checkpoints").get("Contents", ())
        return "elasticd/proved" in [each["Key"] for each in found]

    eventually(is_proved, within_s=60.0)
    terminate_all(ec2)
