"""What is wrong with the daemon itself, over REST, in the metrics and in doctor."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api.app import give_context
from elastic.errors import Forbidden, StoreUnavailable
from elastic.model import JobSpec
from elastic.providers import Trouble
from elastic.reconciler import Alarms, Idle, LeaseHolder, TerminationPermission
from elastic.store import StoredAlarm
from tests.api.world import World
from tests.reconciler.full_disk import FullDisk


@pytest.fixture
def alarmed(client: TestClient, world: World, bare_app: FastAPI) -> TestClient:
    """A daemon that may not list its machines."""
    right = TerminationPermission(lambda _: None, 600.0)
    leader_lease = LeaseHolder(cluster="c", holder="h", place="p", clock=world.clock, register=None)
    alarms = Alarms(leader_lease, right)
    alarms.look(world.store, Forbidden("allow ec2:DescribeInstances"), now_s=world.clock.now_s())
    world.clock.advance(30.0)
    give_context(bare_app, replace(world.context, alarms=alarms, right=right))
    return client


def test_each_is_listed_with_when_it_began(alarmed: TestClient, world: World) -> None:
    (item,) = alarmed.get("/v1/alarms").json()["items"]
    assert (item["kind"], item["since_s"]) == ("cannot_see", world.clock.now_s() - 30.0)
    assert "allow ec2:DescribeInstances" in item["text"]
    assert alarmed.get("/healthz").status_code == 503


def test_a_job_that_stands_still_leaves_the_daemon_well(
    client: TestClient, world: World, bare_app: FastAPI
) -> None:
    right = TerminationPermission(lambda _: None, 600.0)
    leader_lease = LeaseHolder(cluster="c", holder="h", place="p", clock=world.clock, register=None)
    alarms = Alarms(leader_lease, right)
    job, _ = world.store.jobs.submit(
        JobSpec("j", ("train.py",)), key=None, request_hash="h", now_s=0.0
    )
    alarms.follow(
        world.store,
        job,
        [Idle("no turn for 1 min 1 s"), Idle("n-1 trains alone", "n-1")],
        now_s=0.0,
    )
    give_context(bare_app, replace(world.context, alarms=alarms, right=right))
    kinds = [each["kind"] for each in client.get("/v1/alarms").json()["items"]]
    assert kinds == ["standstill", "outside"]
    said = ["standstill: no turn for 1 min 1 s", "outside: n-1 trains alone"]
    assert client.get(f"/v1/jobs/{job.id}").json()["alarms"] == said
    assert [each["alarms"] for each in client.get("/v1/jobs").json()["items"]] == [said]
    assert client.get("/healthz").status_code == 200


def test_an_alarm_names_its_job_and_node_and_needs_no_daemon_to_be_read(
    client: TestClient, world: World
) -> None:
    job, _ = world.store.jobs.submit(
        JobSpec("j", ("train.py",)), key=None, request_hash="h", now_s=0.0
    )
    stored = StoredAlarm("outside", "n-1 trains alone", 7.0, job.id, "n-1")
    world.store.alarms.begin(stored, now_s=7.0)
    (item,) = client.get("/v1/alarms").json()["items"]
    assert item == {
        "kind": "outside",
        "text": "job j: n-1 trains alone",
        "since_s": 7.0,
        "job_id": job.id,
        "node_id": "n-1",
    }


def test_an_alarm_of_a_newer_version_is_left_out(client: TestClient, world: World) -> None:
    world.store.alarms.begin(StoredAlarm("moon_phase", "full", 7.0), now_s=7.0)
    assert client.get("/v1/alarms").json()["items"] == []


def test_each_is_a_metric_of_its_own(alarmed: TestClient) -> None:
    lines = alarmed.get("/metrics").text.splitlines()
    told = {
        each for each in lines if each.startswith(("elasticd_alarm{", "elasticd_lease_seconds "))
    }
    assert told == {
        'elasticd_alarm{kind="cannot_write"} 0.0',
        'elasticd_alarm{kind="clock"} 0.0',
        'elasticd_alarm{kind="leader_lease"} 0.0',
        'elasticd_alarm{kind="cannot_see"} 1.0',
        'elasticd_alarm{kind="cannot_end"} 0.0',
        'elasticd_alarm{kind="cannot_buy"} 0.0',
        'elasticd_alarm{kind="cannot_keep_alive"} 0.0',
        'elasticd_alarm{kind="held"} 0.0',
        'elasticd_alarm{kind="cannot_record"} 0.0',
        'elasticd_alarm{kind="not_sold"} 0.0',
        'elasticd_alarm{kind="hosts"} 0.0',
        'elasticd_alarm{kind="standstill"} 0.0',
        'elasticd_alarm{kind="outside"} 0.0',
        'elasticd_alarm{kind="overrun"} 0.0',
        'elasticd_alarm{kind="will_be_late"} 0.0',
        'elasticd_alarm{kind="over_budget"} 0.0',
        "elasticd_lease_seconds 600.0",
    }
    assert 'elasticd_events_total{kind="alarm"} 1.0' in lines


def test_a_type_that_is_not_sold_makes_no_daemon_unwell(
    client: TestClient, world: World, bare_app: FastAPI
) -> None:
    right = TerminationPermission(lambda _: None, 600.0)
    leader_lease = LeaseHolder(cluster="c", holder="h", place="p", clock=world.clock, register=None)
    alarms = Alarms(
        leader_lease, right, troubles=lambda: {Trouble.NOT_SOLD: "c5.lage: no such type"}
    )
    alarms.look(world.store, None, now_s=world.clock.now_s())
    give_context(bare_app, replace(world.context, alarms=alarms, right=right))
    assert [each["kind"] for each in client.get("/v1/alarms").json()["items"]] == ["not_sold"]
    assert client.get("/healthz").status_code == 200


def unwritten(world: World, why: str) -> tuple[TerminationPermission, Alarms]:
    """What a daemon knows by itself while the database takes nothing."""
    right = TerminationPermission(lambda _: None, 600.0)
    leader_lease = LeaseHolder(cluster="c", holder="h", place="p", clock=world.clock, register=None)
    alarms = Alarms(leader_lease, right)
    with suppress(StoreUnavailable), alarms.of_writing(now_s=world.clock.now_s()):
        raise StoreUnavailable(f"the database refused: {why}")
    return right, alarms


def test_a_database_that_takes_nothing_is_listed_and_makes_the_daemon_unwell(
    client: TestClient, world: World, bare_app: FastAPI
) -> None:
    right, alarms = unwritten(world, "database or disk is full; nothing was changed")
    give_context(bare_app, replace(world.context, alarms=alarms, right=right))
    (item,) = client.get("/v1/alarms").json()["items"]
    assert item["kind"] == "cannot_write" and "disk is full" in item["text"]
    assert client.get("/healthz").status_code == 503


def test_metrics_tell_the_alarms_while_the_database_answers_nothing(
    client: TestClient, world: World, bare_app: FastAPI
) -> None:
    right, alarms = unwritten(world, "no server")
    store: Any = FullDisk(world.store, reads=False)
    give_context(bare_app, replace(world.context, store=store, alarms=alarms, right=right))
    told = client.get("/metrics")
    assert told.status_code == 200
    assert 'elasticd_alarm{kind="cannot_write"} 1.0' in told.text
    assert "elasticd_lease_seconds" in told.text


def test_a_daemon_that_is_well_has_none(client: TestClient) -> None:
    assert client.get("/v1/alarms").json()["items"] == []


def test_none_is_told_to_strangers(stranger: TestClient) -> None:
    assert stranger.get("/v1/alarms").status_code == 401
