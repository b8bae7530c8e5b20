"""Client commands start fast: they import nothing that only the daemon or the nodes need."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = (
    "fastapi",
    "starlette",
    "sqlalchemy",
    "alembic",
    "boto3",
    "botocore",
    "torch",
    "uvicorn",
    "apscheduler",
)
WATCHED = (*HEAVY, "httpx2", "rich", "pydantic", "pydantic_settings", "psutil", "yaml")


def modules_after(code: str) -> set[str]:
    """Runs `code` in a fresh interpreter and gives the names of all modules it ended with."""
    ending = "import json, sys; sys.stderr.write(json.dumps(sorted(sys.modules)))"
    program = f"try:\n    {code}\nexcept SystemExit:\n    pass\n{ending}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_importing_the_command_line_needs_only_typer_and_the_vocabulary() -> None:
    found = modules_after("import elastic.cli")
    assert found.isdisjoint(WATCHED)
    assert len(found) < 300


def test_help_imports_nothing_but_what_draws_it() -> None:
    found = modules_after("import elastic.cli; elastic.cli.main(['--help'])")
    assert found.isdisjoint(set(WATCHED) - {"rich"})
    # Python 3.12 has more modules of its own than those before and after it.
    most = 373 if sys.version_info[:2] == (3, 12) else 370
    assert len([each for each in found if each.partition(".")[0] != "elastic"]) < most


@pytest.mark.parametrize(
    "arguments",
    [
        ("job", "ls"),
        ("job", "get", "a"),
        ("node", "ls"),
        ("decision", "ls"),
        ("event", "ls"),
        ("price", "ls"),
    ],
)
def test_client_commands_do_without_the_daemons_libraries(arguments: tuple[str, ...]) -> None:
    # Port 1 answers nobody: all that a command imports before it asks, and to say that nobody
    # answers.
    line = ["--url", "http://127.0.0.1:1", *arguments]
    code = (
        "import os; os.environ['ELASTICD_TOKEN'] = 'x'; import elastic.cli; "
        f"elastic.cli.main({line!r})"
    )
    assert modules_after(code).isdisjoint(HEAVY)
