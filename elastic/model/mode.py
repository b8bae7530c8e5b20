"""Tiers: how workers are started, and what a change of the group costs them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from enum import StrEnum

from elastic.errors import InvalidInput
from elastic.model.command import MODULE_OPTIONS, is_shell

DECLARATION = "ELASTICD_TIER"
"""The name by which a script says, in a line at its top level, which tier it supports."""
_SHELL_SUFFIXES = (".sh", ".bash", ".zsh", ".ksh")


class Tier(StrEnum):
    """How torchrun starts a job's workers, the lowest first.

    T0: each is a program of its own, as torchrun itself would start it. T1: each is forked from a
    process that has torch imported already. On both, a change of the group drains the workers at a
    step and starts others. T2: each is a member of a session (`elastic.workloads.session`) that
    goes on while others come and go; the script must use it.
    """

    T0 = "T0"
    T1 = "T1"
    T2 = "T2"


def is_python(command: Sequence[str]) -> bool | None:
    """Whether a command is a script or module for torchrun's own Python; None where only the file
    itself tells.

    >>> [is_python([first]) for first in ("-m", "train.py", "run.sh", "/opt/other/bin/python3", "/usr/bin/train")]
    [True, True, False, False, None]
    """
    first = command[0]
    if first in (*MODULE_OPTIONS, "python", "python3") or first.endswith(".py"):
        return True
    if (
        is_shell(first)
        or first.endswith(_SHELL_SUFFIXES)
        or first.rpartition("/")[2].startswith("python")
    ):
        return False
    return None


def declared_tier(source: str) -> Tier | None:
    """Gives the tier that a script says it supports, by a line `ELASTICD_TIER = "T2"` of its own;
    None if it says none.

    The script is read and not run. Raises InvalidInput if what it names is no tier.

    >>> declared_tier("import torch\\nELASTICD_TIER = 'T2'\\n").value
    'T2'
    """
    try:
        lines = ast.parse(source).body
    except (SyntaxError, ValueError):
        return None  # it fails where it is run, and says more there
    for line in lines:
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == DECLARATION:
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if (
                name == DECLARATION
            ):
                pass
            case _:
                continue
        found = value.value if isinstance(value, ast.Constant) else ast.unparse(value)
        if found not in list(Tier):
            raise InvalidInput(
                f"{DECLARATION}: wanted {', '.join(Tier)} in quotes, found {found!r:.60}",
                field="tier",
            )
        return Tier(found)
    return None


def choose_tier(
    command: Sequence[str], *, wanted: Tier | None = None, supported: Tier | None = None
) -> Tier:
    """Gives the tier that a job is to run on: `wanted`, or the best that its program supports if
    that is None.

    `supported` is the best tier by the program's own word, None where only its author knows: then
    T2 is for who asks for it. Raises InvalidInput if the command cannot run on the tier that is
    wanted.

    >>> [choose_tier(["train.py"], supported=each).value for each in (None, Tier.T2)], choose_tier(["run.sh"]).value
    (['T1', 'T2'], 'T0')
    """
    if is_python(command) is False:
        best, why = (
            Tier.T0,
            "which is no script for torchrun's own Python, so that no worker can be forked for it",
        )
    else:
        best, why = supported or (wanted or Tier.T1), "the best that it says it supports"
    if wanted is None:
        return best
    if wanted > best:
        raise InvalidInput(
            f"tier: wanted auto or {' or '.join(each for each in Tier if each <= best)} for "
            f"{command[0]}, {why}; "
            f"got {wanted}",
            field="tier",
        )
    return wanted
