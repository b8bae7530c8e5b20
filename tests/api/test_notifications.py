"""The routes for messages to people, and the pictures that go with a job's last one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api.app import give_context
from api.artifacts import FolderArtifacts
from api.pictures import pictures_of
from elastic.config import NotifySettings
from elastic.model import JobPhase
from elastic.notify import Notifier, recipients_of
from elastic.reconciler import JobFolders
from tests.api.world import SPEC, World, train
from tests.notify.receivers import Webhook, running_webhook


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    with running_webhook() as running:
        yield running


@pytest.fixture
def notifier(world: World, webhook: Webhook, bare_app: FastAPI, client: TestClient) -> Notifier:
    settings = NotifySettings(to={"me": webhook.address}, topics=("failed", "stopped"))
    made = Notifier(world.store, settings, recipients_of(settings), world.clock)
    told = world.context.settings.model_copy(update={"notify": settings})
    give_context(bare_app, replace(world.context, notifier=made, settings=told))
    return made


def test_recipients_are_listed_without_their_addresses(
    client: TestClient, notifier: Notifier
) -> None:
    found = client.get("/v1/recipients")
    assert found.json()["items"] == [{"name": "me", "topics": ["failed", "stopped"]}]
    assert "T0K3N" not in found.text


def test_without_a_notifier_there_are_none(client: TestClient) -> None:
    assert client.get("/v1/recipients").json()["items"] == []
    assert client.post("/v1/recipients/me:test").status_code == 404


def test_a_test_says_whether_the_message_was_taken(
    client: TestClient, notifier: Notifier, webhook: Webhook
) -> None:
    assert client.post("/v1/recipients/me:test").json() == {"recipient": "me", "error": None}
    assert webhook.titles == ["elasticd: a test"]
    webhook.refusals.append(403)
    refused = client.post("/v1/recipients/me:test").json()["error"]
    assert "403" in refused and "T0K3N" not in refused
    unknown = client.post("/v1/recipients/you:test")
    assert unknown.status_code == 404 and "notify.to" in unknown.json()["detail"]


def test_messages_are_listed_with_how_far_they_have_come(
    client: TestClient, notifier: Notifier, world: World, webhook: Webhook
) -> None:
    job, _ = train(world)
    world.store.jobs.move(job.id, JobPhase.FAILED, message="no node", now_s=world.clock.now_s())
    webhook.refusals.append(500)
    notifier.look()
    (waiting,) = client.get("/v1/notifications", params={"job": "first"}).json()["items"]
    assert (waiting["delivery"], waiting["recipient"], waiting["topic"]) == (
        "waiting",
        "me",
        "failed",
    )
    assert waiting["next_at_s"] > world.clock.now_s() and "500" in waiting["error"]
    world.clock.advance(10)
    notifier.look()
    (sent,) = client.get("/v1/notifications").json()["items"]
    assert (sent["delivery"], sent["next_at_s"], sent["error"]) == ("sent", None, None)
    other = client.get("/v1/notifications", params={"job": "other"})
    assert other.status_code == 404 and "no job 'other'" in other.json()["detail"]


def test_a_job_names_only_recipients_that_there_are(client: TestClient, notifier: Notifier) -> None:
    wrong = client.post("/v1/jobs", json={**SPEC, "notify": ["ne"]})
    assert wrong.status_code == 422 and "did you mean 'me'?" in wrong.json()["detail"]
    topic = client.post("/v1/jobs", json={**SPEC, "notify": {"me": ["fail"]}})
    assert topic.status_code == 422 and "failed" in topic.json()["detail"]
    made = client.post("/v1/jobs", json={**SPEC, "notify": {"me": ["failed"]}})
    assert made.json()["spec"]["notify"] == {"me": ["failed"]}


def test_without_recipients_a_job_that_names_one_is_refused(client: TestClient) -> None:
    wrong = client.post("/v1/jobs", json={**SPEC, "notify": ["me"]})
    assert wrong.status_code == 422 and "which has none; got me" in wrong.json()["detail"]


def test_a_job_s_pictures_are_its_chart_and_the_newest_that_it_made(
    world: World, tmp_path: Path
) -> None:
    job, _ = train(world)
    folders = JobFolders(tmp_path / "jobs")
    folder = folders.artifacts(job.id)
    folder.mkdir(parents=True)
    for name, content in (("a.png", b"older"), ("b.png", b"newer"), ("c.txt", b"no picture")):
        (folder / name).write_bytes(content)
    now_s = world.clock.now_s()
    chart, picture = pictures_of(world.store, FolderArtifacts(folders), job.id, now_s=now_s)
    assert (picture.name, picture.content) == ("b.png", b"newer")
    drawn = ElementTree.fromstring(chart.content)
    assert chart.name == "first.svg" and "iterations per dollar" in "".join(drawn.itertext())
    (folder / "b.png").write_bytes(b"x" * (3 << 20))
    assert len(list(pictures_of(world.store, FolderArtifacts(folders), job.id, now_s=now_s))) == 1
