from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import boto3
import psutil
import pytest
from botocore.config import Config

from elastic.clock import Clock
from elastic_lab import Lab, parse_scenario, running_lab
from tests.lab.world import FIELDS
from tests.providers.few_images import few_images

StartLab = Callable[..., Lab]


@pytest.fixture
def start_lab() -> Iterator[StartLab]:
    """Starts a lab of these fields over the usual ones, by the clock given for it. After the test
    no instance may be left in it."""
    left: list[str] = []
    known: list[str] = []
    with few_images(), ExitStack() as stack:

        def start(clock: Clock | None = None, **fields: Any) -> Lab:
            scenario = parse_scenario({**FIELDS, **fields})
            lab = stack.enter_context(running_lab(scenario, clock=clock))
            stack.callback(
                lambda: left.extend(
                    each.instance_id for each in lab.running() if each.phase != "shutting-down"
                )
            )
            return lab

        yield start
    assert processes_of(*known) == []
    assert left == [], "a test must terminate what it launches"


@pytest.fixture
def client() -> Callable[..., Any]:
    """Makes boto3 clients that try a call once."""

    def make(lab: Lab, service: str = "ec2", **options: Any) -> Any:
        config = Config(retries={"total_max_attempts": 1}, **options)
        return boto3.client(
            service,  # type: ignore[call-overload]
            endpoint_url=lab.endpoint_url,
            region_name=lab.region,
            aws_access_key_id="lab",
            aws_secret_access_key="lab",
            config=config,
        )

    return make


def processes_of(*instance_ids: str) -> list[int]:
    """Every process that says it belongs to one of these instances; other labs may run on this
    machine."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get("ELASTICD_LAB_INSTANCE") in instance_ids:
                found.append(process.pid)
    return found
