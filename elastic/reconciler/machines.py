"""Nodes against machines: every machine that costs money belongs to a node that is wanted, or is ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from elastic.errors import CapacityUnavailable, ProviderError, ProviderUnavailable
from elastic.model import Node, NodePhase
from elastic.providers import Instance, InstanceState, LaunchRequest, Provider
from elastic.store import Store

log = structlog.get_logger(__name__)

_VISIBLE_WITHIN_S = 120.0
"""A machine that its provider lists is listed within this time of its launch (EC2: eventual consistency, seconds)."""


@dataclass(slots=True)
class Machines:
    """Carries out intents and proves their effect. `request` makes a node's launch request, always the same one."""

    store: Store
    provider: Provider
    request: Callable[[Node], LaunchRequest]
    _missing: dict[str, int] = field(default_factory=dict)
    _sightings: dict[str, int] = field(default_factory=dict)

    def settle(self, *, now_s: float) -> None:
        """Brings rows and machines together: launches what is intended, ends what must end, notes what is gone."""
        instances = {instance.token: instance for instance in self.provider.instances()}
        known = self.store.nodes()
        living = {node.id for node in known if node.token not in instances}
        self._missing = {node_id: count for node_id, count in self._missing.items() if node_id in living}
        for node in known:
            self._settle_node(node, instances.get(node.token), now_s=now_s)
        self._end_orphans(instances, {node.token for node in known}, now_s=now_s)

    def launch(self, node: Node, *, now_s: float) -> None:
        """Asks for the machine of an intended node; an unknown outcome leaves the intent for the next look."""
        try:
            instance = self.provider.launch(self.request(node))
        except ProviderUnavailable as error:
            log.warning("launch not answered; it will be repeated", node=node.id, error=str(error))
        except (CapacityUnavailable, ProviderError) as error:
            self.store.node_launch_failed(node.id, f"{node.offering}: {error}", now_s=now_s)
        else:
            self._launched(node, instance)

    def end(self, node: Node, reason: str, *, now_s: float) -> None:
        """Records that a node shall end, then asks for it; `settle` repeats until it is gone."""
        node = self.store.intend_end(node.id, reason=reason, now_s=now_s)
        if node.provider_id is not None:
            self._terminate(node.provider_id, now_s=now_s)

    def _settle_node(self, node: Node, instance: Instance | None, *, now_s: float) -> None:
        if node.phase is NodePhase.INTENDED:
            if instance is not None and instance.state is not InstanceState.GONE:
                self._launched(node, instance)
            else:
                self.launch(node, now_s=now_s)
        elif instance is None:
            if self._is_long_missing(node, now_s=now_s):
                self.store.node_gone(node.id, at_s=now_s)
        elif instance.state is InstanceState.GONE:
            exited_at_s = instance.exited_at_s
            self.store.node_gone(node.id, at_s=now_s if exited_at_s is None else min(exited_at_s, now_s))
        elif node.phase is NodePhase.TERMINATING:
            self._terminate(instance.provider_id, now_s=now_s)

    def _is_long_missing(self, node: Node, *, now_s: float) -> bool:
        """A provider may show a new machine late; one that it never shows, or forgets, is gone after a while."""
        self._missing[node.id] = self._missing.get(node.id, 0) + 1
        since_s = node.launched_at_s or node.intended_at_s
        return self._missing[node.id] >= 2 and now_s - since_s > _VISIBLE_WITHIN_S

    def _launched(self, node: Node, instance: Instance) -> None:
        self.store.node_launched(
            node.id,
            instance.provider_id,
            launched_at_s=instance.launched_at_s,
            minimum_s=self.provider.minimum_billed_s,
        )

    def _terminate(self, provider_id: str, *, now_s: float) -> None:
        try:
            self.provider.terminate(provider_id, now_s=now_s)
        except ProviderError as error:
            log.warning("termination not confirmed; it will be repeated", provider_id=provider_id, error=str(error))

    def _end_orphans(self, instances: dict[str, Instance], tokens: set[str], *, now_s: float) -> None:
        """Ends machines of this cluster that no living node stands for, at their second sighting."""
        orphans = {
            instance.provider_id
            for token, instance in instances.items()
            if token not in tokens and instance.state is not InstanceState.GONE
        }
        self._sightings = {each: self._sightings.get(each, 0) + 1 for each in orphans}
        for provider_id, count in self._sightings.items():
            if count >= 2:
                log.warning("ending a machine without a node", provider_id=provider_id)
                self._terminate(provider_id, now_s=now_s)
