"""The stack on PostgreSQL, watched by Prometheus: what is beside the daemon is used, and may come
and go."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
import yaml

from tests.deploy.engine import Engine
from tests.deploy.stack import ROOT, TRAIN, Stack, eventually, stack, trained
from tests.deploy.standins import make_postgres, make_prometheus

_PROFILES = ("--profile", "postgres", "--profile", "prometheus")
_VARIABLES = {
    "PGPASSWORD": "of this test",
    "ELASTICD_DATABASE_URL": "postgresql+psycopg://elasticd@postgres/elasticd",
}


@pytest.fixture
def stand_ins(docker: Engine) -> None:
    make_postgres(docker)
    make_prometheus(docker)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_a_job_is_in_postgresql_and_in_prometheus(
    docker: Engine, stand_ins: None, images: None
) -> None:
    with stack(docker, *_PROFILES, variables=_VARIABLES) as running, running.client() as client:
        running.within("elasticd", "sh", "-c", "cat >/srv/elasticd/train.py", stdin=TRAIN)
        job = trained(client, {"name": "first", "command": ["/srv/elasticd/train.py"]})
        assert (job["phase"], job["iteration"]) == ("succeeded", 60), job
        assert _rows(running) == ["first"]

        running.compose("restart", "postgres")
        job = trained(client, {"name": "second", "command": ["/srv/elasticd/train.py"]})
        assert (job["phase"], job["iteration"]) == ("succeeded", 60), job
        assert _rows(running) == ["first", "second"]

        eventually("the daemon is scraped", lambda: _asked(running, 'up{job="elasticd"} == 1'))
        # A job that has ended leaves the metrics: what counts all of them stays.
        eventually("a metric of elasticd", lambda: _asked(running, '{__name__=~"elasticd_.*"}'))


def _rows(running: Stack) -> list[str]:
    command = ("psql", "-U", "elasticd", "-Atc", "select name from jobs order by name")
    return running.within("postgres", *command).split()


def _asked(running: Stack, expression: str) -> list[Any]:
    """Prometheus' answer where Grafana asks: at its data source's address, from the stack's
    network."""
    (source,) = yaml.safe_load(
        (ROOT / "deploy/grafana/provisioning/datasources/prometheus.yml").read_text()
    )["datasources"]
    fetch = (
        "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], "
        "timeout=10).read().decode())"
    )
    url = f"{source['url']}/api/v1/query?query={quote(expression)}"
    return list(
        json.loads(running.within("elasticd", "python3", "-c", fetch, url))["data"]["result"]
    )
