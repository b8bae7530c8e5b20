"""Limits a process tree to a share of a core without root, by stopping and continuing it."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable

from elastic.agent.processes import descendants, send_signal
from elastic.durations import END_GRACE_S, LOOK_S, QUOTA_PERIOD_S

PERIOD_S = QUOTA_PERIOD_S
# As with a cgroup's quota, unused time is no credit for later. Two periods even out the clock's
# resolution of 10 ms.
MAX_CREDIT_PERIODS = 2
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
log = logging.getLogger(__name__)


class Throttle:
    """Keeps the processes below a root to ``quota`` cores in total.

    Each period adds its share to a balance, and the tree's processor time is taken from it. While
    the balance is negative the tree stands still. The mean is exact, and a burst lasts at most a
    period and one clock tick.
    """

    def __init__(self, *, quota: float, members: Callable[[], Iterable[int]]) -> None:
        self._quota = quota
        self._members = members
        self._used_s: dict[int, float] = {}
        self._is_stopped = False
        self._is_first_look = True
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="throttle", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends throttling, and continues what was stopped."""
        self._end.set()
        self._thread.join(timeout=END_GRACE_S)

    def _run(self) -> None:
        try:
            self._keep_quota()
        except Exception:
            log.exception("the processor quota is no longer kept")
        finally:
            self._continue()

    def _keep_quota(self) -> None:
        max_credit_s = MAX_CREDIT_PERIODS * PERIOD_S * self._quota
        balance_s = 0.0
        before = time.monotonic()
        look_at = 0.0
        while not self._end.wait(PERIOD_S):
            now = time.monotonic()
            if now >= look_at:
                self._look_for_new()
                # A look at all processes costs milliseconds; a worker starts another one rarely.
                look_at = now + LOOK_S
            earned_s = (now - before) * self._quota
            # A limited balance: unused time must not allow a long burst.
            balance_s = min(balance_s + earned_s - self._newly_used_s(), max_credit_s)
            before = now
            if balance_s < 0:
                self._halt()
            elif self._is_stopped:
                self._continue()

    def _look_for_new(self) -> None:
        members = set(self._members())
        for pid in self._used_s.keys() - members:
            # Gone, or adopted by another parent: no longer ours to stop, so it must run on.
            send_signal(pid, signal.SIGCONT)
        # A new process owes its time since its start. The first look is different: it finds a tree
        # of any age.
        self._used_s = {
            pid: self._used_s.get(pid, processor_s(pid) if self._is_first_look else 0.0)
            for pid in members
        }
        self._is_first_look = False

    def _newly_used_s(self) -> float:
        used_s = 0.0
        for pid, before_s in self._used_s.items():
            now_s = processor_s(pid)
            used_s += max(0.0, now_s - before_s)
            self._used_s[pid] = now_s
        return used_s

    def _halt(self) -> None:
        self._is_stopped = True
        for pid in self._used_s:
            send_signal(pid, signal.SIGSTOP)

    def _continue(self) -> None:
        self._is_stopped = False
        for pid in self._used_s:
            send_signal(pid, signal.SIGCONT)


def tree(root: Callable[[], int | None]) -> Callable[[], list[int]]:
    """The members of the tree that ``root`` names at the time."""

    def members() -> list[int]:
        pid = root()
        return [] if pid is None else [pid, *descendants(pid)]

    return members


def processor_s(pid: int) -> float:
    """The processor time that a process has used; 0 once it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The second field is a name in parentheses that may hold anything. User and system time
            # are fields 14 and 15.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S
