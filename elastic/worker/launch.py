"""Runs any training script unchanged and counts its turns: ``python -m elastic.worker.launch train.py args...``."""

from __future__ import annotations

import os
import runpy
import sys
import types
from collections.abc import Sequence

from elastic.worker.hook import Worker, worker
from elastic.worker.optimizer_steps import count_optimizer_steps

USAGE = "wanted: python -m elastic.worker.launch (SCRIPT | -m MODULE) [ARGUMENT...]; got no script"


def main(arguments: Sequence[str]) -> None:
    """Runs the script as ``python SCRIPT`` or ``python -m MODULE`` would and says ``finished`` if it ends well."""
    if not arguments or (arguments[0] == "-m" and len(arguments) < 2):
        raise SystemExit(USAGE)
    count_optimizer_steps(worker())
    try:
        if arguments[0] == "-m":
            _run_module(arguments[1], list(arguments[1:]))
        else:
            _run_script(arguments[0], list(arguments))
    except SystemExit as end:
        if end.code in (None, 0):
            _say_how_it_ended(worker())
        raise
    _say_how_it_ended(worker())


def _say_how_it_ended(this: Worker) -> None:
    # A script that exits 0 while it is being drained was most likely told to, by a signal. Resuming a job that was
    # complete costs little; taking an interrupted one for complete loses it.
    if not this.has_last_word:
        this.say_last("drained" if this.is_asked_to_stop else "finished", None)


def _run_module(name: str, argv: list[str]) -> None:
    sys.argv = argv
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _run_script(path: str, argv: list[str]) -> None:
    # Not runpy.run_path: it takes __main__ away again when the script's last line is done, but threads, atexit
    # functions and pickles still look for it.
    sys.argv = argv
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    exec(code, module.__dict__)  # noqa: S102 (running the script is what this program is for)


if __name__ == "__main__":
    main(sys.argv[1:])
