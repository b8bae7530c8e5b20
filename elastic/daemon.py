"""The composition root: it builds a daemon from its settings, and runs it."""

from __future__ import annotations

import gc
import importlib
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from elastic.authority import Authority
from elastic.checkpoints import is_location, parse_location
from elastic.clock import Clock, SteadyClock
from elastic.config import Settings
from elastic.distribution import Wheel, own_wheel
from elastic.durations import REACTION_SLACK_S
from elastic.errors import (
    NotFound,
    ProviderError,
    StoreUnavailable,
)
from elastic.job_logs import JobLogs, open_job_logs
from elastic.listeners import ListenAddress, find_listeners, with_certificates
from elastic.liveness import silence_bounds
from elastic.market import limits, market
from elastic.policy import decide
from elastic.providers import Provider
from elastic.reconciler import (
    LaunchTerms,
    LeaseHolder,
    Machines,
    NodeTokens,
    Reconciler,
    RendezvousStores,
    TerminationPermission,
    Timekeeper,
    Timeouts,
    continued_s,
    place_of,
    secret_in,
)
from elastic.rendezvous.certificate import new_certificate
from elastic.store import Store, database_folder, lock, open_store
from elastic.ticker import Ticker

log = structlog.get_logger(__name__)

# Where the time is written down, in the data folder.
_CLOCK = "clock.json"
# How often to look for new offerings whose past prices were not asked for yet.
_PAST_S = 60.0

# How often to look whether measurements are old enough to be rolled up.
_ROLL_UP_S = 60.0


@dataclass(frozen=True, slots=True)
class Daemon:
    """Everything that one elasticd process owns."""

    settings: Settings
    clock: Clock
    store: Store
    provider: Provider
    reconciler: Reconciler
    # Proves, before a machine is bought, that it can be ended.
    right: TerminationPermission
    # One daemon at a time acts on the cluster's machines.
    leader_lease: LeaseHolder
    node_tokens: NodeTokens
    # Nodes trust what it issues, and nothing else.
    authority: Authority
    user_token: str
    # Opens /metrics alone; empty if there is none.
    metrics_token: str
    ticker: Ticker
    # What nodes install; None where they need none.
    wheel: Wheel | None
    # Asks for past prices; None where no source remembers them.
    historian: Ticker | None
    housekeeper: Ticker
    logs: JobLogs

    def start(self) -> None:
        """Starts the ticks."""
        for each in self._tickers:
            each.start()

    def stop(self) -> None:
        """Returns when no tick runs any more."""
        for each in self._tickers:
            each.stop()

    @property
    def _tickers(self) -> tuple[Ticker, ...]:
        if self.historian is None:
            return (self.ticker, self.housekeeper)
        return (self.ticker, self.housekeeper, self.historian)


def build(settings: Settings, *, clock: Clock, url: str) -> Daemon:
    """Builds a daemon whose nodes reach it at `url`. Opens its store, and migrates it."""
    data_dir = settings.data_dir.absolute()
    if is_location(settings.job_root):
        parse_location(settings.job_root)  # reports a wrong one now, instead of on each node
    wheel = None
    if settings.provider == "ec2" and settings.ec2.needs_wheel:
        wheel = own_wheel()
    store = open_store(settings.url)
    tokens = NodeTokens(secret_in(data_dir / "secret"))
    authority = Authority(tokens.secret)
    provider, prices, past = market(settings, clock, store, wheel)
    timekeeper = None
    if isinstance(clock, SteadyClock):
        timekeeper = _timekeeper(clock, settings, provider)
    store.presence.begin(now_s=clock.now_s())
    right = TerminationPermission(provider.prove_end, settings.lease_s)
    leader_lease = LeaseHolder(
        cluster=settings.ec2.cluster,
        holder=store.holder(),
        place=place_of(data_dir),
        clock=clock,
        register=provider.lease_register,
    )
    reaction_s = settings.tick_s + settings.heartbeat_s + REACTION_SLACK_S
    reconciler = Reconciler(
        store=store,
        provider=provider,
        prices=prices,
        machines=Machines(
            store=store,
            provider=provider,
            terms=LaunchTerms(url, tokens.join_token, authority.certificate),
            right=right,
            leader_lease=leader_lease,
            register_s=settings.register_timeout_s,
        ),
        rendezvous=RendezvousStores(
            root=data_dir / "jobs",
            certificate_of=_certificates(store, clock),
            host=settings.address_of_nodes,
            ports=settings.port_range,
        ),
        decide=decide,
        limits=limits(settings, provider, reaction_s=reaction_s),
        timeouts=Timeouts(
            register_s=settings.register_timeout_s,
            lease_s=settings.lease_s,
            reaction_s=reaction_s,
            standstill_s=settings.standstill_s,
            silence=silence_bounds(heartbeat_s=settings.heartbeat_s),
        ),
        max_failures=settings.max_failures,
        timekeeper=timekeeper,
    )
    return Daemon(
        settings=settings,
        clock=clock,
        store=store,
        provider=provider,
        reconciler=reconciler,
        right=right,
        leader_lease=leader_lease,
        node_tokens=tokens,
        authority=authority,
        user_token=secret_in(settings.token_file).decode(),
        metrics_token=secret_in(settings.metrics_token_file).decode()
        if settings.metrics_token_file
        else "",
        ticker=Ticker(
            lambda: reconciler.tick(now_s=clock.now_s()), interval_s=settings.tick_s, clock=clock
        ),
        wheel=wheel,
        historian=None
        if past is None
        else Ticker(lambda: past.look(now_s=clock.now_s()), interval_s=_PAST_S, clock=clock),
        housekeeper=Ticker(
            lambda: store.rollup.run(now_s=clock.now_s()), interval_s=_ROLL_UP_S, clock=clock
        ),
        logs=_logs(data_dir, store),
    )


def _certificates(store: Store, clock: Clock) -> Callable[[str], str]:
    """Gives a job's key and certificate, which are made when they are first asked for."""

    def of(job_id: str) -> str:
        found = store.certificates.get(job_id)
        if found is not None:
            return found
        return store.certificates.keep(job_id, new_certificate(), now_s=clock.now_s())

    return of


def serve(settings: Settings, *, takes_over: bool = False) -> None:
    """Runs the daemon until SIGTERM or Ctrl-C.

    Raises AlreadyRunning if another one owns the data folder, or if another one owns the cluster's
    machines and this one does not take over. Raises LeaseLost if another one takes over later.
    """
    with _owned(settings.data_dir, database_folder(settings.url)):
        users, nodes = find_listeners(settings)
        # This changes the whole process, so it waits until this one is sure to become the daemon.
        _log_to_stderr()
        _check_nodes_find_it(settings, nodes.url)
        clock = SteadyClock(began_s=continued_s(settings.data_dir / _CLOCK))
        daemon = build(settings, clock=clock, url=nodes.url)
        try:
            users, nodes = with_certificates(users, nodes, settings, daemon.authority)
            # The lease comes first: a daemon without it must neither act nor be found.
            daemon.leader_lease.acquire(takes_over=takes_over)
            _write_address(settings, users, nodes)
            _run(daemon, users, nodes)
        finally:
            daemon.stop()
            _give_back(daemon)
            daemon.store.close()
            daemon.logs.close()
        if daemon.leader_lease.lost is not None:
            raise daemon.leader_lease.lost
        log.info("stopped; nodes keep running, and the next start adopts them")


def _timekeeper(clock: SteadyClock, settings: Settings, provider: Provider) -> Timekeeper:
    """Asks a provider that tells the time for it, before anything is written down."""
    path = settings.data_dir.absolute() / _CLOCK
    if settings.provider != "ec2":
        return Timekeeper(clock, path, None)
    with suppress(ProviderError):  # the ticks ask again
        provider.instances()
    return Timekeeper(clock, path, "EC2")


@contextmanager
def _owned(*folders: Path | None) -> Iterator[None]:
    """Keeps other daemons out of these folders. Raises AlreadyRunning if one is there."""
    with ExitStack() as owned:
        for folder in {each.resolve() for each in folders if each is not None}:
            owned.callback(os.close, lock(folder))
        yield


def _check_nodes_find_it(settings: Settings, url: str) -> None:
    """Raises InvalidInput if nodes could not reach the daemon, or their checkpoints."""
    if settings.provider == "ec2":
        from elastic.providers.ec2 import connect, refuse  # boto3 is slow to import

        refuse(settings, url=url, endpoint_url=connect(settings.ec2.region).endpoint_url)


def _logs(data_dir: Path, store: Store) -> JobLogs:
    """Opens the jobs' logs, and deletes those of jobs that are not on record."""
    logs = open_job_logs(data_dir)
    for job_id in logs.jobs():
        try:
            store.jobs.get(job_id)
        except NotFound:
            logs.forget(job_id)
    return logs


def _give_back(daemon: Daemon) -> None:
    """Releases the leader lease if no node is left, so that the next daemon need not wait."""
    with suppress(StoreUnavailable):
        if not daemon.store.nodes.listed():
            daemon.leader_lease.release()


def _run(daemon: Daemon, users: ListenAddress, nodes: ListenAddress) -> None:
    # The API stands above this module, which may not import it: so it is found by name.
    api: Any = importlib.import_module("api.server")
    deps: Any = importlib.import_module("api.deps")
    artifacts: Any = importlib.import_module("api.artifacts")
    outputs: Any = importlib.import_module("api.outputs")
    # What was imported lives as long as the process, so the collector need not look at it again.
    gc.freeze()
    gc.enable()
    context = deps.Context(
        store=daemon.store,
        clock=daemon.clock,
        settings=daemon.settings,
        provider=daemon.provider,
        node_tokens=daemon.node_tokens,
        wake=daemon.ticker.wake,
        right=daemon.right,
        alarms=daemon.reconciler.alarms,
        artifacts=artifacts.artifacts_in(daemon.settings, daemon.clock),
        outputs=outputs.outputs_in(daemon.settings, daemon.clock),
        user_token=daemon.user_token,
        metrics_token=daemon.metrics_token,
        wheel=daemon.wheel,
        limits=daemon.reconciler.limits,
        logs=daemon.logs,
        last_tick=lambda: None if daemon.ticker.last is None else deps.Tick(*daemon.ticker.last),
        doubted=lambda: daemon.reconciler.price_records.doubted,
    )
    log.info("answering", users=users.url, nodes=nodes.url)
    api.run(context, users=users, nodes=nodes, on_started=daemon.start)


def _write_address(settings: Settings, users: ListenAddress, nodes: ListenAddress) -> None:
    told = {
        "url": users.url,
        "port": users.port,
        "node_url": nodes.url,
        "node_port": nodes.port,
        "pid": os.getpid(),
        "provider": settings.provider,
    }
    (settings.data_dir / "daemon.json").write_text(json.dumps(told))


def _log_to_stderr() -> None:
    # One format for our own lines and for those of libraries, which use `logging`.
    stamps: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
    ]
    renderer = structlog.dev.ConsoleRenderer(colors=False)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=stamps)
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for name in ("alembic", "boto3", "botocore", "uvicorn"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # The ticker itself reports a tick that takes too long.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    structlog.configure(
        processors=[*stamps, structlog.processors.format_exc_info, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
    )
