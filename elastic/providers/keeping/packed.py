"""Packs modules of this elasticd into one program that runs where elasticd is not installed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from elastic.zips import zip_of

_ELASTIC = Path(__file__).parents[2]
# What every such program needs.
_SHARED = (
    "durations.py",
    "figures.py",
    "providers/keeping/address.py",
    "providers/keeping/keeper.py",
    "providers/keeping/records.py",
    "providers/keeping/process.py",
    "providers/keeping/spawn.py",
)
# What the zip is run by: `python3 host.pyz WORD FOLDER`.
_MAIN = """\
import sys
from {module} import main
sys.exit(main(sys.argv[1:]))
"""


@dataclass(frozen=True, slots=True)
class PackedProgram:
    """A program's zip, and its name: other content has another name."""

    name: str
    content: bytes


def pack(stem: str, modules: Iterable[str], *, main: str) -> PackedProgram:
    """Packs these files below `elastic`, with all that they share; the module `main` is run."""
    paths = {*_SHARED, *modules}
    files = {f"elastic/{each}": (_ELASTIC / each).read_bytes() for each in paths}
    # The packages are empty there: what they import here is of no use on nodes.
    folders = {str(parent) for each in paths for parent in PurePosixPath("elastic", each).parents}
    files |= {f"{each}/__init__.py": b"" for each in folders if each != "."}
    files["__main__.py"] = _MAIN.format(module=main).encode()
    content = zip_of((name, text, 0o644) for name, text in sorted(files.items()))
    return PackedProgram(f"{stem}-{hashlib.sha256(content).hexdigest()[:12]}.pyz", content)
