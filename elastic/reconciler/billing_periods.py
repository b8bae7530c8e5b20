"""When machines began and ended, as far as that was seen: the ledger follows from these
instants."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from elastic.durations import LISTED_WITHIN_S
from elastic.model import Node
from elastic.providers import Instance, InstanceState
from elastic.store import Store


@dataclass(slots=True)
class BillingPeriods:
    """Records when machines began and ended."""

    store: Store
    # How long a machine lives at most without its daemon.
    lease_s: float
    # How long it may live before its first heartbeat, if that is longer.
    register_s: float = 0.0
    # How often in a row each node's machine was not listed.
    _missing: dict[str, int] = field(default_factory=dict)
    # What its provider last reported as the start of its bill.
    _billed_from_s: dict[str, float] = field(default_factory=dict)
    # When each node's machine was last listed as not gone.
    _seen_at_s: dict[str, float] = field(default_factory=dict)

    def keep(self, ids: Collection[str], *, found: Collection[str]) -> None:
        """Forgets all nodes but these. Of nodes that are `found` now, it forgets how often they
        were missing."""
        self._missing = {
            each: count
            for each, count in self._missing.items()
            if each in ids and each not in found
        }
        self._billed_from_s = {
            node_id: at_s for node_id, at_s in self._billed_from_s.items() if node_id in ids
        }
        self._seen_at_s = {
            node_id: at_s for node_id, at_s in self._seen_at_s.items() if node_id in ids
        }

    def note_seen(self, node: Node, instance: Instance, *, now_s: float) -> None:
        """Its machine is listed: its provider's word for its beginning counts."""
        is_first = node.id not in self._seen_at_s
        if instance.state is not InstanceState.GONE:
            self._seen_at_s[node.id] = now_s
        if (
            is_first
            and node.provider_id is not None
            and node.launched_at_s != instance.launched_at_s
        ):
            # A purchase may be repeated before its machines are listed. Its row then has the later
            # instant.
            self.store.nodes.launched_at(node.id, instance.launched_at_s)
        from_s = instance.billed_from_s
        if from_s is not None and self._billed_from_s.get(node.id) != from_s:
            self._billed_from_s[node.id] = from_s
            self.store.nodes.billed_from(node.id, from_s)

    def note_gone(self, node: Node, instance: Instance, *, now_s: float) -> None:
        """Its machine is listed as gone.

        If its provider does not say when, it ended by now at the latest.
        """
        exited_at_s = instance.exited_at_s
        if exited_at_s is None:
            at_s = self._latest_end_s(node, now_s=now_s)
        else:
            at_s = min(exited_at_s, now_s)
        # Some providers do not bill a machine that ends early, or that never ran.
        is_waived = instance.waived_before_s is not None and at_s < instance.waived_before_s
        is_waived |= instance.never_ran and node.joined_at_s is None
        self.store.nodes.gone(node.id, at_s=at_s, is_waived=is_waived, why=instance.ended_because)

    def note_missing(self, node: Node, *, now_s: float) -> bool:
        """Its machine is not listed. Returns whether it counts as gone, and records that.

        A provider may list a new machine late. A machine that is missing twice, and has long sent
        nothing, is gone.
        """
        self._missing[node.id] = self._missing.get(node.id, 0) + 1
        if self._missing[node.id] < 2 or now_s - _heard_at_s(node) <= LISTED_WITHIN_S:
            return False
        if self._was_bought_long_before(node):
            self.store.nodes.launched_at(node.id, node.intended_at_s)
            node = replace(node, launched_at_s=node.intended_at_s)
        self.store.nodes.gone(node.id, at_s=self._latest_end_s(node, now_s=now_s))
        return True

    def _was_bought_long_before(self, node: Node) -> bool:
        """Whether a repeated purchase returned what the first one bought, and that is gone by
        now."""
        if node.launched_at_s is None or node.joined_at_s is not None or node.id in self._seen_at_s:
            return False
        return node.launched_at_s - node.intended_at_s > LISTED_WITHIN_S

    def _latest_end_s(self, node: Node, *, now_s: float) -> float:
        """The latest instant at which a machine can have ended, if that was not seen.

        Clouds forget machines, but a machine whose lease is over has powered itself off.
        """
        if node.heartbeat_at_s:
            alone_s = self.lease_s
        else:
            alone_s = max(self.lease_s, self.register_s)
        return min(max(_heard_at_s(node) + alone_s, self._seen_at_s.get(node.id, 0.0)), now_s)


def _heard_at_s(node: Node) -> float:
    return node.heartbeat_at_s or node.launched_at_s or node.intended_at_s
