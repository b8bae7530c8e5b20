"""A page of the dashboard in a real browser, and what it complains of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, Request

from tests.api.dashboard.served import Site
from tests.api.dashboard.story import Story

AXE = Path(__file__).parents[2] / "vendor" / "axe.min.js"


@dataclass(slots=True)
class Watched:
    """A page, and everything it complained of or asked for."""

    page: Page
    site: Site
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def values(self, selector: str) -> list[float]:
        found = self.page.eval_on_selector_all(
            f"{selector}[value]", "all => all.map(each => each.getAttribute('value'))"
        )
        return [float(each) for each in found]

    def value(self, field_name: str) -> float:
        return self.values(f".card data[data-field={field_name}]")[0]

    def api(self, path: str) -> Any:
        answer = self.page.request.get(f"{self.site.url}/v1/{path}")
        assert answer.ok, answer.text()
        return answer.json()


@contextmanager
def opened(browser: Browser, site: Site, path: str = "/", **options: Any) -> Iterator[Watched]:
    """A page of the site in a browser of its own, signed in; what it complains of fails the test at
    the end."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    context.set_default_timeout(15_000)
    watched = Watched(context.new_page(), site)
    watched.page.goto(site.login)
    watched.page.on("console", lambda message: _note(watched, message))
    watched.page.on("pageerror", lambda error: watched.complaints.append(str(error)))
    watched.page.on("request", lambda request: _asked(watched, request))
    watched.page.goto(site.url + path)
    try:
        yield watched
        assert not watched.complaints, watched.complaints
    finally:
        context.close()


def _note(watched: Watched, message: ConsoleMessage) -> None:
    is_of_a_request = message.text.startswith("Failed to load resource")
    # Another test's network interface came or went: the page has to live with that.
    is_expected = is_of_a_request and any(
        each in message.text for each in ("404", "net::ERR_NETWORK_CHANGED")
    )
    if message.type in ("error", "warning") and not is_expected:
        watched.complaints.append(message.text)


def _asked(watched: Watched, request: Request) -> None:
    watched.requests.append(request.url)


def story_of(site: Site, told_template: tuple[Path, Story]) -> Story:
    """The story, to be gone on with in the site's own store."""
    return told_template[1].copied_to(site.store)


def until_it_fits(page: Page, width: int) -> None:
    """Waits until the page is no wider than its window. Its charts are drawn again for the new
    width, which takes a busy machine a moment."""
    page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)


def repeated_ids(page: Page) -> list[str]:
    """Ids that several elements have, or that HTML does not allow: rows would be mixed up."""
    ids: list[str] = page.eval_on_selector_all("[id]", "all => all.map(each => each.id)")
    return sorted(
        each for each in set(ids) if ids.count(each) > 1 or not each or any(map(str.isspace, each))
    )


def violations(page: Page) -> list[str]:
    """What axe, which the page has loaded, finds wrong with it."""
    found = page.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)"
    )
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]} {each['nodes'][0].get('failureSummary')}"
        for each in found
    ]
