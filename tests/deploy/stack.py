"""docker-compose.yml brought up on an engine of the test run's own, and taken down whole."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from elastic.client.rest import Client
from elastic.errors import ElasticError
from elastic.trust import trust_for
from tests.deploy.engine import Engine

ROOT = Path(__file__).resolve().parents[2]
TRAIN = """\
import time
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(60):
    optimizer.zero_grad(); model(torch.randn(8, 4)).sum().backward(); optimizer.step()
    time.sleep(0.1)
"""
"""A job of 60 iterations and at least 6 s."""
_PROJECT = "elasticd-test"
_PORT = "18470"
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Stack:
    """The services that are up. `options` are docker-compose's own, `variables` what the file is
    filled in with."""

    engine: Engine
    options: tuple[str, ...]
    variables: Mapping[str, str]

    def compose(self, *words: str, stdin: str | None = None) -> str:
        given = [
            f"{name}={value}"
            for name, value in {**self.variables, "ELASTICD_PUBLISHED_PORT": _PORT}.items()
        ]
        command = ["docker-compose", "-p", _PROJECT, *self.options, *words]
        return self.engine.run("env", "-C", ROOT, *given, *command, stdin=stdin)

    def within(self, service: str, *command: str, stdin: str | None = None) -> str:
        """What `command` prints in the service's container."""
        return self.compose("exec", "-T", service, *command, stdin=stdin)

    def client(self) -> Client:
        """A client of the daemon with its user's token."""
        token = eventually(
            "the token", lambda: self.within("elasticd", "elasticd", "token", "show")
        )
        certificate = self.within("elasticd", "elasticd", "certificate", "show")
        url = f"https://127.0.0.1:{_PORT}"
        return Client(url=url, token=token.strip(), trust=trust_for(url, certificate))


@contextmanager
def stack(
    engine: Engine, *options: str, variables: Mapping[str, str] | None = None
) -> Iterator[Stack]:
    """Brings up what `options` choose, of images that are there; in the end nothing of it is
    left."""
    running = Stack(engine, options, variables or {})
    try:
        running.compose("up", "-d", "--no-build")
        yield running
    finally:
        print(running.compose("logs", "--tail=60"))
        running.compose("down", "--volumes", "--timeout", "20")
        assert engine.run("docker", "ps", "--all", "--quiet") == ""
        assert engine.run("docker", "volume", "ls", "--quiet") == ""


def eventually(what: str, ask: Callable[[], _Found], *, within_s: float = 120.0) -> _Found:
    """The first answer that is not empty; a command that fails, or nobody who answers, is asked
    again."""
    until_s, last = time.monotonic() + within_s, "nothing"
    while time.monotonic() < until_s:
        try:
            if found := ask():
                return found
        except (ElasticError, OSError, AssertionError) as error:
            last = str(error)
        time.sleep(1)
    raise AssertionError(f"not within {within_s:.0f} s: {what}; the last answer was {last}")


def trained(
    client: Client, job: Mapping[str, Any], *, within_s: float = 240.0
) -> Mapping[str, Any]:
    """Submits `job` and gives it as it ended."""
    eventually("the job is taken", lambda: client.post("/v1/jobs", body=job))

    def ended() -> Mapping[str, Any]:
        found = client.get(f"/v1/jobs/{job['name']}")
        return found if found["phase"] in {"succeeded", "failed"} else {}

    return eventually("the job ends", ended, within_s=within_s)
