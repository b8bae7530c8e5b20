"""What is said of a wait in vain."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from elastic.workloads.session.waiting import LONG_S, Waiting
from tests.workloads.session.running import wait_until


def test_a_long_wait_is_told_of_once() -> None:
    said: list[str] = []
    waiting = Waiting(said.append)
    for now_s in (100.0, 100.0 + LONG_S - 0.1):
        waiting.goes_on("no store answers", now_s=now_s)
    assert not said
    for now_s in (100.0 + LONG_S, 100.0 + 2 * LONG_S):
        waiting.goes_on("no store answers", now_s=now_s)
    assert said == ["session: no store answers; has tried for 5 s, and goes on trying"]


def test_each_wait_begins_anew() -> None:
    said: list[str] = []
    waiting = Waiting(said.append)
    waiting.goes_on("one", now_s=0.0)
    waiting.ends()
    waiting.goes_on("two", now_s=LONG_S)
    assert not said
    waiting.goes_on("two", now_s=2 * LONG_S)
    assert len(said) == 1 and "two" in said[0]


@pytest.mark.slow
def test_a_newcomer_that_finds_no_store_says_where_it_looks(tmp_path: Path) -> None:
    place, errors = tmp_path / "place", tmp_path / "errors"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "ELASTICD_SESSION_STORE": str(place)}
    command = [sys.executable, "-m", "tests.workloads.session.member", str(tmp_path / "log"), str(tmp_path / "goal")]
    with errors.open("wb") as output:
        member = subprocess.Popen(command, env=environment, stderr=output)
    try:
        wait_until(lambda: str(place) in errors.read_text(), "its words", tell=errors.read_text)
    finally:
        member.kill()
        member.wait()
    assert errors.read_text().count("no store answers") == 1
