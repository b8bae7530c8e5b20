"""What is due to bring a job's nodes to its target: state and time go in, steps come out.

Nothing is performed here.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from elastic.agent.cause import is_echo, only_follows, uneven_end
from elastic.agent.uploader import STORE_PATIENCE_S
from elastic.durations import DRAIN_GRACE_S
from elastic.figures import duration, instant
from elastic.model import (
    PARAMOUNT_LINES,
    AgentState,
    Exit,
    Generation,
    Group,
    JobPhase,
    Mode,
    Node,
    NodePhase,
    Offering,
    Outcome,
    last_safe_instant,
)
from elastic.reconciler import session
from elastic.reconciler.group_liveness import GroupLiveness
from elastic.reconciler.world import World


@dataclass(frozen=True, slots=True)
class LaunchNodes:
    """Buy these nodes, all or none."""

    wanted: Group
    why: str


@dataclass(frozen=True, slots=True)
class TerminateNode:
    """Terminate this node."""

    node: Node
    reason: str
    # Whether it was never of use.
    is_failure: bool = False


@dataclass(frozen=True, slots=True)
class EndUnfit:
    """Terminate this node, which cannot be prepared for its job. End the job if no node can be."""

    node: Node


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Stop asking for the machines of these nodes: for too long it was unknown whether they were
    bought."""

    nodes: tuple[Node, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class StartGeneration:
    """Let these nodes train together."""

    members: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class DrainGeneration:
    """Ask the members to stop at their next safe point."""

    number: int
    reason: str
    # The exit of workers that stopped before they were asked.
    unasked: Exit | None = None
    # Whether the members hang: then they are stopped at once.
    hangs: bool = False


@dataclass(frozen=True, slots=True)
class EndGeneration:
    """Note that no member runs any more."""

    number: int
    # The exit that broke it, if one did.
    failure: Exit | None
    # If not, some member's workers may be alive: they must not meet again.
    is_proven: bool = True


@dataclass(frozen=True, slots=True)
class BeginEnding:
    """Start the job's orderly end."""

    ending: JobPhase
    message: str


@dataclass(frozen=True, slots=True)
class FinishJob:
    """No machine of the job is left: it has reached this phase."""

    ending: JobPhase


Step = (
    LaunchNodes
    | TerminateNode
    | EndUnfit
    | GiveUp
    | StartGeneration
    | DrainGeneration
    | EndGeneration
    | BeginEnding
    | FinishJob
)


_UNSEEN = (
    "warning: the script ended with 0, but no iteration was seen. Look at its log; if it "
    f"trained, let it say so: {PARAMOUNT_LINES}"
)


def next_steps(world: World, liveness: GroupLiveness | None = None) -> tuple[Step, ...]:
    """Gives the steps that are due now; what they lead to is seen at the next look.

    `liveness` is the judgement on the same world, if it was made already.
    """
    if liveness is None:
        liveness = GroupLiveness(world)
    is_ending = world.job.phase is JobPhase.DRAINING
    return tuple(_ending(world, liveness) if is_ending else _pursuing(world, liveness))


def _ending(world: World, liveness: GroupLiveness) -> Iterator[Step]:
    if world.active is not None:
        if world.active.drain_at_s is None:
            yield DrainGeneration(world.active.number, "the job is ending")
        else:
            yield from _stopping(world, liveness, world.active, world.active.drain_at_s)
        return
    remaining = [
        node
        for node in world.nodes
        if node.phase is not NodePhase.TERMINATING and not _is_coming_out(world, node)
    ]
    yield from (TerminateNode(node, "the job is ending") for node in remaining)
    if not world.nodes:
        yield FinishJob(world.job.ending or JobPhase.CANCELLED)


def _pursuing(world: World, liveness: GroupLiveness) -> Iterator[Step]:
    unfit = [
        node
        for node in world.living.values()
        if node.preparing is not None and node.preparing.failure
    ]
    if unfit:
        yield from map(EndUnfit, unfit)
        return
    # Nothing is bought, and no group changes, while the last members finish.
    closes = is_closing(world)
    overdue = tuple(_overdue(world))
    yield from overdue
    # Look on without the nodes that are given up in this very step.
    unbought = _unbought(world)
    if unbought:
        yield GiveUp(unbought, f"it could not be bought for {duration(world.timeouts.register_s)}")
    lost = {node.id for node in (*unbought, *(step.node for step in overdue))}
    if lost:
        world = replace(world, nodes=tuple(node for node in world.nodes if node.id not in lost))
        liveness = GroupLiveness(world)
    if world.target is None:
        yield from _emptying(world, liveness)
        return
    # Which nodes the target uses, and how many of each offering it still lacks.
    wanted, missing = _match(world, world.target)
    if refused := sorted(
        each for each, count in missing if count >= world.refused.get(each, count + 1)
    ):
        yield from _unused(
            world,
            wanted,
            f"{refused[0]} is not available, and {world.target} is useful only as a whole",
        )
    elif missing and world.may_launch and not closes:
        yield LaunchNodes(Group(tuple(missing)), _why(world, {offering for offering, _ in missing}))
    present = liveness.in_reach(wanted)
    is_ready = (
        not missing and not closes and len(present) == len(wanted) and liveness.are_heard(present)
    )
    # A node that still fetches the job's packages or data would keep all other workers waiting.
    is_ready = is_ready and all(node.agent_state is not AgentState.PREPARING for node in present)
    active = world.active
    if active is not None:
        # Members that are drained for a newcomer stand still until it has loaded its libraries.
        is_warm = all(_is_free(world, node) for node in wanted if node.id not in active.node_ids)
        yield from _keeping(world, liveness, active, wanted, is_ready and is_warm)
    elif is_ready:
        yield StartGeneration(tuple(wanted))
    elif (survivors := _survivors(world, liveness, present)) and liveness.are_heard(survivors):
        yield StartGeneration(survivors)
    # What neither the target nor the active generation uses costs money for nothing.
    in_use = {node.id for node in wanted} | set(active.node_ids if active else ())
    surplus = [
        node
        for node in world.living.values()
        if node.id not in in_use and not _is_coming_out(world, node)
    ]
    yield from (
        TerminateNode(
            node,
            _describe_leaving(node)
            if node.id in world.leaving
            else f"the job now wants {world.target}",
        )
        for node in surplus
    )


def _emptying(world: World, liveness: GroupLiveness) -> Iterator[Step]:
    """Ends the machines of a job that goes on later, after its workers have saved."""
    active = world.active
    if active is None:
        # Or they were bought for a decision that was never recorded: the daemon died in between.
        yield from (
            TerminateNode(node, "the job wants no nodes now")
            for node in world.living.values()
            if not _is_coming_out(world, node)
        )
        return
    members = [world.living.get(node_id) for node_id in active.node_ids]
    exits = [_exit_of(node, active.number) for node in members]
    if not (yield from _finishing(world, liveness, active, members, exits)):
        yield DrainGeneration(active.number, "the job gives its nodes back")


def fails_alone(unfit: Node, others: Sequence[Node]) -> bool:
    """Whether a node that cannot be prepared is itself the trouble, not what its job brings.

    `others` are all nodes bought for the job since it was submitted or resumed. The node is the
    trouble if the same preparation worked on another, and the newest that is done with it did not
    fail in the same way.
    """
    # It is alone in this if another has been prepared before, and the newest did not fail likewise.
    tried = [each for each in others if each.id != unfit.id and _prepared_at_s(each) is not None]
    if unfit.preparing is None or all(each.prepared_s is None for each in tried):
        return False
    newest = max(tried, key=lambda each: _prepared_at_s(each) or 0.0)
    return newest.preparing is None or newest.preparing.what != unfit.preparing.what


def _prepared_at_s(node: Node) -> float | None:
    """When it was prepared, or began on what failed; None if it is still preparing."""
    if node.preparing is not None:
        if node.preparing.failure:
            return node.prepares_since_s
        return None
    if node.prepared_s is None:
        return None
    return (node.joined_at_s or 0.0) + node.prepared_s


def _finishing(
    world: World,
    liveness: GroupLiveness,
    active: Generation,
    members: Sequence[Node | None],
    exits: Sequence[Exit | None],
) -> Generator[Step, None, bool]:
    """The steps of a generation that is over, or on its way there; returns whether it is."""
    if _is_done(world, members, exits):
        yield BeginEnding(JobPhase.SUCCEEDED, "" if world.job.iteration else _UNSEEN)
    elif active.drain_at_s is not None:
        yield from _stopping(world, liveness, active, active.drain_at_s)
    elif all(node is None for node in members):
        yield EndGeneration(active.number, None)
    else:
        return False
    return True


def _keeping(
    world: World,
    liveness: GroupLiveness,
    active: Generation,
    wanted: list[Node],
    is_ready: bool,
) -> Iterator[Step]:
    members = [world.living.get(node_id) for node_id in active.node_ids]
    exits = [_exit_of(node, active.number) for node in members]
    if (yield from _finishing(world, liveness, active, members, exits)):
        return
    if world.job.spec.mode is Mode.LIVE:
        yield from _keeping_session(world, liveness, active, wanted, is_ready)
    elif any(each is not None and each.outcome is not Outcome.SUCCEEDED for each in exits):
        yield DrainGeneration(
            active.number, "a node's workers ended", _unasked(world, members, exits)
        )
    elif is_ready and {node.id for node in wanted} != set(active.node_ids):
        yield DrainGeneration(active.number, f"the group changes to {world.target}")
    elif why := liveness.why_drain():
        yield DrainGeneration(active.number, why, hangs=True)
    elif (leaver := _first_to_go(world, _at_work(members, exits))) is not None:
        yield DrainGeneration(active.number, f"{leaver.id}: {_describe_leaving(leaver)}")


def _keeping_session(
    world: World,
    liveness: GroupLiveness,
    active: Generation,
    wanted: list[Node],
    is_ready: bool,
) -> Iterator[Step]:
    members = world.members
    exits = {
        node.id: each for node in members if (each := _exit_of(node, active.number)) is not None
    }
    alive = [node for node in members if node.id not in exits]
    if not alive or (
        not session.goes_on(alive)
        and any(each.outcome is Outcome.FAILED for each in exits.values())
    ):
        yield DrainGeneration(
            active.number,
            "a node's workers ended",
            _unasked(world, list(members), list(exits.values())),
        )
        return
    hopeless = {
        node: session.why_hopeless(node)
        for node in members
        if session.is_hopeless(exits.get(node.id), node)
    }
    # Members that train with no other are of no use either.
    hopeless |= liveness.alone()
    yield from (TerminateNode(node, why, is_failure=True) for node, why in hopeless.items())
    wanted = [node for node in wanted if node not in hopeless]
    is_ready = is_ready and not hopeless
    leaver = _first_to_go(world, list(alive))
    if leaver is None:
        must_go = []
    else:
        must_go = [node for node in alive if node.id in world.leaving]
    # Which members come next: newcomers first, then without those that must go.
    following = session.next_members(
        active, alive=alive, wanted=wanted, is_ready=is_ready, must_go=must_go
    )
    if following is None and world.endpoint not in (None, active.rdzv_endpoint):
        # The store has died: they train on, and a new generation tells them of the new store.
        following = tuple(alive)
    if following is not None and session.loses_all(active, following):
        if leaver is None:
            if not session.are_heard(following, since_s=world.listening_since_s):
                return  # the daemon before may have been killed before it wrote that they train
            why = "no member is left that has the trained state"
        else:
            why = f"{leaver.id}: {_describe_leaving(leaver)}"
        yield DrainGeneration(active.number, why)
    elif following is not None:
        yield StartGeneration(following)
    elif leaver is not None and len(must_go) == len(alive):
        yield DrainGeneration(active.number, f"{leaver.id}: {_describe_leaving(leaver)}")


def _is_coming_out(world: World, node: Node) -> bool:
    """Whether a node's workers are leaving a session that goes on without them.

    The node is ended after that: its last turns are told with its exit.
    """
    if world.job.spec.mode is not Mode.LIVE:
        return False
    patience_s = world.drain_grace_s + _SLACK_S
    return session.is_leaving(node, world.generation, patience_s=patience_s, now_s=world.now_s)


def _unasked(world: World, members: list[Node | None], exits: list[Exit | None]) -> Exit | None:
    """The exit of workers that stopped without a known reason.

    While the daemon is silent, workers of a node that is taken back stop by themselves, and so do
    the other nodes'.
    """
    if any(node is None or node.id in world.leaving for node in members):
        return None
    return next(
        (each for each in exits if each is not None and each.outcome is Outcome.DRAINED), None
    )


def _first_to_go(world: World, members: list[Node | None]) -> Node | None:
    """The member whose machine is taken back first, once training on it cannot wait for its
    replacement."""
    leavers = [node for node in members if node is not None and node.id in world.leaving]
    if not leavers:
        return None
    last_s = last_safe_instant(
        leavers, drain_grace_s=world.drain_grace_s, reaction_s=world.timeouts.reaction_s
    )
    if last_s is None or world.now_s < last_s:
        return None
    return min(leavers, key=lambda node: (node.leaves_at_s or 0.0, node.id))


def _survivors(world: World, liveness: GroupLiveness, present: list[Node]) -> tuple[Node, ...]:
    """The members left of a generation that lost one, if they are enough to go on until others
    join.

    Standing still costs the same dollars and does no iteration. Going on costs one more short stop
    later.
    """
    if world.generation is not None:
        before = world.generation.node_ids
    else:
        before = ()
    usable = world.living.keys() - world.leaving - liveness.cut_off
    left = tuple(node for node in present if node.id in before)
    has_lost = any(node_id not in usable for node_id in before)
    if has_lost and left and len(left) >= world.job.spec.nodes_min:
        return left
    return ()


def _stopping(
    world: World, liveness: GroupLiveness, active: Generation, drain_at_s: float
) -> Iterator[Step]:
    members = [world.living.get(node_id) for node_id in active.node_ids]
    # A member that stores its last checkpoint gets more time.
    is_saving = any(node is not None and node.agent_state is AgentState.SAVING for node in members)
    patience_s = world.drain_grace_s + _SLACK_S + (STORE_PATIENCE_S if is_saving else 0.0)
    overdue = world.now_s > drain_at_s + patience_s
    # The generation is over once all have stopped, cannot be reached, or have taken too long.
    running = [node for node in members if node is not None and not _has_stopped(node, active)]
    if overdue or all(liveness.is_out_of_reach(node, since_s=drain_at_s) for node in running):
        exits = [each for node in members if (each := _exit_of(node, active.number)) is not None]
        # The failure nearest to the cause counts, unless it only followed the loss of a node.
        failures = [each for each in exits if each.outcome is Outcome.FAILED]
        failure = min(failures, key=_distance, default=None)
        has_lost = any(node is None or node.id in world.leaving for node in members)
        if failure is not None and only_follows(failure):
            have_others_finished = any(each.outcome is Outcome.SUCCEEDED for each in exits)
            if has_lost:
                failure = None
            else:
                failure = _without_echo(failure, have_others_finished)
        yield EndGeneration(active.number, failure, is_proven=not running)


def _distance(failure: Exit) -> tuple[bool, bool, bool, float]:
    """How far an exit is from what broke its generation: the nearest one describes it best."""
    error = failure.error
    if error is None or error.at_s is None:
        at_s = 0.0
    else:
        at_s = error.at_s
    return (
        not failure.needs_person,
        error is None or only_follows(failure),
        is_echo(failure.log_tail),
        at_s,
    )


def _without_echo(failure: Exit, have_others_finished: bool) -> Exit:
    """The exit of workers that missed other members, although no node was lost.

    If the others had finished, that is the script's fault. A failing network is not: then only the
    count of failures ends the job.
    """
    return replace(failure, error=uneven_end(failure.error) if have_others_finished else None)


# What a drain may take beyond its grace: the agent's own SIGTERM and SIGKILL, and a heartbeat to
# report it.
_SLACK_S = DRAIN_GRACE_S


_RUNS_NOTHING = (AgentState.IDLE, AgentState.PREPARING, AgentState.WARMING)


def _has_stopped(node: Node, generation: Generation) -> bool:
    if _exit_of(node, generation.number) is not None:
        return True
    # An agent that never began the generation is still idle. Only a heartbeat after the request
    # proves it.
    asked_s = generation.drain_at_s or 0.0
    reported_s = node.heartbeat_at_s or 0.0
    return node.agent_state in _RUNS_NOTHING and reported_s > asked_s


def _unused(world: World, wanted: list[Node], reason: str) -> Iterator[TerminateNode]:
    """Ends what was bought for a group that will not be complete. Nodes that have trained are
    kept."""
    if world.generation is not None:
        members = world.generation.node_ids
    else:
        members = ()
    yield from (TerminateNode(node, reason) for node in wanted if node.id not in members)


def _match(world: World, target: Group) -> tuple[list[Node], list[tuple[Offering, int]]]:
    if world.active:
        members = set(world.active.node_ids)
    else:
        members = set()
    usable = [node for node in world.living.values() if node.id not in world.leaving]
    # Members first, then nodes that have joined, then those bought earlier.
    usable.sort(
        key=lambda node: (
            node.id not in members,
            node.phase is not NodePhase.JOINED,
            node.intended_at_s,
        )
    )
    wanted: list[Node] = []
    missing: list[tuple[Offering, int]] = []
    for offering, count in target.members:
        have = [node for node in usable if node.offering == offering][:count]
        wanted += have
        if len(have) < count:
            missing.append((offering, count - len(have)))
    return wanted, missing


def _overdue(world: World) -> Iterator[TerminateNode]:
    for node in world.nodes:
        over = [
            each for each in _patiences(world, node) if _is_over(world, each.since_s, each.limit_s)
        ]
        yield from (
            TerminateNode(node, f"it {each.what} for {duration(each.limit_s)}", each.is_failure)
            for each in over[:1]
        )


def _unbought(world: World) -> tuple[Node, ...]:
    return tuple(
        node
        for node in world.nodes
        if node.phase is NodePhase.INTENDED
        and _is_over(world, node.intended_at_s, world.timeouts.register_s)
    )


@dataclass(frozen=True, slots=True)
class _Patience:
    """How long a node may stay as it is."""

    since_s: float | None
    limit_s: float
    # What the node did meanwhile, as the reason of its end says it.
    what: str
    # Whether one that stays longer was never of use.
    is_failure: bool = False


def _patiences(world: World, node: Node) -> Iterator[_Patience]:
    if node.phase is NodePhase.JOINED:
        yield _Patience(
            node.heartbeat_at_s,
            world.timeouts.lease_s,
            "has been silent",
            is_failure=node.agent_state is None,
        )
        if world.active is not None:
            members = world.active.node_ids
        else:
            members = ()
        if node.agent_state is AgentState.WARMING and node.id not in members:
            since_s = (node.joined_at_s or 0.0) + (node.prepared_s or 0.0)
            yield _Patience(since_s, world.timeouts.register_s, "was warming up", is_failure=True)
    elif node.phase is NodePhase.BOOTING:
        # The cloud's clock may be behind ours.
        since_s = max(
            node.launched_at_s or 0.0, node.intended_at_s, world.queued_until_s.get(node.id, 0.0)
        )
        yield _Patience(since_s, world.timeouts.register_s, "did not register", is_failure=True)


def _is_over(world: World, since_s: float | None, limit_s: float) -> bool:
    return since_s is not None and world.now_s - max(since_s, world.listening_since_s) > limit_s


def _why(world: World, missing: set[Offering]) -> str:
    """Why nodes are bought: to replace those that leave, or else because the last decision wants
    them."""
    if any(node.id in world.leaving and node.offering in missing for node in world.nodes):
        return "interruption"
    return world.why


def _is_free(world: World, node: Node) -> bool:
    """Whether it would start workers at once.

    Workers of a generation that went on without it must be ended first.
    """
    runs = node.agent_generation is not None and node.agent_state in session.RUNNING_STILL
    return node.is_warm and (world.job.spec.mode is Mode.LIVE or not runs)


def _exit_of(node: Node | None, number: int) -> Exit | None:
    """How this generation ended on a node, if it did."""
    if node is None or node.exit is None or node.exit.generation != number:
        return None
    return node.exit


def _is_done(world: World, members: Sequence[Node | None], exits: Sequence[Exit | None]) -> bool:
    """Whether the job is complete: any member of a session may say so.

    Elsewhere each member speaks only for its own workers. torchrun waits 300 s for other nodes'
    workers and then ends with success, while the first rank may still judge or save.
    """
    if world.job.spec.mode is Mode.LIVE:
        return any(each is not None and each.outcome is Outcome.SUCCEEDED for each in exits)
    of_living = [each for node, each in zip(members, exits, strict=True) if node is not None]
    return bool(of_living) and all(
        each is not None and each.outcome is Outcome.SUCCEEDED for each in of_living
    )


def is_closing(world: World) -> bool:
    """Whether some members are done and the others can still finish.

    In another group all would do their work once more.
    """
    active = world.active
    if active is None or world.job.spec.mode is Mode.LIVE:
        return False
    rows = {node.id: node for node in world.nodes}
    members = [
        rows.get(node_id) for node_id in active.node_ids if node_id not in world.done_and_gone
    ]
    exits = [_exit_of(node, active.number) for node in members]
    # All that still work must stay until they are done.
    are_staying = all(
        node is not None and node.id in world.living and node.id not in world.leaving
        for node in _at_work(members, exits)
    )
    outcomes = {each.outcome for each in exits if each is not None}
    return (
        are_staying
        and (bool(world.done_and_gone) or bool(outcomes))
        and outcomes <= {Outcome.SUCCEEDED}
    )


def _at_work(members: Sequence[Node | None], exits: Sequence[Exit | None]) -> list[Node | None]:
    """The members whose workers have not ended."""
    return [node for node, each in zip(members, exits, strict=True) if each is None]


def _describe_leaving(node: Node) -> str:
    """Says that the cloud takes a node back, and when."""
    assert node.leaves_at_s is not None, f"{node.id} does not leave"
    return f"the cloud takes it back at {instant(node.leaves_at_s)}"
