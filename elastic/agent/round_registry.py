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
            "is_recorded": registry.claim(
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
        self._claims: list[RoundRegistration] = []
        self._silences = 0

    def saw(self, number: int) -> None:
        """Notes that a worker trains in this round."""
        with self._changed:
            is_news = number > self._newest
            self._newest = max(number, self._newest)
        if is_news:
            self._wake()

    def claim(self, claim: RoundRegistration, *, timeout_s: float) -> bool:
        """Has the daemon record a round before its publication; False without a timely answer."""
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
        """What the next heartbeat reports: the newest round, and one to be published soon."""
        with self._changed:
            newest = None
            if self._newest > self._told_newest:
                newest = self._newest
            claim = max(self._claims, key=lambda each: each.round, default=None)
            return newest, claim

    def is_told(self, newest: int | None, claim: RoundRegistration | None) -> None:
        """Notes that the daemon stored what `news` returned."""
        with self._changed:
            self._told_newest = max(newest or 0, self._told_newest)
            if claim is not None:
                # The newest round stands for all before it.
                self._claims = [each for each in self._claims if each.round > claim.round]
            self._changed.notify_all()

    def is_not_told(self) -> None:
        """Notes that the daemon did not answer: waiting workers go on without it."""
        with self._changed:
            self._silences += 1
            self._changed.notify_all()
