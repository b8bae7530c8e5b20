"""The start-up barrier that a worker passes before its script begins: by then the node holds all
that it needs to go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from elastic.agent.local_rpc import LocalRpcServer
from elastic.protocol import from_json
from elastic.worker.messages import Arrival


def open_startup_barrier(path: Path, *, fill: Callable[[Arrival], str | None]) -> LocalRpcServer:
    """Gives the barrier. `fill` blocks until a worker may begin, and gives why it cannot."""

    def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"refusal": fill(from_json(Arrival, question))}

    return LocalRpcServer(path, answer)
