"""The job's own Python environment: its requirements on top of the node's packages."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from elastic.agent.commands import Commands
from elastic.agent.machine_lock import alone
from elastic.clock import SystemClock
from elastic.errors import PreparationFailed
from elastic.retrying import retried

_DONE = "elasticd-done"
# The package that requirements never replace: torchrun and preloaded workers run the node's own.
_KEPT = "torch"
# pip itself tries a connection five times. An index that was away for a minute deserves another
# attempt.
_ATTEMPTS = 2
_BY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[^\]]*\])?\s*([(<>=!~;].*)?")


def digest_of(requirements: Sequence[str], setup: Sequence[str], *, code: str | None) -> str:
    """Names an environment: the same name holds the same packages.

    A requirement given as a path is part of the job's code, whose checksum is `code`.
    """
    by_name_alone = all(_BY_NAME.fullmatch(line) for line in requirements)
    named = {
        "python": sys.version,
        "prefix": sys.prefix,
        "torch": _installed(_KEPT),
        "requirements": list(requirements),
        "setup": list(setup),
        "code": None if by_name_alone and not setup else code,
    }
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()


def make_environment(
    folder: Path, requirements: Sequence[str], *, commands: Commands, cwd: Path
) -> bool:
    """Makes a virtual environment that sees the node's packages; False if it exists already.

    Raises PreparationFailed with pip's last lines. Nodes of one machine share the folder, and wait
    for each other.
    """
    with alone(folder.with_suffix(".lock")):
        if (folder / _DONE).exists():
            return False
        # An attempt that was cut off left half an environment.
        shutil.rmtree(folder, ignore_errors=True)
        _make_empty(folder, commands=commands, cwd=cwd)
        _see_the_nodes_packages(folder)
        if requirements:
            _install(folder, requirements, commands=commands, cwd=cwd)
        (folder / _DONE).touch()
        return True


def python_of(folder: Path) -> str:
    """The interpreter of an environment."""
    return str(folder / "bin" / "python")


def _make_empty(folder: Path, *, commands: Commands, cwd: Path) -> None:
    """Makes a virtual environment whose `pip` is the node's own, or else a fresh one."""
    venv = [sys.executable, "-m", "venv", str(folder)]
    if find_spec("pip") is not None:
        commands.run([*venv, "--without-pip"], what="python -m venv", cwd=cwd)
        pip = folder / "bin" / "pip"
        pip.write_text(f'#!/bin/sh\nexec "{python_of(folder)}" -m pip "$@"\n')
        pip.chmod(0o755)
        return
    commands.run(venv, what="python -m venv", cwd=cwd)
    if any((folder / "lib").glob("python*/site-packages/setuptools")):
        # Python 3.11 installs a setuptools that is too old for torch, and hides the node's.
        uninstall = ["-m", "pip", "uninstall", "--yes", "--quiet", "setuptools"]
        commands.run([python_of(folder), *uninstall], what="pip uninstall setuptools", cwd=cwd)


def _see_the_nodes_packages(folder: Path) -> None:
    """Lets the environment find the node's own packages, after its own.

    Not by --system-site-packages: if the node's Python is itself in a virtual environment, that
    option means another one.
    """
    seen = [each for each in sys.path if each.endswith(("site-packages", "dist-packages"))]
    own = next((folder / "lib").glob("python*/site-packages"))
    # Not the bare paths: such a folder may itself hold .pth files, as a checkout does.
    lines = [f"import site; site.addsitedir({each!r})\n" for each in seen]
    (own / "elasticd-node.pth").write_text("".join(lines))


def _install(folder: Path, requirements: Sequence[str], *, commands: Commands, cwd: Path) -> None:
    wanted = folder / "requirements.txt"
    kept = folder / "constraints.txt"
    wanted.write_text("\n".join(requirements) + "\n")
    installed = _installed(_KEPT)
    kept.write_text("" if installed is None else f"{_KEPT}=={installed}\n")
    pip = [python_of(folder), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    options = [
        "--progress-bar=off",
        "--no-warn-script-location",
        "-r",
        str(wanted),
        "-c",
        str(kept),
    ]

    def install() -> None:
        try:
            commands.run([*pip, *options], what="requirements: pip", cwd=cwd)
        except PreparationFailed as error:
            if _has_answered(str(error)):
                raise _NotInIndex(str(error)) from error
            raise

    try:
        retried(
            install,
            on=PreparationFailed,
            unless=_NotInIndex,
            first_s=0.0,
            attempts=_ATTEMPTS,
            sleep=SystemClock().sleep,
        )
    except PreparationFailed as error:
        if installed is not None and _KEPT in str(error):
            raise PreparationFailed(
                f"{error}; the nodes keep their torch {installed}: requirements cannot change it"
            ) from error
        raise


class _NotInIndex(PreparationFailed):
    """pip reached an index that lacks the package: asking again gets the same answer."""


def _has_answered(failure: str) -> bool:
    """Whether pip reached an index that lacks the package: it would lack it again."""
    return (
        "Could not find a version that satisfies" in failure
        and "(from versions: none)" not in failure
    )


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
