"""Whatever is sent to whatever is described, the answer is one that the description knows."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.operations import DESCRIBED
from tests.api.world import SPEC, TYPES, World, decide_once, train

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["first", "1", "../..", "%2e%2e", "nan", "\0", "\ud800", "a" * 5000]),
)
JSON_VALUES = st.recursive(
    VALUES,
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=8), each),
    max_leaves=6,
)
FIELDS = sorted(DESCRIBED["components"]["schemas"]["JobDocument"]["properties"])
PARAMETERS = ("limit", "before", "after", "job", "all", "tail", "buckets", "since_s", "current")
READS = sorted(path for path, methods in DESCRIBED["paths"].items() if "get" in methods)
relaxed = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def is_known(answer: Any) -> bool:
    """True for a success, and for a problem that is the sender's."""
    kind = answer.headers["content-type"]
    is_refusal = answer.status_code < 500 and kind == "application/problem+json"
    return bool(answer.status_code < 300 or is_refusal)


@pytest.fixture
def busy(world: World) -> World:
    job, _ = train(world)
    decide_once(world, job)
    return world


@relaxed
@given(
    path=st.sampled_from(READS),
    names=st.tuples(VALUES, VALUES),
    query=st.dictionaries(st.sampled_from(PARAMETERS), VALUES, max_size=4),
)
def test_no_read_fails_inside(
    busy: World, client: TestClient, path: str, names: tuple[Any, Any], query: dict[str, Any]
) -> None:
    for name in ("{job}", "{name}", "{node}", "{decision}"):
        path = path.replace(name, quote(_text(names[name == "{name}"]), safe="") or "x")
    answer = client.get(path, params={name: _text(value) for name, value in query.items()})
    assert is_known(answer), answer.text


@relaxed
@given(changes=st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES, min_size=1, max_size=3))
def test_a_job_with_any_field_changed_is_taken_or_refused(
    world: World, client: TestClient, changes: dict[str, Any]
) -> None:
    before = len(world.store.jobs.listed(limit=500))
    answer = client.post("/v1/jobs", content=json.dumps({**SPEC, **changes}))
    assert is_known(answer), answer.text
    assert len(world.store.jobs.listed(limit=500)) - before == (answer.status_code == 202)


@relaxed
@given(
    body=JSON_VALUES,
    path=st.sampled_from(["/v1/jobs/first:scale", "/v1/agent/register", "/v1/agent/heartbeat"]),
)
def test_any_json_is_taken_or_refused(
    busy: World, client: TestClient, body: Any, path: str
) -> None:
    answer = client.post(
        path, content=json.dumps(body), headers={"Content-Type": "application/json"}
    )
    assert is_known(answer), answer.text


def test_a_node_type_on_offer_is_always_taken(client: TestClient) -> None:
    for each in TYPES:
        document = {**SPEC, "name": each.name, "policy": {"name": "fixed", "node_type": each.name}}
        assert client.post("/v1/jobs", json=document).status_code == 202


def _text(value: Any) -> str:
    """A value as a lenient client sends it: what is no Unicode becomes a question mark."""
    return str(value).encode("utf-8", "replace").decode()[:200]
