"""A container engine of the test run's own: its folder, its socket, no firewall rules, nothing left
behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_START_TIMEOUT_S = 60.0
_TOOLS = {
    "dockerd": "docker.io",
    "docker": "docker.io",
    "docker-compose": "docker-compose",
    "mmdebstrap": "mmdebstrap",
}


@dataclass(frozen=True, slots=True)
class Engine:
    """A running dockerd."""

    host: str

    def run(self, *command: str | Path, stdin: str | None = None) -> str:
        """Runs a command that speaks to this engine, and gives what it printed; fails the test with
        that otherwise."""
        # The builder that needs no plugin: the classic one.
        environment = {**os.environ, "DOCKER_HOST": self.host, "DOCKER_BUILDKIT": "0"}
        done = subprocess.run(
            command, input=stdin, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (
            f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        )
        return done.stdout

    def import_debian(
        self,
        name: str,
        *,
        packages: Iterable[str],
        hooks: Iterable[str] = (),
        changes: Iterable[str] = (),
    ) -> None:
        """Makes an image of Debian with `packages`, from the mirror that apt knows, and names it as
        builds do.

        `hooks` are what mmdebstrap does with it when it is made; `changes` are lines of a
        Dockerfile: `USER nobody`.
        """
        make = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(packages)}"]
        make += [f"--customize-hook={hook}" for hook in hooks]
        options = [word for change in changes for word in ("--change", change)]
        environment = {**os.environ, "DOCKER_HOST": self.host}
        with subprocess.Popen([*make, "bookworm", "-"], stdout=subprocess.PIPE) as making:
            command = ["docker", "import", *options, "-", name]
            subprocess.run(command, stdin=making.stdout, env=environment, check=True)
        assert making.returncode == 0, (
            "mmdebstrap could not make a root file system: does apt-get reach its mirror?"
        )


@contextmanager
def engine(*, needs: Iterable[str] = tuple(_TOOLS), inside: Sequence[str] = ()) -> Iterator[Engine]:
    """Runs an engine; skips the test, saying what is missing, where there can be none.

    `inside` is a command that enters a host of its own, whose network and process ids containers
    then have.
    """
    if os.geteuid() != 0:
        pytest.skip("a container engine of its own needs root")
    missing = sorted(
        {
            package
            for tool, package in _TOOLS.items()
            if tool in needs and shutil.which(tool) is None
        }
    )
    if missing:
        pytest.skip(f"needs a container engine (Debian: apt-get install {' '.join(missing)})")
    folder = Path(tempfile.mkdtemp(prefix="engine-"))
    command = [
        *inside,
        "dockerd",
        f"--data-root={folder}/data",
        f"--exec-root={folder}/exec",
        f"--pidfile={folder}/pid",
    ]
    command += [f"--host=unix://{folder}/socket", "--bridge=none", "--iptables=false"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    running = Engine(f"unix://{folder}/socket")
    try:
        _await(running, process, folder / "log")
        yield running
    finally:
        process.terminate()
        process.wait(60)
        _unmount(folder)
        shutil.rmtree(folder)


def _await(running: Engine, process: subprocess.Popen[bytes], log: Path) -> None:
    until_s = time.monotonic() + _START_TIMEOUT_S
    while subprocess.run(
        ["docker", "--host", running.host, "version"], capture_output=True, check=False
    ).returncode:
        if process.poll() is not None:
            pytest.skip(f"dockerd does not start here: {log.read_text()[-500:]}")
        assert time.monotonic() < until_s, log.read_text()[-2000:]
        time.sleep(0.2)


def _unmount(folder: Path) -> None:
    """The engine leaves the handle of its network's namespace mounted."""
    for line in reversed(Path("/proc/mounts").read_text().splitlines()):
        if (mounted := line.split()[1]).startswith(f"{folder}/"):
            subprocess.run(["umount", "--lazy", mounted], check=True)
