"""Proves that a bucket does what checkpoints need: create once, read, list and delete."""

from __future__ import annotations

import secrets

from elastic.checkpoints.s3.bucket import Bucket
from elastic.errors import NotFound, StorageUnavailable


def check_bucket(bucket: Bucket) -> None:
    """Writes, reads, lists and removes an object. Raises StorageUnavailable if one fails."""
    start = f"doctor/{secrets.token_hex(8)}"
    name = f"{start}.json"
    content = b"{}"
    try:
        _expect(bucket, bucket.create(name, content), "to take an object")
        # Two writers must not both commit the same number.
        _expect(
            bucket,
            not bucket.create(name, content),
            "to refuse an object whose key is taken (If-None-Match)",
        )
        _expect(bucket, bucket.read(name) == content, "to give back what it took")
        _expect(bucket, bucket.names(start) == [name], "to list its objects")
    except NotFound as error:
        raise StorageUnavailable(
            f"{bucket.location}: wanted to read what was just written, it is not there"
        ) from error
    finally:
        # Also after a failure: the check must leave nothing in the bucket.
        bucket.delete([name])
    _expect(bucket, bucket.names(start) == [], "to delete an object")


def _expect(bucket: Bucket, is_so: bool, what: str) -> None:
    if not is_so:
        raise StorageUnavailable(
            f"{bucket.location}: wanted it {what}, it did not; choose another bucket"
        )
