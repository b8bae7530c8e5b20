"""The routes for nodes: they register once, and then send heartbeats."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Header

from api.deps import Context, check_node_token, checked_machine, get_context
from elastic.durations import ANSWER_TIMEOUT_S
from elastic.errors import Conflict, InvalidInput, NotFound, Unauthorized
from elastic.liveness import TURN_IS_SUSPECT
from elastic.model import Batch, Beginning, Node, NodePhase, NodeReport, Save, Window
from elastic.protocol import (
    PROTOCOL,
    BeginsMessage,
    Brings,
    CheckpointMessage,
    Heartbeat,
    HeartbeatReply,
    LastMessage,
    NoteMessage,
    Registered,
    Registration,
    SavedMessage,
    WindowMessage,
    require_same_major,
)
from elastic.reconciler import reply_for
from elastic.store import Event, HeartbeatFacts, HeartbeatReport

router = APIRouter(prefix="/v1/agent", tags=["agent"])

# The longest time that a heartbeat may take to arrive; more means a wrong clock. An agent gives up
# after ten seconds to connect, or ten to send.
TOLERANCE_S = 2 * ANSWER_TIMEOUT_S


@router.post("/register")
def register(
    request: Registration, context: Annotated[Context, Depends(get_context)]
) -> Registered:
    """Admits a machine by the join token of its launch, once.

    It may ask again until it has used the token that it gets here, since an answer may be lost. 404
    says that the machine is not on record yet: ask again.
    """
    node = _bought(context, request)
    try:
        require_same_major(request.protocol, who="the agent")
    except InvalidInput as error:
        # The job's owner looks at the job's page, not at the daemon's log.
        now_s = context.clock.now_s()
        context.store.events.add(
            "note", str(error), job_id=node.job_id, node_id=node.id, now_s=now_s
        )
        raise
    if node.phase.is_gone or node.phase is NodePhase.TERMINATING:
        raise Conflict(f"node {node.id} is {node.phase}; it may not join")
    # A state means that a heartbeat came, so its agent has the token that is given here.
    if node.agent_state is not None:
        raise Conflict(f"node {node.id} has joined already; a join token is good once a machine")
    context.store.nodes.joined(node.id, setup=request.setup, now_s=context.clock.now_s())
    context.wake()
    settings = context.settings
    spec = context.store.jobs.get(node.job_id).spec
    return Registered(
        protocol=PROTOCOL,
        node_id=node.id,
        node_token=context.node_tokens.node_token(node.id, request.instance_id),
        heartbeat_interval_s=settings.heartbeat_s,
        lease_s=context.lease_s(),
        command=spec.command if spec.preload else (),
        code=spec.code,
        brings=Brings(
            spec.requirements,
            spec.setup,
            spec.data,
            context.sealer.opened(spec),
            spec.secrets,
            spec.secret_parameters,
            spec.image,
        ),
    )


def _bought(context: Context, request: Registration) -> Node:
    """The node that this machine was bought as. Raises Unauthorized, or NotFound."""
    launch = context.node_tokens.launch_of(request.join_token)
    nodes = () if launch is None else context.store.nodes.of_launch(launch)
    for node in nodes:
        # A launch buys several machines with one token: which of them asks, only the machine's id
        # tells.
        if node.provider_id == request.instance_id:
            return node
    # The launch's answer, with the machine's id, may not be stored yet.
    if any(node.provider_id is None and not node.phase.is_gone for node in nodes):
        raise NotFound(f"{request.instance_id}: not on record as launched yet; ask again")
    raise Unauthorized("this join token does not admit this machine")


@router.post("/heartbeat")
async def heartbeat(
    request: Heartbeat,
    context: Annotated[Context, Depends(get_context)],
    authorization: Annotated[str, Header()] = "",
) -> HeartbeatReply:
    """Stores what a node reports, and tells it what to do; what is acknowledged is durable."""
    # The most frequent request of all. FastAPI would change threads for its answer, too.
    return await to_thread.run_sync(answer_heartbeat, request, context, authorization)


def answer_heartbeat(request: Heartbeat, context: Context, authorization: str) -> HeartbeatReply:
    """The same in this thread."""
    require_same_major(request.protocol, who="the agent")
    check_node_token(
        context, authorization, node_id=request.node_id, instance_id=request.instance_id
    )
    known = context.store.heartbeats.facts(request.node_id)
    node = checked_machine(known.node, request.instance_id)
    newest_seq = max(
        [
            known.acked_seq,
            *(each.seq for each in request.windows),
            *(each.seq for each in request.events),
        ]
    )
    if node.phase.is_gone:
        # Its machine is gone. What still speaks has kept its token, and tells nothing of the job.
        return _reply(context, known, newest_seq)
    has_changed = _has_changed(node, request)
    now_s = context.clock.now_s()
    # Before anything is stored: a slow disk must not look like a time without heartbeats.
    context.store.presence.arrives(now_s=now_s)
    is_first = node.heartbeat_at_s is None
    if is_first or has_changed or newest_seq > known.acked_seq:
        _store(context, node, request, newest_seq=newest_seq)
        # The reply follows from what is on record now, but for the node's own row.
        known = replace(context.store.heartbeats.facts(node.id), node=node)
    else:
        # No commit for it: hundreds of nodes say every second that nothing is new.
        context.store.presence.record(node.id, request.report.after(node), now_s=now_s)
    if has_changed:
        context.wake()
    return _reply(context, known, newest_seq)


def _reply(context: Context, known: HeartbeatFacts, acked_seq: int) -> HeartbeatReply:
    node = known.node
    job = known.job
    generation = known.generation
    begins = generation is not None and node.agent_generation != generation.number
    # Only a node that is about to begin needs these, and they are two more queries.
    stored_iteration = context.store.resumes.stored(job.id) if begins else None
    saves = context.store.progress.saves(job.id) if begins else {}
    return reply_for(
        node,
        job,
        generation,
        stored_iteration=stored_iteration,
        saves=saves,
        certificate=known.certificate,
        env=context.sealer.opened(job.spec),
        lease_s=context.lease_s(),
        acked_seq=acked_seq,
    )


def _has_changed(node: Node, request: Heartbeat) -> bool:
    """Whether a heartbeat says something that must be stored, and acted on, at once."""
    if request.notice is not None and request.notice.supersedes(node.notice):
        return True
    # An agent repeats neither of these once it is answered.
    if request.round is not None or request.next_round is not None:
        return True
    report = request.report
    # The others may wait for a node that is cut off.
    if _hangs(report) and not _hangs(node):
        return True
    if _prepares(report) != _prepares(node):
        return True
    has_moved = (node.agent_state, node.agent_generation) != (report.state, report.generation)
    return has_moved or (request.exit is not None and node.exit != request.exit)


def _hangs(said: NodeReport | Node) -> bool:
    return said.pulse is not None and TURN_IS_SUSPECT.is_over(said.pulse.last_turn)


def _prepares(said: NodeReport | Node) -> tuple[str, str] | None:
    """What a node prepares, and why that failed; a change of it is stored at once."""
    if said.preparing is None:
        return None
    return (said.preparing.what, said.preparing.failure)


def _store(context: Context, node: Node, request: Heartbeat, *, newest_seq: int) -> None:
    now_s = context.clock.now_s()
    late_s = behind_s(request.sent_at_s, now_s=now_s)
    notes: list[Event] = []
    saves: dict[int, Save] = {}
    beginnings: dict[int, Beginning] = {}
    for each in request.events:
        match each:
            case SavedMessage():
                saves[each.seq] = Save(each.mark, each.iteration)
            case BeginsMessage():
                begun_s = None
                if each.at_s:
                    begun_s = each.at_s + late_s
                batch = Batch(each.batch)
                beginnings[each.seq] = Beginning(
                    each.iteration, each.text, each.stops_when_asked, batch, begun_s
                )
            case _:
                notes.append(_event(each, now_s, late_s))
    said = HeartbeatReport(
        report=request.report,
        last_exit=request.exit,
        # Instants by the daemon's clock: a node's may be wrong, and all nodes share one chart.
        windows=[_window(node.id, window, late_s) for window in request.windows],
        notes=notes,
        saves=saves,
        beginnings=beginnings,
        acked_seq=newest_seq,
        notice=request.notice
        and replace(request.notice, noticed_at_s=request.notice.noticed_at_s + late_s),
        round=request.round,
        next_round=request.next_round,
    )
    context.store.heartbeats.take_in(node.id, said, now_s=now_s)


def behind_s(sent_at_s: float, *, now_s: float) -> float:
    """How far the clock of a node is behind, given its time of sending; below 0 if it is ahead.

    A machine's own clock may be wrong, so a node's instants are converted to the daemon's.

    >>> behind_s(1000.0, now_s=4600.0), behind_s(4600.0, now_s=1000.0)
    (3600.0, -3600.0)
    >>> behind_s(1000.0, now_s=1019.9)
    0.0
    """
    offset_s = now_s - sent_at_s
    if abs(offset_s) > TOLERANCE_S:
        return offset_s
    return 0.0


def _window(node_id: str, said: WindowMessage, late_s: float) -> Window:
    return Window(
        node_id=node_id,
        seq=said.seq,
        generation=said.generation,
        world_size=said.world_size,
        phase=said.phase,
        iteration=said.iteration,
        iterations=said.iterations,
        elapsed_s=said.elapsed_s,
        is_cold=said.is_cold,
        ended_at_s=said.ended_at_s + late_s,
    )


def _event(
    said: CheckpointMessage | LastMessage | NoteMessage, now_s: float, late_s: float
) -> Event:
    numbers: dict[str, float] = {}
    # An unmodified script does not report its iteration.
    if not isinstance(said, NoteMessage) and said.iteration is not None:
        numbers["iteration"] = float(said.iteration)
    counted = ""
    if numbers:
        counted = f" iteration {numbers['iteration']:.0f}"
    match said:
        case CheckpointMessage():
            text = "checkpoint" + (counted and f" of{counted}")
            if said.elapsed_s is not None:
                numbers["elapsed_s"] = said.elapsed_s
        case LastMessage(kind="finished"):
            text = "the script says it is done" + (counted and f" at{counted}")
        case LastMessage():
            text = "stopped at the safe point" + (counted and f" after{counted}")
        case NoteMessage():
            text = said.text
    at_s = said.at_s + late_s if said.at_s else now_s
    return Event(id=said.seq, at_s=at_s, kind=said.kind, text=text, numbers=numbers)
