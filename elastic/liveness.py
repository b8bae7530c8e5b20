"""Turns reports and the time into alive, suspect or stalled, for the daemon and for a session.

Whatever must give signs of life is judged here: nodes by their heartbeats and turns, members of a
session by their messages, sums and rounds. A judgement needs how long the last sign is ago, and how
long that usually takes. Two bounds turn it into a verdict:

- A *suspect* is late, but may only be slow. It is given up only where others wait for it.
- What has *stalled* is given up, or reported, in any case.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from elastic.durations import ANSWER_TIMEOUT_S, HEARTBEAT_S, LEASE_S, LOOK_S, SELDOM_S


class Liveness(StrEnum):
    """A verdict; see the module."""

    ALIVE = "alive"
    SUSPECT = "suspect"
    STALLED = "stalled"


@dataclass(frozen=True, slots=True)
class LifeSign:
    """One source's last sign of life: how long ago it was, and the longest that it usually takes.

    Both in seconds. `usual_s` is 0 where a usual time is unknown, or says nothing.
    """

    quiet_s: float
    usual_s: float = 0.0


@dataclass(frozen=True, slots=True)
class TimeBound:
    """A time after which a sign of life is late: at least `least_s`, and so many `times` the usual.

    The usual time counts only up to `most_s`: beyond that, it would hide every hang.
    """

    least_s: float
    times: float = 0.0
    most_s: float = math.inf

    def after_s(self, usual_s: float = 0.0) -> float:
        """Returns the seconds without a sign after which one is late.

        >>> bound = TimeBound(10.0, times=2.0, most_s=300.0)
        >>> [bound.after_s(usual_s) for usual_s in (0.5, 7.0, 900.0)]
        [10.0, 14.0, 300.0]
        """
        return max(self.least_s, min(self.times * usual_s, self.most_s))

    def is_over(self, sign: LifeSign) -> bool:
        """Whether a sign of life is late by this bound.

        >>> [TimeBound(10.0, times=2.0).is_over(LifeSign(12.0, usual_s)) for usual_s in (0.5, 7.0)]
        [True, False]
        """
        return sign.quiet_s > self.after_s(sign.usual_s)

    def scaled(self, by: float) -> TimeBound:
        """Returns a bound `by` times as far off, of which the usual time counts twice at most.

        What usually takes long must not put off for ever what comes after many bounds.
        """
        return replace(self, least_s=by * self.least_s, times=self.times * min(by, 2.0))


@dataclass(frozen=True, slots=True)
class TimeBounds:
    """After how long a source is suspect, and after how long it has stalled."""

    suspect: TimeBound
    stalled: TimeBound

    def judge(self, sign: LifeSign) -> Liveness:
        """Gives the verdict on one sign of life.

        >>> turns = TimeBounds(TimeBound(2.5, times=2.0), TimeBound(60.0, times=3.0))
        >>> [turns.judge(LifeSign(quiet_s, usual_s=1.0)).value for quiet_s in (1.0, 30.0, 90.0)]
        ['alive', 'suspect', 'stalled']
        """
        if self.stalled.is_over(sign):
            return Liveness.STALLED
        if self.suspect.is_over(sign):
            return Liveness.SUSPECT
        return Liveness.ALIVE

    def judge_all(self, signs: Mapping[str, LifeSign]) -> Mapping[str, Liveness]:
        """Gives the verdict on each of several sources, by their names."""
        return {name: self.judge(sign) for name, sign in signs.items()}


def is_given_up(verdict: Liveness, *, is_waited_for: bool) -> bool:
    """Whether others go on without a source: the rule that the module begins with.

    >>> [is_given_up(each, is_waited_for=False) for each in Liveness]
    [False, False, True]
    >>> [is_given_up(each, is_waited_for=True) for each in Liveness]
    [False, True, True]
    """
    return verdict is Liveness.STALLED or (verdict is Liveness.SUSPECT and is_waited_for)


def quiet_s(since_s: float, now_s: float, pauses: Iterable[tuple[float, float]] = ()) -> float:
    """Returns the seconds since an instant, without those in which the observer could hear nothing.

    `pauses` are the observer's own: when each ended, and how long it lasted.

    >>> quiet_s(100.0, 112.0, [(99.0, 5.0), (105.0, 4.0)])
    8.0
    """
    return now_s - since_s - sum(lasted_s for ended_s, lasted_s in pauses if ended_s > since_s)


@dataclass(slots=True)
class ObserverTime:
    """The time that an observer was there to look; it stands still while the observer does.

    A process that was stopped, or whose machine slept, would take everybody for silent. So the time
    between two looks counts up to `nap_s` at most.

    >>> time = ObserverTime(nap_s=2.0)
    >>> [time.looked(now_s=now_s) for now_s in (100.0, 101.0, 150.0, 151.5)]
    [0.0, 1.0, 3.0, 4.5]
    """

    nap_s: float
    _at_s: float | None = None
    _passed_s: float = 0.0

    def looked(self, *, now_s: float) -> float:
        """Notes a look. Returns the seconds since the first one that count."""
        if self._at_s is not None:
            self._passed_s += min(now_s - self._at_s, self.nap_s)
        self._at_s = now_s
        return self._passed_s


# A job in mode restart: its workers wait in a collective for a node that is cut off, and only the
# daemon can tell. So it finds that out early. No turn for 2.5 s is suspect: a turn takes a second
# or two in what we have trained. A pause of half a lease tells nothing (measured: decision 0100).
TURN_IS_SUSPECT = TimeBound(2.5, times=2.0, most_s=LEASE_S / 2)
# An agent asks the daemon more often a little before that, so that it hears at once what to do.
TURN_IS_LATE = TimeBound(HEARTBEAT_S, times=1.5)
# A job in mode live: its members find out by themselves (`sum_bounds`), and the daemon only
# watches that all of them train. So it may take longer.
_LIVE_TURNS = TimeBound(SELDOM_S, times=2.0)
# A pause three times as long as the longest so far is no longer the script's own: decision 0100.
_STALLED_TIMES = 3.0


def turn_bounds(*, is_live: bool, standstill_s: float) -> TimeBounds:
    """Returns the bounds by which the daemon judges a node's turns, in one of the two modes.

    `standstill_s` is the setting of that name, in seconds; 0: no node ever stalls. Turns that are
    not even suspect have not stalled, however short it is.
    """
    suspect = _LIVE_TURNS if is_live else TURN_IS_SUSPECT
    least_s = max(standstill_s, suspect.least_s) if standstill_s else math.inf
    return TimeBounds(suspect, stalled=TimeBound(least_s, times=_STALLED_TIMES))


# So many missed heartbeats make a node suspect, and so many stalled (decision 0100). A busy machine
# delays a heartbeat by a second or so: hence the least seconds.
SUSPECT_BEATS = 3
_STALLED_BEATS = 5
_SILENCE_SUSPECT_S = 2.0


def silence_bounds(*, heartbeat_s: float) -> TimeBounds:
    """Returns the bounds by which the daemon judges a node's silence.

    `heartbeat_s` is the time between two heartbeats.
    """
    return TimeBounds(
        suspect=TimeBound(max(_SILENCE_SUSPECT_S, SUSPECT_BEATS * heartbeat_s)),
        stalled=TimeBound(max(ANSWER_TIMEOUT_S, _STALLED_BEATS * heartbeat_s)),
    )


# A member is waited for by all others in every sum, and judged by the sums that it has begun. A
# turn of 30 s is reported, unless turns take ten. A checkpoint or an evaluation takes less than 20
# turns, so a member that keeps the others for longer will not come.
_SUM_SUSPECT = TimeBound(30.0, times=3.0)
_SUM_STALLED_TIMES = 20.0
# What is known of a member's sums may be a look and a half old: less than three looks would accuse
# the innocent.
_SUM_LEAST_S = 3 * LOOK_S


def sum_bounds(*, hang_s: float) -> TimeBounds:
    """Returns the bounds by which a session's members judge each other's sums.

    `hang_s` is the session's setting of that name; 0: no member ever stalls.
    """
    least_s = max(hang_s, _SUM_LEAST_S) if hang_s else math.inf
    return TimeBounds(_SUM_SUSPECT, TimeBound(least_s, times=_SUM_STALLED_TIMES))


# The rounds that a member sees in the store. Looks are up to a second apart while no member trains,
# so three looks are suspect. Where no member waits, a new store may need all of 15 s. Members hear
# of it one after the other, by a file that they read every second, and connections take up to 5 s.
ROUND_BOUNDS = TimeBounds(suspect=TimeBound(3 * LOOK_S), stalled=TimeBound(15.0))
