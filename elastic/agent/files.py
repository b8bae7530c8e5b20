"""Small JSON files that are either whole or absent, readable by their owner only, and sizes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elastic.worker.reserve import is_full, makes_room


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Replaces the file in one step. On a full disk it takes room from the folder's reserve."""
    try:
        _write_json(path, content)
    except OSError as error:
        if not (is_full(error) and makes_room(str(path.parent))):
            raise
        _write_json(path, content)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    part = path.with_name(f".{path.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w") as file:
        json.dump(content, file)
    part.replace(path)


def read_json(path: Path) -> dict[str, Any] | None:
    """The file's content; None when there is none."""
    try:
        content = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def size_of(path: Path) -> int:
    """The file's bytes; 0 when there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
