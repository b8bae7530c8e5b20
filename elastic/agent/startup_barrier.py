"""The start-up barrier: no script begins before the node holds the state it continues from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from elastic.agent.local_rpc import LocalRpcServer
from elastic.protocol import from_json
from elastic.worker.messages import Arrival


def open_startup_barrier(path: Path, *, fill: Callable[[Arrival], str | None]) -> LocalRpcServer:
    """Returns the server. `fill` blocks until a worker may begin, and returns why it cannot."""

    def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"refusal": fill(from_json(Arrival, question))}

    return LocalRpcServer(path, answer)
