"""Runs any training script unchanged and counts its turns.

``python -m elastic.worker.launch train.py args...``
"""

from __future__ import annotations

import errno
import importlib.util
import os
import runpy
import signal
import sys
import traceback
import types
from collections.abc import Sequence

from elastic.worker.hook import CANNOT_BEGIN, Worker, worker
from elastic.worker.optimizer_steps import count_optimizer_steps
from elastic.worker.own_meeting import let_script_choose_port

# The exit codes by which a script's own handler says that it obeyed a signal.
SIGNALLED = (128 + signal.SIGTERM, 128 + signal.SIGINT)
# Errors that do not pass when a file cannot run. Others may pass, such as EIO, ESTALE, ENOMEM or
# ETXTBSY.
HOPELESS = (errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.EACCES, errno.ENOEXEC)
USAGE = "wanted: python -m elastic.worker.launch (SCRIPT | -m MODULE) [ARGUMENT...]; got no script"


def main(arguments: Sequence[str]) -> None:
    """Runs the script as ``python SCRIPT`` or ``python -m MODULE`` would.

    It reports ``finished`` if the script ends well.
    """
    if not arguments or (arguments[0] == "-m" and len(arguments) < 2):
        raise SystemExit(USAGE)
    worker().saves.watch()
    let_script_choose_port()
    count_optimizer_steps(worker())
    try:
        if arguments[0] == "-m":
            _run_module(arguments[1], list(arguments[1:]))
        else:
            _run_script(arguments[0], list(arguments))
    except SystemExit as end:
        has_obeyed = end.code in SIGNALLED and worker().is_asked_to_stop
        if end.code in (None, 0) or has_obeyed:
            _say_how_it_ended(worker())
        if has_obeyed:
            # With any other code torchrun would restart a worker that must end.
            raise SystemExit(0) from None
        raise
    _say_how_it_ended(worker())


def _say_how_it_ended(this: Worker) -> None:
    # A script that exits 0 during a drain was most likely told to, by a signal. Resuming a complete
    # job costs little. Taking an interrupted job for complete loses it.
    if this.has_last_word:
        return
    if this.is_asked_to_stop:
        this.say_last("drained", None)
    elif this.is_complete is None or this.is_complete():
        this.say_last("finished", None)


def _run_module(name: str, argv: list[str]) -> None:
    sys.argv = argv
    if not _is_there(name):
        raise SystemExit(f"{CANNOT_BEGIN}wanted a module: no module named {name}")
    _new_main()
    # What `python -m` calls. runpy.run_module removes __main__ after the module's last line.
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]  # noqa: SLF001


def _is_there(name: str) -> bool:
    """Whether a module of this name can be found.

    If one of its packages lacks something in turn, that is the package's own error.
    """
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            return False
        raise


def _run_script(path: str, argv: list[str]) -> None:
    # Not runpy.run_path: it removes __main__ after the script's last line, but threads, atexit
    # functions and pickles still look for it.
    sys.argv = argv
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    module = _new_main()
    module.__file__ = path
    # Running the script is what this program is for.
    exec(_compiled(path), module.__dict__)  # noqa: S102


def _new_main() -> types.ModuleType:
    """The module in which a script runs, in the place of this one.

    Processes of multiprocessing send the script's classes by its second name, which
    multiprocessing gives to the module that runs when it is loaded.
    """
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module
    return module


def _compiled(path: str) -> types.CodeType:
    try:
        with open(path, "rb") as file:
            return compile(file.read(), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        traceback.print_exc(limit=0)
        said = f"{type(error).__name__}: {error.msg} ({path}, line {error.lineno})"
        raise SystemExit(f"{CANNOT_BEGIN}{said}") from error
    except (OSError, ValueError) as error:  # ValueError: the file holds a zero byte
        if isinstance(error, OSError) and error.errno not in HOPELESS:
            raise
        raise SystemExit(f"{CANNOT_BEGIN}wanted a script: {error}") from error


if __name__ == "__main__":
    main(sys.argv[1:])
