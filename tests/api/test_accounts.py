from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from api.accounts import cost_over_time, totals_by_day
from api.app import give_context
from api.schemas import LedgerBy
from elastic.model import (
    Action,
    AgentState,
    Capacity,
    JobPhase,
    LedgerRow,
    NodeReport,
    Obstacle,
    Offering,
    PastPrice,
    Plan,
    Reason,
)
from elastic.policy import VERSIONS, decide
from elastic.pricing import Quarantined, Quote
from elastic.reconciler import JobFolders
from elastic.store import HeartbeatReport
from tests.api.world import LARGE, SMALL, START_S, World, decide_once, train
from tests.builders import add_price, intend, window
from tests.statements import statements


def artifacts(world: World, job_id: str) -> Path:
    folder = JobFolders(world.context.settings.data_dir / "jobs").artifacts(job_id)
    folder.mkdir(parents=True)
    return folder


def test_the_report_accounts_for_every_dollar_and_says_what_fixed_choices_would_have_cost(
    client: TestClient, world: World
) -> None:
    job, node = train(world)
    decide_once(world, job)
    (artifacts(world, job.id) / "report.json").write_text(
        '{"psnr_y_db": 27.5, "options": {}, "x": NaN}'
    )
    report = client.get(f"/v1/jobs/{job.id}/report").json()
    assert (
        report["spent_usd"]
        == pytest.approx(0.36 / 60)
        == sum(each["usd"] for each in report["nodes"])
    )
    assert [(each["node_id"], each["seconds"]) for each in report["nodes"]] == [(node.id, 60.0)]
    # It trained on nothing else, so that is what it cost. The large type was never measured.
    assert [each["usd"] for each in report["fixed"]] == [pytest.approx(report["spent_usd"])]
    assert sum(each["usd"] for each in report["uses"]) == pytest.approx(
        report["spent_usd"], rel=1e-12
    )
    assert (
        report["first_fixed"] == report["best_fixed"] == report["worst_fixed"] == report["fixed"][0]
    )
    assert [each["plan"]["action"] for each in report["decisions"]] == ["start"]
    assert report["quality"] == {"psnr_y_db": 27.5}
    assert report["artifacts"][0]["name"] == "report.json"


def test_nodes_of_a_swap_that_trained_together_for_a_moment_are_no_fixed_choice(
    client: TestClient, world: World
) -> None:
    job, old = train(world)
    decide_once(world, job)
    now_s = world.clock.now_s()
    bought = intend(world.store, job.id, LARGE, why="price", now_s=now_s)
    new = world.store.nodes.joined(bought.id, now_s=now_s)
    world.store.generations.start(job.id, (old, new), rdzv_endpoint="127.0.0.1:1", now_s=now_s)
    together = [
        window(node_id=old.id, seq=100, generation=2, world_size=2, phase="main", ended_at_s=now_s)
    ]
    world.store.heartbeats.take_in(
        old.id,
        HeartbeatReport(NodeReport(AgentState.RUNNING, 2), windows=together, acked_seq=100),
        now_s=now_s,
    )
    assert len(world.store.measurements.recent_series(job.id)) == 3
    report = client.get(f"/v1/jobs/{job.id}/report").json()
    assert [
        [each["node_type"] for each, _ in choice["group"]["members"]] for choice in report["fixed"]
    ] == [["small"]]


def test_a_forecast_is_made_from_the_first_decision_on_until_the_job_is_over(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    early = client.get(f"/v1/jobs/{job.id}/forecast")
    assert early.status_code == 409 and "from its first decision until it ends" in early.text
    decide_once(world, job)
    told = client.get(f"/v1/jobs/{job.id}/forecast").json()
    assert told["at_s"] == world.clock.now_s() and told["misses"] == []
    assert {each["group"]["members"][0][0]["node_type"] for each in told["finishes"]} == {"small"}
    assert told["frontier"] == [each for each in told["finishes"] if each in told["frontier"]] != []
    world.clock.advance(2.2)
    later = client.get(f"/v1/jobs/{job.id}/forecast").json()
    assert later["at_s"] == told["at_s"] + 2.0, "four iterations later, and a part of the fifth"
    (before, *_), (after, *_) = told["finishes"], later["finishes"]
    assert after["lasts_s"]["value"] == pytest.approx(before["lasts_s"]["value"] - 2.0)
    assert after["usd"]["value"] == pytest.approx(before["usd"]["value"], rel=0.01), (
        "what was spent since is no longer ahead"
    )
    client.post(f"/v1/jobs/{job.id}:stop")
    assert client.get(f"/v1/jobs/{job.id}/forecast").status_code == 409
    world.store.jobs.move(job.id, JobPhase.CANCELLED, now_s=world.clock.now_s())
    over = client.get(f"/v1/jobs/{job.id}/forecast").json()["detail"]
    assert over.startswith(f"job {job.id} was cancelled: there is a forecast")


def test_a_forecast_is_held_to_the_limits_of_now(client: TestClient, world: World) -> None:
    job, _ = train(world)
    decide_once(world, job)
    limits = {"budget_usd": 777.0, "deadline": "6h"}
    assert client.post(f"/v1/jobs/{job.id}:limit", json=limits).status_code == 202
    told = client.get(f"/v1/jobs/{job.id}/forecast").json()
    assert (told["budget_usd"], told["left_s"]) == (777.0, 6 * 3600.0)


def test_the_forecast_of_a_job_that_waits_begins_now(client: TestClient, world: World) -> None:
    job, node = train(world)
    decide_once(world, job)
    told = client.get(f"/v1/jobs/{job.id}/forecast").json()
    world.store.nodes.gone(node.id, at_s=world.clock.now_s(), why="lost")
    world.clock.advance(100.0)
    later = client.get(f"/v1/jobs/{job.id}/forecast").json()
    assert later["at_s"] == told["at_s"] + 100.0
    assert later["finishes"][0]["lasts_s"] == told["finishes"][0]["lasts_s"]


def test_a_job_that_has_done_nothing_has_a_report_too(client: TestClient) -> None:
    client.post("/v1/jobs", json={"name": "idle", "command": ["/x.py"]})
    report = client.get("/v1/jobs/idle/report").json()
    assert (report["spent_usd"], report["iterations_per_usd"], report["best_fixed"]) == (
        0.0,
        None,
        None,
    )


def test_cost_over_time_never_falls_and_ends_at_the_total(client: TestClient, world: World) -> None:
    job, _ = train(world)
    points = client.get(f"/v1/jobs/{job.id}/cost", params={"buckets": 10}).json()["items"]
    dollars = [each["usd"] for each in points]
    assert len(points) == 10 and dollars == sorted(dollars)
    assert dollars[-1] == pytest.approx(world.store.ledger.spent(job.id, world.clock.now_s()))


def test_a_launch_costs_its_minimum_from_its_first_second() -> None:
    row = LedgerRow(1, "j", "n", SMALL, 1, 3600.0, from_s=0.0, to_s=120.0, minimum_s=60.0)
    points = cost_over_time([row], points=5, now_s=500.0)
    assert [(each.at_s, each.usd) for each in points] == [
        (0, 60),
        (30, 60),
        (60, 60),
        (90, 90),
        (120, 120),
    ]
    assert cost_over_time([], points=5, now_s=1.0) == []


def test_throughput_is_given_over_time(client: TestClient, world: World) -> None:
    job, _ = train(world)
    items = client.get(f"/v1/jobs/{job.id}/throughput").json()["items"]
    # Reported at one instant: 20 iterations of the warm-up and 40 of the main phase, all in the
    # last five seconds.
    assert [(each["training_phase"], each["iterations_per_s"]) for each in items] == [
        ("main", pytest.approx(12.0))
    ]


def test_the_ledger_lists_rows_and_sums_them_all(client: TestClient, world: World) -> None:
    job, _ = train(world)
    add_price(
        world.store,
        SMALL,
        0.72,
        valid_from_s=world.clock.now_s(),
        observed_at_s=world.clock.now_s(),
        source="test",
    )
    world.clock.advance(60.0)
    page = client.get("/v1/ledger", params={"job": "first", "limit": 1}).json()
    assert page["items"][0]["usd_per_h"] == 0.72 and page["items"][0]["to_s"] is None
    rest = client.get("/v1/ledger", params={"before": page["next_before"]}).json()
    assert len(rest["items"]) == 1 and rest["next_before"] is None
    assert page["total_usd"] == rest["total_usd"] == pytest.approx((0.36 + 0.72) / 60)
    assert sum(each["usd"] for each in page["items"] + rest["items"]) == pytest.approx(
        page["total_usd"]
    )
    assert job.id == page["items"][0]["job_id"]


def test_a_ledger_row_cites_its_price(client: TestClient, world: World) -> None:
    train(world)
    (row,) = client.get("/v1/ledger").json()["items"]
    (price,) = [
        each for each in client.get("/v1/prices").json()["items"] if each["id"] == row["price_id"]
    ]
    assert (row["price_source"], row["price_observed_at_s"]) == ("test", price["observed_at_s"])


def test_the_ledger_is_added_up_by_each_key_with_what_goes_on(
    client: TestClient, world: World
) -> None:
    job, node = train(world)
    for by, key in (
        ("job", job.id),
        ("node", node.id),
        ("type", "small on-demand"),
        ("zone", "local"),
        ("month", "2023-11"),
    ):
        found = client.get("/v1/ledger/summary", params={"by": by, "job": job.id}).json()
        assert [(each["key"], each["usd"], each["burn_usd_per_h"]) for each in found["items"]] == [
            (key, pytest.approx(0.006), 0.36)
        ]
        assert (found["total_usd"], found["burn_usd_per_h"]) == (pytest.approx(0.006), 0.36)


def test_the_database_adds_up_what_its_rows_say(client: TestClient, world: World) -> None:
    job, _ = train(world)
    for offering, is_waived in ((LARGE, True), (LARGE, False), (SMALL, False)):
        now_s = world.clock.now_s()
        node = intend(world.store, job.id, offering, now_s=now_s)
        world.store.nodes.launched(node.id, node.id, launched_at_s=now_s, minimum_s=60.0)
        world.clock.advance(7.0)
        world.store.nodes.gone(node.id, at_s=world.clock.now_s(), is_waived=is_waived)
    now_s = world.clock.now_s()
    rows = world.store.ledger.of_job(job.id)
    for by, key_of in (
        ("job", lambda row: row.job_id),
        ("node", lambda row: row.node_id),
        ("type", lambda row: f"{row.offering.node_type} {row.offering.capacity}"),
        ("zone", lambda row: row.offering.zone),
    ):
        with statements() as found:
            items = client.get("/v1/ledger/summary", params={"by": by}).json()["items"]
        assert len([each for each in found if "FROM ledger" in each]) == 1
        assert [each["key"] for each in items] == sorted({key_of(row) for row in rows})
        for each in items:
            mine = [row for row in rows if key_of(row) == each["key"]]
            assert each["usd"] == pytest.approx(sum(row.usd(now_s) for row in mine), rel=1e-12)
            assert each["burn_usd_per_h"] == sum(row.usd_per_h for row in mine if row.to_s is None)


@pytest.mark.parametrize(("by", "days"), [("day", 3), ("month", 1)])
def test_the_database_adds_days_up_as_they_are_row_by_row(
    client: TestClient, world: World, by: str, days: int
) -> None:
    job, _ = train(world)  # its node goes on, over two midnights
    for second in (3600.0, 86_400.0 - START_S % 86_400.0 - 3600.0 - 60.0, 86_400.0):
        world.clock.advance(second)
        now_s = world.clock.now_s()
        node = intend(world.store, job.id, LARGE, now_s=now_s)
        world.store.nodes.launched(node.id, node.id, launched_at_s=now_s, minimum_s=60.0)
        world.store.nodes.gone(node.id, at_s=now_s + 1.0)
    now_s = world.clock.now_s() + 1.0
    world.clock.advance(1.0)
    found = client.get("/v1/ledger/summary", params={"by": by}).json()
    wanted = totals_by_day([], world.store.ledger.of_job(job.id), LedgerBy(by), now_s=now_s)
    assert len(wanted) == days
    assert [each["key"] for each in found["items"]] == [each.key for each in wanted]
    for each, told in zip(found["items"], wanted, strict=True):
        assert each["usd"] == pytest.approx(told.usd, rel=1e-12)
        assert each["burn_usd_per_h"] == told.burn_usd_per_h
    assert found["total_usd"] == pytest.approx(world.store.ledger.total(None, now_s), rel=1e-12)


def test_a_row_over_midnight_is_shared_by_its_days() -> None:
    row = LedgerRow(
        1, "j", "n", SMALL, 1, 3600.0, from_s=86_400.0 - 20.0, to_s=None, extras_usd_per_h=36.0
    )
    over = replace(row, to_s=86_400.0 + 10.0, minimum_s=60.0)
    days = totals_by_day([], [row, over], LedgerBy.DAY, now_s=86_420.0)
    assert [each.key for each in days] == ["1970-01-01", "1970-01-02"]
    # The second one's minimum of 60 s is spent from its first second on.
    assert [each.usd for each in days] == pytest.approx([20.0 + 60.0, 20.0])
    assert [each.burn_usd_per_h for each in days] == [0.0, 3600.0]
    (waived,) = totals_by_day([], [replace(row, is_waived=True)], LedgerBy.MONTH, now_s=86_420.0)
    assert [waived.usd, waived.burn_usd_per_h] == pytest.approx([0.4, 36.0])


def test_prices_are_listed_as_they_came_and_as_they_are(client: TestClient, world: World) -> None:
    add_price(world.store, LARGE, 0.3, valid_from_s=START_S, observed_at_s=START_S, source="test")
    assert [each["usd_per_h"] for each in client.get("/v1/prices").json()["items"]] == [
        0.3,
        0.72,
        0.36,
    ]
    current = client.get("/v1/prices", params={"current": True}).json()["items"]
    assert [(each["offering"]["node_type"], each["usd_per_h"]) for each in current] == [
        ("large", 0.3),
        ("small", 0.36),
    ]


def test_what_is_not_believed_stands_beside_the_prices(
    client: TestClient, world: World, bare_app: FastAPI
) -> None:
    assert client.get("/v1/prices").json()["disbelieved"] == []
    nothing = Quarantined(Quote(LARGE, float("nan"), START_S, "ec2"), "wanted a number")
    told = Quarantined(Quote(SMALL, 3.6, START_S, "ec2"), "wanted at most a 5-fold change")
    give_context(bare_app, replace(world.context, disbelieved=lambda: (told, nothing)))
    first, second = client.get("/v1/prices").json()["disbelieved"]
    assert first == {
        "offering": {"node_type": "small", "capacity": "on-demand", "zone": "local"},
        "usd_per_h": 3.6,
        "valid_from_s": START_S,
        "source": "ec2",
        "why": "wanted at most a 5-fold change",
    }
    assert second["usd_per_h"] is None


def test_a_types_history_tells_what_was_heard_late_and_what_was_heard_then(
    client: TestClient, world: World
) -> None:
    day_s = 86_400.0
    told_late = ((100, 7.0), (95, 9.0), (45, 0.18))
    world.store.past_prices.add(
        PastPrice(
            SMALL, usd_per_h, START_S - days_ago * day_s, observed_at_s=START_S, source="archive"
        )
        for days_ago, usd_per_h in told_late
    )
    assert client.get("/v1/prices/history", params={"node_type": "none"}).status_code == 404
    (told,) = client.get("/v1/prices/history", params={"node_type": "small"}).json()["items"]
    assert [
        (each["usd_per_h"], each["source"], each["observed_at_s"]) for each in told["points"]
    ] == [
        (9.0, "archive", START_S),
        (0.18, "archive", START_S),
        (0.36, "test", told["points"][-1]["observed_at_s"]),
    ]
    assert told["mean_usd_per_h"] == pytest.approx((9.0 + 0.18) / 2, rel=0.01)
    (told,) = client.get("/v1/prices/history", params={"node_type": "small", "days": 40}).json()[
        "items"
    ]
    assert (told["lowest_usd_per_h"], told["mean_usd_per_h"], told["highest_usd_per_h"]) == (
        0.18,
        0.18,
        0.36,
    )
    assert (
        client.get("/v1/prices/history", params={"node_type": "small", "days": 0}).status_code
        == 422
    )
    page = client.get("/prices/small").text
    assert "small on-demand local: $0.18 to $9.00 an hour by 3 prices" in page
    assert client.get("/prices/none").status_code == 404


def test_prices_tell_what_cannot_be_bought_now_and_until_when(
    client: TestClient, world: World
) -> None:
    world.context.provider.blocks.block(SMALL, Obstacle.QUOTA, now_s=START_S)
    world.context.provider.blocks.block(LARGE, nodes=4, now_s=START_S)
    spot = Offering("small", Capacity.SPOT)
    add_price(
        world.store,
        spot,
        0.2,
        valid_from_s=START_S - 3700,
        observed_at_s=START_S - 3700,
        source="test",
    )
    items = client.get("/v1/prices", params={"current": True}).json()["items"]
    told = {each["offering"]["capacity"] + each["offering"]["node_type"]: each for each in items}
    assert {key: each["is_stale"] for key, each in told.items()} == {
        "on-demandsmall": False,
        "on-demandlarge": False,
        "spotsmall": True,
    }
    small = {"node_type": "small", "capacity": "on-demand", "zone": "local"}
    assert told["on-demandsmall"]["unavailable"] == [
        {"offering": small, "until_s": START_S + 180, "why": "quota", "nodes": 1},
    ]
    assert [(each["why"], each["nodes"]) for each in told["on-demandlarge"]["unavailable"]] == [
        ("capacity", 4)
    ]
    assert told["spotsmall"]["unavailable"] == []
    page = client.get("/prices").text
    assert "quota: blocked until" in page
    assert "capacity: 4 or more nodes blocked until" in page
    assert "too old to buy at" in page


def test_nodes_are_listed_without_their_tokens(client: TestClient, world: World) -> None:
    job, node = train(world)
    assert node.token not in client.get("/v1/nodes").text
    assert client.get(f"/v1/nodes/{node.id}").json() == client.get("/v1/nodes").json()["items"][0]
    world.store.nodes.intend_end(node.id, reason="test", now_s=START_S)
    world.store.nodes.gone(node.id, at_s=START_S + 90)
    assert client.get("/v1/nodes", params={"job": job.id}).json()["items"] == []
    gone = client.get("/v1/nodes", params={"job": job.id, "all": True}).json()["items"]
    assert [each["phase"] for each in gone] == ["terminated"]
    assert client.get("/v1/nodes", params={"job": "nobody"}).status_code == 404


def test_nodes_are_paged_from_the_newest_on(client: TestClient, world: World) -> None:
    job, _ = train(world)
    for _ in range(4):
        intend(world.store, job.id, SMALL, now_s=START_S)
    seen, before = [], None
    for _ in range(3):
        page = client.get(
            "/v1/nodes", params={"limit": 2} | ({} if before is None else {"before": before})
        ).json()
        seen += [each["id"] for each in page["items"]]
        before = page["next_before"]
    assert seen == [node.id for node in world.store.nodes.listed()] and before is None


def test_node_types_are_listed(client: TestClient) -> None:
    assert [each["name"] for each in client.get("/v1/node-types").json()["items"]] == [
        "small",
        "large",
    ]


def test_measurements_are_listed_with_the_group_they_measure(
    client: TestClient, world: World
) -> None:
    train(world)
    page = client.get("/v1/measurements", params={"limit": 4}).json()
    assert [each["window"]["iteration"] for each in page["items"]] == [60, 50, 40, 30]
    assert page["items"][0]["group"]["members"][0][1] == 1
    rest = client.get("/v1/measurements", params={"before": page["next_before"]}).json()
    assert [each["window"]["phase"] for each in rest["items"]] == ["warmup", "warmup"]


def test_a_decision_is_explained_by_its_whole_snapshot(client: TestClient, world: World) -> None:
    job, node = train(world)
    decision = decide_once(world, job)
    assert [
        each["id"] for each in client.get("/v1/decisions", params={"job": job.id}).json()["items"]
    ] == [decision]
    found = client.get(f"/v1/decisions/{decision}")
    snapshot = found.json()["snapshot"]
    assert snapshot["job"]["id"] == job.id and snapshot["nodes"][0]["id"] == node.id
    assert {each["training_phase"] for each in snapshot["series"]} == {"warmup", "main"}
    assert node.token not in found.text
    assert client.get("/v1/decisions/99").status_code == 404


def test_a_decision_is_replayed_without_a_trace(client: TestClient, world: World) -> None:
    job, _ = train(world)
    decision = decide_once(world, job)
    before = world.store.events.newest_id()
    replay = client.post(f"/v1/decisions/{decision}:replay").json()
    assert replay["decision_id"] == decision and replay["is_equal"] is False  # it was made by hand
    assert replay["plan"]["reason"]["text"]
    assert world.store.events.newest_id() == before and len(world.store.decisions.listed()) == 1


def test_what_an_earlier_version_of_the_policy_decided_is_said_not_to_be_replayable(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    of_ours = world.store.decisions.snapshot(decide_once(world, job))
    plan = Plan(Action.HOLD, None, Reason("best", "made before"))
    for policy, told in (
        ("best_value", "this elasticd has version"),
        ("gone", "this elasticd has no such policy"),
    ):
        old = world.store.decisions.record(of_ours, plan, policy, version=0, sets_target=False)
        answer = client.post(f"/v1/decisions/{old}:replay")
        assert answer.status_code == 409
        assert (
            f"version 0 of the policy {policy}" in answer.json()["detail"]
            and told in answer.json()["detail"]
        )


def test_what_would_have_had_others_chosen_is_found_by_deciding_again(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    decision = decide_once(world, job)
    before = world.store.events.newest_id()
    found = client.get(f"/v1/decisions/{decision}/what-if").json()
    # One candidate was weighed, and chosen.
    assert found["decision_id"] == decision and found["losers"] == []
    plan = decide(world.store.decisions.snapshot(decision))
    made = world.store.decisions.record(
        world.store.decisions.snapshot(decision),
        plan,
        "best_value",
        version=VERSIONS["best_value"],
        sets_target=False,
    )
    losers = client.get(f"/v1/decisions/{made}/what-if").json()["losers"]
    assert [each["name"] for each in losers] and all(each["text"] for each in losers)
    assert client.get("/v1/decisions/99/what-if").status_code == 404
    assert world.store.events.newest_id() <= before + 1


def test_artifacts_are_shown_or_downloaded_and_nothing_else_is_reached(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    folder = artifacts(world, job.id)
    (folder / "sample.png").write_bytes(b"\x89PNG")
    (folder / "page.html").write_text("<script>alert(1)</script>")
    (folder / "link.txt").symlink_to("/etc/passwd")
    (folder.parent / "secret.txt").write_text("secret")
    listed = client.get(f"/v1/jobs/{job.id}/artifacts").json()["items"]
    assert [each["name"] for each in listed] == ["page.html", "sample.png"]
    picture = client.get(listed[1]["href"])
    assert (picture.content, picture.headers["content-type"]) == (b"\x89PNG", "image/png")
    page = client.get(listed[0]["href"])
    assert page.headers["content-type"] == "application/octet-stream"
    assert page.headers["content-disposition"].startswith("attachment")
    for name in (
        "link.txt",
        "..%2Fsecret.txt",
        "%2e%2e%2fsecret.txt",
        ".hidden",
        "none.png",
        "a%00.png",
    ):
        assert client.get(f"/v1/jobs/{job.id}/artifacts/{name}").status_code == 404


def test_logs_are_empty_where_nothing_was_logged(client: TestClient, world: World) -> None:
    train(world)
    answer = client.get("/v1/jobs/first/logs")
    assert (answer.status_code, answer.text) == (200, "")


def test_events_are_listed_in_order(client: TestClient, world: World) -> None:
    job, _ = train(world)
    items = client.get("/v1/events", params={"job": job.id, "after": 0, "limit": 2}).json()["items"]
    assert [each["kind"] for each in items] == ["job_submitted", "node_launched"]
    later = client.get("/v1/events", params={"after": items[-1]["id"]}).json()["items"]
    assert later[0]["id"] > items[-1]["id"]


def test_metrics_are_read_by_prometheus(client: TestClient, world: World) -> None:
    job, _ = train(world)
    decide_once(world, job)
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    samples = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    assert samples["elasticd_jobs", "submitted"] == 1
    assert samples["elasticd_nodes", "joined", "small"] == 1
    assert samples["elasticd_job_spent_usd", "first", job.id] == pytest.approx(0.36 / 60)
    assert samples["elasticd_job_burn_usd_per_h", "first", job.id] == 0.36
    assert (
        samples["elasticd_iterations_per_usd", "1 x small on-demand", "first", job.id, "main"]
        == 20_000
    )
    assert samples["elasticd_decisions_total", "start"] == 1
    assert samples["elasticd_events_total", "node_joined"] == 1
    assert samples["elasticd_price_age_seconds", "large", "local", "on-demand"] == 60
    assert samples["elasticd_price_usd_per_h", "large", "local", "on-demand"] == 0.72


def test_metrics_forget_the_price_of_a_type_that_is_sold_no_more(
    client: TestClient, world: World, bare_app: FastAPI
) -> None:
    train(world)

    def priced(offered: frozenset[Offering] | None) -> set[str]:
        give_context(bare_app, replace(world.context, offered=lambda: offered))
        families = text_string_to_metric_families(client.get("/metrics").text)
        ages = next(each for each in families if each.name == "elasticd_price_age_seconds")
        return {sample.labels["node_type"] for sample in ages.samples}

    # Its price would grow older for ever, and the alert for old prices would never be over.
    assert priced(None) == {"small", "large"}
    assert priced(frozenset([SMALL])) == {"small"}
    # What still runs is charged, whatever is sold.
    assert priced(frozenset([LARGE])) == {"small", "large"}


def test_health_tells_everybody_only_whether_all_is_well(client: TestClient, world: World) -> None:
    assert json.loads(client.get("/healthz", headers={"Authorization": ""}).text) == {
        "status": "ok"
    }


def test_a_misspelt_parameter_is_refused_and_not_answered_for_all_jobs(
    client: TestClient, world: World
) -> None:
    train(world)
    refused = client.get("/v1/ledger", params={"jobs": "first"})
    assert refused.status_code == 422
    assert refused.json()["errors"] == [
        {"field": "jobs", "message": "no parameter 'jobs'; did you mean 'job'?"}
    ]
    unread = client.get("/v1/purse", params={"job": "first"})
    assert (unread.status_code, unread.json()["detail"]) == (422, "no parameter 'job'")
    known = client.get("/v1/ledger", params={"job": "first", "limit": 1, "before": 9})
    assert known.status_code == 200
    # Who asks without a token learns no name.
    stranger = client.get("/v1/ledger?jobs=first", headers={"Authorization": ""})
    assert stranger.status_code == 401
    assert client.get("/healthz?probe=1").status_code == 200
