"""The list of jobs: what needs attention comes first, and readers choose what they see."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from api.dashboard.views import cost_view
from elastic.model import JobPhase, LedgerRow, ScriptError
from elastic.store import StoredAlarm
from tests.api.dashboard.conftest import Told
from tests.api.dashboard.story import FULL, HALF, QUARTER, SPEC, Story


def listed(told: Told, query: str = "") -> list[str]:
    """The names of the jobs on the overview, from the top."""
    page = told.client.get(f"/{query}").text
    return re.findall(r'<th scope="row"><a href="/jobs/[^"]*">([^<]*)</a>', page)


def another(told: Told, name: str) -> Story:
    """A job beside the one of the story, just submitted."""
    spec = replace(SPEC, name=name)
    job, _ = told.store.jobs.submit(spec, key=None, request_hash=name, now_s=told.clock.now_s())
    told.clock.advance(1.0)
    return Story(told.store, spec, told.clock.now_s(), job.id)


def over(told: Told, story: Story, phase: JobPhase) -> None:
    now_s = told.clock.now_s()
    told.store.jobs.request_stop(story.job_id, phase, "exit code 1", now_s=now_s)
    told.store.jobs.move(story.job_id, phase, now_s=now_s, message="exit code 1")


@pytest.fixture
def many(told: Told) -> Told:
    """The story's job that trains, one that succeeded, one that failed, one at risk, one that
    waits."""
    over(told, another(told, "fine"), JobPhase.SUCCEEDED)
    over(told, another(told, "crashed"), JobPhase.FAILED)
    late = another(told, "late")
    alarm = StoredAlarm("will_be_late", "3 h late", told.clock.now_s(), late.job_id, None, "late")
    told.store.alarms.begin(alarm, now_s=told.clock.now_s())
    another(told, "waits")
    return told


def test_what_failed_or_is_at_risk_comes_first_and_says_why(many: Told) -> None:
    assert listed(many) == ["late", "crashed", "waits", "esrgan-demo", "fine"]
    page = unescape(many.client.get("/").text)
    assert '<span class="attention">will be late: 3 h late</span>' in page
    assert '<span class="attention">exit code 1</span>' in page
    assert page.count('class="attention"') == 2


def test_of_a_long_reason_the_list_has_the_first_sentence_and_the_page_no_banner(
    many: Told,
) -> None:
    job = another(many, "long")
    text = "late by 3 h. Least time: 2 h. `elasticd job limit` moves the deadline"
    alarm = StoredAlarm("will_be_late", text, many.clock.now_s(), job.job_id, None, "long")
    many.store.alarms.begin(alarm, now_s=many.clock.now_s())
    page = unescape(many.client.get("/").text)
    assert '<span class="attention">will be late: late by 3 h</span>' in page
    assert 'id="alarm"' not in page
    # A list without that job must not hide that it is late.
    assert 'id="alarm"' in many.client.get("/?text=fine").text
    assert 'id="alarm"' in many.client.get("/nodes").text


def test_a_failure_that_a_newer_job_of_its_name_follows_needs_no_attention(many: Told) -> None:
    another(many, "crashed")
    assert listed(many, "?state=attention") == ["late"]


def test_a_job_that_starts_again_after_a_failure_needs_attention(many: Told) -> None:
    error = ScriptError("ValueError", "ValueError: no")
    many.store.jobs.note_error(many.story.job_id, error, generation=1)
    assert listed(many, "?state=attention") == ["late", "esrgan-demo", "crashed"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("?state=over", ["crashed", "fine"]),
        ("?state=open&order=newest", ["waits", "late", "esrgan-demo"]),
        ("?state=running", ["esrgan-demo"]),
        ("?text=RA", ["crashed"]),
        ("?text=%25", []),
        ("?state=nonsense&order=nonsense&text=late", ["late"]),
    ],
)
def test_a_list_is_narrowed_by_state_and_name(many: Told, query: str, names: list[str]) -> None:
    assert listed(many, query) == names


def test_a_list_is_put_in_order_by_value_cost_and_time_left(told: Told) -> None:
    slow, fast = another(told, "slow"), another(told, "fast")
    slow.train_on(QUARTER, 100.0)
    fast.train_on(FULL, 2000.0)
    told.clock.advance(4000.0)
    another(told, "unknown")
    for order, field in (("cost", "spent_usd"), ("value", "iterations_per_usd")):
        page = told.client.get(f"/?order={order}").text
        values = re.findall(rf'value="([^"]*)" data-field="{field}"', page)
        assert len(values) >= 3 and values == sorted(values, key=lambda each: -float(each))
        assert listed(told, f"?order={order}")[-1] == "unknown"
    # Only the story's job has a decision that knows its pace.
    assert listed(told, "?order=left")[0] == "esrgan-demo"


def test_a_long_list_has_pages_that_keep_what_was_asked(told: Told) -> None:
    for number in range(60):
        another(told, f"net-{number}")
    assert len(listed(told)) == 50
    more = re.search(r'href="([^"]*page=2[^"]*)"', told.client.get("/?text=net&order=newest").text)
    assert more is not None
    assert listed(told, unescape(more.group(1))) == [f"net-{number}" for number in range(9, -1, -1)]
    assert listed(told, "?page=9") == []


def test_while_there_is_one_job_the_overview_shows_it_whole(told: Told) -> None:
    assert "Iterations per dollar by node type" in told.client.get("/").text
    another(told, "second").train_on(HALF, 60.0)
    assert "Iterations per dollar by node type" not in told.client.get("/").text


def test_rest_lists_jobs_by_phase_and_name_and_says_which_need_attention(many: Told) -> None:
    found = many.client.get("/v1/jobs?phase=failed&phase=succeeded").json()["items"]
    assert [(each["spec"]["name"], each["attention"]) for each in found] == [
        ("crashed", "exit code 1"),
        ("fine", None),
    ]
    found = many.client.get("/v1/jobs?text=late").json()["items"]
    assert [each["attention"] for each in found] == ["will be late: 3 h late"]
    assert many.client.get("/v1/jobs?phase=nonsense").status_code == 422


@pytest.mark.slow
def test_long_tables_are_cut_and_say_how_much_is_left_out(told: Told) -> None:
    story = another(told, "long")
    for _ in range(103):
        story.train_on(HALF, 5.0)
    told.clock.advance(story.now_s - told.clock.now_s())
    job = told.client.get("/jobs/long").text
    assert job.count('<tr id="node-') == 50 and "and 53 more" in job
    nodes = told.client.get("/nodes?gone=1").text
    assert nodes.count('<tr id="node-') == 100 and "and 8 more" in nodes
    assert len(job) < 150_000 and len(nodes) < 150_000


def test_the_costs_of_many_jobs_add_up() -> None:
    rows = [
        LedgerRow(number, f"job-{number}", "n", HALF, 1, 0.36 + number, from_s=0.0, to_s=3600.0)
        for number in range(104)
    ]
    names = {each.job_id: each.job_id for each in rows}
    by_job = next(
        each for each in cost_view(rows, names, now_s=3600.0).tables if each.title == "By job"
    )
    assert len(by_job.rows) == 101
    assert (by_job.rows[-1].name, by_job.rows[-1].href) == ("4 more", None)
    shown = sum(each.usd.value or 0.0 for each in by_job.rows)
    assert shown == pytest.approx(sum(each.usd(3600.0) for each in rows))
