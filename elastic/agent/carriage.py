"""How checkpoints leave a node: not at all where the folder is shared, else by a carrier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from elastic.agent.wire import Assignment

# How long a last checkpoint may take to leave the node before its generation counts as failed.
STORE_PATIENCE_S = 300.0
# How long the log may take of one whose folder was never filled: there is no checkpoint to be stored.
LOG_PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no worker may begin. `needs_person` says that this stays so until somebody acts."""

    why: str
    needs_person: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a generation's last checkpoint is where the loss of this node cannot reach it; `why` if it is not.

    `refusal` is why its workers could not begin, None if they could.
    """

    is_durable: bool
    why: str = ""
    refusal: Refusal | None = None


class Carriage(Protocol):
    """What the agent asks of it; every call returns at once."""

    def begin(self, assignment: Assignment) -> None:
        """From now on this generation's folder counts."""
        ...

    def serve(self, generation: int) -> None:
        """The workers, who are in a session, belong to this generation from now on; what was begun goes on."""
        ...

    def hears(self, message: Mapping[str, Any]) -> bool:
        """Takes note of what the first rank said; True if the daemon is to hear it only later."""
        ...

    def finish(self, generation: int, *, is_clean: bool) -> None:
        """The generation has ended. `is_clean` is False if it failed, which may leave a file half written."""
        ...

    def verdict(self, generation: int, *, patience_s: float) -> Verdict | None:
        """How it ended for its last checkpoint; None while that is being carried, at most `patience_s` in all."""
        ...

    @property
    def saving_s(self) -> float | None:
        """How long storing a last checkpoint takes, seconds; None where nothing is to be stored."""
        ...


class SharedFolder:
    """The folder is reached by all nodes: what is written there is durable already."""

    def begin(self, assignment: Assignment) -> None:
        """Nothing is to be done."""

    def serve(self, generation: int) -> None:
        """Nothing is to be done."""

    def hears(self, message: Mapping[str, Any]) -> bool:
        return False

    def finish(self, generation: int, *, is_clean: bool) -> None:
        """Nothing is to be done."""

    def verdict(self, generation: int, *, patience_s: float) -> Verdict | None:
        return Verdict(is_durable=True)

    @property
    def saving_s(self) -> float | None:
        return None
