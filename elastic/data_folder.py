"""The folder of the daemon's data: made where it can be, and else refused with the reason."""

from __future__ import annotations

import os
from pathlib import Path

from elastic.errors import InvalidInput

WANTED = "wanted a folder that this user may write to"
ADVICE = "choose another with --data-dir or ELASTICD_DATA_DIR (and database_url, if you set that)"


def make_data_folder(folder: Path) -> None:
    """Makes a folder that only its owner may read, unless it is there. Raises InvalidInput."""
    found = found_instead(folder)
    if found is not None:
        raise unusable(folder, found)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(folder, f"that it cannot be made ({error.strerror})") from error


def found_instead(folder: Path) -> str | None:
    """What there is instead of a folder that this user may write to; None if it is there or may be
    made."""
    absolute = folder.absolute()
    # `lexists` says no where a folder above cannot be entered; that one is then looked at.
    nearest = next(each for each in (absolute, *absolute.parents) if os.path.lexists(each))
    if nearest.is_dir():
        if os.access(nearest, os.W_OK | os.X_OK):
            return None
        return f"that {nearest} cannot be written"
    if nearest == absolute:
        return "a file"
    return f"a file at {nearest}"


def unusable(folder: Path, found: str) -> InvalidInput:
    """What to raise for a data folder that cannot be used, and what was found instead."""
    return InvalidInput(f"{folder}: {WANTED}, found {found}; {ADVICE}", field="data_dir")
