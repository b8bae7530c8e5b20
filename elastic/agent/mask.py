"""Masks the values of a job's secrets in what leaves the node."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from elastic.model import HIDDEN

# A shorter value would mask words that have nothing to do with it, such as "1" or "true".
LEAST_CHARACTERS = 6


class Mask:
    """Replaces exact values, each line of one that has several, in texts. Threads share it.

    >>> mask = Mask()
    >>> mask.add(["s3cr3t-key"])
    >>> mask.cover("the key is s3cr3t-key."), mask.covered({"lines": ["s3cr3t-key", 3]})
    ('the key is (hidden).', {'lines': ['(hidden)', 3]})
    """

    def __init__(self) -> None:
        self._values: frozenset[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None
        # How far each file has been overwritten, and its last bytes before that place.
        self._blanked: dict[Path, tuple[int, bytes]] = {}

    def add(self, values: Iterable[str]) -> None:
        """Masks these values, too."""
        lines = {line.strip() for value in values for line in value.splitlines()}
        self._values |= {line for line in lines if len(line) >= LEAST_CHARACTERS}
        if self._values:
            # Of two that begin alike the longer one comes first.
            longest = sorted(self._values, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(re.escape, longest)))
            self._blanked.clear()

    def cover(self, text: str) -> str:
        """The text without the values."""
        if self._pattern is None:
            return text
        return self._pattern.sub(HIDDEN, text)

    def blank(self, path: Path) -> None:
        """Overwrites the values in a file, to which others append, with as many asterisks.

        It reads what is new since the last call for the file, or all if the file was cut since.
        """
        if self._pattern is None:
            return
        values = re.compile(self._pattern.pattern.encode())
        # A value may have been written in part.
        overlap = max(len(each.encode()) for each in self._values)
        begins_at, known = self._blanked.get(path, (0, b""))
        with path.open("r+b") as file:
            file.seek(max(begins_at - overlap, 0))
            if file.read(begins_at - file.tell()) != known:
                begins_at = 0
            start = file.seek(max(begins_at - overlap, 0))
            content = bytearray(file.read())
            for found in values.finditer(content):
                blank = b"*" * len(found[0])
                os.pwrite(file.fileno(), blank, start + found.start())
                content[found.start() : found.end()] = blank
        self._blanked[path] = start + len(content), bytes(content[-overlap:])

    def covered(self, message: Any) -> Any:
        """A message as JSON has it, with the values masked in all its texts."""
        if self._pattern is None:
            return message
        match message:
            case str():
                return self.cover(message)
            case dict():
                return {name: self.covered(value) for name, value in message.items()}
            case list() | tuple():
                return [self.covered(each) for each in message]
            case _:
                return message
