"""The routes that nodes speak to: registering once, then a heartbeat that brings measurements and takes the word."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Header
from pydantic import TypeAdapter

from api.deps import Context, get_context, node_speaking
from api.instants import behind_s
from api.schemas.agent import BringsOut, EventIn, ExitIn, Heartbeat, Registered, Registration, WindowIn, WordOut
from elastic.errors import Conflict, NotFound, Unauthorized
from elastic.model import (
    Beginning,
    Claim,
    Exit,
    Job,
    Node,
    NodePhase,
    Notice,
    Preparing,
    Pulse,
    Save,
    ScriptError,
    Setup,
    Tier,
    Window,
)
from elastic.reconciler import Word, word_for
from elastic.store import Event, Heard

router = APIRouter(prefix="/v1/agent", tags=["agent"])

_EVENTS = ("checkpoint", "finished", "drained", "note")
_PERSIST_S = 5.0
"""A heartbeat that says nothing new is left to the next tick to be written, if that comes so soon."""


@router.post("/register")
def register(request: Registration, context: Annotated[Context, Depends(get_context)]) -> Registered:
    """Admits a machine by the join token of its launch, once: until it has spoken with the token that it gets here.

    It may ask again until then, for an answer may be lost. 404 says that the machine is not on record yet: ask again.
    """
    node = _bought(context, request)
    if node.phase.is_gone or node.phase is NodePhase.TERMINATING:
        raise Conflict(f"node {node.id} is {node.phase}; it may not join")
    if node.agent_state is not None:
        raise Conflict(f"node {node.id} has joined already; a join token is good once a machine")
    setup = None if request.setup is None else Setup(request.setup.elapsed_s, request.setup.received_bytes)
    context.store.node_joined(node.id, setup=setup, now_s=context.clock.now_s())
    context.wake()
    settings, spec = context.settings, context.store.job(node.job_id).spec
    return Registered(
        node_id=node.id,
        node_token=context.node_tokens.node_token(node.id, request.instance_id),
        heartbeat_interval_s=settings.heartbeat_s,
        lease_s=context.lease_s(),
        command=[] if spec.tier is Tier.T0 else list(spec.command),
        code=spec.code,
        brings=BringsOut(
            requirements=list(spec.requirements), setup=list(spec.setup), data=spec.data, env=dict(spec.env)
        ),
    )


def _bought(context: Context, request: Registration) -> Node:
    """The node that this machine was bought as. Raises Unauthorized, or NotFound while that may still turn out."""
    launch = context.node_tokens.launch_of(request.join_token)
    nodes = () if launch is None else context.store.nodes_of_launch(launch)
    for node in nodes:
        if node.provider_id == request.instance_id:
            return node
    if any(node.provider_id is None and not node.phase.is_gone for node in nodes):
        raise NotFound(f"{request.instance_id}: not on record as launched yet; ask again")
    raise Unauthorized("this join token does not admit this machine")


@router.post("/heartbeat")
def heartbeat(
    request: Heartbeat,
    context: Annotated[Context, Depends(get_context)],
    authorization: Annotated[str, Header()] = "",
) -> WordOut:
    """Takes in what a node measured and tells it what to do; what is acknowledged is stored durably."""
    node = node_speaking(context, authorization, node_id=request.node_id, instance_id=request.instance_id)
    acked_seq = context.store.acked_seq(node.id)
    newest_seq = max([acked_seq, *(each.seq for each in request.windows), *(each.seq for each in request.events)])
    has_changed, now_s = _has_changed(node, request), context.clock.now_s()
    context.store.presence.arrives(now_s=now_s)
    if has_changed or newest_seq > acked_seq or _is_due(node, now_s):
        _store(context, node, request, newest_seq=newest_seq)
    else:
        context.store.presence.heard(node.id, _pulse(request), now_s=now_s)
    if has_changed:
        context.wake()
    job = context.store.job(node.job_id)
    return _reply(_word(context, node, job), newest_seq)


def _word(context: Context, node: Node, job: Job) -> Word:
    generation = context.store.generation(job.id)
    begins = generation is not None and node.agent_generation != generation.number
    stored_iteration = context.store.resumes.stored(job.id) if begins else None
    saves = context.store.saves(job.id) if begins else {}
    return word_for(node, job, generation, stored_iteration=stored_iteration, saves=saves, lease_s=context.lease_s())


def _has_changed(node: Node, request: Heartbeat) -> bool:
    reported = None if request.exit is None else _exit(request.exit)
    said = (request.state, request.generation)
    notice = _notice(request)
    if notice is not None and notice.supersedes(node.notice):
        return True
    if request.round is not None or request.claim is not None:  # an agent repeats neither once it is answered
        return True
    if _hangs(_pulse(request)) and not _hangs(node.pulse):  # the others may wait for a node that is cut off
        return True
    if _prepares(_preparing(request, 0.0)) != _prepares(node.preparing):
        return True
    return (node.agent_state, node.agent_generation) != said or (reported is not None and node.exit != reported)


def _is_due(node: Node, now_s: float) -> bool:
    return node.heartbeat_at_s is None or now_s - node.heartbeat_at_s >= _PERSIST_S


def _store(context: Context, node: Node, request: Heartbeat, *, newest_seq: int) -> None:
    now_s = context.clock.now_s()
    late_s = behind_s(request.sent_at_s, now_s=now_s)
    notice = _notice(request)
    context.store.heard(
        node.id,
        Heard(
            state=request.state,
            generation=request.generation,
            last_exit=None if request.exit is None else _exit(request.exit),
            windows=[_window(node.id, each, late_s) for each in request.windows],
            notes=[_event(each, now_s, late_s) for each in request.events if each.kind in _EVENTS],
            saves={each.seq: _save(each) for each in request.events if each.kind == "saved"},
            beginnings={each.seq: _beginning(each) for each in request.events if each.kind == "begins"},
            acked_seq=newest_seq,
            notice=notice and replace(notice, noticed_at_s=notice.noticed_at_s + late_s),
            saving_s=request.saving_s,
            tier=request.tier,
            round=request.round,
            claim=None if request.claim is None else Claim(request.claim.round, request.claim.members),
            pulse=_pulse(request),
            preparing=_preparing(request, now_s),
        ),
        now_s=now_s,
    )


def _exit(said: ExitIn) -> Exit:
    error = None if said.error is None else ScriptError(**said.error.model_dump())
    return Exit(
        said.generation, said.outcome, said.exit_code, said.iteration, said.log_tail, said.needs_person, error=error
    )


def _pulse(request: Heartbeat) -> Pulse | None:
    said = request.pulse
    return None if said is None else Pulse(said.still_s, said.longest_s, said.learnt_s)


def _preparing(request: Heartbeat, now_s: float) -> Preparing | None:
    said = request.preparing
    return None if said is None else Preparing(said.what, now_s - said.elapsed_s, said.failure)


def _prepares(preparing: Preparing | None) -> tuple[str, str] | None:
    """What is worth being written at once."""
    return None if preparing is None else (preparing.what, preparing.failure)


def _hangs(pulse: Pulse | None) -> bool:
    return pulse is not None and pulse.hangs


def _notice(request: Heartbeat) -> Notice | None:
    said = request.notice
    return None if said is None else Notice(said.kind, said.noticed_at_s, said.at_s, said.action)


def _window(node_id: str, said: WindowIn, late_s: float) -> Window:
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


def _save(said: EventIn) -> Save:
    return Save(said.mark, said.iteration or 0)


def _beginning(said: EventIn) -> Beginning:
    return Beginning(said.iteration or 0, said.text, said.stops_when_asked, said.batch)


def _event(said: EventIn, now_s: float, late_s: float) -> Event:
    counted = "" if said.iteration is None else f" iteration {said.iteration}"  # an unmodified script tells of none
    words = {
        "checkpoint": "checkpoint" + (counted and f" of{counted}"),
        "finished": "the script says it is done" + (counted and f" at{counted}"),
        "drained": "stopped at the safe point" + (counted and f" after{counted}"),
        "note": said.text,
    }
    numbers = {"iteration": said.iteration, "elapsed_s": said.elapsed_s}
    return Event(
        id=said.seq,
        at_s=said.at_s + late_s if said.at_s else now_s,
        kind=said.kind,
        text=words[said.kind],
        numbers={name: float(value) for name, value in numbers.items() if value is not None},
    )


_WORD: TypeAdapter[Word] = TypeAdapter(Word)


def _reply(word: Word, acked_seq: int) -> WordOut:
    return WordOut.model_validate({"acked_seq": acked_seq} | _WORD.dump_python(word))
