"""The dashboard in a real browser: its numbers, its life, its looks, its manners."""

from __future__ import annotations

import random
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from elastic.figures import number, usd
from elastic.log_line import LogPiece
from elastic.model import Action, AgentState, JobPhase, NodeReport, NodeUsage
from elastic.store import HeartbeatReport
from tests import figures
from tests.api.dashboard.served import TOKEN, Site, serving
from tests.api.dashboard.story import FULL, Story
from tests.api.dashboard.watched import (
    AXE,
    opened,
    repeated_ids,
    story_of,
    until_it_fits,
    violations,
)

pytestmark = pytest.mark.browser
expect.set_options(timeout=20_000)

WIDTHS = (390, 768, 1280)
# Each theme and each layout once: a run takes a second or two.
AXE_RUNS = (
    ("light", 1280),
    ("dark", 390),
)
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PAGES = (
    "/",
    "/jobs",
    "/jobs/esrgan-demo",
    "/nodes?gone=1",
    "/decisions",
    "/decisions/5",
    "/prices",
    "/prices/local.half",
    "/jobs/esrgan-demo/stop",
    "/jobs/esrgan-demo/scale?node_type=local.half",
    "/jobs/esrgan-demo/limits?budget_usd=4",
    "/submit",
    "/jobs/none",
    "/login",
)


def test_the_headline_numbers_are_the_apis(chromium: Browser, site: Site) -> None:
    with opened(chromium, site) as seen:
        job = seen.api("jobs/esrgan-demo")
        report = seen.api("jobs/esrgan-demo/report")
        current = next(each for each in job["candidates"] if each["group"] == job["current_group"])
        assert seen.value("iteration") == job["progress"]["iteration"]
        assert seen.value("spent_usd") == job["spent_usd"]
        assert seen.value("iterations_per_usd") == current["iterations_per_usd"]["value"]
        assert seen.value("saved_usd") == report["first_fixed"]["usd"] - job["spent_usd"]
        expect(seen.page.locator("#card-spent_usd .figure")).to_have_text(usd(job["spent_usd"]))


def test_the_candidates_numbers_are_the_apis(chromium: Browser, site: Site) -> None:
    with opened(chromium, site) as seen:
        candidates = sorted(
            seen.api("jobs/esrgan-demo")["candidates"],
            key=lambda each: -each["iterations_per_usd"]["value"],
        )
        wanted: Mapping[str, list[float]] = {
            "iterations_per_usd": [each["iterations_per_usd"]["value"] for each in candidates],
            "iterations_per_s": [1 / each["step_s"]["value"] for each in candidates],
            "usd_per_h": [each["usd_per_h"] for each in candidates],
            "samples": [each["samples"] for each in candidates],
        }
        for name, numbers in wanted.items():
            assert seen.values(f".candidates data[data-field={name}]") == numbers


def test_nodes_prices_and_decisions_are_the_apis(chromium: Browser, site: Site) -> None:
    with opened(chromium, site) as seen:
        costs = {
            each["node_id"]: each["usd"] for each in seen.api("jobs/esrgan-demo/report")["nodes"]
        }
        shown = seen.values("tr[id^=node-] data[data-field=usd]")
        assert shown == pytest.approx(
            [costs[each["id"]] for each in seen.api("nodes?all=true")["items"]], rel=1e-12
        )
        seen.page.goto(f"{site.url}/decisions")
        texts = seen.page.locator(".decisions .reason").all_inner_texts()
        assert texts == [each["plan"]["reason"]["text"] for each in seen.api("decisions")["items"]]
        seen.page.goto(f"{site.url}/prices")
        prices = seen.values("section:last-of-type data[data-field=usd_per_h]")
        assert prices == [each["usd_per_h"] for each in seen.api("prices")["items"]]


def test_the_pages_script_writes_numbers_as_the_server_does(chromium: Browser, site: Site) -> None:
    drawn = random.Random(1)
    values = [drawn.choice((-1, 1)) * 10 ** drawn.uniform(-8, 8) for _ in range(1_000)]
    with opened(chromium, site) as seen:
        written = seen.page.evaluate(
            """async ([dollars, numbers, instants]) => {
              const { moment, number, usd } = await import("/static/figures.js");
              return [dollars.map(usd), numbers.map(number), instants.map((each) => moment(...each))];
            }""",
            [[*figures.USD, *values], [*figures.NUMBERS, *values], list(figures.MOMENTS)],
        )
        assert written == [
            [*figures.USD.values(), *map(usd, values)],
            [*figures.NUMBERS.values(), *map(number, values)],
            [*figures.MOMENTS.values()],
        ]


def test_the_charts_hold_the_apis_points(chromium: Browser, site: Site) -> None:
    with opened(chromium, site) as seen:
        drawn = seen.page.evaluate(
            "JSON.parse(document.querySelector('#throughput script.points').textContent)"
        )
        shown = {
            (at_s, value)
            for each in drawn["series"]
            for at_s, value in zip(drawn["at_s"], each["values"], strict=True)
            if value is not None
        }
        points = seen.api("jobs/esrgan-demo/throughput")["items"]
        assert shown == {(each["at_s"], each["iterations_per_s"]) for each in points}
        cost = seen.page.evaluate(
            "JSON.parse(document.querySelector('#cost script.points').textContent)"
        )
        spent = [value for value in cost["series"][0]["values"] if value is not None]
        assert spent == [each["usd"] for each in seen.api("jobs/esrgan-demo/cost")["items"]]
        priced = seen.page.locator(".frontier [data-field=finish_usd]")
        drawn = [
            float(each) for each in priced.evaluate_all("all => all.map((each) => each.value)")
        ]
        told = [each["usd"]["value"] for each in seen.api("jobs/esrgan-demo/forecast")["finishes"]]
        assert len(drawn) >= 2 and [each for each in told if each in drawn] == drawn
        expect(seen.page.locator("#throughput .u-over .mark")).to_have_count(5)
        expect(seen.page.locator("#throughput canvas")).to_be_visible()


def test_news_arrives_without_a_reload(
    chromium: Browser, site: Site, told_template: tuple[Path, Story]
) -> None:
    with opened(chromium, site) as seen:
        expect(seen.page.locator("#feed-text")).to_have_text("Live")
        seen.page.evaluate(
            "window.wasHere = true; (window.focused = document.querySelector('.decisions "
            "a')).focus()"
        )
        story = story_of(site, told_template)
        story.train(20.0)
        site.clock.advance(story.now_s - site.clock.now_s())
        story.decide(Action.MOVE, FULL, "news", "The news has arrived.")
        expect(seen.page.locator(".decisions .reason").first).to_have_text("The news has arrived.")
        job = seen.api("jobs/esrgan-demo")
        assert seen.value("iteration") == job["progress"]["iteration"] == story.iteration
        assert seen.value("spent_usd") == job["spent_usd"]
        assert seen.page.evaluate(
            "window.wasHere && document.activeElement.matches('.decisions a')"
        )
        assert seen.page.evaluate("document.activeElement === window.focused"), (
            "the same row, further down"
        )
        expect(seen.page.locator("#throughput canvas")).to_be_visible()
        expect(seen.page.locator("#throughput .drawn > svg")).to_be_hidden()
        expect(seen.page.locator("#cost .readout")).to_contain_text(usd(job["spent_usd"]))


_REVERSE = """async () => {
  const { morph } = await import("/static/morph.js");
  const main = document.getElementById("main");
  const rows = () => [...main.querySelectorAll("tbody")].at(-1).children;
  const before = [...rows()];
  before.at(-1).querySelector("a").focus();
  const wanted = main.cloneNode(true);
  const body = [...wanted.querySelectorAll("tbody")].at(-1);
  body.append(...[...body.children].reverse());
  const focused = document.activeElement;
  morph(main, wanted);
  const moved = [...rows()].every((row, at) => row === before.at(-1 - at));
  return [before.length > 1, moved, document.activeElement === focused];
}"""


def test_a_row_that_moves_stays_the_same_and_keeps_the_focus(chromium: Browser, site: Site) -> None:
    with opened(chromium, site, "/prices") as seen:
        expect(seen.page.locator("#feed-text")).to_have_text("Live")
        assert seen.page.evaluate(_REVERSE) == [True, True, True]


def test_news_is_asked_for_at_most_once_a_second(
    chromium: Browser, site: Site, told_template: tuple[Path, Story]
) -> None:
    with opened(chromium, site) as seen:
        expect(seen.page.locator("#feed-text")).to_have_text("Live")
        seen.requests.clear()
        for number in range(12):
            site.store.events.add(
                "note", f"event {number}", job_id=told_template[1].job_id, now_s=site.clock.now_s()
            )
            seen.page.wait_for_timeout(250)
        assert 1 <= sum(url == f"{site.url}/" for url in seen.requests) <= 4


def test_a_job_s_log_grows_on_its_open_page_and_its_progress_bar_moves(
    chromium: Browser, site: Site, told_template: tuple[Path, Story]
) -> None:
    job_id = told_template[1].job_id
    first = ("begins <img src=x onerror=alert(1)>", *(f"step {number}" for number in range(100)))
    site.logs.add(job_id, "n1", [LogPiece(1, 0, 0, first)], seq=1, now_s=0.0)
    with opened(chromium, site, f"/jobs/{job_id}") as seen:
        log = seen.page.locator("pre.log")
        expect(log).to_contain_text("[rank 0] begins <img src=x onerror=alert(1)>")
        site.logs.add(
            job_id, "n1", [LogPiece(2, 0, 0, ("loss 0.5",), open=" 10%")], seq=2, now_s=0.0
        )
        expect(log).to_contain_text(
            "step 99\n==> generation 2 <==\n[rank 0] loss 0.5\n[rank 0]  10%\n"
        )
        site.logs.add(job_id, "n1", [LogPiece(2, 0, 0, ("done",), open=None)], seq=3, now_s=0.0)
        expect(log).to_contain_text("loss 0.5\n[rank 0] done\n")
        assert log.evaluate("log => log.scrollTop + log.clientHeight > log.scrollHeight - 40"), (
            "the end is in view"
        )
        log.evaluate("log => { log.scrollTop = 0 }")
        site.store.events.add(
            "note", "the page is brought up to date", job_id=job_id, now_s=site.clock.now_s()
        )
        expect(seen.page.get_by_text("the page is brought up to date").first).to_be_visible()
        site.logs.add(job_id, "n1", [LogPiece(2, 0, 0, ("later",))], seq=4, now_s=0.0)
        expect(log).to_contain_text("[rank 0] later\n")
        assert log.evaluate("log => log.scrollTop") == 0, "who reads further up stays there"
        assert log.inner_text().count("loss 0.5") == 1


def test_the_log_of_a_job_that_is_over_is_linked_from_the_top_and_opens_at_its_end(
    chromium: Browser, site: Site, told_template: tuple[Path, Story]
) -> None:
    job_id, now_s = told_template[1].job_id, site.clock.now_s()
    lines = [f"step {number}" for number in range(150)]
    site.logs.add(job_id, "n1", [LogPiece(1, 0, 0, tuple(lines))], seq=1, now_s=0.0)
    site.store.jobs.request_stop(job_id, JobPhase.SUCCEEDED, None, now_s=now_s)
    site.store.jobs.move(job_id, JobPhase.SUCCEEDED, now_s=now_s)
    with opened(chromium, site, f"/jobs/{job_id}") as seen:
        log = seen.page.locator("pre.log")
        expect(log).to_contain_text("step 149")
        assert log.evaluate("log => log.scrollTop + log.clientHeight > log.scrollHeight - 40"), (
            "the end is in view"
        )
        log.evaluate("log => { log.scrollTop = 0 }")
        site.store.events.add("note", "the page is brought up to date", job_id=job_id, now_s=now_s)
        expect(seen.page.get_by_text("the page is brought up to date").first).to_be_visible()
        assert log.evaluate("log => log.scrollTop") == 0, "who reads further up stays there"
        seen.page.locator(".job-head").get_by_role("link", name="log").click()
        assert log.evaluate("log => log.getBoundingClientRect().top < innerHeight")


def test_nothing_is_asked_of_any_other_host(chromium: Browser, site: Site) -> None:
    with opened(chromium, site, "/jobs/esrgan-demo") as seen:
        seen.page.wait_for_timeout(500)
        assert seen.requests
        assert all(url.startswith((site.url, "data:")) for url in seen.requests)


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_and_nothing_overflows(chromium: Browser, site: Site, path: str) -> None:
    with opened(chromium, site, path) as seen:
        seen.page.wait_for_timeout(400)
        seen.page.evaluate(AXE.read_text(encoding="utf-8"))
        for theme in THEMES:
            seen.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            for width in WIDTHS:
                seen.page.set_viewport_size({"width": width, "height": 900})
                until_it_fits(seen.page, width)
                if (theme, width) in AXE_RUNS:
                    assert repeated_ids(seen.page) == []
                    assert violations(seen.page) == [], (theme, width)


def test_the_empty_and_the_finished_pages_pass_axe_too(
    chromium: Browser, empty_site: Site, site: Site, told_template: tuple[Path, Story]
) -> None:
    story = story_of(site, told_template)
    story.finish()
    _leave_pictures(site.settings.job_folder / story.job_id / "artifacts", 12)
    for each, path in (
        (empty_site, "/"),
        (empty_site, "/jobs"),
        (empty_site, "/prices"),
        (site, "/jobs/esrgan-demo"),
    ):
        with opened(chromium, each, path, viewport={"width": 390, "height": 800}) as seen:
            seen.page.evaluate(AXE.read_text(encoding="utf-8"))
            until_it_fits(seen.page, 390)
            assert repeated_ids(seen.page) == []
            assert violations(seen.page) == []


def _leave_pictures(folder: Path, count: int) -> None:
    folder.mkdir(parents=True)
    for place in range(count):
        Image.new("RGB", (1064, 1090), (20 * place, 90, 140)).save(
            folder / f"samples_{place:04}.png"
        )


def test_a_first_job_appears_on_the_empty_page_by_itself(
    chromium: Browser, empty_site: Site
) -> None:
    with opened(chromium, empty_site) as seen:
        expect(seen.page.get_by_role("heading", name="No job yet")).to_be_visible()
        expect(seen.page.locator("#feed-text")).to_have_text("Live")
        Story(empty_site.store).submit()
        expect(seen.page.get_by_role("heading", name="esrgan-demo")).to_be_visible()


def test_a_lost_feed_is_said_with_the_time_of_the_last_data_and_comes_back(
    chromium: Browser, site: Site, told_template: tuple[Path, Story], tmp_path: Path
) -> None:
    now_s = told_template[1].now_s
    with ExitStack() as daemon, ExitStack() as browser:
        first = daemon.enter_context(serving(site.store, tmp_path, now_s=now_s))
        seen = browser.enter_context(opened(chromium, first))
        expect(seen.page.locator("#feed-text")).to_have_text("Live")
        daemon.close()
        at = seen.page.locator("main").get_attribute("data-at")
        expect(seen.page.locator("#stale")).to_contain_text(f"What you see is of {at}")
        expect(seen.page.locator("#feed-text")).to_have_text("Feed lost")
        expect(seen.page.locator("main")).to_have_class("is-stale")
        with serving(site.store, tmp_path, now_s=now_s, port=first.port):
            expect(seen.page.locator("#stale")).to_be_hidden()
            expect(seen.page.locator("#feed-text")).to_have_text("Live")
        seen.complaints.clear()  # the browser itself reports each request that nobody answered


def test_a_form_keeps_its_text_and_says_that_the_feed_is_lost(
    chromium: Browser, site: Site, tmp_path: Path
) -> None:
    with ExitStack() as daemon, ExitStack() as browser:
        first = daemon.enter_context(serving(site.store, tmp_path))
        seen = browser.enter_context(opened(chromium, first, "/submit"))
        seen.page.get_by_label("YAML or JSON").fill("name: mine")
        expect(seen.page.locator("#feed-text")).to_have_text("Live")
        daemon.close()
        expect(seen.page.locator("#feed-text")).to_have_text("Feed lost")
        with serving(site.store, tmp_path, port=first.port):
            expect(seen.page.locator("#feed-text")).to_have_text("Live")
        expect(seen.page.get_by_label("YAML or JSON")).to_have_value("name: mine")
        seen.complaints.clear()  # the browser itself reports each request that nobody answered


def test_a_busy_node_fits_into_a_laptop_s_window(
    chromium: Browser, site: Site, told_template: tuple[Path, Story]
) -> None:
    node = story_of(site, told_template).node
    assert node is not None
    usage = NodeUsage(
        cores=0.25, memory=0.15, received_bytes_per_s=308_000, sent_bytes_per_s=308_000
    )
    report = NodeReport(AgentState.RUNNING, 12, disk_free_bytes=75 << 30, usage=usage)
    site.store.heartbeats.take_in(
        node.id, HeartbeatReport(report, acked_seq=9_999), now_s=site.clock.now_s() - 100
    )
    with opened(chromium, site, "/nodes?gone=1") as seen:
        expect(seen.page.get_by_text("memory 15 %")).to_be_visible()
        # Its whole cost and why it was bought.
        cut = "all => all.filter(each => each.scrollWidth > each.clientWidth + 1).length"
        assert seen.page.eval_on_selector_all(".scroll", cut) == 0


def test_tabs_that_are_hidden_hold_no_connection(chromium: Browser, site: Site) -> None:
    context = chromium.new_context()
    # A browser without windows calls every tab visible.
    context.add_init_script(
        "Object.defineProperty(document, 'hidden', {get: () => window.isAway === true})"
    )
    turn = "away => {window.isAway = away; document.dispatchEvent(new Event('visibilitychange'))}"
    tabs = [context.new_page() for _ in range(8)]
    tabs[0].goto(site.login)
    for tab in tabs:
        tab.goto(f"{site.url}/jobs/esrgan-demo", timeout=5_000)
        expect(tab.locator("#feed-text")).to_have_text("Live")
        tab.evaluate(turn, True)
    # One that is looked at again hears news again.
    with tabs[0].expect_request("**/v1/events"):
        tabs[0].evaluate(turn, False)
    context.close()


def test_an_error_inside_is_told_on_the_open_page(
    chromium: Browser, site: Site, tmp_path: Path
) -> None:
    with opened(chromium, site) as seen:
        expect(seen.page.locator("#feed-text")).to_have_text("Live")
        (tmp_path / "elasticd.db").write_bytes(b"this was a database" * 10_000)
        expect(seen.page.locator("#stale")).to_contain_text("the database")
        seen.complaints.clear()


def test_the_theme_is_switched_and_remembered(chromium: Browser, site: Site) -> None:
    with opened(chromium, site, color_scheme="light") as seen:
        background = "getComputedStyle(document.body).backgroundColor"
        light = seen.page.evaluate(background)
        seen.page.get_by_role("button", name="Switch to the dark theme").click()
        dark = seen.page.evaluate(background)
        assert light != dark
        seen.page.reload()
        assert seen.page.evaluate(background) == dark
        expect(seen.page.get_by_role("button", name="Switch to the light theme")).to_be_visible()


def test_the_keyboard_reaches_the_content_first(chromium: Browser, site: Site) -> None:
    with opened(chromium, site) as seen:
        seen.page.keyboard.press("Tab")
        expect(seen.page.locator(".skip")).to_be_focused()
        expect(seen.page.locator(".skip")).to_be_in_viewport()
        seen.page.keyboard.press("Enter")
        expect(seen.page.locator("main")).to_be_focused()


def test_without_scripts_the_server_has_drawn_everything(chromium: Browser, site: Site) -> None:
    with opened(chromium, site, java_script_enabled=False) as seen:
        expect(seen.page.locator("#throughput svg path.rate")).to_be_visible()
        expect(seen.page.locator("#cost svg path.money")).to_be_visible()
        expect(seen.page.locator(".candidates .bar")).to_have_count(3)


def test_signing_in_by_the_form_leads_to_the_page_asked_for(chromium: Browser, site: Site) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{site.url}/prices")
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("not the daemon's token")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{site.url}/prices")
    context.close()


def test_a_decision_is_decided_again_from_its_page(chromium: Browser, site: Site) -> None:
    with opened(chromium, site, "/decisions/5") as seen:
        seen.page.get_by_role("button", name="Decide again").click()
        expect(seen.page.locator("#replayed")).to_contain_text("plan")
        seen.page.get_by_text("The snapshot, every input").click()
        expect(seen.page.locator("#snapshot pre")).to_contain_text('"spent_usd"')


@pytest.mark.parametrize("theme", THEMES)
def test_a_decisions_page_says_when_the_others_would_win(
    chromium: Browser, site: Site, theme: Literal["light", "dark"]
) -> None:
    with opened(chromium, site, "/decisions/5", color_scheme=theme) as seen:
        seen.page.get_by_role("button", name="When would the others win?").click()
        expect(seen.page.locator("#what-if dd").first).to_contain_text("Wins ")
        asked = seen.api("decisions/5/what-if")["losers"]
        assert seen.page.locator("#what-if dt").all_inner_texts() == [
            each["name"] for each in asked
        ]
