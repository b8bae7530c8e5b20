"""An alarm is a row from when it begins until it is over, and an event at both ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from elastic.store import Store, StoredAlarm, migrate, open_store
from tests.builders import job_spec

LATE = StoredAlarm("will_be_late", "the deadline is in 3 min", 100.0)
BLIND = StoredAlarm("cannot_see", "no answer", 90.0)


@pytest.fixture
def job_id(store: Store) -> str:
    return store.jobs.submit(job_spec(name="photos"), key=None, request_hash="h", now_s=0.0)[0].id


def test_it_stands_until_it_is_over_and_is_told_of_at_both_ends(store: Store, job_id: str) -> None:
    late = replace(LATE, job_id=job_id)
    store.alarms.begin(BLIND, now_s=90.0)
    store.alarms.begin(late, now_s=100.0)
    named = replace(late, job_name="photos")
    assert store.alarms.standing() == (BLIND, named)
    assert store.alarms.standing(job_id) == (named,)
    assert named.sentence == "will_be_late: the deadline is in 3 min"
    store.alarms.end(late, "the goal can be met again", now_s=130.0)
    assert store.alarms.standing() == (BLIND,)
    told = [each for each in store.events.listed() if each.kind.startswith("alarm")]
    assert [(each.at_s, each.kind, each.text, each.job_id) for each in told] == [
        (90.0, "alarm", "cannot_see: no answer", None),
        (100.0, "alarm", "will_be_late: the deadline is in 3 min", job_id),
        (130.0, "alarm_over", "will_be_late: the goal can be met again", job_id),
    ]


def test_each_node_of_a_job_has_its_own(store: Store, job_id: str) -> None:
    every = [
        StoredAlarm("outside", "no turns", 1.0, job_id, node_id, "photos")
        for node_id in (None, "n-1", "n-2")
    ]
    for each in every:
        store.alarms.begin(each, now_s=1.0)
    store.alarms.reword(replace(every[1], text="still no turns"))
    store.alarms.end(every[0], "it is over", now_s=2.0)
    assert store.alarms.standing(job_id) == (replace(every[1], text="still no turns"), every[2])


def test_another_wording_is_no_news(store: Store) -> None:
    store.alarms.begin(BLIND, now_s=90.0)
    before = store.events.newest_id()
    store.alarms.reword(replace(BLIND, text="still no answer"))
    (stood,) = store.alarms.standing()
    assert (stood.text, stood.since_s) == ("still no answer", 90.0)
    assert store.events.newest_id() == before


def test_one_that_comes_again_is_another_one(store: Store) -> None:
    store.alarms.begin(BLIND, now_s=90.0)
    store.alarms.end(BLIND, "all is well again", now_s=95.0)
    store.alarms.begin(replace(BLIND, since_s=99.0), now_s=99.0)
    assert [each.since_s for each in store.alarms.standing()] == [99.0]


def test_what_earlier_versions_told_of_alarms_becomes_rows(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'elasticd.db'}"
    migrate(url, "0014")
    told: list[Mapping[str, object]] = [
        _event(1.0, "alarm", "cannot_see: no answer: none"),
        _event(2.0, "alarm", "outside: no turns", job_id="job-1", node_id="n-1"),
        _event(3.0, "alarm", "outside: no turns", job_id="job-1", node_id="n-2"),
        _event(4.0, "failure", "cannot_see: in a failure's text", job_id="job-1"),
        _event(5.0, "alarm_over", "outside: it is over", job_id="job-1", node_id="n-1"),
        # A daemon that was started again reported it once more.
        _event(6.0, "alarm", "cannot_see: no answer: none"),
        _event(7.0, "alarm_over", "cannot_write: all is well again"),
    ]
    with create_engine(url).begin() as connection:
        connection.execute(
            text(
                "INSERT INTO events (at_s, kind, text, job_id, node_id, numbers) "
                "VALUES (:at_s, :kind, :text, :job_id, :node_id, '{}')"
            ),
            told,
        )
    store = open_store(url)
    assert store.alarms.standing() == (
        StoredAlarm("cannot_see", "no answer: none", 1.0),
        StoredAlarm("outside", "no turns", 3.0, "job-1", "n-2"),
    )
    store.close()
    with create_engine(url).begin() as connection:
        over = connection.execute(text("SELECT * FROM alarms WHERE over_at_s IS NOT NULL")).all()
    assert [(each.kind, each.node_id, each.since_s, each.over_at_s) for each in over] == [
        ("outside", "n-1", 2.0, 5.0)
    ]


def _event(
    at_s: float, kind: str, words: str, *, job_id: str | None = None, node_id: str | None = None
) -> dict[str, object]:
    return {"at_s": at_s, "kind": kind, "text": words, "job_id": job_id, "node_id": node_id}
