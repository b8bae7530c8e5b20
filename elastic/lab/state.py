"""How a lab stands: its instances as they really are, whatever the API shows."""

from __future__ import annotations

from dataclasses import dataclass

from elastic.lab.guests import Guest


@dataclass(frozen=True, slots=True)
class InstanceView:
    """One instance. `running_at_s` is its first boot, `ended_at_s` when it last stopped being
    billed."""

    instance_id: str
    node_type: str
    capacity: str
    zone: str
    phase: str
    address: str
    cpu: float | None
    launched_at_s: float
    running_at_s: float | None
    ended_at_s: float | None
    has_notice: bool
    is_cut_off: bool
    reason: str
    token: str


@dataclass(frozen=True, slots=True)
class LabState:
    """All instances there ever were, oldest first. `after_s` is where the scenario stands."""

    name: str
    machines: str
    after_s: float
    instances: tuple[InstanceView, ...]


def view(guest: Guest) -> InstanceView:
    """What there is to know of an instance."""
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
