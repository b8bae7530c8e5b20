"""Finds out since when an instance is billed, since EC2 does not charge for `pending`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from elastic.providers.base import Instance, InstanceState

# Reasons for which EC2 ends an instance during its launch (EC2 API Reference, StateReason, and as
# users report it, that of a key).
_ON_LAUNCH = (
    "Client.InternalError",
    "Client.InvalidKMSKey.InvalidState",
    "Client.InvalidSnapshot.NotFound",
    "Client.VolumeLimitExceeded",
    "Server.InsufficientInstanceCapacity",
    "Server.InternalError",
)


class Pending:
    """Remembers when each instance was last seen as pending; it is billed from then on.

    EC2 does not say when `pending` ended, so this is at most one look too early ("Billing by
    instance state", EC2 User Guide). An instance that was seen only as pending, and that EC2 ended
    during its launch, never ran.
    """

    # In memory only: an instance that was pending before this daemon started counts as billed since
    # its launch.

    def __init__(self) -> None:
        self._seen_at_s: dict[str, float] = {}
        self._ran: set[str] = set()

    def note(self, instances: Iterable[Instance], *, now_s: float) -> tuple[Instance, ...]:
        """The instances, each with the time since when it is billed, as far as it is known."""
        found = tuple(instances)
        for each in found:
            if each.state is InstanceState.PENDING:
                self._seen_at_s[each.provider_id] = now_s
            elif each.state is InstanceState.RUNNING:
                self._ran.add(each.provider_id)
        present = {each.provider_id for each in found}
        self._seen_at_s = {key: at_s for key, at_s in self._seen_at_s.items() if key in present}
        self._ran &= present
        return tuple(
            replace(
                each,
                billed_from_s=self._seen_at_s.get(each.provider_id),
                never_ran=self._never_ran(each),
            )
            for each in found
        )

    def _never_ran(self, instance: Instance) -> bool:
        was_only_pending = (
            instance.provider_id in self._seen_at_s and instance.provider_id not in self._ran
        )
        is_gone = instance.state is InstanceState.GONE
        return (
            is_gone and was_only_pending and instance.ended_because.partition(":")[0] in _ON_LAUNCH
        )
