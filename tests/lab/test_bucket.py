"""A machine of the lab reaches its bucket as one on EC2 does, by its role's credentials; S3 has
faults, too."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from boto3.exceptions import S3UploadFailedError
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

from tests.checkpoints.bucket import Wire
from tests.lab.conftest import StartLab
from tests.lab.world import eventually, launch, terminate_all

ROOT = Path(__file__).parents[2]
SCRIPT = f"""#!/bin/sh
export PYTHONPATH={ROOT}
python3 - <<'EE'
from elastic.checkpoints import Location
from elastic.checkpoints.s3 import Bucket, check_bucket, connect
bucket = Bucket(connect(region="us-east-1"), Location("checkpoints", "elasticd"))
check_bucket(bucket)
bucket.create("proved", b"by the role")
EE
"""


@pytest.fixture(scope="module")
def body(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that boto3 uploads in parts."""
    path = tmp_path_factory.mktemp("bodies") / "body"
    path.write_bytes(bytes(6 << 20))
    return path


def upload_in_parts(s3: Any, body: Path) -> None:
    limits = TransferConfig(
        multipart_threshold=5 << 20, multipart_chunksize=5 << 20, use_threads=False
    )
    s3.upload_file(str(body), "bucket", "folder/large", Config=limits)


CALLS: dict[str, Callable[[Any, Path], object]] = {
    "ListBuckets": lambda s3, _: s3.list_buckets(),
    "CreateBucket": lambda s3, _: s3.create_bucket(Bucket="another"),
    "HeadBucket": lambda s3, _: s3.head_bucket(Bucket="bucket"),
    "ListObjects": lambda s3, _: s3.list_objects(Bucket="bucket"),
    "ListObjectsV2": lambda s3, _: s3.list_objects_v2(Bucket="bucket"),
    "PutObject": lambda s3, _: s3.put_object(Bucket="bucket", Key="folder/key", Body=b"1"),
    "GetObject": lambda s3, _: s3.get_object(Bucket="bucket", Key="folder/key"),
    "HeadObject": lambda s3, _: s3.head_object(Bucket="bucket", Key="folder/key"),
    "CopyObject": lambda s3, _: s3.copy_object(
        Bucket="bucket", Key="copy", CopySource="bucket/folder/key"
    ),
    "DeleteObject": lambda s3, _: s3.delete_object(Bucket="bucket", Key="folder/key"),
    "DeleteObjects": lambda s3, _: s3.delete_objects(
        Bucket="bucket", Delete={"Objects": [{"Key": "folder/key"}]}
    ),
    "CreateMultipartUpload": upload_in_parts,
    "UploadPart": upload_in_parts,
    "CompleteMultipartUpload": upload_in_parts,
}


def test_each_call_to_s3_meets_the_faults_of_its_action_and_no_others(
    start_lab: StartLab, client: Callable[..., Any], body: Path
) -> None:
    faults = [
        {"effect": "error", "action": each, "times": 1, "code": f"No{each}"} for each in CALLS
    ]
    s3 = client(start_lab(faults=faults), "s3")
    s3.meta.events.register("before-call.s3", Wire())
    for action, call in CALLS.items():
        with pytest.raises((ClientError, S3UploadFailedError)) as refused:
            call(s3, body)
        assert f"No{action}" in str(refused.value) or (
            action.startswith("Head") and "403" in str(refused.value)
        )
        if action == "CreateBucket":
            s3.create_bucket(Bucket="bucket")
    for call in CALLS.values():
        call(s3, body)


def test_s3_throttles_in_its_own_words(start_lab: StartLab, client: Callable[..., Any]) -> None:
    s3 = client(
        start_lab(faults=[{"effect": "throttle", "action": "ListObjectsV2", "times": 1}]), "s3"
    )
    with pytest.raises(ClientError, match="SlowDown"):
        s3.list_objects_v2(Bucket="bucket")


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
