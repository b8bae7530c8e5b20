"""A job's data as S3 lists and gives it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from elastic.agent.data import fetch_data
from elastic.checkpoints import Location
from elastic.checkpoints.s3 import Bucket
from elastic.errors import NotFound


def put(client: Any, bucket: Bucket, **objects: bytes) -> None:
    for name, content in objects.items():
        client.put_object(Bucket=bucket.location.bucket, Key=f"faces/{name}", Body=content)


@pytest.fixture
def faces(bucket: Bucket, client: Any) -> Bucket:
    """A bucket whose data is below `faces`, with objects beside it."""
    put(client, bucket, a=b"0123456789", b=b"")
    client.put_object(Bucket=bucket.location.bucket, Key="faces-of-others/c", Body=b"not mine")
    return Bucket(client, Location(bucket.location.bucket, "faces"))


def test_only_what_lies_below_the_prefix_is_listed(faces: Bucket) -> None:
    assert [(name, size_bytes) for name, size_bytes, _ in faces.items()] == [("a", 10), ("b", 0)]


def test_an_object_goes_on_from_any_byte_while_it_is_the_same(faces: Bucket, client: Any) -> None:
    ((_, _, etag), _) = faces.items()
    assert b"".join(faces.stream_from("a", etag=etag, start=4)) == b"456789"
    put(client, faces, a=b"another one")
    with pytest.raises(NotFound):
        list(faces.stream_from("a", etag=etag, start=4))


def test_a_node_fetches_it_whole(faces: Bucket, tmp_path: Path) -> None:
    told: list[str] = []
    fetched = fetch_data(
        faces,
        str(faces.location),
        tmp_path,
        tell=told.append,
        is_stopping=lambda: False,
        pause=lambda _: None,
    )
    assert {path.name: path.read_bytes() for path in fetched.folder.iterdir()} == {
        "a": b"0123456789",
        "b": b"",
    }
    assert "2 files" in told[-1]
