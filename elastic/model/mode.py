"""The mode of a job: what a change of its group does to its workers."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from enum import StrEnum

from elastic.errors import InvalidInput
from elastic.model.command import MODULE_OPTIONS, is_shell

# The name by which a script says, in a line at its top level, which mode it supports.
DECLARATION = "ELASTICD_MODE"
_SHELL_SUFFIXES = (".sh", ".bash", ".zsh", ".ksh")


class Mode(StrEnum):
    """What a change of the group does to a job's workers.

    RESTART: all workers drain at a step, and others start from the checkpoint. LIVE: each worker is
    a member of a session (`elastic.workloads.session`), which continues while others come and go;
    the script must use it.
    """

    RESTART = "restart"
    LIVE = "live"


def is_python(command: Sequence[str]) -> bool | None:
    """Whether a command is a script or module for torchrun's own Python; None where only the file
    itself tells.

    >>> [is_python([first]) for first in ("-m", "train.py", "run.sh", "/opt/other/bin/python3",
    ...     "/usr/bin/train")]
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


def declared_mode(source: str) -> Mode | None:
    """Gives the mode that a script says it supports, by a line `ELASTICD_MODE = "live"` of its own;
    None if it says none.

    The script is read and not run. Raises InvalidInput if what it names is no mode.

    >>> declared_mode("import torch\\nELASTICD_MODE = 'live'\\n").value
    'live'
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
        if isinstance(value, ast.Constant):
            found = value.value
        else:
            found = ast.unparse(value)
        if found not in list(Mode):
            raise InvalidInput(
                f"{DECLARATION}: wanted {' or '.join(Mode)} in quotes, found {found!r:.60}",
                field="mode",
            )
        return Mode(found)
    return None


def choose_mode(
    command: Sequence[str], *, wanted: Mode | None = None, supported: Mode | None = None
) -> Mode:
    """Gives the mode that a job runs in: `wanted`, or if that is None the best that its program
    supports.

    `supported` is what the program says of itself. It is None where only its author knows: then the
    job is live only on request. Raises InvalidInput if the command cannot run live and that is
    wanted.

    >>> [choose_mode(["train.py"], supported=each).value for each in (None,
    ...     Mode.LIVE)], choose_mode(["run.sh"]).value
    (['restart', 'live'], 'restart')
    """
    if is_python(command) is False:
        best = Mode.RESTART
        why = "which is no script for torchrun's own Python"
    else:
        best = supported or wanted or Mode.RESTART
        why = "which says that it supports no other"
    if wanted is Mode.LIVE and best is Mode.RESTART:
        raise InvalidInput(
            f"mode: wanted auto or {best} for {command[0]}, {why}; got {wanted}", field="mode"
        )
    return wanted or best
