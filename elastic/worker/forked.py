"""Makes a worker that torchrun forked look like one that python started, then runs its script.

Run by path: ``torchrun --start-method=fork --run-path forked.py (--watched | --plain) ARG...``,
where the arguments begin with a script or ``-m MODULE``.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Sequence

from elastic.worker.begin import begin
from elastic.worker.last_error import show_error

# Kinds of files that write their end when they are closed.
_PACKED = (("gzip", "GzipFile"), ("bz2", "BZ2File"), ("lzma", "LZMAFile"))


def main(arguments: Sequence[str]) -> None:
    """Runs the script to its end; it returns only after a good end, as torchrun expects."""
    _forget_the_parent()
    code = _exit_code(arguments)
    _end_as_python_does()
    if code:
        # Not SystemExit: torchrun's wrapper around a forked function reports some codes as success.
        os._exit(code)


def _forget_the_parent() -> None:
    # torchrun's handlers would turn a signal for this worker into an exception of torchrun.
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # A forked child may not choose how it starts processes of its own; a script may.
    # None with force means that no method is chosen yet.
    multiprocessing.set_start_method(None, force=True)
    # Python's own random generator gets a new seed after a fork. numpy's does not: without this,
    # all workers of this node would draw the same numbers.
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()
    # The parent loaded torch with one thread, because only one thread survives a fork.
    torch = sys.modules.get("torch")
    # OpenMP takes a list, one number per level of nesting. torch's loops are the outermost level.
    threads = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if torch is not None and threads.isdecimal() and int(threads) > 0:
        torch.set_num_threads(int(threads))


def _exit_code(arguments: Sequence[str]) -> int:
    try:
        begin(arguments)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        sys.stderr.write(f"{end.code}\n")
        return 1
    # Python itself prints any exception and exits with 1.
    except BaseException as error:  # noqa: BLE001
        show_error(type(error), error, error.__traceback__)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _end_as_python_does() -> None:
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join()
    # A forked child skips exit functions, and scripts rely on them. Ours sends the last window.
    atexit._run_exitfuncs()  # noqa: SLF001 (there is no public name)
    _let_go()
    sys.stdout.flush()
    sys.stderr.flush()


def _let_go() -> None:
    """Ends what the script left open, as python would.

    Files come last: garbage collection closes a file before it is flushed, and other objects may
    still write to it. Files that modules and threads still hold are only flushed, but for packed
    ones: those have an end, and some versions of Python collect them after the file below.
    """
    for number in signal.valid_signals():
        # A handler holds the script's names. Python removes it at this point too.
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    # Compare __mro__, because isinstance would ask proxy objects for their class.
    files = [each for each in gc.get_objects() if io.IOBase.__base__ in type(each).__mro__]
    for name in ("__main__", "__mp_main__"):
        sys.modules.pop(name, None)
    gc.collect()
    kinds = (getattr(sys.modules.get(module), name, None) for module, name in _PACKED)
    packed = tuple(kind for kind in kinds if isinstance(kind, type))
    for file in files:
        with contextlib.suppress(Exception):
            file.flush()
    for file in files:
        if issubclass(type(file), packed):
            with contextlib.suppress(Exception):
                file.close()


if __name__ == "__main__":
    main(sys.argv[1:])
