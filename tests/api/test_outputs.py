"""What a job's workers wrote beside their code is listed, served and shown as it was last carried
home."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api.outputs import carry_home
from tests.api.world import START_S, World, train


def test_a_job_that_has_carried_nothing_has_no_outputs(client: TestClient, world: World) -> None:
    train(world)
    assert client.get("/v1/jobs/first/outputs").json()["items"] == []
    assert client.get("/v1/jobs/first/outputs/model.pt").status_code == 404
    assert 'id="outputs"' not in client.get("/jobs/first").text


def test_the_newest_outputs_are_listed_with_size_and_time_and_served(
    client: TestClient, world: World, tmp_path: Path
) -> None:
    job, _ = train(world)
    carry_home(world, job.id, tmp_path, model="old", gone="x")
    carry_home(world, job.id, tmp_path, generation=2, model="weights", runs__1__log="line")
    items = client.get("/v1/jobs/first/outputs").json()["items"]
    assert [(each["path"], each["bytes"], each["modified_at_s"]) for each in items] == [
        ("model", 7, START_S - 60),
        ("runs/1/log", 4, START_S - 60),
    ]
    served = client.get(items[0]["href"])
    assert (served.text, served.headers["etag"]) == ("weights", f'"{items[0]["sha256"]}"')
    assert served.headers["content-disposition"].startswith("attachment")
    assert client.get(items[1]["href"]).text == "line"


@pytest.mark.parametrize(("files", "is_folded"), [(5, False), (6, True)])
def test_many_outputs_are_folded_on_the_job_s_page(
    client: TestClient, world: World, tmp_path: Path, files: int, is_folded: bool
) -> None:
    job, _ = train(world)
    models: dict[str, Any] = {f"model{number}": "weights" for number in range(files)}
    carry_home(world, job.id, tmp_path, **models)
    page = client.get("/jobs/first").text
    assert 'id="outputs"' in page and page.count("<code>model") == files
    assert (f"<summary>{files} files</summary>" in page) == is_folded


@pytest.mark.parametrize(
    "path", ["gone", "..%2F..%2Felasticd.db", "manifests/g000001-000001.json", "model/"]
)
def test_nothing_else_is_served(
    client: TestClient, world: World, tmp_path: Path, path: str
) -> None:
    job, _ = train(world)
    carry_home(world, job.id, tmp_path, model="weights")
    assert client.get(f"/v1/jobs/first/outputs/{path}").status_code == 404


def test_the_jobs_page_lists_them_with_size_and_time(
    client: TestClient, world: World, tmp_path: Path
) -> None:
    job, _ = train(world)
    carry_home(world, job.id, tmp_path, model="w" * 2048)
    page = client.get("/jobs/first").text
    assert "elasticd job outputs first -o DIR" in page
    assert f"/v1/jobs/{job.id}/outputs/model" in page and "2 KiB" in page
