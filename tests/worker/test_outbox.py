"""What workers say reaches the agent or waits where the agent will look."""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from elastic.worker.messages import Datagram
from elastic.worker.outbox import MAX_DATAGRAM_BYTES, MAX_WAITING, Outbox
from tests.worker.conftest import AgentSocket


def test_a_message_too_long_for_a_datagram_is_cut(agent_socket: AgentSocket) -> None:
    outbox = agent_socket.outbox()
    outbox.put({"kind": "note", "text": "ü" * 2_000})
    assert outbox.flush()
    (message,) = agent_socket.received()
    assert message["text"].startswith("üüü")
    assert len(json.dumps(message)) <= MAX_DATAGRAM_BYTES


def test_what_no_agent_took_is_left_in_a_file_beside_the_socket(tmp_path: Path) -> None:
    outbox = Outbox(str(tmp_path / "s"), worker="w", common={"rank": 0})
    outbox.put({"kind": "finished", "iteration": 9})
    outbox.close(timeout_s=0.0)
    left = json.loads((tmp_path / "s.left-w").read_text())
    assert (left["kind"], left["iteration"], left["seq"], left["rank"]) == (
        "finished",
        9,
        1,
        0,
    )


def test_what_waits_keeps_the_place_its_worker_had(tmp_path: Path) -> None:
    """Rank 0's turns count for the job: those of before are not lost when it becomes rank 1."""
    outbox = Outbox(str(tmp_path / "s"), worker="w", common={"rank": 0})
    turns: Datagram = {
        "kind": "window",
        "phase": "main",
        "iteration": 316,
        "iterations": 1,
        "elapsed_s": 0.1,
        "is_cold": False,
        "ended_at_s": 1.0,
    }
    outbox.put(turns)
    outbox.common = {"rank": 1}
    outbox.put(turns | {"iteration": 317})
    for number in range(MAX_WAITING):
        outbox.put({"kind": "note", "text": str(number)})
    outbox.close(timeout_s=0.0)
    left = map(json.loads, (tmp_path / "s.left-w").read_text().splitlines())
    ranks = {each["iteration"]: each["rank"] for each in left if each["kind"] == "window"}
    assert ranks == {316: 0, 317: 1}


def test_a_signal_s_handler_that_saves_amid_a_report_does_not_hang_its_script(
    agent_socket: AgentSocket, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox = Outbox(str(agent_socket.path), worker="w", common={})

    def handler() -> None:
        outbox.put({"kind": "note", "text": "saved by the handler"})
        outbox.flush()

    @contextmanager
    def interrupted(path: str) -> Iterator[str]:
        monkeypatch.undo()
        handler()
        yield path

    monkeypatch.setattr("elastic.worker.outbox.address_of", interrupted)
    outbox.put({"kind": "note", "text": "before"})
    script = threading.Thread(target=outbox.flush, daemon=True)
    script.start()
    script.join(timeout=5.0)
    assert not script.is_alive()
    outbox.close(timeout_s=0.0)
    assert [(each["text"], each["seq"]) for each in agent_socket.received()] == [
        ("before", 1),
        ("saved by the handler", 2),
    ]


def test_a_folder_that_is_gone_ends_quietly(tmp_path: Path) -> None:
    outbox = Outbox(str(tmp_path / "gone" / "s"), worker="w", common={})
    outbox.put({"kind": "finished", "iteration": 9})
    outbox.close(timeout_s=0.0)
    assert outbox.flush(), "there is no one left to tell"


def test_without_an_agent_nothing_is_kept() -> None:
    class Note(dict[str, str | int | float | bool | None]):
        """A message that can be seen to be let go."""

    outbox, said = Outbox(None, worker="w", common={}), Note(kind="note", text="alone")
    outbox.put(said)
    kept = weakref.ref(said)
    del said
    assert kept() is None
    assert outbox.flush()


def test_last_words_survive_a_flood_of_notes(agent_socket: AgentSocket) -> None:
    outbox = agent_socket.outbox()
    outbox.put({"kind": "drained", "iteration": 5})
    for number in range(3 * MAX_WAITING):
        outbox.put({"kind": "note", "text": str(number)})
    messages = agent_socket.drain(outbox)
    assert messages[0]["kind"] == "drained"
    assert messages[-1]["text"] == str(3 * MAX_WAITING - 1)
    assert len(messages) <= MAX_WAITING
