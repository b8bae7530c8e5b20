"""Nodes against machines: every machine that costs money belongs to a node that is wanted, or is
ended."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from elastic.durations import LONGEST_BLOCK_S, POOL_ASKED_AGAIN_S, TICK_S
from elastic.errors import (
    CapacityUnavailable,
    ElasticError,
    Forbidden,
    ProviderError,
    ProviderUnavailable,
    QuotaReached,
    StoreUnavailable,
)
from elastic.model import Group, JobPhase, Node, NodePhase, Obstacle, Offering, Workers
from elastic.providers import Instance, InstanceState, LaunchRequest, Provider
from elastic.reconciler.billing_periods import BillingPeriods
from elastic.reconciler.leader_lease import LeaseHolder
from elastic.reconciler.termination_permission import TerminationPermission
from elastic.store import LaunchIntent, Store

log = structlog.get_logger(__name__)

# How long an offering is left alone after buying it failed, if its provider says nothing: a tick,
# doubled at each failure up to POOL_ASKED_AGAIN_S.
_FIRST_PAUSE_S = TICK_S

_FOR_A_PERSON = frozenset({Obstacle.FORBIDDEN, Obstacle.QUOTA})


@dataclass(frozen=True, slots=True)
class LaunchTerms:
    """What all launches have in common: where nodes find the daemon, or one that took over, by what
    they know it, and what admits those of one launch there."""

    daemon_url: str
    join_token: Callable[[str], str]
    other_urls: tuple[str, ...] = ()
    # The certificate, as PEM, by which nodes know the daemon.
    daemon_certificate: str = ""

    @property
    def urls(self) -> str:
        """All the addresses, with spaces between."""
        return " ".join((self.daemon_url, *self.other_urls))


@dataclass(frozen=True, slots=True)
class Stillborn:
    """A node that ended by itself before it joined."""

    node: Node
    # Its provider's word for why; empty without one.
    why: str
    # Whether its provider had no room for it, which is no failure.
    was_taken: bool


@dataclass(slots=True)
class Machines:
    """Carries out intents and proves their effect."""

    store: Store
    provider: Provider
    terms: LaunchTerms
    right: TerminationPermission
    leader_lease: LeaseHolder
    register_s: float = 0.0
    _forbidden: dict[Offering, str] = field(default_factory=dict)
    _said: dict[str, str] = field(default_factory=dict)
    _crowded: set[Offering] = field(default_factory=set)
    _sightings: dict[str, int] = field(default_factory=dict)
    _ending: frozenset[str] = frozenset()
    # Machines of jobs that the database does not know: they wait for a person. Other threads read
    # this, so it is replaced as a whole.
    held: tuple[Instance, ...] = ()
    # Until when each node's machine was last seen waiting in a queue.
    queued_until_s: dict[str, float] = field(default_factory=dict)
    # Jobs of which a person has decided that their machines end.
    answered: frozenset[str] = frozenset()
    _held_since_s: dict[str, float] = field(default_factory=dict)
    _billing_periods: BillingPeriods = field(init=False)

    def __post_init__(self) -> None:
        self._billing_periods = BillingPeriods(self.store, self.right.lease_s, self.register_s)

    def settle(self, *, now_s: float) -> tuple[Stillborn, ...]:
        """Brings rows and machines together: ends what must end, notes what is there and what is
        gone.

        Returns the nodes that ended by themselves before they joined, each once. If the store does
        not answer, machines that must end are still being ended, and nothing else is done.
        """
        instances = self._listed()
        known = self._known(instances, now_s=now_s)
        found = matched(known, instances)
        queued = {each: now_s for each, instance in found.items() if instance.is_queued}
        self.queued_until_s = {
            node_id: at_s for node_id, at_s in self.queued_until_s.items() if node_id in found
        } | queued
        wanted = [
            found[node.id]
            for node in known
            if node.id in found and node.phase is not NodePhase.TERMINATING
        ]
        self.provider.keep_alive(
            [each.provider_id for each in wanted if each.state is not InstanceState.GONE],
            now_s=now_s,
        )
        self._billing_periods.keep({node.id for node in known}, found=found)
        open_tokens = {node.token for node in known if node.phase is NodePhase.INTENDED}
        stillborn = []
        for node in known:
            if node.id not in found and node.token in open_tokens:
                # one call buys all of its launch: whether this one exists is known with the others
                continue
            try:
                is_ending = self._settle_node(node, found.get(node.id), now_s=now_s)
            except ElasticError as error:
                log.warning("node not settled this tick", node=node.id, error=str(error))
                continue
            is_news = node.phase is not NodePhase.TERMINATING and node.stopping_at_s is None
            if is_ending and is_news and node.agent_state is None:
                stillborn.append(_stillborn(node, found.get(node.id)))
        strays = orphans(known, found, instances)
        self.held = self._held(strays, instances, now_s=now_s)
        self._end_orphans(strays - {each.provider_id for each in self.held}, now_s=now_s)
        return tuple(stillborn)

    def ends_by_s(self, machine: Instance) -> float:
        """When a held machine ends by itself at the latest: its lease is not renewed."""
        since_s = self._held_since_s[machine.provider_id]
        return since_s + max(self.right.lease_s, self.register_s)

    def answer(self, job_id: str) -> None:
        """Has the machines of a job that the database does not know ended."""
        self.answered |= {job_id}

    def _held(
        self, strays: Collection[str], instances: Sequence[Instance], *, now_s: float
    ) -> tuple[Instance, ...]:
        """Those that are not ended: a daemon records a job before it buys for it, so another
        database knew these.

        One that outlives its own lease for long is broken, and ended like every stray.
        """
        jobs = {each.job_id for each in instances if each.provider_id in strays and each.job_id}
        if not jobs:
            return ()
        unknown = self.store.records.unknown(jobs) - self.answered
        mine = [each for each in instances if each.provider_id in strays and each.job_id in unknown]
        self._held_since_s = {
            each.provider_id: self._held_since_s.get(each.provider_id, now_s) for each in mine
        }
        longest_s = 2 * max(self.right.lease_s, self.register_s)
        return tuple(
            each for each in mine if now_s - self._held_since_s[each.provider_id] < longest_s
        )

    def resume_launches(
        self, is_for_sale: Callable[[Offering, int], bool], *, now_s: float
    ) -> None:
        """Repeats every purchase whose outcome is unknown, with its own token: it finds what was
        bought, or buys.

        What is not for sale now is not asked for: if it was bought, its machines will be listed.
        """
        intents = self.store.nodes.open_launches()
        self._said = {
            each.token: self._said[each.token] for each in intents if each.token in self._said
        }
        for intent in intents:
            first = intent.nodes[0]
            if (
                first.intended_at_s == now_s
                or self.store.jobs.get(first.job_id).phase is JobPhase.DRAINING
            ):
                continue
            digest = self._terms_hash(first.job_id, first.offering, len(intent.nodes))
            try:
                self.store.nodes.touch(first.id)  # what cannot be written down is not bought
                if intent.request_hash != digest:
                    self._give_up(intent, now_s=now_s)
                elif is_for_sale(first.offering, len(intent.nodes)):
                    self._launch(intent, is_repeated=True, now_s=now_s)
            except ElasticError as error:
                log.warning("launch not resumed this tick", intent=intent.token, error=str(error))

    def pause(
        self,
        offering: Offering,
        why: Obstacle,
        *,
        nodes: int = 1,
        first_s: float = _FIRST_PAUSE_S,
        longest_s: float = POOL_ASKED_AGAIN_S,
        now_s: float,
    ) -> None:
        """Leaves `nodes` or more of it alone for a while, unless its provider has just said for how
        long."""
        blocks = self.provider.blocks
        if blocks.of(offering, nodes=nodes, now_s=now_s) is None:
            blocks.block(
                offering, why, nodes=nodes, first_s=first_s, longest_s=longest_s, now_s=now_s
            )

    def refused(self, *, now_s: float) -> Mapping[Offering, int]:
        """What was not available when it was asked for last, and from how many nodes on is not to
        be asked for yet."""
        listed = self.provider.blocks.listed(now_s=now_s)
        refused = [each for each in listed if each.why is not Obstacle.FAILED_TO_JOIN]
        return {
            each.offering: each.nodes for each in reversed(refused)
        }  # of each offering the fewest come first

    def all_forbidden(
        self, offerings: Collection[Offering], *, nodes: int, job_id: str, now_s: float
    ) -> str | None:
        """Why so many nodes of none of these are bought before a person acts, if each was refused
        lately; then each may be tried again.

        A quota that other jobs' machines took part of is waited for: it has room again when they
        are gone. So is what no purchase was refused for, but a provider closed by itself.
        """
        blocks = [self.provider.blocks.of(each, nodes=nodes, now_s=now_s) for each in offerings]
        if not offerings or any(each is None or each.why not in _FOR_A_PERSON for each in blocks):
            return None
        is_crowded = not self._crowded.isdisjoint(offerings)
        if is_crowded and self._has_others(job_id):
            return None
        said = {self._forbidden[each] for each in offerings if each in self._forbidden}
        if not said:
            return None
        for each in offerings:
            self._forbidden.pop(each, None)
        self._crowded.difference_update(offerings)
        for each in offerings:
            # A person who was told may have fixed it: it must be tried again.
            self.provider.blocks.release(each)
        if is_crowded:
            return None
        return max(said, key=lambda text: (len(text), text))

    def buy(
        self, job_id: str, wanted: Group, why: str, *, workers: Mapping[str, Workers], now_s: float
    ) -> Offering | None:
        """Buys the nodes, each offering's at once; once some are refused, the rest is not asked
        for.

        Returns what was refused; None if all was granted, or if that is not known yet. What is
        wanted in greater numbers is more likely to be refused, so it comes first. `workers` says
        what nodes of each type will run.
        """
        for offering, count in sorted(wanted.members, key=lambda member: -member[1]):
            intent = self.store.nodes.intend_launch(
                job_id,
                offering,
                count=count,
                workers=workers[offering.node_type],
                reason=why,
                request_hash=self._terms_hash(job_id, offering, count),
                now_s=now_s,
            )
            if not self._launch(intent, now_s=now_s):
                return offering
        return None

    def _launch(self, intent: LaunchIntent, *, is_repeated: bool = False, now_s: float) -> bool:
        """Asks for the machines of an intent; an unknown outcome leaves it for the next look. False
        if refused.

        What an earlier call may have bought is not refused by an error that does not speak of it.
        """
        offering = intent.nodes[0].offering
        try:
            self.leader_lease.confirm()
            instances = self.provider.launch(self._request(intent))
        except ProviderError as error:
            if isinstance(error, ProviderUnavailable) or (is_repeated and not error.bought_nothing):
                log.warning(
                    "launch not answered; it will be repeated",
                    intent=intent.token,
                    error=str(error),
                )
                self._said[intent.token] = str(error)
                return True
            why = _named(offering, str(error))
            is_dry = isinstance(error, CapacityUnavailable)
            self.store.nodes.launch_failed(
                intent.token, why, for_want_of_capacity=is_dry, now_s=now_s
            )
            self._note_refusal(intent, error, now_s=now_s)
            return False
        else:
            self._forbidden.pop(offering, None)
            for node, instance in zip(intent.nodes, instances, strict=True):
                self._launched(node, instance)
        return True

    def _note_refusal(self, intent: LaunchIntent, error: ProviderError, *, now_s: float) -> None:
        node = intent.nodes[0]
        offering = node.offering
        match error:
            case Forbidden() | QuotaReached():
                self._forbidden[offering] = str(error)
                is_quota = isinstance(error, QuotaReached)
                if is_quota and self._has_others(node.job_id):
                    self._crowded.add(offering)
                # Only a person changes it, so there is no sense in asking often.
                self.pause(
                    offering,
                    Obstacle.QUOTA if is_quota else Obstacle.FORBIDDEN,
                    nodes=len(intent.nodes) if is_quota else 1,
                    first_s=POOL_ASKED_AGAIN_S,
                    now_s=now_s,
                )
            case CapacityUnavailable():
                self.pause(offering, Obstacle.CAPACITY, nodes=len(intent.nodes), now_s=now_s)
            case _:
                self.pause(offering, Obstacle.LAUNCH_FAILED, now_s=now_s)

    def _has_others(self, job_id: str) -> bool:
        """Whether machines of other jobs live."""
        return any(
            node.job_id != job_id and node.provider_id is not None
            for node in self.store.nodes.listed()
        )

    def _request(self, intent: LaunchIntent) -> LaunchRequest:
        first = intent.nodes[0]
        return LaunchRequest(
            token=intent.token,
            node_ids=tuple(node.id for node in intent.nodes),
            job_id=first.job_id,
            offering=first.offering,
            daemon_url=self.terms.daemon_url,
            join_token=self.terms.join_token(intent.token),
            other_urls=self.terms.other_urls,
            daemon_certificate=self.terms.daemon_certificate,
            has_image=self.store.jobs.get(first.job_id).spec.image is not None,
            asked_by=intent.asked_by,
            note_asked=lambda by: self.store.nodes.note_asked(intent.token, by),
        )

    def _terms_hash(self, job_id: str, offering: Offering, count: int) -> str:
        """What a launch asks for, but for names: an intent is repeated only if it still means the
        same request."""
        return hashlib.sha256(f"{job_id} {offering} {count} {self.terms.urls}".encode()).hexdigest()

    def end(self, node: Node, reason: str, *, now_s: float) -> None:
        """Records that a node shall end, then asks for it; `settle` repeats until it is gone.

        A store that takes no record keeps nothing from being ended: raises StoreUnavailable after
        the asking.
        """
        self._ending |= {node.id}
        try:
            node = self.store.nodes.intend_end(node.id, reason=reason, now_s=now_s)
        finally:
            if node.provider_id is not None:
                self._terminate(node.provider_id, now_s=now_s)

    def give_up(self, nodes: Sequence[Node], reason: str, *, now_s: float) -> str:
        """Ends nodes whose purchase stayed open for too long; gives why, with the last that was
        said of it.

        What they were to be bought as is left alone for long enough that everything else has its
        turn.
        """
        whys = [
            f"{reason}: {self._said[node.token]}" if node.token in self._said else reason
            for node in nodes
        ]
        for node, why in zip(nodes, whys, strict=True):
            if why != reason:
                self.pause(
                    node.offering,
                    Obstacle.LAUNCH_FAILED,
                    first_s=LONGEST_BLOCK_S,
                    longest_s=LONGEST_BLOCK_S,
                    now_s=now_s,
                )
            self.end(node, why, now_s=now_s)
        return whys[0]

    def _listed(self) -> tuple[Instance, ...]:
        try:
            instances = self.provider.instances()
        except ProviderError as error:
            self.right.note_failure(error)
            raise
        self.right.look(instances)
        return instances

    def _known(self, instances: tuple[Instance, ...], *, now_s: float) -> tuple[Node, ...]:
        try:
            known = self.store.nodes.listed()
        except StoreUnavailable:
            for instance in instances:
                if instance.node_id in self._ending and instance.state is not InstanceState.GONE:
                    self._terminate(instance.provider_id, now_s=now_s)
            raise
        self._ending = frozenset(node.id for node in known if node.phase is NodePhase.TERMINATING)
        return known

    def _settle_node(self, node: Node, instance: Instance | None, *, now_s: float) -> bool:
        """Tells whether the node's machine was found gone, or on its way there."""
        if instance is None:
            return self._billing_periods.note_missing(node, now_s=now_s)
        is_gone = instance.state is InstanceState.GONE
        if node.phase is NodePhase.TERMINATING and not is_gone:
            self._terminate(instance.provider_id, now_s=now_s)
        if node.provider_id is None:  # the answer to its launch never came
            self._launched(node, instance)
        self._billing_periods.note_seen(node, instance, now_s=now_s)
        is_stopping = instance.state is InstanceState.STOPPING
        if is_stopping and node.stopping_at_s is None and node.phase is not NodePhase.TERMINATING:
            # Minutes may pass until it is gone; it costs until then.
            self.store.nodes.stopping(node.id, at_s=now_s, why=instance.ended_because)
        if is_gone:
            self._billing_periods.note_gone(node, instance, now_s=now_s)
        return is_gone or is_stopping

    def _give_up(self, intent: LaunchIntent, *, now_s: float) -> None:
        """Its machines, if there are any, would look for the daemon where it was."""
        for node in intent.nodes:
            if not node.phase.is_gone:
                self.end(
                    node,
                    "its launch cannot be repeated: the daemon's address has changed",
                    now_s=now_s,
                )

    def _launched(self, node: Node, instance: Instance) -> None:
        self.store.nodes.launched(
            node.id,
            instance.provider_id,
            launched_at_s=instance.launched_at_s,
            minimum_s=self.provider.minimum_billed_s,
            image=instance.image,
        )

    def logs_of(self, node: Node) -> str:
        """What its machine can show of why it was never of use."""
        if node.provider_id is None:
            return ""
        folder = self.provider.log_path(node.provider_id)
        printed = self.provider.console(node.provider_id)
        return (f"; its logs are in {folder}" if folder else "") + (
            f"; it printed:\n{printed}" if printed else ""
        )

    def _terminate(self, provider_id: str, *, now_s: float) -> None:
        try:
            self.leader_lease.require()
            self.provider.terminate(provider_id, now_s=now_s)
        except ProviderError as error:
            self.right.note_failure(error)
            log.warning(
                "termination not confirmed; it will be repeated",
                provider_id=provider_id,
                error=str(error),
            )

    def _end_orphans(self, found: set[str], *, now_s: float) -> None:
        """Ends machines of this cluster that no living node stands for, at their second
        sighting."""
        self._sightings = {each: self._sightings.get(each, 0) + 1 for each in found}
        certain = sorted(each for each, count in self._sightings.items() if count >= 2)
        for provider_id in certain:
            log.warning("ending a machine without a node", provider_id=provider_id)
            self._terminate(provider_id, now_s=now_s)
        for provider_id in certain:
            if self._sightings[provider_id] == 2:
                text = (
                    f"{provider_id} carries this cluster's tag, and no living node stands for it: "
                    "it is ended"
                )
                self.store.events.add("orphan_found", text, now_s=now_s)


def _stillborn(node: Node, instance: Instance | None) -> Stillborn:
    if instance is None:
        return Stillborn(node, "", was_taken=False)
    return Stillborn(node, instance.ended_because, instance.was_taken)


def _named(offering: Offering, said: str) -> str:
    if said.startswith(f"{offering}: "):
        return said
    return f"{offering}: {said}"


def matched(known: Sequence[Node], instances: Sequence[Instance]) -> dict[str, Instance]:
    """The machine of each node that has one, by the node's id: the one on record, else the one
    bought for it."""
    by_id = {each.provider_id: each for each in instances}
    by_node = {(each.token, each.node_id): each for each in instances}
    found = {
        node.id: by_node.get((node.token, node.id))
        if node.provider_id is None
        else by_id.get(node.provider_id)
        for node in known
    }
    return {node_id: instance for node_id, instance in found.items() if instance is not None}


def orphans(
    known: Sequence[Node], found: Mapping[str, Instance], instances: Sequence[Instance]
) -> set[str]:
    """The machines that cost money and that no living node stands for."""
    own = {each.provider_id for each in found.values()}
    # A machine that cannot be told from its fellows yet may be any node of its launch that still
    # lacks one.
    lacking = {node.token for node in known if node.provider_id is None and node.id not in found}
    return {
        each.provider_id
        for each in instances
        if each.state is not InstanceState.GONE
        and each.provider_id not in own
        and not (each.token in lacking and not each.node_id)
    }
