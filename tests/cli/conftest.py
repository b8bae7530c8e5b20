"""A real API on a real port, over a store in which a job has trained a little."""

from __future__ import annotations

import functools
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer.main
import uvicorn
from fastapi import FastAPI

from api.app import create_app
from tests.api.world import TOKEN, World, decide_once, make_world, train
from tests.cli.commands import Run, runner
from tests.empty_database import lay_out


@dataclass(frozen=True, slots=True)
class Live:
    """The API's address, what lies behind it, and the job and decision that it holds."""

    url: str
    app: FastAPI
    world: World
    job_id: str
    decision_id: int


@pytest.fixture(scope="session", autouse=True)
def commands_that_are_built_once() -> Iterator[None]:
    """Typer builds all commands for each command line; here once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        yield


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("live")
    template = folder / "empty.db"
    lay_out(template)
    world = make_world(folder, template=template)
    job, _ = train(world)
    decision_id = decide_once(world, job)
    with serving(world) as (url, app):
        yield Live(url, app, world, job.id, decision_id)


@contextmanager
def serving(world: World) -> Iterator[tuple[str, FastAPI]]:
    """Serves a world's API on a free port; gives its address. At the end the store is closed."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        app = create_app(world.context)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", app
        server.should_exit = True
        world.context.wake()
        thread.join(timeout=10)
    world.store.close()


@pytest.fixture
def run(
    live: Live, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Run:
    """Runs a command line against the live API."""
    monkeypatch.setenv("ELASTICD_URL", live.url)
    monkeypatch.setenv("ELASTICD_TOKEN", TOKEN)
    monkeypatch.chdir(tmp_path)
    return runner(capsys)
