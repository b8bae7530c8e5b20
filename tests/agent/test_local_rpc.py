"""A socket on which workers ask their agent something."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elastic.agent.local_rpc import LocalRpcServer
from elastic.worker.startup_barrier import wait_at_startup_barrier


def test_it_answers_where_the_path_is_too_long_for_a_socket_and_is_removed_in_the_end(
    tmp_path: Path,
) -> None:
    folder = tmp_path / ("d" * 120)
    folder.mkdir()
    asked: list[Mapping[str, Any]] = []

    def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append(question)
        return {"refusal": None}

    counter = LocalRpcServer(folder / "barrier.socket", answer)
    counter.start()
    wait_at_startup_barrier(
        {"ELASTICD_BARRIER": str(folder / "barrier.socket"), "ELASTICD_GENERATION": "1"},
        timeout_s=0.0,
    )
    counter.stop()
    assert asked == [{"generation": 1, "group_rank": 0, "groups": 1, "meeting": ""}]
    assert list(folder.iterdir()) == []
