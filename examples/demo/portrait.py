"""Pictures the dashboard near the demo's end: `python -m examples.demo --picture
docs/images/dashboard.png`."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from examples.demo.watching import Sight

_AT_FRACTION = 0.85
# Chromium without windows opens a page for a sixth of the computing. Chrome is the same for a page:
# Ubuntu has Chromium only as a snap.
_BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome", "google-chrome-stable")
_WIDTH, _HEIGHT = 1280, 900
_SETTLE_MS = 1500  # curves and the event stream begin after the page


def find_browser() -> str | None:
    """The program that shows pages on this machine; None if there is none."""
    return next((path for each in _BROWSERS if (path := shutil.which(each))), None)


@dataclass(slots=True)
class Portrait:
    """Takes one picture of the page at `url`, light as the README is."""

    url: str
    path: Path
    _is_taken: bool = False

    def consider(self, sight: Sight) -> None:
        """Takes it once most of the job is done."""
        iterations = sight.standing.iterations or 1
        if not self._is_taken and sight.standing.iteration >= _AT_FRACTION * iterations:
            self._is_taken = True
            self._take()

    def _take(self) -> None:
        from playwright.sync_api import sync_playwright  # only who wants a picture needs a browser

        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(
                viewport={"width": _WIDTH, "height": _HEIGHT}, color_scheme="light"
            )
            page.goto(self.url)
            page.wait_for_timeout(_SETTLE_MS)
            page.screenshot(path=self.path, full_page=True)
            browser.close()
