"""The tasks of somebody who runs a training from the pages, in a real browser, by keyboard alone and
on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from elastic.model import Job, JobPhase
from tests.api.dashboard.keyboard import WAYS, looked_over, press, reach, write
from tests.api.dashboard.served import TOKEN, Site
from tests.api.dashboard.story import FULL, HALF, Story
from tests.api.dashboard.watched import (
    Watched,
    opened,
    story_of,
)

pytestmark = pytest.mark.browser
expect.set_options(timeout=20_000)

FILE = """name: again
command: [/srv/train.py]
iterations: 5000
nodes: {min: 1, max: 1}
objective: {budget_usd: 3}
"""


def choose(page: Page, label: str, value: str) -> None:
    """Chooses from a list by the keyboard alone: its first letters lead to the entry."""
    field = page.get_by_label(label, exact=True)
    reach(page, field)
    page.keyboard.type(value)
    expect(field).to_have_value(value)


def job_of(site: Site) -> Job:
    return site.store.jobs.get("esrgan-demo")


def run_before(seen: Watched) -> None:
    """An earlier run of the same program, on two node types."""
    answer = seen.page.request.post(
        f"{seen.site.url}/v1/jobs",
        data=FILE.replace("again", "before"),
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/yaml"},
    )
    assert answer.ok, answer.text()
    job = seen.site.store.jobs.get("before")
    story = Story(seen.site.store, job.spec, seen.site.clock.now_s(), job.id, phase="main")
    story.train_on(HALF, 200.0)
    story.train_on(FULL, 200.0)
    seen.site.clock.advance(story.now_s - seen.site.clock.now_s())


@pytest.mark.parametrize("way", WAYS)
def test_a_job_is_scaled_by_the_keyboard(
    chromium: Browser, site: Site, way: dict[str, Any]
) -> None:
    with opened(chromium, site, "/jobs/esrgan-demo", **way) as seen:
        page = seen.page
        press(page, "link", "Scale")
        choose(page, "Node type", "local.half")
        press(page, "button", "Show what it costs")
        expect(page.locator("#change")).to_contain_text("$0.045/h")
        looked_over(seen, has_scripts=way.get("java_script_enabled", True))
        assert job_of(site).spec.fixed_node_type is None
        press(page, "button", "Scale the job")
        expect(page).to_have_url(f"{site.url}/jobs/{job_of(site).id}")
        assert job_of(site).spec.fixed_node_type == "local.half"
        expect(page.get_by_text("only local.half from now on, on the dashboard")).to_be_visible()


@pytest.mark.parametrize("way", WAYS)
def test_a_budget_is_raised_and_a_deadline_moved_by_the_keyboard(
    chromium: Browser, site: Site, way: dict[str, Any]
) -> None:
    with opened(chromium, site, "/jobs/esrgan-demo", **way) as seen:
        page = seen.page
        press(page, "link", "Budget, deadline, priority")
        write(page, "Budget in dollars", "0.001")
        press(page, "button", "Show what changes")
        expect(page.get_by_role("alert")).to_contain_text("wanted a budget above that")
        seen.complaints.clear()  # the browser itself reports each refusal
        reach(page, page.get_by_label("Budget in dollars"))
        page.keyboard.press("Control+a")
        page.keyboard.type("4")
        write(page, "Deadline", "6h")
        page.keyboard.press("Enter")
        expect(page.locator("#change")).to_contain_text("$4.00")
        looked_over(seen, has_scripts=way.get("java_script_enabled", True))
        press(page, "button", "Change the limits")
        expect(page).to_have_url(f"{site.url}/jobs/{job_of(site).id}")
        objective = job_of(site).spec.objective
        assert objective.budget_usd == 4.0
        assert objective.deadline_s == site.clock.now_s() + 6 * 3600
        expect(page.locator("#card-spent_usd")).to_contain_text("of $4.00 budget")


@pytest.mark.parametrize("way", WAYS)
def test_a_job_is_stopped_and_resumed_by_the_keyboard(
    chromium: Browser,
    site: Site,
    told_template: tuple[Path, Story],
    way: dict[str, Any],
) -> None:
    story = story_of(site, told_template)
    with opened(chromium, site, "/jobs/esrgan-demo", **way) as seen:
        page = seen.page
        press(page, "link", "Stop")
        expect(page.locator("#change")).to_contain_text("keeps its newest checkpoint")
        looked_over(seen, has_scripts=way.get("java_script_enabled", True))
        press(page, "button", "Stop the job")
        expect(page).to_have_url(f"{site.url}/jobs/{story.job_id}")
        assert job_of(site).phase is JobPhase.DRAINING
        assert story.node is not None
        site.store.nodes.intend_end(story.node.id, reason="stopped", now_s=site.clock.now_s())
        site.store.nodes.gone(story.node.id, at_s=site.clock.now_s())
        site.store.jobs.move(story.job_id, JobPhase.CANCELLED, now_s=site.clock.now_s())
        page.goto(f"{site.url}/jobs/{story.job_id}")
        press(page, "link", "Resume")
        write(page, "Budget in dollars", "2")
        press(page, "button", "Show what changes")
        expect(page.locator("#change")).to_contain_text("$2.00")
        looked_over(seen, has_scripts=way.get("java_script_enabled", True))
        press(page, "button", "Resume the job")
        expect(page).to_have_url(f"{site.url}/jobs/{story.job_id}")
        resumed = job_of(site)
        assert (resumed.phase, resumed.spec.objective.budget_usd) == (JobPhase.SUBMITTED, 2.0)


@pytest.mark.parametrize("way", WAYS)
def test_a_job_is_submitted_with_its_plan_by_the_keyboard(
    chromium: Browser, site: Site, way: dict[str, Any]
) -> None:
    with opened(chromium, site, "/jobs", **way) as seen:
        page = seen.page
        run_before(seen)
        press(page, "link", "Submit a job")
        reach(page, page.get_by_label("YAML or JSON"))
        page.keyboard.insert_text(FILE)
        press(page, "button", "Show the plan")
        expect(page.locator("#plan")).to_contain_text("Budget")
        expect(page.locator(".frontier circle").first).to_be_visible()
        looked_over(seen, has_scripts=way.get("java_script_enabled", True))
        assert "again" not in [each.spec.name for each in site.store.jobs.listed()]
        press(page, "button", "Submit the job")
        expect(page.get_by_role("heading", name="again")).to_be_visible()
        submitted = site.store.jobs.get("again")
        expect(page).to_have_url(f"{site.url}/jobs/{submitted.id}")
        assert submitted.spec.objective.budget_usd == 3.0


def test_a_dropped_file_becomes_the_text(chromium: Browser, site: Site) -> None:
    with opened(chromium, site, "/submit") as seen:
        seen.page.evaluate(
            """(text) => {
              const dataTransfer = new DataTransfer();
              dataTransfer.items.add(new File([text], "job.yaml"));
              const area = document.getElementById("document");
              area.dispatchEvent(new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true}));
            }""",
            FILE,
        )
        expect(seen.page.get_by_label("YAML or JSON")).to_have_value(FILE)


def test_a_job_s_text_outlives_its_session_and_the_way_back_until_it_is_submitted(
    chromium: Browser, site: Site
) -> None:
    def lose_session_at(page: Page, button: str) -> None:
        page.context.clear_cookies()
        page.get_by_role("button", name=button).click()
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button", name="Sign in").click()

    with opened(chromium, site, "/submit") as seen:
        page = seen.page
        text = page.get_by_label("YAML or JSON")
        text.fill(FILE)
        lose_session_at(page, "Show the plan")
        expect(text).to_have_value(FILE)
        page.get_by_role("button", name="Show the plan").click()
        expect(page.locator("#plan")).to_contain_text("Budget")
        lose_session_at(page, "Submit the job")
        expect(text).to_have_value(FILE)
        page.get_by_role("button", name="Show the plan").click()
        expect(page.locator("#plan")).to_contain_text("Budget")
        expect(page).to_have_url(f"{site.url}/submit")
        page.get_by_role("link", name="Nodes", exact=True).click()
        page.go_back()
        expect(text).to_have_value(FILE)
        page.get_by_role("button", name="Show the plan").click()
        page.get_by_role("button", name="Submit the job").click()
        expect(page.get_by_role("heading", name="again")).to_be_visible()
        expect(page.locator("#feed-text")).to_have_text("Live")
        page.go_back()
        expect(text).to_have_value("")
        # The answer to a lost session is 401, and the browser says so.
        seen.complaints = [each for each in seen.complaints if "401" not in each]


def test_a_form_stays_as_it_is_while_things_happen(chromium: Browser, site: Site) -> None:
    with opened(chromium, site, "/jobs/esrgan-demo/limits") as seen:
        expect(seen.page.locator("#feed-text")).to_have_text("Live")
        seen.page.get_by_label("Budget in dollars").fill("7")
        before = len(seen.requests)
        site.store.events.add("note", "something", now_s=site.clock.now_s())
        seen.page.wait_for_timeout(2500)
        assert [each for each in seen.requests[before:] if "/limits" in each] == []
        expect(seen.page.get_by_label("Budget in dollars")).to_have_value("7")
