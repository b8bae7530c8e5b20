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

    def __init__(self, code: str, status: int) -> None:
        self._answer = {
            "Error": {"Code": code, "Message": "no"},
            "ResponseMetadata": {"HTTPStatusCode": status},
        }

    def __getattr__(self, name: str) -> Any:
        def refuse(*_: object, **__: object) -> None:
            raise ClientError(self._answer, name)  # type: ignore[arg-type]  # more of an answer matters to nobody

        return refuse


def refusing(code: str, status: int) -> Bucket:
    return Bucket(Refusing(code, status), Location("training", "elasticd/job-1"))


@pytest.mark.parametrize(
    ("code", "status", "advice"),
    [
        ("AccessDenied", 403, "allow s3:GetObject"),
        ("403", 403, "allow s3:GetObject"),
        ("NoSuchBucket", 404, "make the bucket, or name another one as checkpoint_root"),
        ("InvalidAccessKeyId", 403, "check its credentials and its clock"),
        ("ExpiredToken", 400, "check its credentials and its clock"),
    ],
)
def test_what_a_person_has_to_mend_says_how(code: str, status: int, advice: str) -> None:
    with pytest.raises(StorageForbidden) as caught:
        refusing(code, status).read("manifests/x")
    start = (
        f"s3://training/elasticd/job-1: wanted to read manifests/x, S3 answered {code}: {advice} ("
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
