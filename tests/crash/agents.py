"""What runs on the instances: agents that register, train as they are told to, and never hear of a
daemon's death."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from elastic.model import AgentState, Exit, NodeReport, Outcome
from elastic.protocol import (
    PROTOCOL,
    Heartbeat,
    HeartbeatReply,
    Registered,
    Registration,
    WindowMessage,
)
from elastic.reconciler import NodeTokens
from tests.crash.daemon import SECRET
from tests.crash.laboratory import Sighting

STEP_S = 1.0


@dataclass(slots=True)
class Agent:
    """One instance's agent. What it has to say it says again until it is answered."""

    machine: Sighting
    me: Registered | None = None
    generation: int | None = None
    began_at_s: float = 0.0
    exit: Exit | None = None
    word: HeartbeatReply | None = None
    windows: list[WindowMessage] = field(default_factory=list)
    seq: int = 0

    @property
    def is_training(self) -> bool:
        return self.generation is not None

    def registration(self) -> Registration:
        return Registration(
            protocol=PROTOCOL,
            join_token=NodeTokens(SECRET).join_token(self.machine.intent),
            instance_id=self.machine.instance_id,
            agent_version="0",
            pid=1,
            hostname="h",
        )

    def heartbeat(self, now_s: float) -> tuple[Heartbeat, str]:
        """What it says now, and by which token."""
        assert self.me is not None
        said = Heartbeat(
            node_id=self.me.node_id,
            instance_id=self.machine.instance_id,
            sent_at_s=now_s,
            report=NodeReport(
                AgentState.RUNNING if self.is_training else AgentState.IDLE, self.generation
            ),
            exit=self.exit,
            windows=tuple(self.windows),
        )
        return said, self.me.node_token

    def obey(self, word: HeartbeatReply, now_s: float) -> None:
        """Takes in an answer: what was said is heard, what is wanted is done."""
        self.word = word
        self.windows = [each for each in self.windows if each.seq > word.acked_seq]
        wanted = None if word.assignment is None else word.assignment.generation
        if self.generation is not None and self.generation != wanted:
            self.stop(Outcome.DRAINED)
        elif (
            self.generation is None
            and wanted is not None
            and (self.exit is None or self.exit.generation != wanted)
        ):
            self.generation, self.began_at_s = wanted, now_s

    def train(self, now_s: float) -> None:
        """Measures the stretch since the last look."""
        assert (
            self.word is not None
            and self.word.assignment is not None
            and self.generation is not None
        )
        iterations = int((now_s - self.began_at_s) / STEP_S)
        if iterations < 1:
            return
        self.seq += 1
        window: dict[str, Any] = {
            "iterations": 5,
            "elapsed_s": 5 * STEP_S,
            "is_cold": False,
            "phase": "main",
        }
        world_size = self.word.assignment.nnodes_max
        self.windows.append(
            WindowMessage(
                seq=self.seq,
                generation=self.generation,
                world_size=world_size,
                ended_at_s=now_s,
                **window,
            )
        )

    def stop(self, outcome: Outcome) -> None:
        assert self.generation is not None
        self.exit = Exit(
            generation=self.generation, outcome=outcome, exit_code=0, iteration=self.seq
        )
        self.generation = None
