"""Caches EC2's answers for hours; an old one serves while there is no new one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from elastic.clock import Clock
from elastic.durations import HOUR_S, SELDOM_S
from elastic.errors import ProviderError
from elastic.renewal import Renewal

Value = TypeVar("Value")


class CachedValue(Generic[Value]):
    """Reads a value when it is first asked for, and again every hour. It changes by the month."""

    def __init__(self, read: Callable[[], Value], clock: Clock) -> None:
        self._read = read
        self._clock = clock
        self._lock = threading.Lock()
        self._value: Value | None = None
        self._renewal = Renewal(every_s=HOUR_S, retry_s=SELDOM_S)
        self._failure = ProviderError("EC2 was not asked yet")

    def get(self) -> Value:
        """The value read last. Raises the last error if no read has succeeded yet."""
        with self._lock:
            now_s = self._clock.now_s()
            if self._renewal.is_due(now_s=now_s):
                try:
                    self._value = self._read()
                    self._renewal.note_success(now_s=now_s)
                except ProviderError as error:
                    self._failure = error
                    self._renewal.note_failure(now_s=now_s)
            if self._value is None:
                # A new one: an error that is raised twice collects tracebacks.
                raise type(self._failure)(str(self._failure))
            return self._value

    @property
    def seen(self) -> Value | None:
        """The value read last, None before the first. Makes no request."""
        return self._value
