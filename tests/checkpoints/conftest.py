from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Any

import pytest

from elastic.checkpoints import CheckpointIndex, Folder, Manifest, Writer, commit, links_in
from elastic.checkpoints.s3 import Bucket, connect
from tests.checkpoints.bucket import Wire, new_bucket, serve_s3


@pytest.fixture(scope="session")
def s3_url() -> Iterator[str]:
    with serve_s3() as url:
        yield url


@pytest.fixture(scope="session")
def client(s3_url: str) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", s3_url)
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        return connect(region="us-east-1")


class Machine:
    """One node's disk and its way to the job's bucket."""

    def __init__(self, disk: Path, bucket: Bucket, *, node_id: str = "n1") -> None:
        self.node_id = node_id
        self.folder = Folder(disk / node_id / "checkpoints", staging=disk / node_id / "staging")
        self.folder.path.mkdir(parents=True)
        self.index = CheckpointIndex(copy(bucket), job_id="job")

    def write(self, **files: str) -> None:
        """Replaces files as a careful script does."""
        for name, text in files.items():
            aside = self.folder.path / f"{name}.partial"
            aside.write_text(text)
            aside.replace(self.folder.path / name)

    def read(self) -> dict[str, str]:
        return {path: (self.folder.path / path).read_text() for path in self.folder.looks()}

    def commit(self, *, generation: int = 1, iteration: int | None = None) -> Manifest:
        held = self.folder.hold_still()
        writer = Writer(generation, self.node_id)
        return commit(self.index, held, writer=writer, iteration=iteration, committed_at_s=1.0)

    def commit_with_links(self, links: Mapping[str, str] | None = None) -> Manifest:
        return commit(
            self.index,
            self.folder.hold_still(),
            links=links_in(self.folder.path) if links is None else links,
            writer=Writer(1, self.node_id),
            iteration=None,
            committed_at_s=1.0,
        )


@pytest.fixture
def bucket_and_wire(client: Any) -> Iterator[tuple[Bucket, Wire]]:
    bucket, wire = new_bucket(client)
    yield bucket, wire
    client.meta.events.unregister("before-call.s3", unique_id="wire")


@pytest.fixture
def bucket(bucket_and_wire: tuple[Bucket, Wire]) -> Bucket:
    return bucket_and_wire[0]


@pytest.fixture
def wire(bucket_and_wire: tuple[Bucket, Wire]) -> Wire:
    return bucket_and_wire[1]


@pytest.fixture
def machine(tmp_path: Path, bucket: Bucket) -> Machine:
    return Machine(tmp_path, bucket)
