"""The daemon's leader lease: acquired at the start, renewed every minute, lost to a later
daemon."""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

import structlog

from elastic.clock import Clock
from elastic.durations import AWS_SKEW_S, MINUTE_S, SELDOM_S
from elastic.errors import AlreadyRunning, LeaseLost, ProviderError, ProviderUnavailable
from elastic.figures import ago, instant
from elastic.providers import LeaderLease, LeaseRegister
from elastic.renewal import Renewal

log = structlog.get_logger(__name__)

# A lease is renewed every minute and good for five. Another daemon may acquire it only once it was
# not renewed for ten. The five between are for clocks: AWS refuses calls of one that is
# further off.
_ACT_WITHIN_S = AWS_SKEW_S
LEASE_EXPIRES_S = _ACT_WITHIN_S + AWS_SKEW_S
_MOST_RACES = 5


def place_of(data_dir: Path) -> str:
    """Where the daemon of this data folder is, for people."""
    return f"host {socket.gethostname()}, data in {data_dir.absolute()}"


@dataclass(slots=True)
class LeaseHolder:
    """Whether this process may act on the machines of `cluster`.

    `holder` is its database, and `place` is where that is, for people. Without a register no other
    daemon could act.
    """

    cluster: str
    holder: str
    place: str
    clock: Clock
    register: LeaseRegister | None
    lost: LeaseLost | None = None
    _run: str = field(default_factory=lambda: uuid4().hex)
    _lease: LeaderLease | None = None
    _version: int = 0
    _renewed_at_s: float | None = None
    _renewal: Renewal = field(default_factory=lambda: Renewal(every_s=MINUTE_S, retry_s=SELDOM_S))
    _failure: ProviderError | None = None

    def acquire(self, *, takes_over: bool = False) -> None:
        """Acquires the lease, from a living daemon only if it `takes_over`.

        While the cloud does not answer the daemon starts all the same, and acts when it has its
        lease.

        Raises AlreadyRunning if another daemon lives, ProviderError if the lease may not be
        written.
        """
        if self.register is None:
            return
        try:
            self._acquire(self.register, takes_over=takes_over, now_s=self.clock.now_s())
        except ProviderUnavailable as error:
            if takes_over:
                raise
            self._failure = error
            log.warning(
                "the leader lease is not acquired yet; until then nothing is bought or ended",
                error=str(error),
            )

    def renew(self) -> None:
        """Renews the lease if that is due. Raises LeaseLost for good, ProviderUnavailable while it
        is in doubt."""
        if self.register is None:
            return
        if self.lost is not None:
            raise self.lost
        now_s = self.clock.now_s()
        if self._renewal.is_due(now_s=now_s):
            self._renew_or_acquire(self.register, now_s=now_s)
        self.require()

    def require(self) -> None:
        """Returns if machines may be bought and ended at this instant. Raises
        ProviderUnavailable."""
        doubt = self.alarm()
        if doubt is not None:
            raise ProviderUnavailable(doubt)

    def confirm(self) -> None:
        """Returns if a machine may be bought at this instant, for which the lease is
        renewed.

        A daemon that lost it sees its machines ended, and would buy others. Raises
        ProviderUnavailable.
        """
        if self.register is not None and self.lost is None:
            with suppress(LeaseLost):  # the next look tells
                self._renew_or_acquire(self.register, now_s=self.clock.now_s())
        self.require()

    def alarm(self) -> str | None:
        """What somebody must be told; None while all is well."""
        if self.lost is not None:
            return str(self.lost)
        if self.register is None or (
            self._renewed_at_s is not None
            and abs(self.clock.now_s() - self._renewed_at_s) < _ACT_WITHIN_S
        ):
            return None
        if self._failure is None:
            why = "it was not asked"
        else:
            why = str(self._failure)
        return (
            f"cluster {self.cluster}: its leader lease is not renewed, so no machine is bought or "
            f"ended: {why}"
        )

    def release(self) -> None:
        """Lets the next daemon acquire the lease at once, once no machine is left. Raises
        nothing."""
        if self.register is None or self._lease is None or self.lost is not None:
            return
        try:
            over = replace(self._lease, is_over=True)
            if not self.register.write(over, after=self._version):
                version, found = self.register.read()  # who lost a race has written meanwhile
                if found is not None and self._is_ours(found):
                    self.register.write(over, after=version)
        except ProviderError as error:
            log.warning("the leader lease is not released; it expires", error=str(error))

    def _renew_or_acquire(self, register: LeaseRegister, *, now_s: float) -> None:
        try:
            if self._lease is None or not self._renew(register, self._lease, now_s=now_s):
                self._acquire(register, takes_over=False, now_s=now_s)
        except AlreadyRunning as error:
            self.lost = LeaseLost(str(error))
            log.error("superseded: this daemon buys and ends nothing any more", error=str(error))
            raise self.lost from error
        except ProviderError as error:
            if self._failure is None:
                log.warning(
                    "the leader lease was not renewed; it is good for 5 minutes after each renewal",
                    error=str(error),
                )
            self._failure = error
            self._renewal.note_failure(now_s=now_s)

    def _renew(self, register: LeaseRegister, lease: LeaderLease, *, now_s: float) -> bool:
        """Whether the lease is still this daemon's; False if no daemon has one."""
        if register.write(lease, after=self._version):
            self._note(lease, self._version + 1, now_s=now_s)
            return True
        version, found = register.read()
        if found is None:
            return False
        if not self._is_ours(found):
            raise AlreadyRunning(self._told(found, now_s=now_s))
        self._note(found, version, now_s=now_s)
        return True

    def _acquire(self, register: LeaseRegister, *, takes_over: bool, now_s: float) -> None:
        for _ in range(_MOST_RACES):
            version, found = register.read()
            if found is not None and self._is_ours(found):
                self._note(found, version, now_s=now_s)  # the answer to the write was lost
                return
            if found is not None and self._is_alive(found, now_s=now_s) and not takes_over:
                raise AlreadyRunning(self._told(found, now_s=now_s))
            lease = LeaderLease(
                self.holder,
                self._run,
                self.place,
                epoch=version + 1,
                since_s=now_s,
                seen_at_s=now_s,
            )
            if register.write(lease, after=version):
                log.info(
                    "this daemon has the leader lease of its cluster",
                    cluster=self.cluster,
                    epoch=lease.epoch,
                )
                self._note(lease, version + 1, now_s=now_s)
                return
        raise ProviderUnavailable(
            f"cluster {self.cluster}: its leader lease is written by several daemons at once"
        )

    def _note(self, lease: LeaderLease, version: int, *, now_s: float) -> None:
        self._lease = lease
        self._version = version
        self._renewed_at_s = now_s
        self._failure = None
        self._renewal.note_success(now_s=now_s)

    def _is_ours(self, lease: LeaderLease) -> bool:
        return lease.run == self._run and not lease.is_over

    def _is_alive(self, lease: LeaderLease, *, now_s: float) -> bool:
        """Whether another daemon may still act by it: an earlier run on the same database
        cannot."""
        return (
            not lease.is_over
            and lease.holder != self.holder
            and now_s - lease.seen_at_s < LEASE_EXPIRES_S
        )

    def _told(self, lease: LeaderLease, *, now_s: float) -> str:
        if lease.holder == self.holder:
            who = f"a copy of this database, in {lease.place}"
        else:
            who = lease.place
        return (
            f"cluster {self.cluster}: another daemon ({who}) holds its machines since "
            f"{instant(lease.since_s)}, seen {ago(lease.seen_at_s, now_s)}; stop that one, name "
            "another ec2.cluster, or take them: `elasticd serve --take-over`"
        )
