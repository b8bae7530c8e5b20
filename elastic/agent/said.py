"""Which words of workers are fit for the daemon: one bad number must not make it refuse all that waits behind."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from elastic.model import Batch
from elastic.worker.hook import MAX_NOTE_LENGTH
from elastic.worker.recorder import MAX_PHASE_LENGTH

MARK = re.compile(r"[0-9a-f]{1,16}-[0-9a-f]{8}")
PHASE = re.compile(rf"[A-Za-z0-9_.-]{{1,{MAX_PHASE_LENGTH}}}")


def is_fit(message: Mapping[str, Any]) -> bool:
    """Whether the daemon takes this window or event.

    >>> is_fit({"kind": "note", "text": "hello"})
    True
    >>> is_fit({"kind": "checkpoint", "iteration": 5, "elapsed_s": float("nan")})
    False
    """
    rule = _RULES.get(str(message.get("kind")))
    return rule is not None and rule(message)


def _is_window(message: Mapping[str, Any]) -> bool:
    return (
        isinstance(message.get("phase"), str)
        and PHASE.fullmatch(message["phase"]) is not None
        and isinstance(message.get("is_cold"), bool)
        and _is_count(message.get("iteration"), may_lack=True)
        and _is_count(message.get("iterations"), least=1)
        and _is_count(message.get("world_size"), least=1)
        and _is_count(message.get("generation"), least=1)
        and _is_positive(message.get("elapsed_s"))
        and _is_positive(message.get("ended_at_s"))
    )


def _is_checkpoint(message: Mapping[str, Any]) -> bool:
    elapsed_s = message.get("elapsed_s")
    return _is_count(message.get("iteration")) and isinstance(elapsed_s, int | float) and math.isfinite(elapsed_s)


def _is_last_word(message: Mapping[str, Any]) -> bool:
    return _is_count(message.get("iteration"), may_lack=True)


def _is_note(message: Mapping[str, Any]) -> bool:
    return isinstance(message.get("text"), str) and len(message["text"]) <= MAX_NOTE_LENGTH


def _is_save(message: Mapping[str, Any]) -> bool:
    mark = message.get("mark")
    return isinstance(mark, str) and MARK.fullmatch(mark) is not None and _is_count(message.get("iteration"))


def _is_beginning(message: Mapping[str, Any]) -> bool:
    is_told = isinstance(message.get("stops_when_asked"), bool) and message.get("batch") in list(Batch)
    return is_told and _is_note(message) and _is_count(message.get("iteration"))


def _is_count(value: object, *, least: int = 0, may_lack: bool = False) -> bool:
    if value is None:
        return may_lack
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**31


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and value > 0


_RULES: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "window": _is_window,
    "checkpoint": _is_checkpoint,
    "finished": _is_last_word,
    "drained": _is_last_word,
    "note": _is_note,
    "saved": _is_save,
    "begins": _is_beginning,
}
