"""The daemon is killed at every crash point, and at ordered pairs of them: no orphan, no double
launch, no lost dollar.

Every pair is two deaths: at the first point, and at the second one counted from the restart. `make
crash` plays all of them, with `ELASTICD_CRASH_PAIRS=2/24` only the second of 24 pieces; otherwise a
sample is played, the same one every time.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crash.crossings import POINTS
from tests.crash.points import Point

pytestmark = pytest.mark.slow

LATE_S = (20.0, 90.0)
"""How long after its purchase a machine is listed, chosen for each life by a seed; the daemon
reckons with 120 s."""
Play = Callable[..., dict[str, Any]]
NAMES = [str(each) for each in POINTS]
EVERY = 3
FIRSTS, ALONE = (
    [
        pytest.param(
            point, id=str(point), marks=[pytest.mark.soak] * ((index % EVERY == 0) != is_first)
        )
        for index, point in enumerate(POINTS)
    ]
    for is_first in (True, False)
)
"""Every third is the first of two deaths in `make slow`, where the others come alone; in `make
soak` the other way."""
PLAYED = 1
"""So many second points are played for each first one, unless all of them are asked for."""


@pytest.fixture(scope="module")
def play() -> Iterator[Play]:
    """Plays one life in which daemons die at these points. In the end the lab holds no running
    instance."""
    command = [sys.executable, "-m", "tests.crash.warm"]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as warm:
        assert warm.stdin is not None and warm.stdout is not None
        to, back = warm.stdin, warm.stdout
        assert back.readline(), "it did not come up; its standard error says why"

        def ask(*deaths: Point, shown_after_s: float) -> dict[str, Any]:
            print(json.dumps([shown_after_s, *map(str, deaths)]), file=to, flush=True)
            said: dict[str, Any] = json.loads(back.readline())
            return said

        yield ask
        to.close()
        assert json.loads(back.read()) == {"left": []}
        assert warm.wait(timeout=60) == 0


def test_an_undisturbed_life_crosses_every_point_in_this_order(play: Play) -> None:
    life = play(shown_after_s=0.0)
    assert life["wrongs"] == []
    crossed = [each for each in life["points"] if each in NAMES]
    assert crossed == NAMES
    assert len(NAMES) >= 30


@pytest.mark.parametrize("point", ALONE)
def test_a_daemon_that_died_anywhere_leaves_nothing_behind(point: Point, play: Play) -> None:
    """Its machines are listed late, so that whoever looks for them before repeating a purchase
    finds none."""
    life = play(point, shown_after_s=_seeded(point).choice(LATE_S))
    assert (life["died_at"], life["wrongs"]) == ([str(point)], [])


@pytest.mark.parametrize("first", FIRSTS)
def test_a_daemon_that_died_twice_leaves_nothing_behind(first: Point, play: Play) -> None:
    told = {}
    for second in _second(first):
        life = play(first, second, shown_after_s=_seeded(first, second).choice((0.0, *LATE_S)))
        if (life["died_at"], life["wrongs"]) != ([str(first), str(second)], []):
            told[str(second)] = (life["died_at"], life["wrongs"])
    assert told == {}


def _second(first: Point) -> list[Point]:
    asked = os.environ.get("ELASTICD_CRASH_PAIRS")
    if asked == "all":
        return list(POINTS)
    if asked:
        piece, pieces = map(int, asked.split("/"))
        return [each for each in POINTS if _seeded(each, first).randrange(pieces) == piece - 1]
    return _seeded(first).sample(POINTS, PLAYED)


def _seeded(*points: Point) -> random.Random:
    return random.Random(" ".join(map(str, points)))
