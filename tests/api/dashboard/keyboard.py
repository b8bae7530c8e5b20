"""A page used by the keyboard alone, on a computer and on a phone, and what must hold of it."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.api.dashboard.watched import AXE, Watched, repeated_ids, until_it_fits, violations

# A computer's window with the keyboard, and a phone's; with and without scripts.
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 800}}
WAYS: tuple[dict[str, Any], ...] = (
    {},
    PHONE,
    {**PHONE, "java_script_enabled": False},
)


def reach(page: Page, wanted: Locator) -> None:
    """Goes to an element by the key Tab alone."""
    handle = wanted.element_handle()
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => wanted === document.activeElement", handle):
            expect(wanted).to_be_in_viewport()
            return
    pytest.fail(f"the key Tab does not lead to {wanted}")


def press(page: Page, role: Literal["button", "link"], name: str) -> None:
    """Presses a button, or follows a link, by the keyboard alone."""
    reach(page, page.get_by_role(role, name=name, exact=True))
    page.keyboard.press("Enter")


def write(page: Page, label: str, text: str) -> None:
    """Fills a field by the keyboard alone."""
    reach(page, page.get_by_label(label, exact=True))
    page.keyboard.type(text)


def looked_over(seen: Watched, *, has_scripts: bool = True) -> None:
    """The page fits into the window, and axe finds nothing."""
    width = seen.page.viewport_size["width"] if seen.page.viewport_size else 0
    if not has_scripts:
        return
    until_it_fits(seen.page, width)
    assert len(seen.page.content()) < 150_000
    seen.page.evaluate(AXE.read_text(encoding="utf-8"))
    assert repeated_ids(seen.page) == []
    assert violations(seen.page) == []
