"""The rounds of a session as this node's agent knows them: told to the daemon, and recorded there before they begin."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from elastic.agent.counter import Counter
from elastic.model import Claim


def open_claims(path: Path, book: RoundBook) -> Counter:
    """Gives the place where workers have a round recorded before they publish it."""

    def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
        claim = Claim(int(question["round"]), int(question["members"]))
        return {"is_recorded": book.claim(claim, timeout_s=float(question["timeout_s"]))}

    return Counter(path, answer)


class RoundBook:
    """What workers have said of their rounds, until the daemon has answered to it. Safe to use from several threads.

    `wake` has the next heartbeat sent at once.
    """

    def __init__(self, *, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._changed = threading.Condition()
        self._newest = 0
        self._told_newest = 0
        self._claims: list[Claim] = []
        self._silences = 0

    def saw(self, number: int) -> None:
        """A worker trains in this round."""
        with self._changed:
            is_news = number > self._newest
            self._newest = max(number, self._newest)
        if is_news:
            self._wake()

    def claim(self, claim: Claim, *, timeout_s: float) -> bool:
        """Has the daemon record a round before it is published; False where it does not answer, or not in time."""
        with self._changed:
            self._claims.append(claim)
            silences = self._silences
            self._wake()
            self._changed.wait_for(lambda: claim not in self._claims or self._silences > silences, timeout_s)
            is_recorded = claim not in self._claims
            if not is_recorded:
                self._claims.remove(claim)
            return is_recorded

    def news(self) -> dict[str, Any]:
        """What the next heartbeat says of it."""
        with self._changed:
            newest = self._newest if self._newest > self._told_newest else None
            claim = max(self._claims, key=lambda each: each.round, default=None)
            return {"round": newest, "claim": None if claim is None else asdict(claim)}

    def is_told(self, report: Mapping[str, Any]) -> None:
        """The daemon has stored what this report said."""
        with self._changed:
            self._told_newest = max(report["round"] or 0, self._told_newest)
            if report["claim"] is not None:
                # The newest stands for all before it.
                self._claims = [each for each in self._claims if each.round > report["claim"]["round"]]
            self._changed.notify_all()

    def is_not_told(self) -> None:
        """The daemon has not answered: whoever waits goes on without."""
        with self._changed:
            self._silences += 1
            self._changed.notify_all()
