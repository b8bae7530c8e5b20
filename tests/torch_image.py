"""A container image with Python and torch and nothing of elasticd, made of this machine's own files.

It is what users bring, without a network: torch's CPU build, a shell, and the libraries of both.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import IO

# What torch imports, besides itself.
_PACKAGES = (
    "torch",
    "torchgen",
    "functorch",
    "numpy",
    "numpy.libs",
    "sympy",
    "mpmath",
    "networkx",
    "jinja2",
    "markupsafe",
    "filelock",
    "fsspec",
    "typing_extensions.py",
)
_LEFT_OUT = re.compile(r"/(__pycache__|tests?|include|idlelib|ensurepip|site-packages)(/|$)|\.a$")
_PYTHON = f"usr/local/lib/python{sys.version_info[0]}.{sys.version_info[1]}"


def import_image(host: str, name: str, *, has_torch: bool = True) -> None:
    """Gives an engine the image."""
    command = ["docker", "--host", host, "import", "-", name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as importing:
        assert importing.stdin is not None
        _write(importing.stdin, has_torch=has_torch)
        importing.stdin.close()
    assert importing.returncode == 0


def _write(target: IO[bytes], *, has_torch: bool) -> None:
    with tarfile.open(fileobj=target, mode="w|") as tar:
        for folder in ("tmp", "proc", "sys", "dev", "etc", "root"):
            entry = tarfile.TarInfo(folder)
            entry.type = tarfile.DIRTYPE
            entry.mode = 0o1777 if folder == "tmp" else 0o755
            tar.addfile(entry)
        tar.add(_real("/bin/sh"), "bin/sh")
        tar.add(_real(sys.executable), "usr/local/bin/python3")
        programs = [_real("/bin/sh"), _real(sys.executable)]
        for path, name in _files(has_torch=has_torch):
            tar.add(path, name, recursive=False)
            if ".so" in name:
                programs.append(path)
        for library in sorted(_libraries(programs)):
            tar.add(_real(library), _placed(library).lstrip("/"))


def _files(*, has_torch: bool) -> Iterator[tuple[str, str]]:
    standard = Path(os.__file__).parent
    yield from _below(standard, _PYTHON)
    if has_torch:
        spec = find_spec("torch")
        assert spec is not None
        assert spec.origin is not None
        packages = Path(spec.origin).parents[1]
        for each in (*_PACKAGES, *(path.name for path in packages.glob("torch-*.dist-info"))):
            yield from _below(packages / each, f"{_PYTHON}/site-packages/{each}")


def _below(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    if folder.is_file():
        yield str(folder), name
    for path in sorted(folder.rglob("*")):
        inside = str(path.relative_to(folder))
        is_test = path.parent.name == "bin" and path.name != "torch_shm_manager"
        if path.is_file() and not _LEFT_OUT.search(f"/{inside}") and not is_test:
            yield str(path), f"{name}/{inside}"


def _libraries(programs: Iterable[str]) -> set[str]:
    """The libraries of the system that these programs load, by the loader itself."""
    done = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False)
    found = set(re.findall(r"(?:=> |^\s+)(/\S+) \(0x", done.stdout, re.MULTILINE))
    return {each for each in found if "site-packages" not in each}


def _placed(library: str) -> str:
    """Where a library lies in the image; a Python that was built at home has its own at home."""
    if library.startswith(("/lib", "/usr/lib")):
        return library
    return f"/usr/lib/{Path(library).name}"


def _real(path: str) -> str:
    return os.path.realpath(path)
