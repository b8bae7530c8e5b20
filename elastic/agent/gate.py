"""The gate that a worker passes before its script begins: by then the node holds all that it is to go on from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elastic.agent.counter import Counter


@dataclass(frozen=True, slots=True)
class Arrival:
    """A worker at the gate: one of `groups` nodes' whose torchruns have met, the first of which has `group_rank` 0.

    `meeting` is the same for all workers of one start, and another at each start: where the first rank listens.
    """

    generation: int
    group_rank: int = 0
    groups: int = 1
    meeting: str = ""


def open_gate(path: Path, *, fill: Callable[[Arrival], str | None]) -> Counter:
    """Gives the gate. `fill` blocks until a worker may begin, and gives why it cannot."""

    def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
        arrival = Arrival(
            generation=int(question["generation"]),
            group_rank=int(question.get("group_rank", 0)),
            groups=int(question.get("groups", 1)),
            meeting=str(question.get("meeting", "")),
        )
        return {"refusal": fill(arrival)}

    return Counter(path, answer)
