"""A session's rounds on this node: reported to the daemon, and recorded before they begin."""

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
    """Returns the server at which workers have a round recorded before they publish it."""

    def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
        asked = from_json(RoundQuestion, question)
        return {
            "is_recorded": registry.register(
                RoundRegistration(asked.round, asked.members), timeout_s=asked.timeout_s
            )
        }

    return LocalRpcServer(path, answer)


class RoundRegistry:
    """The rounds that workers reported, until the daemon acknowledges them; thread-safe.

    `wake` sends the next heartbeat at once.
    """

    def __init__(self, *, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._changed = threading.Condition()
        self._newest = 0
        self._told_newest = 0
        self._pending: list[RoundRegistration] = []
        self._silences = 0

    def saw(self, number: int) -> None:
        """Notes that a worker trains in this round."""
        with self._changed:
            is_news = number > self._newest
            self._newest = max(number, self._newest)
        if is_news:
            self._wake()

    def register(self, registration: RoundRegistration, *, timeout_s: float) -> bool:
        """Has the daemon record a round before it is published; False where it does not answer, or
        not in time."""
        with self._changed:
            self._pending.append(registration)
            silences = self._silences
            self._wake()
            self._changed.wait_for(
                lambda: registration not in self._pending or self._silences > silences, timeout_s
            )
            is_recorded = registration not in self._pending
            if not is_recorded:
                self._pending.remove(registration)
            return is_recorded

    def news(self) -> tuple[int | None, RoundRegistration | None]:
        """What the next heartbeat reports: the newest round, and one to be published soon."""
        with self._changed:
            newest = self._newest if self._newest > self._told_newest else None
            next_round = max(self._pending, key=lambda each: each.round, default=None)
            return newest, next_round

    def is_stored(self, newest: int | None, next_round: RoundRegistration | None) -> None:
        """The daemon has stored what `news` gave."""
        with self._changed:
            self._told_newest = max(newest or 0, self._told_newest)
            if next_round is not None:
                # The newest stands for all before it.
                self._pending = [each for each in self._pending if each.round > next_round.round]
            self._changed.notify_all()

    def is_unanswered(self) -> None:
        """The daemon has not answered: those that wait continue without it."""
        with self._changed:
            self._silences += 1
            self._changed.notify_all()
