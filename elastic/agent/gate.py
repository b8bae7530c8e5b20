"""The gate that a worker passes before its script begins: by then the node's folder holds the newest checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from elastic.agent.counter import Counter


def open_gate(path: Path, *, fill: Callable[[int], str | None]) -> Counter:
    """Gives the gate. `fill` blocks until a generation's folder is filled, and gives why it could not be."""

    def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"refusal": fill(int(question["generation"]))}

    return Counter(path, answer)
