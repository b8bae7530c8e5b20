"""A package index on this machine, of wheels that pip finds, for machines that reach nothing
else."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import requires
from pathlib import Path

import pytest

_CONSTRAINTS = Path(__file__).parents[2] / "constraints.txt"


@dataclass(frozen=True, slots=True)
class Index:
    """A running index; `fetched` are the names of the files that somebody got."""

    url: str
    fetched: list[str] = field(default_factory=list)


def gather(folder: Path, *, python_version: str) -> None:
    """Has pip put everything there that a node installs beside elasticd; skips the test where it
    finds none of it."""
    download(folder, "uv", *_requirements(), python_version=python_version)


def download(folder: Path, *wanted: str, python_version: str) -> None:
    """Has pip put these there, with all they need; skips the test where it finds none of it.

    Nothing says where: pip's own configuration knows.
    """
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--only-binary=:all:",
        f"--dest={folder}",
    ]
    command += [f"--python-version={python_version}", f"--constraint={_CONSTRAINTS}", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        pytest.skip(f"pip finds no wheels to install: {done.stderr.strip().splitlines()[-1]}")


def _requirements() -> list[str]:
    """What elasticd needs, and what its extra `train` does."""
    found = [each.partition(";") for each in requires("elasticd") or ()]
    return [
        name.strip()
        for name, _, marker in found
        if not marker.strip() or re.search(r"extra == .train.", marker)
    ]


@contextmanager
def serving(wheels: Path, folder: Path, *, address: str) -> Iterator[Index]:
    """Serves these wheels at `address` as the simple API has it: a page of links for each project.

    Each wheel's metadata lies beside it (PEP 658), as on the large indexes: else it is read out of
    the wheel itself.
    """
    for wheel in wheels.glob("*.whl"):
        project = folder / "simple" / re.sub(r"[-_.]+", "-", wheel.name.partition("-")[0]).lower()
        project.mkdir(parents=True, exist_ok=True)
        (project / wheel.name).symlink_to(wheel)
        with (project / "index.html").open("a") as page:
            page.write(f'<a href="{wheel.name}" data-core-metadata="true">{wheel.name}</a>\n')
        with zipfile.ZipFile(wheel) as opened:
            (metadata,) = (
                each
                for each in opened.namelist()
                if re.fullmatch(r"[^/]+\.dist-info/METADATA", each)
            )
            (project / f"{wheel.name}.metadata").write_bytes(opened.read(metadata))
    index = Index("")
    handler = partial(_Handler, index.fetched, directory=str(folder))
    server = ThreadingHTTPServer((address, 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield Index(f"http://{address}:{server.server_port}/simple", index.fetched)
    finally:
        server.shutdown()
        server.server_close()


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, fetched: list[str], *args: object, **options: object) -> None:
        self._fetched = fetched
        super().__init__(*args, **options)  # type: ignore[arg-type]

    def log_request(self, code: object = "-", size: object = "-") -> None:
        name = self.path.rpartition("/")[2]
        if name and str(code) == "200" and self.command == "GET":
            self._fetched.append(name)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's own name
        pass
