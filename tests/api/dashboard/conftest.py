"""The story told once to a store that tests only read, and stores of their own for tests that
write."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, sync_playwright

from api.app import give_context
from elastic.clock import ManualClock
from elastic.store import Database, Store
from examples.demo.portrait import find_browser
from tests.api.dashboard.served import TOKEN, Site, make_context, serving
from tests.api.dashboard.story import Story, begin, tell

CHROMIUM = find_browser()
CHROMIUM_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")


@dataclass(frozen=True, slots=True)
class Told:
    """A store to which a story was told, and a client that may read about it, at the instant the
    story has come to."""

    story: Story
    store: Store
    folder: Path
    client: TestClient
    clock: ManualClock

    @property
    def artifacts(self) -> Path:
        return self.folder / "jobs" / self.story.job_id / "artifacts"


@pytest.fixture(scope="session")
def told_template(
    tmp_path_factory: pytest.TempPathFactory, empty_database: Path
) -> tuple[Path, Story]:
    """The whole story, on disk; tests get copies."""
    folder = tmp_path_factory.mktemp("story")
    store = _copy_of(empty_database, folder)
    story = tell(store)
    store.close()
    return folder / "elasticd.db", story


@pytest.fixture
def told(tmp_path: Path, told_template: tuple[Path, Story], bare_app: FastAPI) -> Iterator[Told]:
    """The whole story."""
    template, story = told_template
    with _reading(story.copied_to(_copy_of(template, tmp_path)), tmp_path, bare_app) as found:
        yield found


@pytest.fixture
def just_begun(tmp_path: Path, empty_database: Path, bare_app: FastAPI) -> Iterator[Told]:
    """A job without a node."""
    with _reading(begin(_copy_of(empty_database, tmp_path)), tmp_path, bare_app) as found:
        yield found


@pytest.fixture
def nothing(tmp_path: Path, empty_database: Path, bare_app: FastAPI) -> Iterator[Told]:
    """No job at all."""
    with _reading(Story(_copy_of(empty_database, tmp_path)), tmp_path, bare_app) as found:
        yield found


@pytest.fixture
def site(told_template: tuple[Path, Story], tmp_path: Path) -> Iterator[Site]:
    """The whole story, served on a port."""
    template, story = told_template
    with serving(_copy_of(template, tmp_path), tmp_path, now_s=story.now_s) as found:
        yield found
        found.store.close()


@pytest.fixture
def empty_site(empty_database: Path, tmp_path: Path) -> Iterator[Site]:
    """No job at all, served on a port."""
    with serving(_copy_of(empty_database, tmp_path), tmp_path) as found:
        yield found
        found.store.close()


# Not for the whole session: until it is closed, its driver's loop runs in this thread, so that no
# other test could run one.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """A real browser, for all tests of the pages."""
    if CHROMIUM is None:
        pytest.fail(
            "wanted Chromium or Chrome, found none: `make browser` tells how to install it, or "
            "leave these out by -m 'not browser'"
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(CHROMIUM_ARGUMENTS)
        )
        yield browser
        browser.close()


@contextmanager
def _reading(story: Story, folder: Path, app: FastAPI) -> Iterator[Told]:
    clock = ManualClock(story.now_s)
    give_context(app, make_context(story.store, folder, clock))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        yield Told(story, story.store, folder, client, clock)
    story.store.close()


def _copy_of(template: Path, folder: Path) -> Store:
    shutil.copy(template, folder / "elasticd.db")
    return Store(Database(f"sqlite:///{folder / 'elasticd.db'}"))
