"""Fixtures of everything that is tested against the EC2 of `ec2_endpoint`."""

from __future__ import annotations

import functools
import math
import os
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from elastic.clock import ManualClock
from elastic.config import Ec2Settings
from elastic.distribution import Wheel
from elastic.providers.ec2 import Aws, Ec2Provider, Paths, connect
from tests.providers.ec2_endpoint import Endpoint, serve_endpoint

REGION = "us-east-1"
WHEEL = Wheel("elasticd-0.1.0-py3-none-any.whl", b"a wheel", "5" * 64)
PLAIN = Ec2Settings(
    cluster="tested",
    region=REGION,
    types=("c5.large", "c5.xlarge"),
    zones=("us-east-1a", "us-east-1b"),
)


class WholeSeconds:
    """The machine's clock as EC2 tells time: without fractions."""

    def now_s(self) -> float:
        return float(math.floor(time.time()))

    def sleep(self, duration_s: float) -> None:
        time.sleep(duration_s)


@pytest.fixture(scope="module")
def served() -> Iterator[Endpoint]:
    with serve_endpoint() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(served: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    """The EC2 with nothing in it, and the environment that leads boto3 there."""
    urllib.request.urlopen(
        urllib.request.Request(f"{served.url}/moto-api/reset", method="POST"), timeout=30
    ).close()
    served.reset()
    monkeypatch.setenv("AWS_ENDPOINT_URL", served.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tested")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "tested")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    return served


@pytest.fixture
def ec2(endpoint: Endpoint) -> Any:
    """A client of the tests' own."""
    return _client(endpoint.url)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(float(math.floor(time.time())))


@functools.cache
def _client(url: str) -> Any:
    return boto3.client("ec2", region_name=REGION)


@functools.cache
def _connected(url: str) -> Aws:
    """Reading AWS's service model takes 0.3 s, so the tests of one endpoint share their clients."""
    return connect(REGION)


def provider_of(
    settings: Ec2Settings = PLAIN,
    *,
    clock: Any = None,
    lease_s: float = 600.0,
    register_s: float = 600.0,
) -> Ec2Provider:
    """A provider as the daemon makes it."""
    return Ec2Provider(
        settings,
        aws=_connected(os.environ["AWS_ENDPOINT_URL"]),
        clock=clock or WholeSeconds(),
        paths=Paths("/shared", "/shared"),
        lease_s=lease_s,
        register_s=register_s,
        wheel=WHEEL if settings.needs_wheel else None,
    )
