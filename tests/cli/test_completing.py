"""A shell's Tab offers what the daemon knows, and nothing where there is no daemon."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.api.world import TOKEN
from tests.cli.conftest import Live


def offered(line: str, **variables: str) -> list[str]:
    """What bash is told, by the way that it asks."""
    words = line.split(" ")
    asked = {
        "_ELASTICD_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ELASTICD_")}
    program = "from elastic.cli.app import app; app(prog_name='elasticd')"
    told = subprocess.run(
        [sys.executable, "-c", program],
        env=kept | variables | asked,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert told.stderr == ""
    return told.stdout.split()


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("elasticd job get fi", ["first"]),
        ("elasticd job get other", []),
        ("elasticd event ls --job fi", ["first"]),
        ("elasticd price history la", ["large"]),
    ],
)
def test_names_are_completed(line: str, names: list[str], live: Live) -> None:
    assert offered(line, ELASTICD_URL=live.url, ELASTICD_TOKEN=TOKEN) == names


def test_without_a_daemon_nothing_is_offered_and_nothing_is_said() -> None:
    told = offered("elasticd job get fi", ELASTICD_URL="http://127.0.0.1:9", ELASTICD_TOKEN="x")
    assert told == []
