"""Running this project as somebody who is not root, from tests that run as root."""

from __future__ import annotations

import functools
import os
import site
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.short_folders import short_folder

ROOT = Path(__file__).parents[1]
UID = 65_534

# Whether it can also be imported the tests themselves show; torch alone takes two seconds to.
_FINDS_ALL = (
    "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ('boto3', 'elastic_lab', "
    "'torch'))))"
)

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


@functools.cache
def command_and_environment() -> tuple[str, dict[str, str]] | None:
    """A Python that this user may start, and the environment in which it finds the project; None if
    there is none.

    The tests' own Python may lie in root's home; the system's does as well where it is of the same
    version.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    base = {"PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    for python in (sys.executable, f"/usr/bin/python{version}"):
        environment = {**base, "PYTHONPATH": f"{ROOT}:{site.getsitepackages()[0]}"}
        try:
            subprocess.run([python, "-c", _FINDS_ALL], check=True, env=environment, **identity())
        except (OSError, subprocess.CalledProcessError):
            continue
        return python, environment
    return None


def identity() -> dict[str, Any]:
    """What makes subprocess start somebody who is not root, in a folder that anybody may enter."""
    return {"user": UID, "group": UID, "extra_groups": [], "cwd": "/"}


@contextmanager
def nobodys_python() -> Iterator[tuple[str, dict[str, str]]]:
    """The same, with a home of its own for as long as it is needed; skips the test if there is no
    such Python.

    Not pytest's own folder: that is closed to everybody else whenever another pytest starts.
    """
    found = command_and_environment()
    if found is None:
        pytest.skip("no Python here that a user without rights may start")
    with short_folder() as home:
        os.chown(home, UID, UID)
        yield found[0], {**found[1], "HOME": str(home), "TMPDIR": str(home)}
