"""torchrun's rendezvous state in the job's store, as JSON.

torch pickles this state, and unpickles what it finds. So a process that can write to the store
could make every node run code. Here torch only unpickles what this process has pickled.
"""

from __future__ import annotations

import json
import pickle
from datetime import datetime
from typing import Any

from torch.distributed.elastic.rendezvous import RendezvousConnectionError, RendezvousStateError
from torch.distributed.elastic.rendezvous.dynamic_rendezvous import (
    RendezvousBackend,
    Token,
    _NodeDesc,
    _RendezvousState,
)

from elastic.rendezvous import StoreLost, Values


class JsonBackend(RendezvousBackend):
    """Where torchrun's handler keeps its state; written only by compare-and-set."""

    def __init__(self, values: Values, run_id: str, *, name: str) -> None:
        self._values = values
        self._key = f"torchrun/{run_id}"
        self._name = name

    @property
    def name(self) -> str:
        """The backend that torchrun was started with."""
        return self._name

    def get_state(self) -> tuple[bytes, Token] | None:
        """The state as torch expects it, and a token that identifies it. Raises RendezvousError."""
        try:
            found = self._values.find(self._key)
        except StoreLost as error:
            raise RendezvousConnectionError(str(error)) from error
        return None if not found else (_pickled(found), found)

    def set_state(
        self, state: bytes, token: Token | None = None
    ) -> tuple[bytes, Token, bool] | None:
        """Writes a state that torch has just pickled, if the state of `token` is still in force.

        Returns the state then in force, its token, and whether it is the given one. Raises
        RendezvousError.
        """
        known = token if isinstance(token, bytes) else b""
        told = _encoded(pickle.loads(state))
        try:
            found = self._values.compare_set(self._key, known, told)
        except StoreLost as error:
            raise RendezvousConnectionError(str(error)) from error
        return None if not found else (_pickled(found), found, found == told)


def _pickled(content: bytes) -> bytes:
    try:
        return pickle.dumps(_decoded(json.loads(content)))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RendezvousStateError(f"the rendezvous state cannot be read: {error}") from error


def _encoded(state: _RendezvousState) -> bytes:
    told = {
        "round": state.round,
        "complete": state.complete,
        "closed": state.closed,
        "deadline": None if state.deadline is None else state.deadline.isoformat(),
        "participants": [[*_fields(node), rank] for node, rank in state.participants.items()],
        "wait_list": [_fields(node) for node in sorted(state.wait_list)],
        "redundancy_list": [_fields(node) for node in sorted(state.redundancy_list)],
        "last_heartbeats": [
            [*_fields(node), at.isoformat()] for node, at in state.last_heartbeats.items()
        ],
    }
    return json.dumps(told).encode()


def _decoded(told: dict[str, Any]) -> _RendezvousState:
    state = _RendezvousState()
    state.round = int(told["round"])
    state.complete = bool(told["complete"])
    state.closed = bool(told["closed"])
    if told["deadline"] is not None:
        state.deadline = datetime.fromisoformat(told["deadline"])
    state.participants = {_node(*node): int(rank) for *node, rank in told["participants"]}
    state.wait_list = {_node(*node) for node in told["wait_list"]}
    state.redundancy_list = {_node(*node) for node in told["redundancy_list"]}
    state.last_heartbeats = {
        _node(*node): datetime.fromisoformat(at) for *node, at in told["last_heartbeats"]
    }
    return state


def _fields(node: _NodeDesc) -> list[str | int]:
    return [node.addr, node.pid, node.local_id]


def _node(addr: str, pid: int, local_id: int) -> _NodeDesc:
    return _NodeDesc(str(addr), int(pid), int(local_id))
