"""The bucket: the only module here that knows boto3."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from elastic.checkpoints.location import Location
from elastic.errors import NotFound, StorageUnavailable

_CONNECT_TIMEOUT_S = 5
_READ_TIMEOUT_S = 30
_ATTEMPTS = 4
_DELETED_A_CALL = 1000  # DeleteObjects takes no more keys.
_MOST_READ_BYTES = 4 << 20
# 412: the key is taken. 409: somebody is writing it at this moment, and one of the two will find it taken.
_TAKEN = frozenset({412, 409})


def connect(*, region: str | None = None) -> Any:
    """An S3 client with the credentials that every AWS program finds. Asks nothing yet.

    botocore's clients make their methods at run time, hence `Any`; none of their answers leaves this module.
    """
    config = Config(
        connect_timeout=_CONNECT_TIMEOUT_S,
        read_timeout=_READ_TIMEOUT_S,
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
    )
    return boto3.Session(region_name=region).client("s3", config=config)


class Bucket:
    """What lies below one location. Every call raises StorageUnavailable where S3 does not answer or refuses."""

    def __init__(self, client: Any, location: Location) -> None:
        self._client = client
        self.location = location

    def names(self, start: str) -> list[str]:
        """The names, from this location on, that begin with `start`."""
        prefix = self.location.key(start)
        cut = len(prefix) - len(start)
        with self._told("list"):
            pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self.location.bucket, Prefix=prefix)
            return [each["Key"][cut:] for page in pages for each in page.get("Contents", ())]

    def read(self, name: str) -> bytes:
        """A small object's content; raises NotFound."""
        with self._told(f"read {name}"):
            answer = self._client.get_object(Bucket=self.location.bucket, Key=self.location.key(name))
            data: bytes = answer["Body"].read(_MOST_READ_BYTES)
            return data

    def create(self, name: str, content: bytes) -> bool:
        """Makes a small object; False if there is one of that name, which stays as it is."""
        with self._told(f"create {name}"):
            try:
                self._client.put_object(
                    Bucket=self.location.bucket,
                    Key=self.location.key(name),
                    Body=content,
                    ContentType="application/json",
                    IfNoneMatch="*",
                )
            except ClientError as error:
                if _status(error) in _TAKEN:
                    return False
                raise
            return True

    def upload(self, path: Path, name: str) -> None:
        """Stores a file in parts; S3 refuses parts whose SHA-256 is not the one they left with."""
        with self._told(f"upload {name}"):
            self._client.upload_file(
                str(path),
                self.location.bucket,
                self.location.key(name),
                ExtraArgs={"ChecksumAlgorithm": "SHA256"},
            )

    def download(self, name: str, path: Path) -> None:
        """Brings an object into a file; raises NotFound."""
        with self._told(f"download {name}"):
            self._client.download_file(self.location.bucket, self.location.key(name), str(path))

    def delete(self, names: Collection[str]) -> None:
        """Removes objects; those that are gone already do not matter."""
        keys = [{"Key": self.location.key(name)} for name in sorted(names)]
        for start in range(0, len(keys), _DELETED_A_CALL):
            batch = keys[start : start + _DELETED_A_CALL]
            with self._told("delete"):
                answer = self._client.delete_objects(
                    Bucket=self.location.bucket, Delete={"Objects": batch, "Quiet": True}
                )
            for refused in answer.get("Errors", ())[:1]:
                raise StorageUnavailable(
                    f"{self.location}: wanted to delete {refused['Key']}, S3 answered {refused['Code']}: "
                    "allow s3:DeleteObject"
                )

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except ClientError as error:
            if _status(error) == 404 and error.response["Error"]["Code"] != "NoSuchBucket":
                raise NotFound(f"{self.location}: wanted to {what}, there is no such object") from error
            raise StorageUnavailable(f"{self.location}: wanted to {what}: {error}") from error
        except (BotoCoreError, Boto3Error, OSError) as error:
            raise StorageUnavailable(f"{self.location}: wanted to {what}: {error}") from error


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
