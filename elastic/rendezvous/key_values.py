"""What a store holds: values by their keys, and threads that wait for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol


class Missing(Exception):
    """A key did not come within the time that it was waited for."""


class Values(Protocol):
    """A store as its users see it, near or far. Its operations are those of torch's stores."""

    def set(self, key: str, value: bytes) -> None:
        """Keeps a value."""
        ...

    def get(self, key: str, *, timeout_s: float) -> bytes:
        """The value of a key, which is waited for. Raises Missing."""
        ...

    def find(self, key: str) -> bytes | None:
        """The value of a key; None if it has none now."""
        ...

    def compare_set(self, key: str, expected: bytes, desired: bytes) -> bytes:
        """Keeps `desired` if the key has the value `expected`, or none and that is empty.

        Returns the value from then on; `expected` if there is none.
        """
        ...

    def add(self, key: str, amount: int) -> int:
        """Adds to a number, which begins at 0, and returns the sum."""
        ...

    def append(self, key: str, value: bytes) -> None:
        """Adds to the end of a value, which begins empty."""
        ...

    def has(self, keys: Sequence[str]) -> bool:
        """Whether all of these have values."""
        ...

    def wait(self, keys: Sequence[str], *, timeout_s: float) -> None:
        """Waits until all of these have values. Raises Missing."""
        ...

    def delete(self, key: str) -> bool:
        """Forgets a key; returns whether it had a value."""
        ...

    def count(self) -> int:
        """How many keys have values."""
        ...


class KeyValues:
    """Values in this process's memory."""

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        self._values = {key: value.encode() for key, value in (known or {}).items()}
        self._changed = threading.Condition()

    def set(self, key: str, value: bytes) -> None:
        with self._changed:
            self._values[key] = value
            self._changed.notify_all()

    def get(self, key: str, *, timeout_s: float) -> bytes:
        with self._changed:
            self._await([key], timeout_s)
            return self._values[key]

    def find(self, key: str) -> bytes | None:
        with self._changed:
            return self._values.get(key)

    def compare_set(self, key: str, expected: bytes, desired: bytes) -> bytes:
        with self._changed:
            present = self._values.get(key)
            if present == expected or (present is None and not expected):
                self._values[key] = desired
                self._changed.notify_all()
                return desired
            return expected if present is None else present

    def add(self, key: str, amount: int) -> int:
        return int(self._replaced(key, lambda old: b"%d" % (int(old or 0) + amount)))

    def append(self, key: str, value: bytes) -> None:
        self._replaced(key, lambda old: old + value)

    def has(self, keys: Sequence[str]) -> bool:
        with self._changed:
            return self._values.keys() >= set(keys)

    def wait(self, keys: Sequence[str], *, timeout_s: float) -> None:
        with self._changed:
            self._await(keys, timeout_s)

    def delete(self, key: str) -> bool:
        with self._changed:
            return self._values.pop(key, None) is not None

    def count(self) -> int:
        with self._changed:
            return len(self._values)

    def _replaced(self, key: str, new: Callable[[bytes], bytes]) -> bytes:
        with self._changed:
            value = self._values[key] = new(self._values.get(key, b""))
            self._changed.notify_all()
            return value

    def _await(self, keys: Sequence[str], timeout_s: float) -> None:
        wanted = set(keys)
        if not self._changed.wait_for(lambda: self._values.keys() >= wanted, timeout_s):
            raise Missing(f"no value of {min(wanted - self._values.keys())!r} has come")
