"""What S3 refuses until somebody acts is told apart from what passes, and says what to do."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from elastic.checkpoints import Location
from elastic.checkpoints.s3 import Bucket
from elastic.errors import StorageForbidden, StorageUnavailable


class Refusing:
    """A client of an S3 that answers every call so."""

    def __init__(self, code: str, status: int, message: str = "no") -> None:
        self._answer = {
            "Error": {"Code": code, "Message": message},
            "ResponseMetadata": {"HTTPStatusCode": status},
        }

    def __getattr__(self, name: str) -> Any:
        def refuse(*_: object, **__: object) -> None:
            raise ClientError(self._answer, name)  # type: ignore[arg-type]  # more of an answer matters to nobody

        return refuse


def refusing(code: str, status: int, message: str = "no") -> Bucket:
    return Bucket(Refusing(code, status, message), Location("training", "elasticd/job-1"))


@pytest.mark.parametrize(
    ("code", "status", "advice"),
    [
        ("AccessDenied", 403, "allow s3:GetObject"),
        ("403", 403, "allow s3:GetObject"),
        ("NoSuchBucket", 404, "make the bucket, or name another one as checkpoint_root"),
        ("InvalidAccessKeyId", 403, "check its credentials and its clock"),
        ("ExpiredToken", 400, "check its credentials and its clock"),
        ("InvalidObjectState", 403, "it is in an archive: restore it there, or copy it"),
    ],
)
def test_what_a_person_has_to_mend_says_how(code: str, status: int, advice: str) -> None:
    with pytest.raises(StorageForbidden) as caught:
        refusing(code, status).read("manifests/x")
    start = (
        f"s3://training/elasticd/job-1: wanted to read manifests/x, S3 answered {code}: {advice}"
    )
    assert str(caught.value).startswith(start)


@pytest.mark.parametrize(
    ("code", "status"), [("SlowDown", 503), ("InternalError", 500), ("BadDigest", 400)]
)
def test_what_may_pass_is_no_such_refusal(code: str, status: int) -> None:
    with pytest.raises(StorageUnavailable) as caught:
        refusing(code, status).names("manifests/")
    assert not isinstance(caught.value, StorageForbidden)


def test_each_call_names_the_action_that_is_to_be_allowed() -> None:
    bucket = refusing("AccessDenied", 403)
    with pytest.raises(StorageForbidden, match="allow s3:ListBucket "):
        bucket.entries("", most=1)
    with pytest.raises(StorageForbidden, match="allow s3:PutObject "):
        bucket.create("x", b"{}")
    with pytest.raises(StorageForbidden, match="allow s3:DeleteObject "):
        bucket.delete(["x"])


WHO = "User: arn:aws:sts::1:assumed-role/elasticd-node/i-1 is not authorized to perform: "


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        (
            f"{WHO}kms:GenerateDataKey on resource: arn:aws:kms:us-east-1:1:key/k because no "
            "identity-based policy allows the kms:GenerateDataKey action",
            "allow kms:GenerateDataKey (",
        ),
        (
            f"{WHO}s3:PutObject on resource: arn:aws:s3:::training/x with an explicit deny in a "
            "resource-based policy",
            "a resource-based policy denies it, and no other policy overrides that",
        ),
        (
            f"{WHO}s3:PutObject on resource: arn:aws:s3:::training/x because no VPC endpoint "
            "policy allows the s3:PutObject action",
            "no VPC endpoint policy allows it: have it allowed there, too",
        ),
    ],
)
def test_what_s3_misses_is_what_is_to_be_allowed(message: str, advice: str) -> None:
    with pytest.raises(StorageForbidden) as caught:
        refusing("AccessDenied", 403, message).create("x", b"{}")
    assert f"S3 answered AccessDenied: {advice}" in str(caught.value)


class RefusingKeys:
    """A client of an S3 that removes no key, and says so in a good answer."""

    def __init__(self, code: str) -> None:
        self._code = code

    def delete_objects(self, **_: object) -> dict[str, Any]:
        refused = {"Key": "elasticd/job-1/x", "Code": self._code, "Message": "Please try again."}
        return {"Errors": [refused]}


def test_a_key_that_s3_could_not_remove_now_is_no_missing_permission() -> None:
    location = Location("training", "elasticd/job-1")
    with pytest.raises(StorageUnavailable, match=r"job-1/x .*: Please try again") as caught:
        Bucket(RefusingKeys("InternalError"), location).delete(["x"])
    assert "allow" not in str(caught.value)
    with pytest.raises(StorageForbidden, match=r"allow s3:DeleteObject .*job-1/x"):
        Bucket(RefusingKeys("AccessDenied"), location).delete(["x"])


class RefusingHead:
    """A client of an S3 that refuses to describe a bucket, as it does without s3:ListBucket."""

    def head_bucket(self, **_: object) -> None:
        where = {"x-amz-bucket-region": "eu-west-1"}
        told = {"HTTPStatusCode": 403, "HTTPHeaders": where}
        answer = {"Error": {"Code": "403", "Message": "Forbidden"}, "ResponseMetadata": told}
        raise ClientError(answer, "HeadBucket")  # type: ignore[arg-type]  # it has only what counts


def test_a_caller_who_is_refused_is_told_where_the_bucket_is() -> None:
    assert Bucket(RefusingHead(), Location("training", "elasticd")).region() == "eu-west-1"
