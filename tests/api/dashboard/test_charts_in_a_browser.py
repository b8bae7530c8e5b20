"""What the charts of the dashboard look like in a real browser."""

from __future__ import annotations

import itertools

import pytest
from playwright.sync_api import Browser, Page, expect

from elastic.model import Action
from tests.api.dashboard.served import Site
from tests.api.dashboard.story import QUARTER, begin
from tests.api.dashboard.watched import opened

pytestmark = pytest.mark.browser
expect.set_options(timeout=20_000)

# Notes each text that a canvas draws, and those beyond its left edge.
_NOTE_TEXTS = """
window.drawn = [];
window.cut = [];
const fillText = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
  const right = this.getTransform().transformPoint({ x, y }).x;
  window.drawn.push(text);
  if (this.textAlign === "right" && right < this.measureText(text).width) window.cut.push(text);
  return fillText.call(this, text, x, y, ...rest);
};
"""
# How many pixels of a canvas have a colour that is no grey.
_COLOURED = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let found = 0;
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue, alpha] = data.slice(at, at + 4);
    found += alpha > 200 && Math.max(red, green, blue) - Math.min(red, green, blue) > 80;
  }
  return found;
}"""


def note_texts(page: Page, chart: str) -> None:
    """Shows the page again, with the texts of its charts noted, until that chart is drawn."""
    page.add_init_script(_NOTE_TEXTS)
    page.reload()
    expect(page.locator(f"{chart} canvas")).to_be_visible()


@pytest.mark.parametrize(
    ("width", "wanted"), [(160, [0, 4]), (200, [0, 2, 4]), (300, [0, 1, 2, 3, 4])]
)
def test_the_numbers_of_an_axis_are_evenly_spaced_at_any_width(
    chromium: Browser, site: Site, width: int, wanted: list[int]
) -> None:
    with opened(chromium, site, "/decisions/5") as seen:
        axis = seen.page.locator(".candidates .ticks")
        axis.evaluate("(axis, width) => { axis.style.width = `${width}px` }", width)
        shown = axis.locator("span").evaluate_all(
            "all => all.map((each) => getComputedStyle(each).visibility === 'visible')"
        )
        assert len(shown) == 5
        assert [at for at, is_shown in enumerate(shown) if is_shown] == wanted


def test_the_dollars_beside_a_cheap_job_s_chart_are_not_cut_off(
    chromium: Browser, empty_site: Site
) -> None:
    story = begin(empty_site.store)
    story.change_price(QUARTER, 0.0074)
    story.train_on(QUARTER, 20.0)
    empty_site.clock.advance(story.now_s - empty_site.clock.now_s())
    with opened(chromium, empty_site, f"/jobs/{story.job_id}") as seen:
        note_texts(seen.page, "#cost")
        assert seen.page.evaluate("window.drawn")
        assert seen.page.evaluate("window.cut") == []


def test_a_single_measurement_is_a_point_of_the_chart(chromium: Browser, empty_site: Site) -> None:
    story = begin(empty_site.store)
    story.decide(Action.START, QUARTER, "start", "begin")
    story.train_on(QUARTER, 5.0)
    empty_site.clock.advance(story.now_s - empty_site.clock.now_s())
    with opened(chromium, empty_site, f"/jobs/{story.job_id}") as seen:
        canvas = seen.page.locator("#throughput canvas")
        expect(canvas).to_be_visible()
        assert canvas.evaluate(_COLOURED) > 0


def test_no_two_times_beside_each_other_below_a_young_job_s_charts_are_the_same(
    chromium: Browser, empty_site: Site
) -> None:
    story = begin(empty_site.store)
    story.decide(Action.START, QUARTER, "start", "begin")
    story.train_on(QUARTER, 10.0)
    empty_site.clock.advance(story.now_s - empty_site.clock.now_s())
    with opened(chromium, empty_site, f"/jobs/{story.job_id}") as seen:
        note_texts(seen.page, "#throughput")
        times = [each for each in seen.page.evaluate("window.drawn") if ":" in each]
        assert times
        assert not [one for one, other in itertools.pairwise(times) if one == other], times
