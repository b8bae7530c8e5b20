"""Nodes against machines: every machine that costs money belongs to a node that is wanted, or is ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from elastic.errors import CapacityUnavailable, ElasticError, ProviderError, ProviderUnavailable, StoreUnavailable
from elastic.model import JobPhase, Node, NodePhase, Obstacle, Offering
from elastic.providers import Instance, InstanceState, LaunchRequest, Provider
from elastic.reconciler.right import RightToEnd
from elastic.store import Store

log = structlog.get_logger(__name__)

_VISIBLE_WITHIN_S = 120.0
"""A machine that its provider lists is listed within this time of its launch (EC2: eventual consistency, seconds)."""

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 5.0, 600.0
"""How long an offering is left alone after buying it failed, if its provider says nothing: doubled at each failure."""


@dataclass(slots=True)
class Machines:
    """Carries out intents and proves their effect. `request` makes a node's launch request, always the same one."""

    store: Store
    provider: Provider
    request: Callable[[Node], LaunchRequest]
    right: RightToEnd
    _missing: dict[str, int] = field(default_factory=dict)
    _billed_from_s: dict[str, float] = field(default_factory=dict)
    _sightings: dict[str, int] = field(default_factory=dict)
    _ending: frozenset[str] = frozenset()

    def settle(self, *, now_s: float) -> tuple[Node, ...]:
        """Brings rows and machines together: launches what is intended, ends what must end, notes what is gone.

        Gives the nodes found gone that nobody had ended and that had never joined. Where the store does not answer,
        what was to end goes on being ended, and nothing else is done.
        """
        instances = self._listed(now_s=now_s)
        known = self._known(instances, now_s=now_s)
        living = {node.id for node in known if node.token not in instances}
        self._missing = {node_id: count for node_id, count in self._missing.items() if node_id in living}
        ids = {node.id for node in known}
        self._billed_from_s = {node_id: at_s for node_id, at_s in self._billed_from_s.items() if node_id in ids}
        stillborn = []
        for node in known:
            try:
                is_gone = self._settle_node(node, instances.get(node.token), now_s=now_s)
            except ElasticError as error:
                log.warning("node not settled this tick", node=node.id, error=str(error))
                continue
            if is_gone and node.joined_at_s is None and node.phase is not NodePhase.TERMINATING:
                stillborn.append(node)
        self._end_orphans(instances, {node.token for node in known}, now_s=now_s)
        return tuple(stillborn)

    def pause(self, offering: Offering, why: Obstacle, *, now_s: float) -> None:
        """Leaves an offering alone for a while, unless its provider has just said for how long."""
        blocks = self.provider.blocks
        if blocks.of(offering, now_s=now_s) is None:
            blocks.block(offering, why, first_s=_FIRST_PAUSE_S, longest_s=_LONGEST_PAUSE_S, now_s=now_s)

    def launch(self, node: Node, *, now_s: float) -> None:
        """Asks for the machine of an intended node; an unknown outcome leaves the intent for the next look."""
        try:
            instance = self.provider.launch(self.request(node))
        except ProviderUnavailable as error:
            log.warning("launch not answered; it will be repeated", node=node.id, error=str(error))
        except ProviderError as error:
            self.store.node_launch_failed(node.id, f"{node.offering}: {error}", now_s=now_s)
            is_scarce = isinstance(error, CapacityUnavailable)
            self.pause(node.offering, Obstacle.CAPACITY if is_scarce else Obstacle.LAUNCH_FAILED, now_s=now_s)
        else:
            self._launched(node, instance)

    def end(self, node: Node, reason: str, *, now_s: float) -> None:
        """Records that a node shall end, then asks for it; `settle` repeats until it is gone.

        A store that takes no record keeps nothing from being ended: raises StoreUnavailable after the asking.
        """
        self._ending |= {node.token}
        try:
            node = self.store.intend_end(node.id, reason=reason, now_s=now_s)
        finally:
            if node.provider_id is not None:
                self._terminate(node.provider_id, now_s=now_s)

    def _listed(self, *, now_s: float) -> dict[str, Instance]:
        try:
            instances = self.provider.instances()
        except ProviderError as error:
            self.right.note_failure(error, now_s=now_s)
            raise
        self.right.look(instances, now_s=now_s)
        return {instance.token: instance for instance in instances}

    def _known(self, instances: dict[str, Instance], *, now_s: float) -> tuple[Node, ...]:
        try:
            known = self.store.nodes()
        except StoreUnavailable:
            for token in self._ending & instances.keys():
                if instances[token].state is not InstanceState.GONE:
                    self._terminate(instances[token].provider_id, now_s=now_s)
            raise
        self._ending = frozenset(node.token for node in known if node.phase is NodePhase.TERMINATING)
        return known

    def _settle_node(self, node: Node, instance: Instance | None, *, now_s: float) -> bool:
        """Tells whether the node was found gone."""
        if instance is None:
            return self._settle_unseen(node, now_s=now_s)
        is_gone = instance.state is InstanceState.GONE
        if node.phase is NodePhase.TERMINATING and not is_gone:
            self._terminate(instance.provider_id, now_s=now_s)
        if node.provider_id is None:  # the answer to its launch never came
            self._launched(node, instance)
        self._note_billing(node, instance)
        if is_gone:
            exited_at_s = instance.exited_at_s
            at_s = now_s if exited_at_s is None else min(exited_at_s, now_s)
            self.store.node_gone(node.id, at_s=at_s, is_waived=instance.is_waived)
        return is_gone

    def _note_billing(self, node: Node, instance: Instance) -> None:
        """The provider bills a machine from later on than its launch, or knows so only now."""
        from_s = instance.billed_from_s
        if from_s is not None and self._billed_from_s.get(node.id) != from_s:
            self._billed_from_s[node.id] = from_s
            self.store.node_billed_from(node.id, from_s)

    def _settle_unseen(self, node: Node, *, now_s: float) -> bool:
        if node.phase is NodePhase.INTENDED:
            if self.store.job(node.job_id).phase is not JobPhase.DRAINING:
                self.store.touch_node(node.id)  # what cannot be written down is not bought
                self.launch(node, now_s=now_s)
            return False
        is_gone = self._is_long_missing(node, now_s=now_s)
        if is_gone:
            self.store.node_gone(node.id, at_s=now_s)
        return is_gone

    def _is_long_missing(self, node: Node, *, now_s: float) -> bool:
        """A provider may show a new machine late; one that it never shows, or forgets, and that is mute is gone."""
        self._missing[node.id] = self._missing.get(node.id, 0) + 1
        since_s = node.heartbeat_at_s or node.launched_at_s or node.intended_at_s
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
            self.right.note_failure(error, now_s=now_s)
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
