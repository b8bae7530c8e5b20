"""Thousands of requests made from the description of the interface, right ones and wrong ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from api.openapi import openapi_text
from tests.e2e.cloud_story import TINY
from tests.e2e.running import RunningDaemon, running_daemon

pytestmark = [pytest.mark.slow]

# What cannot be said in a schema is a 422: a rule over several fields, another release's protocol.
# A stream of events has no end.
CONFIG = """
[parameters]
job = "{job}"
decision = {decision}
node = "{node}"

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "412", "422", "429"]

[checks.negative_data_rejection]
expected-statuses = [
  "400", "401", "403", "404", "405", "406", "409", "412", "413", "415", "422", "428", "429",
]
"""
ENDLESS = "events$|logs$"
# Nodes' routes, which are on a listener of their own.
OF_NODES = "^/v1/(agent|wheels)/"
HOOKS = """
import schemathesis

@schemathesis.serializer("application/zip")
def archive(context, value):
    return value if isinstance(value, bytes) else str(value).encode()
"""


@pytest.mark.parametrize(
    ("examples", "fewest"),
    [
        pytest.param(3, 1000, id="some"),
        pytest.param(100, 5000, id="many", marks=[pytest.mark.soak, pytest.mark.timeout(1200)]),
    ],
)
def test_every_answer_is_one_that_the_description_has(
    examples: int, fewest: int, tmp_path: Path
) -> None:
    with running_daemon(tmp_path) as daemon:
        job_id = daemon.submit(name="asked-about", iterations=8, **TINY)
        daemon.until_phase(job_id, "succeeded")
        _write_settings(daemon, job_id, tmp_path)
        address = json.loads((daemon.data / "daemon.json").read_text())
        users = f"--exclude-path-regex={OF_NODES}|{ENDLESS}"
        generated = _ask(daemon, address["url"], examples, users)
        nodes = f"--include-path-regex={OF_NODES}"
        certificate = f"--tls-verify={daemon.data / 'certificate.pem'}"
        generated += _ask(daemon, address["node_url"], examples, nodes, certificate)
        assert generated >= fewest
        assert daemon.get("/healthz")["status"] == "ok"
        assert "a request failed" not in daemon.log


def _ask(daemon: RunningDaemon, url: str, examples: int, *options: str) -> int:
    """Asks one listener, and gives how many requests were generated."""
    token = (daemon.data / "token").read_text().strip()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file=schemathesis.toml"),
            *("run", "openapi.json", f"--url={url}", "--seed=1", f"--max-examples={examples}"),
            *(f"--header=Authorization: Bearer {token}", "--no-color", *options),
        ],
        cwd=daemon.folder,
        env=os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(daemon.folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-10_000:] + done.stderr
    (generated,) = re.findall(r"(\d+) generated", done.stdout)
    return int(generated)


def _write_settings(daemon: RunningDaemon, job_id: str, folder: Path) -> None:
    (decision, *_) = daemon.get("/v1/decisions", job=job_id)["items"]
    (node, *_) = daemon.get("/v1/nodes", job=job_id, all=True)["items"]
    (folder / "openapi.json").write_text(openapi_text())
    (folder / "hooks.py").write_text(HOOKS)
    (folder / "schemathesis.toml").write_text(
        CONFIG.format(job=job_id, decision=decision["id"], node=node["id"])
    )
