"""How a machine becomes a node: one token for a launch, exchanged once a machine for one that is
good on it alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from itertools import pairwise
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event

from elastic.durations import ANSWER_TIMEOUT_S
from elastic.model import ONE_WORKER, JobSpec, Mode, Node, NodePhase, NodeReport, Pulse, Rounds
from tests.api.registration import ask
from tests.api.world import SMALL, START_S, World, train
from tests.builders import intend


@pytest.fixture
def pair(world: World) -> tuple[Node, ...]:
    """Two nodes of one launch, of which only the first is known as a machine: i-1."""
    job, _ = world.store.jobs.submit(
        JobSpec("first", ("train.py",)), key=None, request_hash="h", now_s=START_S
    )
    intent = world.store.nodes.intend_launch(
        job.id, SMALL, count=2, workers=ONE_WORKER, reason="test", request_hash="h", now_s=START_S
    )
    world.store.nodes.launched(intent.nodes[0].id, "i-1", launched_at_s=START_S, minimum_s=60.0)
    return world.store.nodes.of_launch(intent.token)


def beat(client: TestClient, node_id: str, instance_id: str, token: str, **said: object) -> int:
    names = {each.name for each in fields(NodeReport)} & said.keys()
    report = {"state": "idle"} | {name: said.pop(name) for name in names}
    body = {
        "node_id": node_id,
        "instance_id": instance_id,
        "sent_at_s": START_S,
        "report": report,
        **said,
    }
    return client.post(
        "/v1/agent/heartbeat", json=body, headers={"Authorization": f"Bearer {token}"}
    ).status_code


def test_each_machine_of_a_launch_becomes_its_own_node(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    first, second = pair
    world.store.nodes.launched(second.id, "i-2", launched_at_s=START_S, minimum_s=60.0)
    answers = [
        ask(client, world, instance_id, launch=first.token).json() for instance_id in ("i-2", "i-1")
    ]
    assert [each["node_id"] for each in answers] == [second.id, first.id]
    assert {node.phase for node in world.store.nodes.listed()} == {NodePhase.JOINED}
    assert [beat(client, second.id, "i-2", answers[0]["node_token"])] == [200]


def test_a_machine_hears_what_its_job_brings_and_how_long_that_took_is_on_record(
    client: TestClient, world: World
) -> None:
    brings: dict[str, Any] = {"requirements": ("einops",), "setup": ("make",), "data": "s3://b/x"}
    spec = JobSpec("second", ("train.py",), env={"KEY": "k"}, secrets=("KEY",), **brings)
    job, _ = world.store.jobs.submit(spec, key=None, request_hash="h", now_s=START_S)
    intent = world.store.nodes.intend_launch(
        job.id, SMALL, count=1, workers=ONE_WORKER, reason="test", request_hash="h", now_s=START_S
    )
    (node,) = intent.nodes
    world.store.nodes.launched(node.id, "i-9", launched_at_s=START_S, minimum_s=60.0)
    answer = ask(client, world, "i-9", launch=intent.token).json()
    assert answer["brings"] == {
        "requirements": ["einops"],
        "setup": ["make"],
        "data": "s3://b/x",
        "env": {"KEY": "k"},
        "secrets": ["KEY"],
        "secret_parameters": {},
        "image": None,
    }
    assert client.get("/v1/jobs/second").json()["spec"]["env"] == {"KEY": "(hidden)"}
    for state in ("preparing", "preparing", "warming", "idle"):
        assert beat(client, node.id, "i-9", answer["node_token"], state=state) == 200
        world.clock.advance(10.0)
    assert client.get(f"/v1/nodes/{node.id}").json()["prepared_s"] == 20.0


def test_what_a_machine_says_of_its_set_up_is_shown_with_its_node(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    told = {"elapsed_s": 31.5, "received_bytes": 412_000_000}
    ask(client, world, "i-1", launch=pair[0].token, setup=told)
    assert client.get(f"/v1/nodes/{pair[0].id}").json()["setup"] == told
    refused = ask(
        client, world, "i-1", launch=pair[0].token, setup={"elapsed_s": -1.0, "received_bytes": 0}
    )
    assert refused.status_code == 422


@pytest.mark.parametrize(
    ("mode", "preload", "loaded"),
    [
        (Mode.RESTART, False, []),
        (Mode.RESTART, True, ["train.py"]),
        (Mode.LIVE, False, []),
        (Mode.LIVE, True, ["train.py"]),
    ],
)
def test_a_machine_hears_what_it_will_run_where_its_workers_inherit_what_it_loads(
    client: TestClient, world: World, mode: Mode, preload: bool, loaded: list[str]
) -> None:
    job, _ = world.store.jobs.submit(
        JobSpec("j", ("train.py",), mode=mode, preload=preload),
        key=None,
        request_hash="h",
        now_s=START_S,
    )
    intent = world.store.nodes.intend_launch(
        job.id, SMALL, count=1, workers=ONE_WORKER, reason="test", request_hash="h", now_s=START_S
    )
    world.store.nodes.launched(intent.nodes[0].id, "i-1", launched_at_s=START_S, minimum_s=60.0)
    assert ask(client, world, "i-1", launch=intent.token).json()["command"] == loaded


def test_a_machine_that_is_not_on_record_yet_is_told_to_ask_again(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    assert ask(client, world, "i-2", launch=pair[0].token).status_code == 404
    world.store.nodes.launched(pair[1].id, "i-2", launched_at_s=START_S, minimum_s=60.0)
    assert ask(client, world, "i-2", launch=pair[0].token).status_code == 200


def test_a_machine_of_no_launch_of_ours_is_refused(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    world.store.nodes.launched(pair[1].id, "i-2", launched_at_s=START_S, minimum_s=60.0)
    assert ask(client, world, "i-3", launch=pair[0].token).status_code == 401
    assert ask(client, world, "i-1", launch="another").status_code == 401


def test_a_machine_whose_answer_was_lost_may_ask_again_until_it_has_spoken(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    first, _ = pair
    answers = [ask(client, world, "i-1", launch=first.token) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert beat(client, first.id, "i-1", answers[0].json()["node_token"]) == 200
    assert ask(client, world, "i-1", launch=first.token).status_code == 409


def test_a_nodes_token_is_worth_nothing_on_another_machine(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    first, _ = pair
    token = ask(client, world, "i-1", launch=first.token).json()["node_token"]
    assert beat(client, first.id, "i-2", token) == 401
    forged = world.context.node_tokens.node_token(first.id, "i-2")
    assert beat(client, first.id, "i-2", forged) == 401
    assert world.store.nodes.get(first.id).agent_state is None


def test_a_machine_that_is_to_end_may_not_join(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    world.store.nodes.intend_end(pair[0].id, reason="test", now_s=START_S)
    assert ask(client, world, "i-1", launch=pair[0].token).status_code == 409


def test_a_round_is_on_record_when_the_heartbeat_that_registers_it_is_answered(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    first, _ = pair
    token = ask(client, world, "i-1", launch=first.token).json()["node_token"]
    said = {"state": "running", "generation": 1}
    assert (
        beat(client, first.id, "i-1", token, **said, round=3, next_round={"round": 4, "members": 2})
        == 200
    )
    assert world.store.jobs.rounds(first.job_id) == Rounds(newest=3, registered=4)
    assert beat(client, first.id, "i-1", token, **said, round=4) == 200
    assert world.store.jobs.rounds(first.job_id) == Rounds(newest=4, registered=4)
    assert (
        beat(client, first.id, "i-1", token, **said, next_round={"round": 0, "members": 2}) == 422
    )


def test_a_node_hears_what_is_stored_for_it_to_go_on_from(client: TestClient, world: World) -> None:
    job, node = train(world)
    token = world.context.node_tokens.node_token(node.id, "fake-1")
    body = {
        "node_id": node.id,
        "instance_id": "fake-1",
        "sent_at_s": START_S,
        "report": {"state": "idle"},
    }

    def heard(**said: object) -> object:
        answer = client.post(
            "/v1/agent/heartbeat", json=body | said, headers={"Authorization": f"Bearer {token}"}
        )
        return answer.json()["assignment"]["stored_iteration"]

    assert heard() is None
    told = {"seq": 900, "kind": "checkpoint", "iteration": 40, "elapsed_s": 0.1, "at_s": START_S}
    assert (heard(events=[told]), job.iteration) == (40, 60)
    running = {"state": "running", "generation": 1}
    assert heard(report=running) == 40
    assert heard(report=running) is None, "it has begun"


def test_a_token_that_outlived_its_machine_tells_nothing_of_the_job(
    client: TestClient, world: World
) -> None:
    job, node = train(world)
    world.store.nodes.gone(node.id, at_s=START_S)
    token = world.context.node_tokens.node_token(node.id, "fake-1")
    told = {"seq": 900, "kind": "checkpoint", "iteration": 10**9, "elapsed_s": 0.1}
    body = {
        "node_id": node.id,
        "instance_id": "fake-1",
        "sent_at_s": START_S,
        "report": {"state": "running", "generation": 1},
        "events": [told],
    }
    answer = client.post(
        "/v1/agent/heartbeat", json=body, headers={"Authorization": f"Bearer {token}"}
    )
    assert (answer.json()["shutdown"], answer.json()["assignment"]) == (True, None)
    assert world.store.resumes.stored(job.id) is None
    events = world.store.events.listed(after=None, job_id=job.id)
    assert not any("checkpoint" in each.text for each in events)


def test_a_node_that_has_spoken_shows_how_long_ago(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    first, other = pair
    token = ask(client, world, "i-1", launch=first.token).json()["node_token"]
    assert beat(client, first.id, "i-1", token, state="running", generation=1) == 200
    world.clock.advance(20.0)
    shown = {each["id"]: each["unheard_s"] for each in client.get("/v1/nodes").json()["items"]}
    assert (shown[first.id], shown[other.id]) == (20.0, None)
    assert client.get(f"/v1/nodes/{first.id}").json()["unheard_s"] == 20.0


def test_how_long_ago_the_last_turn_was_is_on_record(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    first, _ = pair
    token = ask(client, world, "i-1", launch=first.token).json()["node_token"]
    said = {"state": "running", "generation": 1}
    assert (
        beat(client, first.id, "i-1", token, **said, pulse={"still_s": 3.0, "longest_s": 1.5})
        == 200
    )
    assert world.store.nodes.get(first.id).pulse == Pulse(3.0, 1.5)
    told = {"still_s": 3.0, "longest_s": 1.5, "learnt_s": 1.0}
    world.clock.advance(1.0)
    assert beat(client, first.id, "i-1", token, **said, pulse=told) == 200
    world.store.presence.write()  # as each tick does
    assert world.store.nodes.get(first.id).pulse == Pulse(3.0, 1.5, 1.0)
    world.clock.advance(1.0)
    assert beat(client, first.id, "i-1", token, **said) == 200
    world.store.presence.write()
    assert world.store.nodes.get(first.id).pulse is None


def test_a_heartbeat_that_says_nothing_new_is_on_record_from_the_next_tick_on(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    first, _ = pair
    token = ask(client, world, "i-1", launch=first.token).json()["node_token"]
    for _ in range(2):
        assert beat(client, first.id, "i-1", token, state="running", generation=1) == 200
        world.clock.advance(1.0)
    assert world.store.nodes.get(first.id).heartbeat_at_s == START_S, (
        "one commit a heartbeat is more than a database does"
    )
    world.store.presence.write()
    assert world.store.nodes.get(first.id).heartbeat_at_s == START_S + 1.0
    ((ended_s, _),) = world.store.presence.gaps(beyond_s=0.9)
    assert ended_s == START_S + 1.0


def test_the_daemon_looks_at_once_when_workers_begin_to_hang(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    first, _ = pair
    token = ask(client, world, "i-1", launch=first.token).json()["node_token"]
    wakes = []
    for still_s in (0.1, 2.4, 2.6, 3.6, 0.1):
        pulse = {"still_s": still_s, "longest_s": 0.5}
        assert (
            beat(client, first.id, "i-1", token, state="running", generation=1, pulse=pulse) == 200
        )
        wakes.append(len(world.wakes))
    assert [later - earlier for earlier, later in pairwise(wakes)] == [0, 1, 0, 0]
    assert world.store.nodes.get(first.id).pulse == Pulse(2.6, 0.5)


@contextmanager
def reads_of_nodes() -> Iterator[list[str]]:
    """The queries of nodes that are made meanwhile."""
    made: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if "FROM nodes" in statement:
            made.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    yield made
    event.remove(Engine, "before_cursor_execute", note)


def test_a_job_shows_its_mode_and_whether_all_its_nodes_preload(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    first, second = pair
    world.store.nodes.launched(second.id, "i-2", launched_at_s=START_S, minimum_s=60.0)
    tokens = {
        i: ask(client, world, i, launch=first.token).json()["node_token"] for i in ("i-1", "i-2")
    }
    job = world.store.jobs.get(first.job_id)
    world.store.generations.start(job.id, pair, rdzv_endpoint="127.0.0.1:1", now_s=START_S)

    def shown() -> object:
        found = client.get(f"/v1/jobs/{job.id}").json()
        return found["running_mode"], found["is_preloaded"]

    def reports(node: Node, machine: str, **report: Any) -> None:
        running = {"state": "running", "generation": 1, "mode": "restart", **report}
        assert beat(client, node.id, machine, tokens[machine], **running) == 200

    assert shown() == (None, None)
    reports(first, "i-1", is_preloaded=True)
    assert shown() == ("restart", True)
    reports(second, "i-2", is_preloaded=False)
    assert shown() == ("restart", False)
    nodes = client.get("/v1/nodes").json()["items"]
    assert [(node["mode"], node["is_preloaded"]) for node in nodes] == [
        ("restart", False),
        ("restart", True),
    ]
    with reads_of_nodes() as while_all_live:
        shown()
    for node in pair:
        world.store.nodes.gone(node.id, at_s=START_S)
    with reads_of_nodes() as when_all_are_gone:
        assert shown() == ("restart", False)
    assert len(when_all_are_gone) == len(while_all_live) + 2, (
        "one query for all who are gone, one for since when it waits"
    )
    for node, machine in ((first, "i-1"), (second, "i-2")):
        assert beat(client, node.id, machine, tokens[machine], state="idle", generation=1) == 200
    world.store.generations.end(job.id, 1, now_s=START_S)
    world.store.nodes.gone(second.id, at_s=START_S)
    assert shown() == ("restart", False), "the job has run on it"


@pytest.mark.parametrize("off_s", [-3600.0, -1.9, 1.9, -ANSWER_TIMEOUT_S, 3600.0])
def test_what_a_node_whose_clock_is_off_tells_of_is_noted_by_the_daemons(
    client: TestClient, world: World, pair: tuple[Node, ...], off_s: float
) -> None:
    node = pair[0]
    token = ask(client, world, "i-1", launch=node.token).json()["node_token"]
    world.clock.advance(100.0)
    now_s = world.clock.now_s()
    window = {
        "generation": 1,
        "world_size": 1,
        "phase": "main",
        "iteration": 8,
        "iterations": 8,
        "elapsed_s": 8.0,
    }
    said = {
        "sent_at_s": now_s + off_s,
        "windows": [window | {"seq": 1, "is_cold": False, "ended_at_s": now_s - 5.0 + off_s}],
        "events": [{"seq": 2, "kind": "note", "text": "hello", "at_s": now_s - 3.0 + off_s}],
        "notice": {
            "kind": "interruption",
            "noticed_at_s": now_s - 1.0 + off_s,
            "at_s": now_s + 119.0,
        },
    }
    world.store.generations.start(node.job_id, (node,), rdzv_endpoint="e:1", now_s=now_s - 50.0)
    assert beat(client, node.id, "i-1", token, **said) == 200
    kept_off_s = off_s if abs(off_s) <= ANSWER_TIMEOUT_S else 0.0
    (measured,) = world.store.measurements.listed(node.job_id, limit=9)
    assert measured.window.ended_at_s == pytest.approx(now_s - 5.0 + kept_off_s, abs=1e-3)
    (note,) = [each for each in world.store.events.listed() if each.kind == "note"]
    assert note.at_s == pytest.approx(now_s - 3.0 + kept_off_s, abs=1e-3)
    notice = world.store.nodes.get(node.id).notice
    assert notice is not None and notice.at_s == now_s + 119.0, "the cloud's word"
    assert notice.noticed_at_s == pytest.approx(now_s - 1.0 + kept_off_s, abs=1e-3)


def test_what_a_node_gets_ready_is_shown_with_its_job_and_its_lines_are_labelled(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    token = ask(client, world, "i-1", launch=pair[0].token).json()["node_token"]
    doing = {"what": "installing 2 requirements", "elapsed_s": 5.0}
    assert beat(client, pair[0].id, "i-1", token, state="preparing", preparing=doing) == 200
    world.clock.advance(36.0)
    job = world.store.jobs.get(pair[0].job_id)
    said = f"installing 2 requirements on {pair[0].id}, 41 s"
    other = f"buying {pair[1].id}, 36 s"
    assert client.get(f"/v1/jobs/{job.id}").json()["preparing"] == [other, said]
    assert said in client.get(f"/jobs/{job.id}").text
    stream = {"generation": 0, "stage": "installing", "lines": ["Collecting einops"]}
    batch = {"node_id": pair[0].id, "instance_id": "i-1", "seq": 1, "streams": [stream]}
    headers = {"Authorization": f"Bearer {token}"}
    assert client.post("/v1/agent/logs", json=batch, headers=headers).status_code == 200
    assert (
        f"[installing on {pair[0].id}] Collecting einops"
        in client.get(f"/v1/jobs/{job.id}/logs").text
    )
    assert beat(client, pair[0].id, "i-1", token, state="idle") == 200
    assert client.get(f"/v1/jobs/{job.id}").json()["preparing"] == [other]


def test_each_step_on_the_way_to_training_says_how_long_it_usually_takes(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    node, job = pair[0], world.store.jobs.get(pair[0].job_id)
    other = intend(world.store, job.id, node.offering, now_s=START_S)
    for each, took_s in ((pair[1], 25.0), (other, 35.0)):
        world.store.nodes.launched(each.id, f"i-{each.id}", launched_at_s=START_S, minimum_s=0.0)
        world.store.nodes.joined(each.id, now_s=START_S + took_s)
        world.store.nodes.gone(each.id, at_s=START_S + 40.0)
    world.store.nodes.launched(node.id, "i-1", launched_at_s=START_S, minimum_s=0.0)
    world.clock.advance(START_S + 41.0 - world.clock.now_s())
    said = f"booting {node.id}, 41 s of about 30 s"
    assert client.get(f"/v1/jobs/{job.id}").json()["preparing"] == [said]
    assert said in client.get(f"/jobs/{job.id}").text


def test_how_busy_a_node_is_is_shown_while_it_lives(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    token = ask(client, world, "i-1", launch=pair[0].token).json()["node_token"]
    page = f"/jobs/{pair[0].job_id}"
    usage = {
        "cores": 0.75,
        "memory": 0.42,
        "received_bytes_per_s": 12 * 2**20,
        "sent_bytes_per_s": 0,
    }
    wrong = {**usage, "memory": 1.5}
    assert beat(client, pair[0].id, "i-1", token, usage=wrong) == 422
    assert beat(client, pair[0].id, "i-1", token, usage=usage) == 200
    found = client.get(f"/v1/nodes/{pair[0].id}").json()["usage"]
    assert found == {**usage, "gpu": None, "gpu_memory": None}
    shown = client.get(page).text
    assert "0.75 of 1 core<" in shown and "memory 42 %" in shown and "in 12 MiB/s" in shown
    assert "GPU" not in shown
    labels = f'job_id="{pair[0].job_id}",node_id="{pair[0].id}",node_type="small"'
    metrics = client.get("/metrics").text
    assert f"elasticd_node_cores_used{{{labels}}} 0.75" in metrics
    assert f'elasticd_node_used_ratio{{{labels},resource="memory"}} 0.42' in metrics
    assert 'resource="gpu"' not in metrics
    # With GPUs, and nothing new otherwise: it is kept in memory until the next tick.
    world.clock.advance(1.0)
    more = {**usage, "gpu": 0.93, "gpu_memory": 0.4}
    assert beat(client, pair[0].id, "i-1", token, usage=more) == 200
    world.store.presence.write()
    assert "GPU 93 %, its memory 40 %" in client.get(page).text
    metrics = client.get("/metrics").text
    assert f'elasticd_node_used_ratio{{{labels},resource="gpu"}} 0.93' in metrics
    world.store.nodes.gone(pair[0].id, at_s=START_S)
    assert "GPU 93 %" not in client.get(page).text
    assert pair[0].id not in client.get("/metrics").text


def test_a_node_s_free_disk_space_is_shown_while_it_lives(
    client: TestClient, world: World, pair: tuple[Node, ...]
) -> None:
    token = ask(client, world, "i-1", launch=pair[0].token).json()["node_token"]
    assert client.get(f"/v1/nodes/{pair[0].id}").json()["disk_free_bytes"] is None
    assert beat(client, pair[0].id, "i-1", token, disk_free_bytes=-1) == 422
    assert beat(client, pair[0].id, "i-1", token, disk_free_bytes=44_560_000_000) == 200
    assert client.get(f"/v1/nodes/{pair[0].id}").json()["disk_free_bytes"] == 44_560_000_000
    assert "41.5 GiB disk free" in client.get(f"/jobs/{pair[0].job_id}").text
    world.clock.advance(1.0)
    assert beat(client, pair[0].id, "i-1", token, disk_free_bytes=2**30) == 200
    world.store.presence.write()
    assert client.get(f"/v1/nodes/{pair[0].id}").json()["disk_free_bytes"] == 2**30
    world.store.nodes.gone(pair[0].id, at_s=START_S)
    assert "disk free" not in client.get("/nodes?all=true").text
