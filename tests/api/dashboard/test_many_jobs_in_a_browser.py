"""The tasks of somebody who runs many trainings, in a real browser, by keyboard alone and on a
phone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from elastic.log_line import LogPiece
from elastic.model import JobPhase, ScriptError
from tests.api.dashboard.keyboard import (
    PHONE,
    WAYS,
    looked_over,
    press,
    reach,
    write,
)
from tests.api.dashboard.served import Site
from tests.api.dashboard.story import QUARTER, SPEC, Story
from tests.api.dashboard.watched import opened, violations

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=20_000)

TRACEBACK = (
    "Traceback (most recent call last):",
    '  File "/srv/train.py", line 12, in main',
    "ValueError: shapes differ",
)


@pytest.fixture
def busy(site: Site) -> Site:
    """The story's job, one that trained on the slowest node, and one that failed."""
    for name in ("small-net", "crashed"):
        spec = replace(SPEC, name=name)
        job, _ = site.store.jobs.submit(spec, key=None, request_hash=name, now_s=site.clock.now_s())
        story = Story(site.store, spec, site.clock.now_s(), job.id)
        story.train_on(QUARTER, 120.0)
        site.clock.advance(story.now_s - site.clock.now_s())
    error = ScriptError("ValueError", TRACEBACK[-1], lines="\n".join(TRACEBACK))
    now_s = site.clock.now_s()
    site.store.jobs.note_error(job.id, error, generation=1)
    site.store.jobs.request_stop(job.id, JobPhase.FAILED, "exit code 1", now_s=now_s)
    site.store.jobs.move(job.id, JobPhase.FAILED, now_s=now_s, message="exit code 1")
    site.logs.add(job.id, "n1", [LogPiece(1, 0, 0, ("step 1", *TRACEBACK))], seq=1, now_s=0.0)
    return site


@pytest.mark.parametrize("way", WAYS)
def test_the_traceback_of_what_failed_is_found_by_the_keyboard(
    chromium: Browser, busy: Site, way: dict[str, Any]
) -> None:
    has_scripts = way.get("java_script_enabled", True)
    with opened(chromium, busy, "/", **way) as seen:
        first = seen.page.locator("tbody tr").first
        expect(first).to_contain_text("exit code 1")
        looked_over(seen, has_scripts=has_scripts)
        press(seen.page, "link", "crashed")
        log = seen.page.get_by_label("The traceback and what followed")
        expect(log).to_contain_text("ValueError: shapes differ")
        # It stands before every number.
        above = log.bounding_box()
        cards = seen.page.locator(".cards").bounding_box()
        assert above is not None and cards is not None and above["y"] < cards["y"]
        looked_over(seen, has_scripts=has_scripts)


@pytest.mark.parametrize("way", WAYS)
def test_why_a_job_moved_is_found_by_the_keyboard(
    chromium: Browser, busy: Site, way: dict[str, Any]
) -> None:
    has_scripts = way.get("java_script_enabled", True)
    with opened(chromium, busy, "/", **way) as seen:
        page = seen.page
        write(page, "Name contains", "ESRGAN")
        page.keyboard.press("Enter")
        expect(page.locator("tbody tr")).to_have_count(1)
        press(page, "link", "esrgan-demo")
        press(page, "link", "Move to local.full")
        expect(page.locator(".because")).to_contain_text("local.full fell from $0.09 to $0.058")
        looked_over(seen, has_scripts=has_scripts)


@pytest.mark.parametrize("way", WAYS)
def test_two_jobs_are_compared_by_the_keyboard(
    chromium: Browser, busy: Site, way: dict[str, Any]
) -> None:
    has_scripts = way.get("java_script_enabled", True)
    with opened(chromium, busy, "/jobs", **way) as seen:
        page = seen.page
        for name in ("Compare small-net", "Compare esrgan-demo"):
            reach(page, page.get_by_label(name, exact=True))
            page.keyboard.press("Space")
        if has_scripts:
            # What is ticked stays so while the list brings itself up to date.
            busy.store.events.add("note", "something", now_s=busy.clock.now_s())
            with page.expect_response(lambda answer: answer.url.endswith("/jobs")):
                pass
            expect(page.get_by_label("Compare small-net", exact=True)).to_be_checked()
        press(page, "button", "Compare those ticked")
        expect(page.get_by_role("heading", level=1)).to_contain_text("esrgan-demo")
        spent = page.locator("tr", has_text="Spent").locator("td")
        expect(spent).to_have_count(2)
        looked_over(seen, has_scripts=has_scripts)
        if has_scripts:
            expect(page.locator("#value canvas")).to_be_visible()
        else:
            expect(page.locator("#value svg path.job-2")).to_be_visible()


def test_a_list_is_put_in_order_by_the_keyboard_and_from_its_heads(
    chromium: Browser, busy: Site
) -> None:
    with opened(chromium, busy, "/", **PHONE) as seen:
        page = seen.page
        reach(page, page.get_by_label("First", exact=True))
        page.keyboard.type("most s")
        press(page, "button", "Show")
        expect(page.locator("tbody tr").first).to_contain_text("esrgan-demo")
        page.set_viewport_size({"width": 1280, "height": 900})
        press(page, "link", "Submitted")
        expect(page.locator("tbody tr").first).to_contain_text("crashed")
        expect(page.locator("th[aria-sort]")).to_have_text("Submitted")


def test_on_a_phone_nothing_has_to_be_scrolled_sideways(chromium: Browser, busy: Site) -> None:
    with opened(chromium, busy, "/", **PHONE) as seen:
        for path in (
            "/",
            "/compare?jobs=esrgan-demo,small-net",
            "/nodes?gone=1",
            "/jobs/esrgan-demo",
            "/costs",
            "/prices",
        ):
            seen.page.goto(busy.url + path)
            expect(seen.page.locator("#feed-text")).to_have_text("Live")
            cut = seen.page.eval_on_selector_all(
                ".scroll", "all => all.filter(each => each.scrollWidth > each.clientWidth + 1)"
            )
            assert cut == [], path
            looked_over(seen)
            seen.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
            assert violations(seen.page) == [], path
            seen.page.emulate_media(color_scheme="light", reduced_motion="reduce")


def test_a_long_name_pushes_no_column_out_of_the_window(chromium: Browser, busy: Site) -> None:
    name = "resnet-152-on-all-of-imagenet-with-warm-restarts-and-mixup-0123"
    spec = replace(SPEC, name=name)
    busy.store.jobs.submit(spec, key=None, request_hash=name, now_s=busy.clock.now_s())
    with opened(chromium, busy, "/jobs") as seen:
        expect(seen.page.get_by_role("link", name=name)).to_be_visible()
        for head in ("On", "Submitted", "Ended"):
            column = seen.page.get_by_role("columnheader", name=head, exact=True)
            expect(column).to_be_in_viewport(ratio=1)
