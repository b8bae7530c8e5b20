"""What a check of `elasticd doctor` found, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """In order, worth knowing, or to be mended before elasticd can work, with the advice that mends
    it."""

    name: str
    level: Literal["ok", "warning", "error"]
    found: str
    advice: str = ""
