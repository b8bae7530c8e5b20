"""What routes are given: the daemon's parts, the body, and the proof that a user may ask."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Header, Path, Query, Request, Security
from fastapi.dependencies.models import Dependant
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from api.artifacts import Artifacts, FolderArtifacts, StoredOutputs, outputs_in
from api.feed import Feed
from api.rates import Rates
from elastic.clock import Clock
from elastic.config import Settings
from elastic.distribution import Wheel
from elastic.durations import MINUTE_S
from elastic.errors import Conflict, InvalidInput, StoreUnavailable, Unauthorized
from elastic.faults import no_such
from elastic.job_logs import JobLogs
from elastic.model import DoubtedPrice, Limits, Node, Offering
from elastic.notify import Notifier
from elastic.pricing import Quarantined
from elastic.providers import Provider
from elastic.reconciler import (
    Adoption,
    Alarm,
    Alarms,
    JobFolders,
    NodeTokens,
    TerminationPermission,
    shown,
)
from elastic.sealing import Sealer
from elastic.store import Store

COOKIE = "elasticd_token"
# Twice what an agent allows itself, and room for what a line costs beside its text: no honest one
# meets these.
_LOG_BYTES_PER_S = 256 << 10
_LOG_BYTES_AT_ONCE = 4 << 20
# A tick is late after this many intervals and a minute.
_TICKS_MISSED = 6
_SAFE_METHODS = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class Tick:
    """The daemon's last tick."""

    # When it ended.
    at_s: float
    elapsed_s: float
    # Why it failed; None if it did not.
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of the daemon that answer requests."""

    store: Store
    clock: Clock
    settings: Settings
    provider: Provider
    node_tokens: NodeTokens
    # Starts the next tick now.
    wake: Callable[[], None]
    user_token: str
    last_tick: Callable[[], Tick | None] = lambda: None
    # Prices that the last tick did not trust, though they are higher.
    doubted: Callable[[], tuple[DoubtedPrice, ...]] = tuple
    # All that it did not believe.
    disbelieved: Callable[[], tuple[Quarantined, ...]] = tuple
    # What was sold at the last tick; None while that is not known.
    offered: Callable[[], frozenset[Offering] | None] = lambda: None
    # Opens /metrics alone; empty if there is none.
    metrics_token: str = ""
    # Opens what changes nothing; empty if there is none.
    look_token: str = ""
    # Limits the leases; None where there is no such limit.
    right: TerminationPermission | None = None
    # The reconciler's; None where there is no reconciler.
    alarms: Alarms | None = None
    # Of jobs that the database does not know; None where there is no reconciler.
    adoption: Adoption | None = None
    # None where there is no daemon that sends messages.
    notifier: Notifier | None = None
    # None: where the settings place them.
    artifacts: Artifacts | None = None
    outputs: StoredOutputs | None = None
    # What nodes install; None where they get elasticd in another way.
    wheel: Wheel | None = None
    # Those of decisions, by `elastic.market.limits`.
    limits: Limits = field(default_factory=Limits)
    # Of workers; in memory unless a file is given.
    logs: JobLogs = field(default_factory=JobLogs)
    # Keeps jobs' secrets out of rows and answers.
    sealer: Sealer = field(init=False, repr=False)
    log_rates: Rates = field(
        default_factory=lambda: Rates(per_s=_LOG_BYTES_PER_S, most=_LOG_BYTES_AT_ONCE)
    )

    def __post_init__(self) -> None:
        # The dataclass is frozen, and the key follows from the secret of the nodes' tokens.
        object.__setattr__(self, "sealer", Sealer(self.node_tokens.secret))

    def lease_s(self) -> float:
        """The lease that a node is given now."""
        if self.right is None:
            return self.settings.lease_s
        return self.right.lease_left_s()

    def is_late(self, tick: Tick, *, now_s: float) -> bool:
        """Whether the next tick should long have ended: a cloud may answer slowly."""
        return now_s - tick.at_s > _TICKS_MISSED * self.settings.tick_s + MINUTE_S

    def kept(self) -> Artifacts:
        """Jobs' artifacts, by default in the folder of the settings."""
        return self.artifacts or FolderArtifacts(JobFolders(self.settings.job_folder))

    def carried(self) -> StoredOutputs:
        """Jobs' outputs, by default where the settings place them."""
        return self.outputs or outputs_in(self.settings, self.clock)

    def current_alarms(self) -> tuple[Alarm, ...]:
        """The alarms that a person has to act on now.

        They are rows. Where the database takes or gives none, the daemon's memory has them.
        """
        if self.alarms is None or not self.alarms.is_unwritten:
            with suppress(StoreUnavailable):
                return shown(self.store.alarms.standing())
        if self.alarms is None:
            return ()
        return self.alarms.current(now_s=self.clock.now_s())


async def get_context(request: Request) -> Context:
    """The context that the app was made with."""
    # FastAPI runs what is not async in another thread, which costs more than this.
    return context_of(request)


def context_of(request: Request) -> Context:
    """The same for what is no dependency."""
    context: Context = request.app.state.context
    return context


def get_log_feed(request: Request) -> Feed:
    """The feed that streams of logs wait on."""
    feed: Feed = request.app.state.log_feed
    return feed


def get_feed(request: Request) -> Feed:
    """The feed that event streams wait on."""
    feed: Feed = request.app.state.feed
    return feed


def tokens_match(given: str, wanted: str) -> bool:
    """Compares two tokens in a time that does not depend on where they differ.

    >>> tokens_match("abc", "abc"), tokens_match("", "")
    (True, False)
    """
    # An empty token opens nothing: it stands for a token that does not exist.
    return bool(wanted) and hmac.compare_digest(
        given.encode("utf-8", "replace"), wanted.encode("utf-8")
    )


_bearer = HTTPBearer(auto_error=False, description="The user's token: `elasticd token show`.")
_cookie = APIKeyCookie(
    name=COOKIE,
    auto_error=False,
    description="The same token, as /login sets it for a browser. Where the address "
    "names a port, `_PORT` follows this name.",
)


def cookie_name(request: Request) -> str:
    """What the cookie is called at the port that the browser asks.

    Browsers send a cookie to all ports of a host. By one name for all, two daemons there would sign
    each other's users out.
    """
    port = re.search(r":(\d+)$", request.headers.get("host", ""))
    return f"{COOKIE}_{port[1]}" if port else COOKIE


def require_user(
    request: Request,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
    cookie: Annotated[str | None, Security(_cookie)],
) -> None:
    """Admits requests with the user's token, and with the one that may look those that only read.

    Raises Unauthorized, and 403 for what the token is not enough for.
    """
    context = context_of(request)
    if bearer is not None:
        given = bearer.credentials
        if not may_look(context, given):
            raise Unauthorized(
                "the token is not this daemon's; `elasticd token show` prints it; if it was "
                "rotated, start the daemon again"
            )
    else:
        given = request.cookies.get(cookie_name(request)) or cookie or ""
        if not may_look(context, given):
            raise Unauthorized(
                "wanted Authorization: Bearer <token>, got none that is valid; `elasticd token "
                "show` prints it"
            )
    # Kept for pages: they leave out buttons that would be refused.
    request.state.may_act = tokens_match(given, context.user_token)
    if request.method in _SAFE_METHODS:
        return
    # A browser sends the cookie with every request, even one that another page causes. A request
    # that only reads cannot do harm, since that page does not see the answer.
    if bearer is None and not _is_own_page(request):
        raise Unauthorized(
            "wanted a request from the daemon's own pages, since it is authorised by a cookie"
        )
    refuse_looking(request)


def refuse_unknown_parameters(request: Request, _: Annotated[None, Depends(require_user)]) -> None:
    """Raises InvalidInput for a query parameter that is not known here: without a misspelt `job`, a
    sum would be that of all jobs."""
    known = _parameters_of(request.scope["route"].dependant)
    for name in request.query_params:
        if name not in known:
            hint = no_such("parameter", name, known) if known else f"no parameter {name[:64]!r}"
            raise InvalidInput(hint, field=name[:64])


def _parameters_of(dependant: Dependant) -> set[str]:
    own = {each.alias for each in dependant.query_params}
    return own.union(*map(_parameters_of, dependant.dependencies))


def require_acting(request: Request, _: Annotated[None, Depends(require_user)]) -> None:
    """Admits requests with the user's token alone, even those that only read. Raises 403."""
    refuse_looking(request)


def may_look(context: Context, token: str) -> bool:
    """Whether a token opens what changes nothing."""
    return tokens_match(token, context.user_token) or tokens_match(token, context.look_token)


def refuse_looking(request: Request) -> None:
    """Raises 403 if the request's token may only look."""
    if not request.state.may_act:
        raise HTTPException(
            403, "this token may look and change nothing; `elasticd token show` prints another"
        )


def require_scraper(
    request: Request,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
    cookie: Annotated[str | None, Security(_cookie)],
) -> None:
    """Admits requests with the token of the metrics, or the user's. Raises Unauthorized."""
    if bearer is None or not tokens_match(bearer.credentials, context_of(request).metrics_token):
        require_user(request, bearer, cookie)


def node_speaking(context: Context, authorization: str, *, node_id: str, instance_id: str) -> Node:
    """The node that asks. Raises Unauthorized unless its token is for it, on this machine, and
    Conflict once its machine is gone."""
    check_node_token(context, authorization, node_id=node_id, instance_id=instance_id)
    node = checked_machine(context.store.nodes.get(node_id), instance_id)
    # A job's script can read the token of its node, and might keep it.
    if node.phase.is_gone:
        raise Conflict(f"node {node_id} is {node.phase}; its token opens nothing any more")
    return node


def check_node_token(
    context: Context, authorization: str, *, node_id: str, instance_id: str
) -> None:
    """Raises Unauthorized unless the token is for this node, on this machine."""
    said = context.node_tokens.node_of(authorization.removeprefix("Bearer "), instance_id)
    # The token alone would be enough to know the node; a request that names another is a mistake.
    if said is None or said != node_id:
        raise Unauthorized("this token does not speak for this node on this machine")


def checked_machine(node: Node, instance_id: str) -> Node:
    """The node, if it is this machine. Raises Unauthorized."""
    # A token that was copied to another machine is of no use there.
    if node.provider_id != instance_id:
        raise Unauthorized("this node is another machine")
    return node


def _is_own_page(request: Request) -> bool:
    # SameSite=Strict admits pages of every other port of this host, so the cookie alone does not
    # show that the page is ours.
    origin = urlsplit(request.headers.get("origin", ""))
    return bool(origin.netloc) and origin.netloc == request.headers.get("host")


async def read_body(request: Request) -> bytes:
    """The request's whole body, whose size BodyLimit limits."""
    return await request.body()


def read_job(
    context: Annotated[Context, Depends(get_context)],
    job: Annotated[
        str | None, Query(max_length=64, description="Only this job's, by id or name.")
    ] = None,
) -> str | None:
    """The id of the job that a list is limited to. Raises NotFound."""
    if job is None:
        return None
    return context.store.jobs.get(job).id


def check_version(if_match: str | None, version: int) -> None:
    """Raises 412 if `If-Match` names another version than the job has."""
    if if_match is None or if_match.strip() == "*":
        return
    # A list of tags, as RFC 9110 has it.
    if f'"{version}"' not in (tag.strip() for tag in if_match.split(",")):
        raise HTTPException(
            412, f'wanted version "{version}", If-Match has {if_match[:80]}: read the job again'
        )


ContextOf = Annotated[Context, Depends(get_context)]
FeedOf = Annotated[Feed, Depends(get_feed)]
LogFeedOf = Annotated[Feed, Depends(get_log_feed)]
Body = Annotated[bytes, Depends(read_body)]
JobFilter = Annotated[str | None, Depends(read_job)]
JobKey = Annotated[
    str,
    Path(
        max_length=64,
        description="The job's id or name; of several runs the one that goes on, else the newest.",
    ),
]
Limit = Annotated[int, Query(ge=1, le=500, description="Most items to give.")]
Before = Annotated[
    int | None, Query(ge=0, le=2**53, description="`next_before` of the page before this one.")
]
IfMatch = Annotated[
    str | None, Header(max_length=200, description="The ETag the job must still have.")
]
