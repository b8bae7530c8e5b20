"""What jobs leave in a bucket is listed and served as if it lay in a folder here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api.app import give_context
from api.artifacts import FolderArtifacts, artifacts_in
from elastic.errors import NotFound
from elastic.reconciler import JobFolders
from tests.api.world import World, train
from tests.checkpoints.bucket import serve_s3


@pytest.fixture(scope="module")
def s3() -> Iterator[Any]:
    with serve_s3() as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", url)
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket="training")
        yield client


@pytest.fixture
def elsewhere(client: TestClient, world: World, bare_app: FastAPI, s3: Any) -> TestClient:
    """A daemon whose jobs keep their files in a bucket."""
    ec2 = world.context.settings.ec2.model_copy(update={"region": "us-east-1"})
    there = {"checkpoint_root": "s3://training/elasticd", "ec2": ec2}
    settings = world.context.settings.model_copy(update=there)
    give_context(
        bare_app,
        replace(
            world.context, settings=settings, artifacts=artifacts_in(settings, world.context.clock)
        ),
    )
    return client


def put(s3: Any, key: str, body: bytes) -> None:
    s3.put_object(Bucket="training", Key=f"elasticd/{key}", Body=body)


def test_a_jobs_files_are_listed_and_served(elsewhere: TestClient, world: World, s3: Any) -> None:
    job, _ = train(world)
    put(s3, f"{job.id}/artifacts/sample.png", b"\x89PNG")
    put(s3, f"{job.id}/artifacts/model.pt", b"weights" * 100_000)
    put(s3, f"{job.id}/artifacts/logs/i-1-g1.log", b"first\nsecond\n")
    put(s3, f"{job.id}/checkpoints/data/secret", b"secret")
    listed = elsewhere.get("/v1/jobs/first/artifacts").json()["items"]
    assert [(each["name"], each["bytes"]) for each in listed] == [
        ("model.pt", 700_000),
        ("sample.png", 4),
    ]
    picture = elsewhere.get(listed[1]["href"])
    assert (picture.content, picture.headers["content-type"]) == (b"\x89PNG", "image/png")
    weights = elsewhere.get(listed[0]["href"])
    assert len(weights.content) == 700_000
    assert weights.headers["content-disposition"] == 'attachment; filename="model.pt"'
    for name in ("..%2Fcheckpoints%2Fdata%2Fsecret", "none.png", ".hidden", "logs"):
        assert elsewhere.get(f"/v1/jobs/first/artifacts/{name}").status_code == 404


def test_its_report_is_read_from_there(elsewhere: TestClient, world: World, s3: Any) -> None:
    job, _ = train(world)
    put(s3, f"{job.id}/artifacts/report.json", b'{"psnr_y_db": 27.5}')
    report = elsewhere.get("/v1/jobs/first/report").json()
    assert report["quality"] == {"psnr_y_db": 27.5}
    assert [each["name"] for each in report["artifacts"]] == ["report.json"]


def test_a_bucket_is_not_asked_at_every_look(elsewhere: TestClient, world: World, s3: Any) -> None:
    job, _ = train(world)
    assert elsewhere.get("/v1/jobs/first/artifacts").json()["items"] == []
    put(s3, f"{job.id}/artifacts/late.txt", b"late")
    assert elsewhere.get("/v1/jobs/first/artifacts").json()["items"] == []
    world.clock.advance(60.0)
    assert [each["name"] for each in elsewhere.get("/v1/jobs/first/artifacts").json()["items"]] == [
        "late.txt"
    ]


def test_a_bucket_that_is_not_there_is_told_and_takes_no_page_down(
    elsewhere: TestClient, world: World, bare_app: FastAPI
) -> None:
    train(world)
    settings = bare_app.state.context.settings.model_copy(
        update={"checkpoint_root": "s3://nobodys/elasticd"}
    )
    give_context(
        bare_app,
        replace(
            bare_app.state.context, settings=settings, artifacts=artifacts_in(settings, world.clock)
        ),
    )
    refused = elsewhere.get("/v1/jobs/first/artifacts")
    assert (refused.status_code, "NoSuchBucket" in refused.json()["detail"]) == (503, True)
    assert elsewhere.get("/v1/jobs/first/report").json()["artifacts"] == []
    assert elsewhere.get("/jobs/first").status_code == 200


@pytest.mark.parametrize("way", ["token", "artifacts", "job"])
def test_a_link_that_a_job_lays_leads_to_nothing_of_the_daemons(tmp_path: Path, way: str) -> None:
    folders = JobFolders(tmp_path / "shared")
    own = tmp_path / "daemon" / "artifacts"
    own.mkdir(parents=True)
    (own / "token").write_text("the daemon's")
    place = folders.artifacts("job-1")
    match way:
        case "token":
            place.mkdir(parents=True)
            (place / "token").symlink_to(own / "token")
        case "artifacts":
            place.parent.mkdir(parents=True)
            place.symlink_to(own)
        case _:
            place.parent.parent.mkdir(parents=True)
            place.parent.symlink_to(own.parent)
    artifacts = FolderArtifacts(folders)
    assert artifacts.listed("job-1") == ()
    with pytest.raises(NotFound):
        artifacts.open("job-1", "token")


def test_a_pipe_in_an_artifacts_place_makes_no_reader_wait(tmp_path: Path) -> None:
    folders = JobFolders(tmp_path)
    folders.artifacts("job-1").mkdir(parents=True)
    os.mkfifo(folders.artifacts("job-1") / "sample.png")
    with pytest.raises(NotFound):
        FolderArtifacts(folders).open("job-1", "sample.png")
