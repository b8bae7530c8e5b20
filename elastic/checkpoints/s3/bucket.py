"""The bucket: the only module here that knows boto3."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from elastic.aws import AwsAccess, beyond_own_policy, patient_session_in, session_in
from elastic.checkpoints.location import Location
from elastic.checkpoints.objects import MOST_READ_BYTES
from elastic.durations import ANSWER_TIMEOUT_S, CONNECT_TIMEOUT_S, TRANSFER_TIMEOUT_S
from elastic.errors import NotFound, StorageForbidden, StorageUnavailable

# botocore's own retries, with backoff; a client that is not patient makes one attempt.
_ATTEMPTS = 4
_DELETED_A_CALL = 1000  # DeleteObjects takes no more keys.
_PIECE_BYTES = 256 * 1024
# 412: the key is taken. 409: another writer is writing it at this moment, and one of the two will
# find it taken.
_TAKEN = frozenset({412, 409})
# "403" is an answer to HEAD, which has no body with a code.
_DENIED = frozenset({"AccessDenied", "AllAccessDisabled", "403"})
# The action that S3 misses. It may be of the key by which the bucket is encrypted.
_MISSED = re.compile(r"not authorized to perform: (\w+:\w+)")
# These two come with status 400; all others of this kind with 403.
_OF_CREDENTIALS = frozenset({"ExpiredToken", "InvalidToken"})


@dataclass(frozen=True, slots=True)
class Entry:
    """An object, by its name below a location."""

    name: str
    size_bytes: int
    modified_at_s: float


def connect(*, region: str | None = None, is_patient: bool = True) -> Any:
    """An S3 client with the credentials that every AWS program finds, also when they are renewed
    later. It asks S3 nothing yet.

    The patient client is for nodes: their metadata service may be slow to give their role's
    credentials. It raises StorageForbidden while there are none. The other client fails sooner, at
    its first call.

    botocore's clients create their methods at run time, hence `Any`. None of their answers leaves
    this module.
    """
    config = Config(
        # It bounds each piece that is sent as well, and a network may stall for seconds.
        connect_timeout=ANSWER_TIMEOUT_S if is_patient else CONNECT_TIMEOUT_S,
        read_timeout=TRANSFER_TIMEOUT_S if is_patient else CONNECT_TIMEOUT_S,
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS if is_patient else 1},
    )
    access = AwsAccess(partial(patient_session_in if is_patient else session_in, region))
    if is_patient and access.session.get_credentials() is None:
        raise StorageForbidden(
            "wanted credentials for S3, found none: has the node a role (ec2.instance_profile), or "
            "the shell that started a local daemon AWS credentials?"
        )
    return access.client("s3", config=config)


class Bucket:
    """The objects below one location.

    Every call raises StorageUnavailable if S3 does not answer or refuses, and StorageForbidden if a
    person has to act.
    """

    def __init__(self, client: Any, location: Location) -> None:
        self._client = client
        self.location = location

    def __str__(self) -> str:
        return str(self.location)

    def region(self) -> str | None:
        """Where the bucket is, which S3 tells callers whom it refuses, too; None if it does not."""
        with self._told("find", "s3:ListBucket"):
            try:
                answer = self._client.head_bucket(Bucket=self.location.bucket)
            except ClientError as error:
                if _status(error) != 403:
                    raise
                answer = error.response
            headers: dict[str, str] = answer["ResponseMetadata"].get("HTTPHeaders", {})
            return headers.get("x-amz-bucket-region")

    def names(self, start: str) -> list[str]:
        """The names, from this location on, that begin with `start`."""
        cut = len(self.location.key(""))
        return [each["Key"][cut:] for each in self._listed(start)]

    def entries(self, folder: str, *, most: int) -> list[Entry]:
        """The first objects directly in `folder`, which is "" or ends with a slash."""
        prefix = self.location.key(folder)
        cut = len(prefix) - len(folder)
        with self._told("list", "s3:ListBucket"):
            answer = self._client.list_objects_v2(
                Bucket=self.location.bucket, Prefix=prefix, Delimiter="/", MaxKeys=most
            )
        return [
            Entry(each["Key"][cut:], int(each["Size"]), each["LastModified"].timestamp())
            for each in answer.get("Contents", ())
        ]

    def items(self) -> list[tuple[str, int, str]]:
        """Name, size in bytes and etag of all objects below."""
        prefix = self.location.key("")
        return [
            (each["Key"].removeprefix(prefix), int(each["Size"]), str(each["ETag"]).strip('"'))
            for each in self._listed("")
        ]

    def _listed(self, start: str) -> list[dict[str, Any]]:
        """What S3 says about every object whose name begins with `start`."""
        with self._told("list", "s3:ListBucket"):
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self.location.bucket, Prefix=self.location.key(start)
            )
            return [each for page in pages for each in page.get("Contents", ())]

    def stream_from(self, name: str, *, etag: str, start: int) -> Iterator[bytes]:
        """An object's content from byte `start` on; raises NotFound if its etag has changed."""
        with self._told(f"read {name}", "s3:GetObject"):
            try:
                answer = self._got(name, IfMatch=etag, Range=f"bytes={start}-")
            except ClientError as error:
                if _status(error) in _TAKEN:
                    raise NotFound(f"{self.location}: {name} has changed") from error
                raise
            yield from answer["Body"].iter_chunks(_PIECE_BYTES)

    def stream(self, name: str) -> tuple[int, Iterator[bytes]]:
        """An object's size and its content in pieces; raises NotFound."""
        with self._told(f"read {name}", "s3:GetObject"):
            answer = self._got(name)
            return int(answer["ContentLength"]), answer["Body"].iter_chunks(_PIECE_BYTES)

    def read(self, name: str) -> bytes:
        """A small object's content; raises NotFound."""
        with self._told(f"read {name}", "s3:GetObject"):
            data: bytes = self._got(name)["Body"].read(MOST_READ_BYTES)
            return data

    def _got(self, name: str, **terms: str) -> Any:
        return self._client.get_object(
            Bucket=self.location.bucket, Key=self.location.key(name), **terms
        )

    def create(self, name: str, content: bytes) -> bool:
        """Creates a small object; False if the name is taken, and that object stays as it is."""
        with self._told(f"create {name}", "s3:PutObject"):
            try:
                self._client.put_object(
                    Bucket=self.location.bucket,
                    Key=self.location.key(name),
                    Body=content,
                    ContentType="application/json",
                    # S3 then refuses a key that is taken: two writers cannot both commit it.
                    IfNoneMatch="*",
                )
            except ClientError as error:
                if _status(error) in _TAKEN:
                    return False
                raise
            return True

    def upload(self, path: Path, name: str) -> None:
        """Stores a file in parts; S3 refuses a part whose SHA-256 is wrong."""
        with self._told(f"upload {name}", "s3:PutObject"):
            self._client.upload_file(
                str(path),
                self.location.bucket,
                self.location.key(name),
                ExtraArgs={"ChecksumAlgorithm": "SHA256"},
            )

    def download(self, name: str, path: Path) -> None:
        """Downloads an object into a file; raises NotFound."""
        with self._told(f"download {name}", "s3:GetObject"):
            self._client.download_file(self.location.bucket, self.location.key(name), str(path))

    def delete(self, names: Collection[str]) -> None:
        """Removes objects; missing ones do not matter."""
        keys = [{"Key": self.location.key(name)} for name in sorted(names)]
        for start in range(0, len(keys), _DELETED_A_CALL):
            batch = keys[start : start + _DELETED_A_CALL]
            with self._told("delete", "s3:DeleteObject"):
                answer = self._client.delete_objects(
                    Bucket=self.location.bucket, Delete={"Objects": batch, "Quiet": True}
                )
                # S3 answers 200 even if it refuses single keys.
                for refused in answer.get("Errors", ())[:1]:
                    raise ClientError(
                        {"Error": {"Code": refused["Code"], "Message": refused.get("Message", "")}},
                        f"DeleteObjects of {refused['Key']}",
                    )

    @contextmanager
    def _told(self, what: str, action: str) -> Iterator[None]:
        try:
            yield
        except ClientError as error:
            if _status(error) == 404 and error.response["Error"]["Code"] != "NoSuchBucket":
                raise NotFound(
                    f"{self.location}: wanted to {what}, there is no such object"
                ) from error
            if (advice := _advice(error, action)) is not None:
                code = error.response["Error"]["Code"]
                told = f"{self.location}: wanted to {what}, S3 answered {code}: {advice} ({error})"
                raise StorageForbidden(told) from error
            raise StorageUnavailable(f"{self.location}: wanted to {what}: {error}") from error
        except (BotoCoreError, Boto3Error, OSError) as error:
            raise StorageUnavailable(f"{self.location}: wanted to {what}: {error}") from error


def _advice(error: ClientError, action: str) -> str | None:
    """What a person has to do before S3 can answer; None if the error may pass by itself."""
    code = str(error.response["Error"]["Code"])
    if code == "NoSuchBucket":
        return "make the bucket, or name another one as checkpoint_root"
    if code in _DENIED:
        message = str(error.response["Error"].get("Message", ""))
        missed = _MISSED.search(message)
        if missed is not None:
            action = missed[1]
        return beyond_own_policy(message) or f"allow {action}"
    if code == "InvalidObjectState":
        return "it is in an archive: restore it there, or copy it to another storage class"
    is_of_credentials = _status(error) == 403 or code in _OF_CREDENTIALS
    if is_of_credentials:
        return "check its credentials and its clock"
    return None


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
