"""What somebody must be told at once, each alarm from the look that raised it to the one that finds it over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from elastic.errors import ProviderError, ProviderUnavailable
from elastic.reconciler.namespace import Namespace
from elastic.reconciler.right import RightToEnd
from elastic.store import Store

_SILENCE_S = 120.0
"""A cloud that refuses is an alarm at once, one that is silent only when that lasts."""


class AlarmKind(StrEnum):
    """What is wrong: the claim to the machines is lost or in doubt, they cannot be listed, or they cannot be ended."""

    CLAIM = "claim"
    CANNOT_SEE = "cannot_see"
    CANNOT_END = "cannot_end"


@dataclass(frozen=True, slots=True)
class Alarm:
    """One thing that is wrong, why, and since when."""

    kind: AlarmKind
    text: str
    since_s: float


@dataclass(slots=True)
class Alarms:
    """Asks those who know, and writes down when one begins and when it is over."""

    namespace: Namespace
    right: RightToEnd
    _blindness: ProviderError | None = None
    _blind_since_s: float = 0.0
    _last_blindness: ProviderError | None = None
    _raised_s: dict[AlarmKind, float] = field(default_factory=dict)

    def look(self, store: Store, blindness: ProviderError | None, *, now_s: float) -> None:
        """Takes note of why the machines cannot be listed (None: they can), and tells the store what has changed."""
        if self._blindness is None:
            self._blind_since_s = now_s
        self._blindness = blindness
        self._last_blindness = blindness or self._last_blindness
        standing = {each.kind: each for each in self.standing(now_s=now_s)}
        for kind in self._raised_s.keys() - standing.keys():
            del self._raised_s[kind]
            store.add_event("alarm_over", f"{kind}: all is well again", now_s=now_s)
        for kind, alarm in standing.items():
            if kind not in self._raised_s:
                self._raised_s[kind] = now_s
                store.add_event("alarm", f"{kind}: {alarm.text}", now_s=now_s)

    def standing(self, *, now_s: float) -> tuple[Alarm, ...]:
        """Everything that is wrong now."""
        return tuple(
            Alarm(kind, text, self._raised_s.get(kind, now_s)) for kind, text in self._texts(now_s=now_s) if text
        )

    def _texts(self, *, now_s: float) -> Iterator[tuple[AlarmKind, str | None]]:
        claim = self.namespace.alarm(now_s=now_s)
        yield AlarmKind.CLAIM, claim
        unseen = None if claim is not None else self._unseen(now_s=now_s)
        yield AlarmKind.CANNOT_SEE, unseen
        # Who cannot list machines cannot prove the right to end one: a trouble of its own once it shortens leases.
        is_withheld = self.right.lease_left_s(now_s=now_s) < self.right.lease_s
        if is_withheld or self.right.failure is not self._last_blindness:
            yield AlarmKind.CANNOT_END, self.right.alarm(now_s=now_s)

    def _unseen(self, *, now_s: float) -> str | None:
        is_brief = isinstance(self._blindness, ProviderUnavailable) and now_s - self._blind_since_s < _SILENCE_S
        if self._blindness is None or is_brief:
            return None
        return (
            "the cloud does not tell what machines there are: none is bought, and leases end in time unless it does: "
            f"{self._blindness}"
        )
