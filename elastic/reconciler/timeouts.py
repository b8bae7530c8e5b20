"""How long the reconciler waits for what: the settings of its tick."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a node may take to register, a silent one may live, a due word may take to be heard;
    in seconds.

    `reaction_s` is how long a word may take from being due to being heard on a node. A node that
    says nothing for longer than `silence_s` is missed by those it trains with, and where they stand
    still for longer than `missed_s`; a turn that is overdue for longer than `standstill_s` is an
    alarm, unless that is 0.
    """

    register_s: float
    lease_s: float
    reaction_s: float
    silence_s: float
    missed_s: float
    standstill_s: float
