"""What all members of a session must have alike, compared before any state is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from elastic.errors import InvalidInput
from elastic.workloads.session.state import State

# Changes with what members say to each other, sum or compare: in an upgrade old and new ones may
# meet.
PROTOCOL = 4
MAX_TERMS = 1000  # they are shown where they differ, and travel in a message's head


@dataclass(frozen=True, slots=True)
class SessionTerms:
    """`batch` samples a turn, `steps` to go in all (None: nobody has said), `numbers` of the job's
    own; `shape` stands for the units' types, shapes and layouts, `terms` for what the script itself
    wants alike, `protocol` for what elasticd's own code does."""

    batch: int
    steps: int | None
    numbers: int
    shape: str
    terms: str = ""
    protocol: int = PROTOCOL

    @classmethod
    def of(
        cls, state: State, *, batch: int, steps: int | None = None, numbers: int, terms: str = ""
    ) -> SessionTerms:
        """Gives this process's own. Raises InvalidInput."""
        require_whole("batch", batch, least=1)
        require_whole("numbers", numbers, least=0)
        if steps is not None:
            require_whole("steps", steps, least=1)
        _require_text(terms)
        return cls(batch, steps, numbers, state.shape_digest(), terms)

    def told(self) -> dict[str, Any]:
        """Gives them as others are told."""
        return asdict(self)

    def check(self, told: Mapping[str, Any]) -> None:
        """Raises InvalidInput where a member of the session has told other ones.

        >>> Terms(24, None, 1, "s").check(Terms(12, None, 1, "s").told())
        Traceback (most recent call last):
        elastic.errors.InvalidInput: batch: wanted 12, as the session's members have it, got 24: this process cannot \
train with them
        """
        if told.get("protocol") != self.protocol:
            raise InvalidInput(
                f"elasticd: wanted one whose sessions speak protocol {told.get('protocol')}, as "
                "the members' do, got "
                f"one of protocol {self.protocol}: have all nodes run the same elasticd, or start "
                "the job anew",
                field="protocol",
            )
        for name, own in self.told().items():
            if told.get(name) != own:
                raise InvalidInput(
                    f"{name}: wanted {told.get(name)}, as the session's members have it, got "
                    f"{own}: this process "
                    "cannot train with them",
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
