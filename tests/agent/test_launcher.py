"""A spawner in a container, by an engine that is a script."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from elastic.agent.container import Container, User
from elastic.agent.files import write_json
from elastic.agent.launcher import Launcher
from elastic.agent.preparing import Outfit
from elastic.agent.settings import AgentSettings
from elastic.agent.spawner import SPAWNER_FILE
from elastic.engines import Engine

# It answers from the third question on, and runs nothing but time.
_ENGINE = """\
#!/bin/sh
echo $1 >> {asked}
case $1 in
  version) [ $(grep -c version {asked}) -ge 3 ] ;;
  run) exec sleep 60 ;;
esac
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the engine was asked, one word a line."""
    asked = tmp_path / "asked"
    asked.touch()
    engine = tmp_path / "bin/docker"
    engine.parent.mkdir()
    engine.write_text(_ENGINE.format(asked=asked))
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", f"{engine.parent}:{os.environ['PATH']}")
    return asked


@pytest.fixture
def launcher(settings: AgentSettings, asked: Path) -> Iterator[Launcher]:
    made = Launcher(settings)
    box = Container(Engine.DOCKER, "me/train:1", "n1", Path("/opt"), (), User(0, 0))
    made.equip(Outfit("python3", {}, container=box))
    yield made
    made.close()


def until_asked(asked: Path, word: str, count: int = 1) -> list[str]:
    until_s = time.monotonic() + 10
    while (words := asked.read_text().split()).count(word) < count:
        assert time.monotonic() < until_s, words
        time.sleep(0.05)
    return words


def test_a_container_begins_once_its_engine_answers(launcher: Launcher, asked: Path) -> None:
    assert until_asked(asked, "run") == ["version"] * 3 + ["run"]


def test_a_container_that_was_ended_from_outside_takes_no_order(
    launcher: Launcher, settings: AgentSettings, asked: Path
) -> None:
    until_asked(asked, "run")
    launcher.warm_up()
    assert until_asked(asked, "run").count("run") == 1
    # Its engine's client, the process that was started, runs on for a moment.
    with subprocess.Popen(["true"]) as ended:
        pass
    write_json(settings.work_dir / SPAWNER_FILE, {"pid": ended.pid})
    launcher.warm_up()
    until_asked(asked, "run", 2)
