"""A bucket to test against: moto behind an HTTP endpoint, and a client whose requests a test may
count or stop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from moto.server import ThreadedMotoServer

from elastic.checkpoints import Location
from elastic.checkpoints.s3 import Bucket


class Killed(BaseException):
    """What stands for kill -9: nothing catches it."""


@dataclass(slots=True)
class Wire:
    """Sees every request before it is sent. `dies_before` names an operation and how many of it
    still pass."""

    asked: Counter[str] = field(default_factory=Counter)
    dies_before: dict[str, int] = field(default_factory=dict)

    def __call__(self, model: Any, params: Any, **_: Any) -> None:
        # Moto's server never says 100, and botocore waits a second for it.
        params["headers"].pop("Expect", None)
        name = str(model.name)
        left = self.dies_before.get(name)
        if left is not None:
            if left == 0:
                raise Killed(name)
            self.dies_before[name] = left - 1
        self.asked[name] += 1


@contextmanager
def serve_s3() -> Iterator[str]:
    """Serves moto on a free port of the loopback interface and gives its address."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def new_bucket(client: Any, *, prefix: str = "elasticd/job") -> tuple[Bucket, Wire]:
    """A bucket of its own. Making a client takes most of a second, so tests share one."""
    location = Location(f"checkpoints-{uuid4().hex[:12]}", prefix)
    wire = Wire()
    client.meta.events.register("before-call.s3", wire, unique_id="wire")
    client.create_bucket(Bucket=location.bucket)
    return Bucket(client, location), wire


def objects(bucket: Bucket) -> list[str]:
    return bucket.names("")
