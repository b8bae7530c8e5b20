"""Downloads a job's outputs, each file whole or not at all, and its artifacts."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from elastic import figures
from elastic.errors import ElasticError, InvalidInput, NotFound, StorageUnavailable

if TYPE_CHECKING:
    from elastic.client.rest import Client

_TRIES = 3
# A `.gitignore` that ignores its folder, so that `submit` does not pack it.
_MARK = "# made by `elasticd job outputs`: nothing here is sent along as code\n*\n"


def bring_outputs(client: Client, found: Sequence[Mapping[str, Any]], folder: Path) -> str:
    """Downloads the files that are not there already; returns what was done as a sentence.

    A running job may have changed or removed a file since it was listed; the newest one comes.
    Raises ElasticError, after all others came, if this machine cannot take one of them.
    """
    # The next submit must not send these files as code.
    if make_folder(folder, option="-o"):
        (folder / ".gitignore").write_text(_MARK, encoding="utf-8")
    brought = 0
    gone = 0
    refused: list[str] = []
    for each in found:
        target = folder / _inside(each["path"])
        try:
            # By content and not by time: a file that came back the same need not be fetched.
            if target.is_file() and _sha256_of(target) == each["sha256"]:
                continue
            _bring(client, each, target)
            brought += 1
        # No error: a running job may clean up after itself.
        except NotFound:
            gone += 1
        except OSError as error:
            refused.append(f"{each['path']}: {error.strerror}")
    same = len(found) - brought - gone - len(refused)
    said = f"{figures.count(brought)} brought to {folder}, {figures.count(same)} there already"
    said += f", {figures.count(gone)} removed by the job meanwhile" if gone else ""
    if refused:
        raise ElasticError(
            "\n".join((f"{said}, {figures.count(len(refused))} that cannot be written:", *refused))
        )
    return said


def bring_artifacts(client: Client, found: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Downloads artifacts into a folder. Raises ElasticError, after all others came, if this
    machine cannot take one of them."""
    make_folder(folder, option="--save")
    refused = []
    for each in found:
        # Only the file's name: a daemon that lies must not write elsewhere.
        target = folder / Path(each["name"]).name
        content = client.content(each["href"])
        try:
            target.write_bytes(content)
        except OSError as error:
            refused.append(f"{target}: {error.strerror}")
    if refused:
        said = "these cannot be written, all others are there; name another folder with --save:"
        raise ElasticError("\n".join((said, *refused)))


def make_folder(folder: Path, *, option: str) -> bool:
    """Makes a folder to download into; whether there was none. Raises InvalidInput."""
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"{folder}: wanted a folder to download into, it cannot be made ({error.strerror}): "
            f"name another with {option}"
        ) from error
    return is_new


def _bring(client: Client, each: Mapping[str, Any], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    # Downloaded beside, and renamed when its sum is right. Its own name may be as long as names can
    # be, so another one that is made of it must be short.
    part = target.with_name(f".{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}.part")
    try:
        # A file may change while it is sent; then its sum is wrong, and it is fetched again.
        for _ in range(_TRIES):
            wanted = client.fetch(each["href"], part)
            if _sha256_of(part) == wanted:
                # With the job's own time, so that newer files are seen as newer.
                os.utime(part, (each["modified_at_s"], each["modified_at_s"]))
                part.replace(target)
                return
    finally:
        part.unlink(missing_ok=True)
    raise StorageUnavailable(
        f"{each['path']}: came damaged {_TRIES} times; try again, or look at the daemon's disk"
    )


def _inside(path: str) -> PurePosixPath:
    """The path as one inside the folder. Raises InvalidInput if it leads out."""
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts:
        raise InvalidInput(
            f"wanted a path inside the folder, the daemon says {path!r}: is this elasticd's "
            "address?"
        )
    return parts


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
