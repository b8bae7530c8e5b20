"""What must be the same on all members of a session, compared before any state is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from elastic.errors import InvalidInput
from elastic.workloads.session.state.state import State

# Raise it when members exchange, sum or compare something else: in an upgrade old and new ones may
# meet.
PROTOCOL = 5
MAX_TERMS = 1000  # they are shown if they differ, and travel in a message's head


@dataclass(frozen=True, slots=True)
class SessionTerms:
    """One process's terms, which must be equal on all members."""

    # Samples a turn.
    batch: int
    # Steps in all; None if the script does not say.
    steps: int | None
    # How many numbers of the job's own are summed.
    numbers: int
    # A digest of the units' types, shapes and layouts.
    shape: str
    # What the script itself wants to be equal.
    terms: str = ""
    # What elasticd's own code does.
    protocol: int = PROTOCOL

    @classmethod
    def of(
        cls, state: State, *, batch: int, steps: int | None = None, numbers: int, terms: str = ""
    ) -> SessionTerms:
        """Returns this process's own terms. Raises InvalidInput."""
        require_whole("batch", batch, least=1)
        require_whole("numbers", numbers, least=0)
        if steps is not None:
            require_whole("steps", steps, least=1)
        _require_text(terms)
        return cls(batch, steps, numbers, state.shape_digest(), terms)

    def as_dict(self) -> dict[str, Any]:
        """Returns the terms as they are sent to other members."""
        return asdict(self)

    def check(self, told: Mapping[str, Any]) -> None:
        """Raises InvalidInput if a member of the session reported other terms.

        >>> SessionTerms(24, None, 1, "s").check(SessionTerms(12, None, 1, "s").as_dict())
        Traceback (most recent call last):
        elastic.errors.InvalidInput: batch: wanted 12, as the session's members have it, got 24...
        """
        if told.get("protocol") != self.protocol:
            raise InvalidInput(
                f"elasticd: wanted one whose sessions speak protocol {told.get('protocol')}, like "
                f"the members', got one of protocol {self.protocol}: run the same elasticd on all "
                "nodes, or start the job again",
                field="protocol",
            )
        for name, own in self.as_dict().items():
            if told.get(name) != own:
                raise InvalidInput(
                    f"{name}: wanted {told.get(name)}, as the session's members have it, got "
                    f"{own}: this process cannot train with them",
                    field=name,
                )


def require_whole(name: str, value: object, *, least: int) -> None:
    """Raises InvalidInput unless a value is a whole number of `least` or more.

    >>> require_whole("batch", 2.5, least=1)
    Traceback (most recent call last):
    elastic.errors.InvalidInput: batch: wanted a whole number, 1 or more, got 2.5
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InvalidInput(
            f"{name}: wanted a whole number, {least} or more, got {value!r}", field=name
        )


def _require_text(terms: object) -> None:
    if not isinstance(terms, str) or len(terms) > MAX_TERMS:
        if isinstance(terms, str):
            found = f"one of {len(terms)}"
        else:
            found = f"a {type(terms).__name__}"
        raise InvalidInput(
            f"terms: wanted a text of at most {MAX_TERMS} characters, got {found}; give a digest",
            field="terms",
        )
