"""The heart: observe -> decide -> guard -> record -> act, for every job, at every tick."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import assert_never

import structlog

from elastic.agent.cause import describe_exit
from elastic.durations import RETRY_S
from elastic.errors import Conflict, ElasticError, LeaseLost, ProviderError, StoreUnavailable
from elastic.liveness import SUSPECT_BEATS
from elastic.model import (
    Action,
    Boot,
    Exit,
    Group,
    Job,
    JobPhase,
    Limits,
    Mode,
    Node,
    Obstacle,
    Offering,
    Plan,
    Price,
    Share,
    Snapshot,
    surcharge_usd,
    workers_on,
)
from elastic.policy import NOT_YET, PURSE, VERSIONS, misses, shortlist
from elastic.pricing import PriceSource
from elastic.providers import Provider
from elastic.reconciler import steps as due
from elastic.reconciler.alarms import Alarms
from elastic.reconciler.group_liveness import GroupLiveness
from elastic.reconciler.machines import Machines
from elastic.reconciler.observe import KnownCatalog, observe, read_catalog, training_group
from elastic.reconciler.price_records import PriceRecords
from elastic.reconciler.purse import Purse, shares_of
from elastic.reconciler.rendezvous import Rendezvous, may_still_start
from elastic.reconciler.session import all_are_heard, goes_on
from elastic.reconciler.steps import next_steps
from elastic.reconciler.timekeeper import Timekeeper
from elastic.reconciler.world import Timeouts, World
from elastic.store import JobFacts, Store

log = structlog.get_logger(__name__)

# Most times that one tick looks again at a job whose steps led to further steps.
_ROUNDS = 6

# After how many generations of late that stood still the next one is a failure, too.
_OFTEN = 2

# Reasons of a job that trains in order to be measured.
_TRYING = frozenset({"start", "trial", "phase", "measuring"})
# Reasons of a job that has no machines for now, and goes on by itself.
_WAITING = frozenset({PURSE, NOT_YET})


@dataclass(slots=True)
class Reconciler:
    """Looks at the whole world at every tick and brings each job nearer to what was decided for it.

    `decide` is the guarded policy, a pure function.
    """

    store: Store
    provider: Provider
    prices: PriceSource
    machines: Machines
    rendezvous: Rendezvous
    decide: Callable[[Snapshot], Plan]
    limits: Limits
    timeouts: Timeouts
    max_failures: int
    timekeeper: Timekeeper | None = None
    # The most that all jobs together may cost; None: as much as they want.
    purse: Purse | None = None
    alarms: Alarms = field(init=False)
    price_records: PriceRecords = field(init=False)
    _blindness: ProviderError | None = None
    _catalog: KnownCatalog = field(default_factory=KnownCatalog)
    _boots: tuple[Boot, ...] = ()
    # What the purse leaves each job at this look.
    _shares: dict[str, Share] = field(default_factory=dict)
    _ticked_at_s: float | None = None
    _listening_since_s: float = 0.0
    _looks_again: bool = False

    def __post_init__(self) -> None:
        self.price_records = PriceRecords(self.store)
        right = self.machines.right
        standstill_s = self.timeouts.standstill_s
        self.alarms = Alarms(
            self.machines.leader_lease,
            right,
            self.provider.troubles,
            standstill_s,
        )
        if self.timekeeper is not None:
            self.alarms.clocks = self.timekeeper.alarm

    @property
    def offered(self) -> frozenset[Offering] | None:
        """What was sold at the last look; None while that is not known."""
        catalog = self._catalog
        if catalog.failure is not None or not catalog.offerings:
            return None
        return frozenset(catalog.offerings)

    def tick(self, *, now_s: float) -> float | None:
        """Looks at everything once. An error in one job does not keep the others waiting.

        If the provider does not say what machines there are, or what it sells, jobs are handled by
        what the store knows, and nothing is bought.

        Returns in how many seconds to look again: soon, if nodes that cost money wait for something
        that no node will report. None means the usual interval.

        At the end it raises the ProviderError of unseen machines, StoreUnavailable, or a group of
        unexpected errors. It raises LeaseLost at once, if another daemon took over.
        """
        with self.alarms.of_writing(now_s=now_s):
            return self._look(now_s=now_s)

    def _look(self, *, now_s: float) -> float | None:
        self._looks_again = False
        if self.timekeeper is not None and not self._is_on_time(self.timekeeper):
            self.alarms.look(self.store, self._blindness, self._catalog.failure, now_s=now_s)
            return None
        self._note_gap(now_s)
        # First: ending machines waits for no price, nor for a database that takes one.
        self._blindness = self._settle(now_s=now_s)
        self.store.presence.write()
        self._catalog = read_catalog(self.provider)
        unwritten = self.alarms.look(
            self.store, self._blindness, self._catalog.failure, now_s=now_s
        )
        prices = self.price_records.refresh(self.prices, now_s=now_s)
        self._boots = self.store.nodes.boots()
        unwritten, unexpected = self._handle_all(prices, unwritten, now_s=now_s)
        if self._can_buy:
            # Last: a purchase that was left open is made at today's prices, and only if it is
            # wanted still.
            self.machines.resume_launches(
                lambda each, nodes: self._is_for_sale(each, nodes, now_s=now_s), now_s=now_s
            )
        trouble = unwritten or self._blindness
        if unexpected:
            raise ExceptionGroup(
                f"{len(unexpected)} jobs not handled", [*unexpected, *filter(None, [trouble])]
            )
        if trouble:
            raise trouble
        if self._looks_again:
            return RETRY_S
        return None

    def _handle_all(
        self, prices: tuple[Price, ...], unwritten: StoreUnavailable | None, *, now_s: float
    ) -> tuple[StoreUnavailable | None, list[Exception]]:
        """Looks at each job; gives why something could not be written, and what else was raised."""
        unexpected: list[Exception] = []
        job_ids = self.store.facts.prefetch(now_s=now_s)
        self._divide_purse(job_ids, prices, now_s=now_s)
        for job_id in job_ids:
            try:
                self._handle(job_id, prices, now_s=now_s)
            except ElasticError as error:
                log.warning("job not handled this tick", job=job_id, error=str(error))
                if isinstance(error, StoreUnavailable):
                    unwritten = error
            except Exception as error:  # noqa: BLE001 (raised again after all jobs)
                error.add_note(f"while handling {job_id}")
                unexpected.append(error)
        try:
            self.store.decisions.write_repeats()
        except StoreUnavailable as error:
            unwritten = error
        return unwritten, unexpected

    def _divide_purse(
        self, job_ids: Iterable[str], prices: tuple[Price, ...], *, now_s: float
    ) -> None:
        """Asks each job's policy what it wants, and divides the purse among them."""
        self._shares = {}
        if self.purse is None:
            return
        wishes: list[tuple[Snapshot, Plan | None]] = []
        for job_id in job_ids:
            try:
                facts = self.store.facts.of(job_id, now_s=now_s)
                snapshot = self._snapshot(facts, prices, (), now_s=now_s)
                plan = None
                if facts.job.phase is not JobPhase.DRAINING:
                    plan = self.decide(snapshot)
                wishes.append((snapshot, plan))
            except Exception as error:  # noqa: BLE001 (raised again when the job is handled)
                log.warning("job asks nothing of the purse", job=job_id, error=str(error))
        self._shares = shares_of(self.purse, self.store, wishes, limits=self.limits, now_s=now_s)

    def _is_on_time(self, timekeeper: Timekeeper) -> bool:
        """Whether the time is certain enough to spend, end or decide by it."""
        why = timekeeper.why_hold()
        if why is not None:
            log.warning("nothing is done while the time is in doubt", why=why)
            with suppress(ProviderError):
                self.provider.instances()  # each answer tells the time
            return False
        timekeeper.look(has_nodes=lambda: bool(self.store.nodes.listed()))
        return True

    def _settle(self, *, now_s: float) -> ProviderError | None:
        """Brings nodes and machines together; returns the error if the machines cannot be listed.

        The leader lease comes before all else: machines that may be another daemon's are not even
        looked at.
        """
        try:
            self.machines.leader_lease.renew()
            stillborn = self.machines.settle(now_s=now_s)
        except LeaseLost as error:
            self.store.events.add("superseded", str(error), now_s=now_s)
            raise
        except ProviderError as error:
            return error
        for each in stillborn:
            if each.node.joined_at_s is None:
                by_then = "it joined"
            else:
                by_then = "its first heartbeat"
            what = f"it was gone before {by_then}" + (each.why and f": {each.why}")
            self._note_unused(each.node, what, is_failure=not each.was_taken, now_s=now_s)
        return None

    @property
    def _can_buy(self) -> bool:
        is_blind = self._blindness is not None or self._catalog.failure is not None
        # What is held may be adopted: bought beside it, it would be there twice.
        return not (is_blind or self.machines.held)

    def _note_gap(self, now_s: float) -> None:
        """A daemon that was away, or a machine that slept, could not hear its nodes: their silence
        counts from now."""
        if self._ticked_at_s is None or now_s - self._ticked_at_s > self.timeouts.lease_s / 2:
            self._listening_since_s = now_s
        self._ticked_at_s = now_s

    def _handle(self, job_id: str, prices: tuple[Price, ...], *, now_s: float) -> None:
        facts = self.store.facts.of(job_id, now_s=now_s)
        plan = None
        if facts.job.phase is not JobPhase.DRAINING:
            self._heed_interruptions(facts, now_s=now_s)
            plan, facts = self._decide(facts, prices, now_s=now_s)
        for _ in range(_ROUNDS):
            world = self._world(facts, plan, now_s=now_s)
            liveness = GroupLiveness(world)
            if facts.job.phase.is_final or not self._act(world, liveness):
                break
            facts = self.store.facts.of(job_id, now_s=now_s)
            if (
                facts.job.error not in (None, world.job.error)
                and facts.job.phase is not JobPhase.DRAINING
            ):
                # Decided before any node is ended: it may have to go on with those that a change
                # would have left.
                plan, facts = self._decide(facts, prices, now_s=now_s)
        self._looks_again |= liveness.is_about_to_be_cut_off
        if (pause_s := liveness.newly_learned_s) is not None:
            self.store.jobs.learn_pause(job_id, pause_s)
        self.alarms.follow(self.store, facts.job, liveness.idle(), now_s=now_s)
        if not (facts.nodes or facts.job.phase is JobPhase.DRAINING or facts.job.phase.is_final):
            self._fail_if_forbidden(facts.job, now_s=now_s)
        if plan is not None and facts.job.phase is not (phase := _phase_after(facts, plan)):
            with suppress(Conflict):  # it was stopped meanwhile: the next tick ends it
                why = plan.reason.text if phase is JobPhase.WAITING else None
                self.store.jobs.move(job_id, phase, now_s=now_s, message=why)

    def _heed_interruptions(self, facts: JobFacts, *, now_s: float) -> None:
        """Leaves markets alone for a while that have just taken a node back, each once a node."""
        if all(node.notice is None for node in facts.nodes):
            return
        blocks = self.provider.blocks
        blocked = {each.offering for each in blocks.listed(now_s=now_s) if each.nodes == 1}
        open_now = [each for each in self._catalog.offerings if each not in blocked]
        for offering in to_be_left_alone(facts.nodes, open_now) - blocked:
            blocks.block(offering, Obstacle.INTERRUPTED, now_s=now_s)

    def _decide(
        self, facts: JobFacts, prices: tuple[Price, ...], *, now_s: float
    ) -> tuple[Plan | None, JobFacts]:
        """Records the plan that stands, and gives it with the facts as they are then.

        None is a change that would come to nothing, since the last members finish: it is not
        recorded.

        What a change needs is bought first. If that is refused at once, the plan was no decision:
        it is decided again with the refusal on record. This ends when a purchase is granted, when
        its outcome is unknown, or when there is nothing to buy.
        """
        job_id = facts.job.id
        refused: tuple[Offering, ...] = ()
        while True:
            snapshot = self._snapshot(facts, prices, refused, now_s=now_s)
            plan = self.decide(snapshot)
            is_change = plan.action not in (Action.HOLD, Action.STOP)
            if is_change and due.is_closing(self._world(facts, plan, now_s=now_s)):
                return None, facts
            if is_change:
                missed = self._buy_for(facts, plan, now_s=now_s)
            else:
                missed = None
            if missed is None:
                break
            refused = (*refused, missed)
            facts = self.store.facts.of(job_id, now_s=now_s)
        policy = facts.job.spec.policy
        self.store.decisions.record(
            snapshot, plan, policy, version=VERSIONS[policy], sets_target=is_change
        )
        if plan.action is Action.STOP:
            if plan.reason.code == "budget":
                ending = JobPhase.BUDGET_EXHAUSTED
            else:
                ending = JobPhase.CANCELLED
            self.store.jobs.request_stop(job_id, ending, plan.reason.text, now_s=now_s)
        elif snapshot.is_catalog_known:
            self.alarms.weigh(
                self.store, facts.job, lambda standing: misses(snapshot, plan, standing=standing)
            )
        return plan, facts if plan.action is Action.HOLD else self.store.facts.of(
            job_id, now_s=now_s
        )

    def _buy_for(self, facts: JobFacts, plan: Plan, *, now_s: float) -> Offering | None:
        """Buys what a change needs, as its steps would; gives what was refused."""
        world = replace(
            self._world(facts, plan, now_s=now_s), target=plan.target, why=plan.reason.code
        )
        launch = next(
            (step for step in next_steps(world) if isinstance(step, due.LaunchNodes)), None
        )
        if launch is None:
            return None
        return self._launch(world, launch.wanted, launch.why)

    def _snapshot(
        self,
        facts: JobFacts,
        prices: tuple[Price, ...],
        refused: tuple[Offering, ...],
        *,
        now_s: float,
    ) -> Snapshot:
        doubted = self.price_records.doubted
        observed = observe(
            facts,
            self._catalog,
            prices,
            boots=self._boots,
            unavailable=self.provider.blocks.listed(now_s=now_s),
            pools=self.store.pools.listed(now_s=now_s),
            refused=refused,
            doubted=doubted,
            doubted_usd=surcharge_usd(self.store.ledger.of_job(facts.job.id), doubted, now_s)
            if doubted
            else 0.0,
            limits=self.limits,
            now_s=now_s,
        )
        return replace(shortlist(observed), share=self._shares.get(facts.job.id))

    def _world(self, facts: JobFacts, plan: Plan | None, *, now_s: float) -> World:
        return World(
            now_s=now_s,
            job=facts.job,
            target=facts.target,
            nodes=facts.nodes,
            generation=facts.generation,
            why=facts.changes[-1].code if facts.changes else "",
            timeouts=self.timeouts,
            drain_grace_s=facts.job.spec.drain_grace_s,
            listening_since_s=self._listening_since_s,
            gaps=self.store.presence.gaps(
                beyond_s=self.timeouts.silence.suspect.least_s / SUSPECT_BEATS
            ),
            hung=facts.hung,
            longest_pause_s=facts.longest_pause_s,
            refused=self.machines.refused(now_s=now_s),
            queued_until_s=self.machines.queued_until_s,
            may_launch=self._can_buy and (plan is None or plan.may_buy),
            endpoint=self._session_store(facts),
            done_and_gone=facts.done_and_gone,
        )

    def _session_store(self, facts: JobFacts) -> str | None:
        """Looks after the store of a session that runs: members go on without it, but cannot
        change."""
        job = facts.job
        generation = facts.generation
        if (
            job.spec.mode is not Mode.LIVE
            or generation is None
            or generation.ended_at_s
            or generation.drain_at_s
        ):
            return None
        since_s = self._listening_since_s
        if not (
            self.rendezvous.lives(job.id) or all_are_heard(generation, facts.nodes, since_s=since_s)
        ):
            return None
        return self._meeting_place(
            job.id, is_held=goes_on([n for n in facts.nodes if n.id in generation.node_ids])
        )

    def _meeting_place(self, job_id: str, *, is_held: bool = False) -> str | None:
        return self.rendezvous.endpoint(
            job_id, rounds=replace(self.store.jobs.rounds(job_id), is_held=is_held)
        )

    def _act(self, world: World, liveness: GroupLiveness) -> bool:
        """Performs the steps that are due and tells whether another look is worth while now."""
        has_led_on = False
        for step in next_steps(world, liveness):
            has_led_on |= self._perform(world, step)
        return has_led_on

    def _perform(self, world: World, step: due.Step) -> bool:
        job_id = world.job.id
        now_s = world.now_s
        match step:
            case due.LaunchNodes(wanted, why):
                self._launch(world, wanted, why)
                return False
            case due.TerminateNode() | due.GiveUp():
                return self._end(step, now_s=now_s)
            case due.EndUnfit(node):
                self._end_unfit(node, world.job, now_s=now_s)
            case due.StartGeneration(members):
                return self._start_generation(world, members)
            case due.DrainGeneration():
                self._drain(step, world)
                return False
            case due.EndGeneration():
                self._end_generation(step, world.job, now_s=now_s)
            case due.BeginEnding(ending, message):
                self.store.jobs.request_stop(job_id, ending, message or None, now_s=now_s)
            case due.FinishJob(ending):
                # Before the job is over: after that it is not looked at again.
                self.rendezvous.end(job_id)
                self.store.certificates.forget(job_id)
                self.alarms.follow(self.store, world.job, (), now_s=now_s)
                self.store.jobs.move(job_id, ending, now_s=now_s)
            case _:
                assert_never(step)
        return True

    def _start_generation(self, world: World, members: tuple[Node, ...]) -> bool:
        job_id = world.job.id
        now_s = world.now_s
        if world.job.spec.mode is Mode.LIVE and world.active is not None:
            endpoint = world.endpoint  # a session that runs goes on at its own store
        else:
            endpoint = self._meeting_place(job_id)
        if endpoint is None:
            self._looks_again |= may_still_start(members, world.generation, now_s=now_s)
            return False
        self.store.generations.start(job_id, members, rdzv_endpoint=endpoint, now_s=now_s)
        return True

    def _drain(self, step: due.DrainGeneration, world: World) -> None:
        job_id = world.job.id
        now_s = world.now_s
        log.info("draining a generation", job=job_id, generation=step.number, reason=step.reason)
        self.store.generations.drain(job_id, step.number, hangs=step.hangs, now_s=now_s)
        if step.hangs:
            self.store.events.add("hung", step.reason, job_id=job_id, now_s=now_s)
            if world.hung >= _OFTEN:
                self._count_failure(job_id, step.reason, now_s=now_s)
        self._count_exit(job_id, step.unasked, now_s=now_s)

    def _end_generation(self, step: due.EndGeneration, job: Job, *, now_s: float) -> None:
        # A session's names members that are gone. In mode restart some member may live, and must
        # not go on by itself.
        if job.spec.mode is Mode.LIVE or not step.is_proven:
            self.rendezvous.end(job.id)
        self.store.generations.end(job.id, step.number, now_s=now_s)
        self._count_exit(job.id, step.failure, now_s=now_s)

    def _launch(self, world: World, wanted: Group, why: str) -> Offering | None:
        """Buys these nodes, if they are for sale now; gives what was refused."""
        if not all(
            self._is_for_sale(offering, nodes, now_s=world.now_s)
            for offering, nodes in wanted.members
        ):
            return None
        asked = world.job.spec.nproc_per_node
        workers = {each.name: workers_on(asked, each) for each in self._catalog.node_types}
        refused = self.machines.buy(world.job.id, wanted, why, workers=workers, now_s=world.now_s)
        if refused is None and world.active is None:
            # Starts it, so that it answers by the time the nodes have joined.
            self._meeting_place(world.job.id)
        return refused

    def _is_for_sale(self, offering: Offering, nodes: int, *, now_s: float) -> bool:
        """Whether so many may be bought now: they are on offer, not blocked, and their price can be
        relied on."""
        if offering not in self._catalog.offerings:
            return False
        if self.provider.blocks.of(offering, nodes=nodes, now_s=now_s) is not None:
            return False
        prices = [each for each in self.store.prices.in_force(now_s) if each.offering == offering]
        return bool(prices) and self.limits.trust(prices[0], now_s=now_s)

    def _end(self, step: due.TerminateNode | due.GiveUp, *, now_s: float) -> bool:
        if isinstance(step, due.GiveUp):
            why = self.machines.give_up(step.nodes, step.reason, now_s=now_s)
            self._note_unused(step.nodes[0], why, now_s=now_s)
            return True
        self.machines.end(step.node, step.reason, now_s=now_s)
        if step.is_failure:
            self._note_unused(step.node, step.reason, now_s=now_s)
        return step.is_failure

    def _end_unfit(self, node: Node, job: Job, *, now_s: float) -> None:
        if node.preparing is None:
            failure = ""
        else:
            failure = node.preparing.failure
        resumes = self.store.resumes.of(job.id)
        if resumes:
            since_s = resumes[-1].resumed_at_s
        else:
            since_s = job.submitted_at_s
        nodes = [
            each
            for each in self.store.nodes.listed(job.id, include_gone=True)
            if each.intended_at_s >= since_s
        ]
        if due.fails_alone(node, nodes):
            self._end(due.TerminateNode(node, failure, is_failure=True), now_s=now_s)
        elif self.store.jobs.get(job.id).phase is not JobPhase.DRAINING:
            has_worked = any(each.prepared_s is not None for each in nodes)
            if has_worked:
                what = "two nodes in a row could not be prepared"
            else:
                what = "no worker could begin"
            message = f"{what}: {failure}"
            self.store.jobs.request_stop(job.id, JobPhase.FAILED, message, now_s=now_s)

    def _note_unused(self, node: Node, what: str, *, is_failure: bool = True, now_s: float) -> None:
        """Reports a node that was never of use; a failure of its job unless other nodes train
        meanwhile, or its provider had no room for it."""
        self.machines.pause(node.offering, Obstacle.FAILED_TO_JOIN, now_s=now_s)
        message = f"{node.id} on {node.offering}: {what}" + self.machines.logs_of(node)
        generation = self.store.generations.latest(node.job_id)
        if generation is not None and generation.ended_at_s is None:
            members = generation.node_ids
        else:
            members = ()
        are_training = any(self.store.nodes.get(each).agent_state is not None for each in members)
        if are_training or not is_failure:
            self.store.events.add(
                "failure", message, job_id=node.job_id, node_id=node.id, now_s=now_s
            )
        else:
            self._count_failure(node.job_id, message, now_s=now_s)

    def _fail_if_forbidden(self, job: Job, *, now_s: float) -> None:
        """Ends a job that waits for what only a person can allow, and says what that is."""
        unfit = {each.name for each in self._catalog.node_types if job.spec.unfit(each)}
        offerings = self._catalog.offerings
        candidates = [
            each for each in offerings if job.spec.admits(each) and each.node_type not in unfit
        ]
        # A quota that has no room for more nodes may have room for the fewest.
        fewest = job.spec.sizes[0]
        why = self.machines.all_forbidden(candidates, nodes=fewest, job_id=job.id, now_s=now_s)
        if why is not None:
            message = f"none of its node types may be bought: {why}"
            self.store.jobs.request_stop(job.id, JobPhase.FAILED, message, now_s=now_s)

    def _count_exit(self, job_id: str, failure: Exit | None, *, now_s: float) -> None:
        if failure is None or self.store.jobs.get(job_id).phase is JobPhase.DRAINING:
            return
        if failure.needs_person:
            self.store.jobs.request_stop(
                job_id, JobPhase.FAILED, describe_exit(failure), now_s=now_s
            )
        elif self._has_failed_so_before(job_id, failure):
            message = f"it failed twice in the same way: {failure.error}"
            self.store.jobs.request_stop(job_id, JobPhase.FAILED, message, now_s=now_s)
        else:
            restarts = self.store.jobs.get(job_id).spec.max_restarts
            if restarts is None:
                most = self.max_failures
            else:
                most = restarts + 1
            self._count_failure(job_id, describe_exit(failure), most=most, now_s=now_s)

    def _has_failed_so_before(self, job_id: str, failure: Exit) -> bool:
        error = failure.error
        return error is not None and self.store.jobs.note_error(
            job_id, error, generation=failure.generation
        )

    def _count_failure(
        self, job_id: str, message: str, *, most: int | None = None, now_s: float
    ) -> None:
        if self.store.jobs.get(job_id).phase is JobPhase.DRAINING:
            return
        count = self.store.jobs.count_failure(job_id)
        if count >= (most or self.max_failures):
            message = f"{count} failures in a row without progress; {message}"
            self.store.jobs.request_stop(job_id, JobPhase.FAILED, message, now_s=now_s)
        else:
            self.store.events.add("failure", message, job_id=job_id, now_s=now_s)


def to_be_left_alone(nodes: Iterable[Node], offerings: Iterable[Offering]) -> frozenset[Offering]:
    """What an interruption counts against: markets that took a node back, where another zone sells
    the same as spot.

    There it is likelier to be available, and to last, at the same rate and nearly the same price.
    Where no zone does, asking the same market again costs one call, and what it refuses is left
    alone anyway.
    """
    sold = frozenset(offerings)
    taken = {node.offering for node in nodes if node.leaves_at_s is not None}
    return frozenset(
        each for each in taken if any(_is_elsewhere(other, each) for other in sold - taken)
    )


def _is_elsewhere(other: Offering, offering: Offering) -> bool:
    same = (other.node_type, other.capacity) == (offering.node_type, offering.capacity)
    return same and other.zone != offering.zone


def _phase_after(facts: JobFacts, plan: Plan) -> JobPhase:
    """Gives the phase of a job after this plan; one that has ended, or is ending, stays as it
    is."""
    job = facts.job
    current = training_group(facts.generation, facts.nodes)
    if job.phase in (JobPhase.DRAINING, JobPhase.PAUSED) or job.phase.is_final:
        return job.phase
    if facts.target is None:
        return JobPhase.WAITING if plan.reason.code in _WAITING else job.phase
    if current != facts.target and job.iteration > 0:
        return JobPhase.RESCALING
    if current is None or plan.reason.code in _TRYING:
        return JobPhase.PROFILING
    return JobPhase.RUNNING
