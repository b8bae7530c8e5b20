"""The rounds of a session as this node's agent knows them: told to the daemon, and recorded there
before they begin."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from elastic.agent.local_rpc import LocalRpcServer
from elastic.model import RoundRegistration
from elastic.protocol import from_json
from elastic.worker.messages import RoundQuestion


def open_round_registry(path: Path, registry: RoundRegistry) -> LocalRpcServer:
    """Gives the place where workers have a round recorded before they publish it."""

    def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
        asked = from_json(RoundQuestion, question)
        return {
            "is_recorded": registry.claim(
                RoundRegistration(asked.round, asked.members), timeout_s=asked.timeout_s
            )
        }

    return LocalRpcServer(path, answer)


class RoundRegistry:
    """What workers have said of their rounds, until the daemon has answered to it. Safe to use from
    several threads.

    `wake` has the next heartbeat sent at once.
    """

    def __init__(self, *, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._changed = threading.Condition()
        self._newest = 0
        self._told_newest = 0
        self._claims: list[RoundRegistration] = []
        self._silences = 0

    def saw(self, number: int) -> None:
        """A worker trains in this round."""
        with self._changed:
            is_news = number > self._newest
            self._newest = max(number, self._newest)
        if is_news:
            self._wake()

    def claim(self, claim: RoundRegistration, *, timeout_s: float) -> bool:
        """Has the daemon record a round before it is published; False where it does not answer, or
        not in time."""
        with self._changed:
            self._claims.append(claim)
            silences = self._silences
            self._wake()
            self._changed.wait_for(
                lambda: claim not in self._claims or self._silences > silences, timeout_s
            )
            is_recorded = claim not in self._claims
            if not is_recorded:
                self._claims.remove(claim)
            return is_recorded

    def news(self) -> tuple[int | None, RoundRegistration | None]:
        """What the next heartbeat says: the newest round, and one that is about to be published."""
        with self._changed:
            newest = None
            if self._newest > self._told_newest:
                newest = self._newest
            claim = max(self._claims, key=lambda each: each.round, default=None)
            return newest, claim

    def is_told(self, newest: int | None, claim: RoundRegistration | None) -> None:
        """The daemon has stored what `news` gave."""
        with self._changed:
            self._told_newest = max(newest or 0, self._told_newest)
            if claim is not None:
                # The newest stands for all before it.
                self._claims = [each for each in self._claims if each.round > claim.round]
            self._changed.notify_all()

    def is_not_told(self) -> None:
        """The daemon has not answered: whoever waits goes on without."""
        with self._changed:
            self._silences += 1
            self._changed.notify_all()
