"""What a check of `elasticd doctor` found, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check."""

    # What was checked.
    name: str
    # With an error elasticd cannot work; a warning is worth knowing.
    level: Literal["ok", "warning", "error"]
    found: str
    # What to do about it; empty where nothing is wrong.
    advice: str = ""
