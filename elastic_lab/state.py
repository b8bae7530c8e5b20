"""The real state of a lab's instances, independent of what the API shows."""

from __future__ import annotations

from dataclasses import dataclass

from elastic_lab.guests import Guest


@dataclass(frozen=True, slots=True)
class InstanceView:
    """One instance."""

    instance_id: str
    node_type: str
    capacity: str
    zone: str
    phase: str
    address: str
    cpu: float | None
    launched_at_s: float
    # When it first booted.
    running_at_s: float | None
    # When its billing last ended.
    ended_at_s: float | None
    has_notice: bool
    is_cut_off: bool
    reason: str
    token: str


@dataclass(frozen=True, slots=True)
class LabState:
    """The state of a lab."""

    name: str
    machines: str
    # Scenario seconds since the start.
    after_s: float
    # All there ever were, oldest first.
    instances: tuple[InstanceView, ...]


def view(guest: Guest) -> InstanceView:
    """The state of an instance."""
    return InstanceView(
        instance_id=guest.id,
        node_type=guest.offering.node_type,
        capacity=guest.offering.capacity.value,
        zone=guest.offering.zone,
        phase=guest.phase.value,
        address=guest.instance.private_ip,
        cpu=guest.cpu,
        launched_at_s=guest.launched_at_s,
        running_at_s=guest.stretches[0][0] if guest.stretches else None,
        ended_at_s=guest.stretches[-1][1] if guest.stretches else None,
        has_notice=guest.notice is not None,
        is_cut_off=guest.is_cut_off,
        reason=guest.reason,
        token=guest.instance.client_token or "",
    )
