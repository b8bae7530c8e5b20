"""ClientToken: a repeated call gets the same answer, another call with its token an error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from elastic_lab.guests import Guest, GuestPhase
from elastic_lab.wire import Answer, Ec2Call, Ec2Error

_MAX_TOKEN_CHARACTERS = 64
_SAME_EVERYWHERE = frozenset({"Action", "Version", "ClientToken", "DryRun"})

Purchase = tuple[Answer, tuple[Guest, ...]]


@dataclass(frozen=True, slots=True)
class _Remembered:
    asked: frozenset[tuple[str, str]]
    answer: Answer
    guests: tuple[Guest, ...]


class ClientTokens:
    """What was bought with which token. The caller must not run two purchases at a time."""

    def __init__(self) -> None:
        self._remembered: dict[tuple[str, str], _Remembered] = {}

    def once(self, call: Ec2Call, buy: Callable[[], Purchase]) -> Answer:
        """Buys, or returns the answer of the first time; raises Ec2Error where EC2 does."""
        token = call.form.get("ClientToken")
        if not token or call.form.get("DryRun") == "true":
            return buy()[0]
        if len(token) > _MAX_TOKEN_CHARACTERS or not token.isascii():
            raise Ec2Error(
                "InvalidParameterValue",
                f"ClientToken: wanted at most 64 ASCII characters, found {token!r}",
            )
        asked = frozenset(
            (name, value) for name, value in call.form.items() if name not in _SAME_EVERYWHERE
        )
        # The same token must ask for the same again.
        known = self._remembered.get((call.action, token))
        if known is None:
            answer, guests = buy()
            if answer.is_success:
                self._remembered[call.action, token] = _Remembered(asked, answer, guests)
            return answer
        _require_repeatable(known, asked, call.action)
        return known.answer


def _require_repeatable(known: _Remembered, asked: frozenset[tuple[str, str]], action: str) -> None:
    if known.asked != asked:
        raise Ec2Error(
            "IdempotentParameterMismatch",
            "The client token you have provided is associated with a resource already created with "
            "different parameters.",
        )
    gone = (GuestPhase.SHUTTING_DOWN, GuestPhase.TERMINATED)
    if action == "RunInstances" and any(guest.phase in gone for guest in known.guests):
        raise Ec2Error(
            "IdempotentInstanceTerminated",
            "The request to launch an instance uses the same client token as a previous request "
            "for which the instance has been terminated.",
        )
