"""From when on an instance is billed: EC2 does not charge for `pending`, and does not tell when it was over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from elastic.providers.base import Instance, InstanceState


class Pending:
    """Remembers each instance's last sighting as pending: it is billed from then on, a look too early at most.

    "Billing by instance state", EC2 User Guide. In memory only: of an instance that was pending before this daemon
    began nothing is known, and it counts as billed since its launch.
    """

    def __init__(self) -> None:
        self._seen_at_s: dict[str, float] = {}

    def note(self, instances: Iterable[Instance], *, now_s: float) -> tuple[Instance, ...]:
        """The instances, each with the instant from which on it is billed, as far as that is known."""
        found = tuple(instances)
        for each in found:
            if each.state is InstanceState.PENDING:
                self._seen_at_s[each.provider_id] = now_s
        present = {each.provider_id for each in found}
        self._seen_at_s = {key: at_s for key, at_s in self._seen_at_s.items() if key in present}
        return tuple(replace(each, billed_from_s=self._seen_at_s.get(each.provider_id)) for each in found)
