"""Finds elasticd's own files: the store's migrations, and a wheel of all files for nodes."""

from __future__ import annotations

import hashlib
import shlex
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from elastic.errors import InvalidInput
from elastic.zips import zip_of

_PYTHONS = "python3 python3.14 python3.13 python3.12 python3.11"
_NAME = "elasticd"
_PACKAGES = ("elastic", "api")
# PyPA, "Binary distribution format": the content of a wheel's WHEEL file.
_WHEEL = "Wheel-Version: 1.0\nGenerator: elasticd\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel as pip installs it."""

    # The name of its file.
    name: str
    content: bytes
    # Of the content, in hexadecimal.
    sha256: str

    @property
    def path(self) -> str:
        """Its path below the daemon's URL; other content has another path."""
        return f"/v1/wheels/{self.sha256}/{self.name}"


def migrations_folder() -> Path:
    """The folder of the database's migrations, in a checkout or an installed wheel."""
    package = Path(__file__).resolve().parent
    installed = package / "migrations"
    if installed.is_dir():
        return installed
    return package.parent / "migrations"


def pythons(first: str | None = None) -> str:
    """The names of a Python that is new enough, for a shell that tries one after another.

    `first`, if there is one, comes before all others.
    """
    if first is None:
        return _PYTHONS
    # A shell knows `~` only outside quotes.
    home = "~/" if first.startswith("~/") else ""
    return f"{home}{shlex.quote(first.removeprefix('~/'))} {_PYTHONS}"


def own_wheel() -> Wheel:
    """Makes a wheel of the elasticd that runs here, from its files on the disk.

    The same files make the same bytes. Raises InvalidInput if elasticd is not installed, since its
    dependencies are unknown then.
    """
    try:
        installed = distribution(_NAME)
    except PackageNotFoundError as error:
        raise InvalidInput(
            f"wanted {_NAME} as an installed distribution, to make a wheel for nodes, found none: "
            "pip install it (-e for a checkout), or set ec2.bootstrap"
        ) from error
    stem = f"{_NAME}-{installed.version}"
    content = _packed(
        {**dict(_code()), **dict(_about(installed, f"{stem}.dist-info"))},
        f"{stem}.dist-info/RECORD",
    )
    return Wheel(f"{stem}-py3-none-any.whl", content, hashlib.sha256(content).hexdigest())


def _code() -> Iterator[tuple[str, bytes]]:
    for package in _PACKAGES:
        spec = find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            yield from _files(Path(folder), package)
    yield from _files(migrations_folder(), "elastic/migrations")


def _files(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        inside = path.relative_to(folder)
        is_ours = not any(part == "__pycache__" or part.startswith(".") for part in inside.parts)
        if is_ours and path.is_file():
            yield f"{name}/{inside.as_posix()}", path.read_bytes()


def _about(installed: Distribution, folder: str) -> Iterator[tuple[str, bytes]]:
    licenses = [f"licenses/{each}" for each in installed.metadata.get_all("License-File") or ()]
    for name in ("METADATA", "entry_points.txt", *licenses):
        text = installed.read_text(name)
        if text is not None:
            yield f"{folder}/{name}", text.encode()
    yield f"{folder}/WHEEL", _WHEEL.encode()


def _packed(files: Mapping[str, bytes], record: str) -> bytes:
    """A zip of the files in the order of their names, and of their list, which comes last."""
    lines = [
        f"{name},sha256={_digest(content)},{len(content)}"
        for name, content in sorted(files.items())
    ]
    listed = "\n".join([*lines, f"{record},,\n"]).encode()
    return zip_of(
        (name, content, 0o644) for name, content in (*sorted(files.items()), (record, listed))
    )


def _digest(content: bytes) -> str:
    return urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
