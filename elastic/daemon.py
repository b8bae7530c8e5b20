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
from elastic.checkpoints import FolderObjects, Objects, is_location, parse_location
from elastic.clock import Clock, SteadyClock, SystemClock
from elastic.config import Settings
from elastic.distribution import Wheel, own_wheel
from elastic.durations import ANSWER_TIMEOUT_S, HEARTBEAT_S, MINUTE_S, TICK_S
from elastic.errors import (
    AlreadyRunning,
    InvalidInput,
    NotFound,
    ProviderError,
    StoreUnavailable,
)
from elastic.job_logs import JobLogs, open_job_logs
from elastic.listeners import ListenAddress, find_listeners, with_certificates
from elastic.liveness import silence_bounds
from elastic.market import limits, market
from elastic.notify import Notifier, recipients_of
from elastic.policy import decide
from elastic.providers import Provider
from elastic.providers.keeping import refuse as refuse_unreachable
from elastic.reconciler import (
    Adoption,
    JobRecords,
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
    kept_secret,
    place_of,
    purse_of,
    secret_in,
)
from elastic.rendezvous.certificate import new_certificate
from elastic.store import Store, database_folder, lock, open_store, shown
from elastic.ticker import Ticker

log = structlog.get_logger(__name__)

# Where the time is written down, in the data folder.
_CLOCK = "clock.json"

# How often a standby tries to get the database: one connection, which takes milliseconds.
_STANDBY_LOOKS_S = HEARTBEAT_S

# How often the session is used that writes: PostgreSQL ends it after 15 s without.
_HOLD_S = TICK_S


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
    # Opens what changes nothing; empty if there is none.
    look_token: str
    ticker: Ticker
    # What nodes install; None where they need none.
    wheel: Wheel | None
    # Asks for past prices; None where no source remembers them.
    historian: Ticker | None
    housekeeper: Ticker
    # Keeps the session that writes; None where no session is needed.
    keeper: Ticker | None
    # Takes over, or ends, the jobs of a database that was lost.
    adoption: Adoption
    recorder: Ticker
    logs: JobLogs
    notifier: Notifier
    # Sends messages to people; None if there are no recipients.
    messenger: Ticker | None

    def start(self) -> None:
        """Starts the ticks."""
        for each in self._tickers:
            each.start()

    def stop(self) -> None:
        """Returns when no tick runs any more."""
        # A service that does not answer takes seconds for each message.
        self.notifier.stop()
        for each in self._tickers:
            each.stop()

    @property
    def _tickers(self) -> tuple[Ticker, ...]:
        found = (
            self.ticker,
            self.housekeeper,
            self.historian,
            self.keeper,
            self.recorder,
            self.messenger,
        )
        return tuple(each for each in found if each is not None)


def build(
    settings: Settings,
    *,
    clock: Clock,
    url: str,
    pages_url: str = "",
    store: Store | None = None,
) -> Daemon:
    """Builds a daemon whose nodes reach it at `url`, and people at `pages_url`.

    Opens its store, if it is given none, and migrates it.
    """
    data_dir = settings.data_dir.absolute()
    if is_location(settings.job_root):
        parse_location(settings.job_root)  # reports a wrong one now, instead of on each node
    wheel = None
    if settings.needs_wheel:
        wheel = own_wheel()
    if store is None:
        store = open_store(settings.url)
    tokens = NodeTokens(kept_secret(store, "secret", data_dir / "secret"))
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
    daemon_url, *other_urls = settings.daemon_urls or (url,)
    reaction_s = settings.tick_s + settings.heartbeat_s + ANSWER_TIMEOUT_S
    reconciler = Reconciler(
        store=store,
        provider=provider,
        prices=prices,
        machines=Machines(
            store=store,
            provider=provider,
            terms=LaunchTerms(
                daemon_url, tokens.join_token, tuple(other_urls), authority.certificate
            ),
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
        purse=purse_of(settings.purse),
    )
    ticker = Ticker(
        lambda: reconciler.tick(now_s=clock.now_s()), interval_s=settings.tick_s, clock=clock
    )
    machines = reconciler.machines
    records = JobRecords(store, lambda: _own_objects(settings), tokens.secret)
    adoption = Adoption(store, machines, records, wake=ticker.wake)
    notifier = Notifier(
        store, settings.notify, recipients_of(settings.notify), clock, url=pages_url
    )
    notifier.unwritten = lambda now_s: reconciler.alarms.unwritten(now_s=now_s)
    reconciler.alarms.held = lambda now_s: adoption.alarm(now_s=now_s)
    reconciler.alarms.records = lambda: records.failure
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
        user_token=kept_secret(store, "token", settings.token_file, is_replaceable=True).decode(),
        metrics_token=_token_in(settings.metrics_token_file),
        look_token=_token_in(settings.look_token_file),
        ticker=ticker,
        wheel=wheel,
        # The past prices of new offerings can wait, and so can measurements that get old.
        historian=None
        if past is None
        else Ticker(lambda: past.look(now_s=clock.now_s()), interval_s=MINUTE_S, clock=clock),
        housekeeper=Ticker(
            lambda: store.rollup.run(now_s=clock.now_s()), interval_s=MINUTE_S, clock=clock
        ),
        keeper=None
        if database_folder(settings.url) is not None
        else Ticker(store.hold, interval_s=_HOLD_S, clock=clock),
        adoption=adoption,
        recorder=Ticker(
            lambda: records.keep(is_lost=bool(machines.held), now_s=clock.now_s()),
            interval_s=settings.tick_s,
            clock=clock,
        ),
        logs=_logs(data_dir, store),
        notifier=notifier,
        messenger=None
        if not notifier.recipients
        else Ticker(notifier.look, interval_s=settings.tick_s, clock=clock),
    )


def _token_in(file: Path | None) -> str:
    """The token in a file, made if absent; empty if no file is named."""
    if file is None:
        return ""
    return secret_in(file).decode()


def _own_objects(settings: Settings) -> Objects:
    """Where the daemon of this cluster keeps what it needs if it loses its database."""
    own = f"daemon/{settings.ec2.cluster}"
    root = settings.job_root
    if is_location(root):
        from elastic.checkpoints.s3 import Bucket, connect  # boto3 is slow to import

        client = connect(region=settings.ec2.region, is_patient=False)
        return Bucket(client, parse_location(root).below(own))
    folder = Path(root, own)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return FolderObjects(folder)


def _certificates(store: Store, clock: Clock) -> Callable[[str], str]:
    """Gives a job's key and certificate, which are made when they are first asked for."""

    def of(job_id: str) -> str:
        found = store.certificates.get(job_id)
        if found is not None:
            return found
        return store.certificates.keep(job_id, new_certificate(), now_s=clock.now_s())

    return of


def serve(settings: Settings, *, takes_over: bool = False, is_standby: bool = False) -> None:
    """Runs the daemon until SIGTERM or Ctrl-C. A standby waits until no other one has its database.

    Raises AlreadyRunning if another one owns the data folder, or if another one owns the cluster's
    machines and this one does not take over. Raises LeaseLost if another one takes over later.
    """
    if is_standby:
        _check_standby(settings)
    with _owned(settings.data_dir, database_folder(settings.url)):
        users, nodes = find_listeners(settings)
        # This changes the whole process, so it waits until this one is sure to become the daemon.
        log_to_stderr()
        _check_nodes_find_it(settings, nodes.url)
        store = None
        if is_standby:
            store = _wait_for_database(settings)
        clock = SteadyClock(began_s=continued_s(settings.data_dir / _CLOCK))
        daemon = build(settings, clock=clock, url=nodes.url, pages_url=users.url, store=store)
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


def _check_standby(settings: Settings) -> None:
    """Raises InvalidInput where no standby could take over."""
    if database_folder(settings.url) is not None or settings.provider != "ec2":
        raise InvalidInput(
            "--standby: wanted a database_url of PostgreSQL and provider ec2, got "
            f"{shown(settings.url)} and {settings.provider}: a standby needs a database and nodes "
            "that it can reach from another machine"
        )


def _wait_for_database(settings: Settings) -> Store:
    """Opens the store once no other daemon owns it."""
    # What takes seconds is done before, so that it does not last while nodes wait.
    importlib.import_module("api.server")
    is_told = False
    clock = SystemClock()
    while True:
        try:
            return open_store(settings.url)
        except (AlreadyRunning, StoreUnavailable) as error:
            if not is_told:
                log.info("standby: waits until the database has no daemon", why=str(error))
            is_told = True
        clock.sleep(_STANDBY_LOOKS_S)


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
    if settings.provider in ("ssh", "slurm"):
        refuse_unreachable(settings, url=url)


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
    outputs: Any = importlib.import_module("api.artifacts")
    # What was imported lives as long as the process, so the collector need not look at it again.
    gc.freeze()
    gc.enable()
    pictures: Any = importlib.import_module("api.pictures")
    kept = artifacts.artifacts_in(daemon.settings, daemon.clock)
    daemon.notifier.pictures = lambda job_id: pictures.pictures_of(
        daemon.store, kept, job_id, now_s=daemon.clock.now_s()
    )
    context = deps.Context(
        store=daemon.store,
        clock=daemon.clock,
        settings=daemon.settings,
        provider=daemon.provider,
        node_tokens=daemon.node_tokens,
        wake=daemon.ticker.wake,
        right=daemon.right,
        alarms=daemon.reconciler.alarms,
        adoption=daemon.adoption,
        artifacts=kept,
        outputs=outputs.outputs_in(daemon.settings, daemon.clock),
        user_token=daemon.user_token,
        metrics_token=daemon.metrics_token,
        look_token=daemon.look_token,
        wheel=daemon.wheel,
        limits=daemon.reconciler.limits,
        notifier=daemon.notifier,
        logs=daemon.logs,
        last_tick=lambda: None if daemon.ticker.last is None else deps.Tick(*daemon.ticker.last),
        doubted=lambda: daemon.reconciler.price_records.doubted,
        disbelieved=lambda: daemon.reconciler.price_records.disbelieved,
        offered=lambda: daemon.reconciler.offered,
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


def log_to_stderr() -> None:
    """Has this process write its log, and that of libraries, to standard error."""
    # One format for our own lines and for those of libraries, which use `logging`.
    stamps: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
    ]
    # Plain: structlog's own form shows the variables of every frame, and tokens, secrets and whole
    # requests are among them.
    renderer = structlog.dev.ConsoleRenderer(
        colors=False, exception_formatter=structlog.dev.plain_traceback
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=stamps)
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for name in ("alembic", "asyncssh", "boto3", "botocore", "uvicorn"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # The ticker itself reports a tick that takes too long.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    structlog.configure(
        processors=[*stamps, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
    )
