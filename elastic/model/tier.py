"""Tiers: how workers are started, and what a change of the group costs them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from elastic.errors import InvalidInput

MODULE_OPTIONS = ("-m", "--module")
_SHELL_SUFFIXES = (".sh", ".bash", ".zsh", ".ksh")


class Tier(StrEnum):
    """How torchrun starts a job's workers, the lowest first.

    T0: each is a program of its own, as torchrun itself would start it. T1: each is forked from a process that has
    torch imported already. On both, a change of the group drains the workers at a step and starts others. T2: each is a
    member of a session (`elastic.workloads.session`) that goes on while others come and go; the script must use it.
    """

    T0 = "T0"
    T1 = "T1"
    T2 = "T2"


def is_python(command: Sequence[str]) -> bool | None:
    """Whether a command is a script or module for torchrun's own Python; None where only the file itself tells.

    >>> [is_python([first]) for first in ("-m", "train.py", "run.sh", "/opt/other/bin/python3", "/usr/bin/train")]
    [True, True, False, False, None]
    """
    first = command[0]
    if first in (*MODULE_OPTIONS, "python", "python3") or first.endswith(".py"):
        return True
    if first.endswith(_SHELL_SUFFIXES) or first.rpartition("/")[2].startswith("python"):
        return False
    return None


def choose_tier(command: Sequence[str], *, wanted: Tier | None = None, has_session: bool | None = None) -> Tier:
    """Gives the tier that a job is to run on: `wanted`, or T1 if that is None, and T0 where no worker can be forked.

    T2 is for who asks for it. `has_session` says whether the program trains in a session, None where only its author
    knows. Raises InvalidInput if the command cannot run on the tier that is wanted.

    >>> choose_tier(["train.py"]).value, choose_tier(["run.sh"]).value
    ('T1', 'T0')
    """
    best = Tier.T0 if is_python(command) is False else Tier.T1
    if wanted is None:
        return best
    if wanted is Tier.T2 and best is Tier.T1 and has_session is False:
        raise InvalidInput(f"tier: wanted auto, T0 or T1, as it trains in no session; got {wanted}", field="tier")
    if wanted > best and best is Tier.T0:
        raise InvalidInput(
            f"tier: wanted auto or {best} for {command[0]}, which is no script for torchrun's own Python, so that no "
            f"worker can be forked for it; got {wanted}",
            field="tier",
        )
    return wanted
