"""Records the exception that ends a training script, beside torchrun's own error file."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import sysconfig
import time
import traceback
from collections.abc import Mapping
from types import TracebackType

from elastic.worker.reserve import is_full, makes_room

FILE_NAME = "last-error.json"
MAX_TEXT = 300
MAX_LINES = 30
MAX_TRACEBACK = 4000
# torchrun names one error file per worker and start. Ours lies in the same folder.
_ERROR_FILE = "TORCHELASTIC_ERROR_FILE"
_LIBRARIES = tuple(
    sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_WORKLOADS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "workloads") + os.sep
_INSTALLED = ("site-packages", "dist-packages")


def leave_error(error: BaseException) -> None:
    """Writes what the agent reports about a script's end; nothing if it did not fail."""
    beside = os.environ.get(_ERROR_FILE)
    if (
        not beside
        or isinstance(error, KeyboardInterrupt)
        or (isinstance(error, SystemExit) and error.code in (None, 0))
    ):
        return
    path = os.path.join(os.path.dirname(beside), FILE_NAME)
    described = _described(error)
    with contextlib.suppress(OSError):  # a full disk must not hide the script's own error
        try:
            _write(path, described)
        except OSError as failure:
            if not (is_full(failure) and makes_room(_work_folder())):
                raise
            _write(path, described)


def _write(path: str, described: Mapping[str, object]) -> None:
    with open(f"{path}.part", "w", encoding="utf-8") as file:
        json.dump(described, file)
    os.replace(f"{path}.part", path)


def _work_folder() -> str:
    """The folder of this node's agent."""
    return os.path.dirname(os.environ.get("ELASTICD_SOCKET", ""))


def without_launcher(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the script on, without elasticd's own frames."""
    whole = trace
    while trace is not None and _is_launchers(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace or whole


def show_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Prints an exception as Python does: a `sys.excepthook`."""
    shown = without_launcher(trace)
    # Python prints the traceback that the exception itself holds, so replace that one too.
    sys.__excepthook__(kind, error.with_traceback(shown), shown)


def _described(error: BaseException) -> dict[str, object]:
    rank = os.environ.get("RANK", "")
    return {
        "kind": _kind(error)[:MAX_TEXT],
        "text": _text(error),
        "place": "" if _is_refusal(error) else _place(error.__traceback__)[:MAX_TEXT],
        "lines": "" if isinstance(error, SystemExit) else _last_lines(error),
        "rank": int(rank) if rank.isdecimal() else None,
        "at_s": time.time(),
    }


def _is_refusal(error: BaseException) -> bool:
    """Whether a workload of elasticd ended itself.

    It has said why, and its place in the code tells the job's owner nothing.
    """
    if not isinstance(error, SystemExit):
        return False
    return any(
        frame.filename.startswith(_WORKLOADS) for frame in traceback.extract_tb(error.__traceback__)
    )


def _kind(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"exit {error.code if isinstance(error.code, int) else 1}"
    kind = type(error)
    if kind.__module__ in ("builtins", "__main__"):
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def _text(error: BaseException) -> str:
    """One line; empty for an exit by number, because the log may say more."""
    if isinstance(error, SystemExit):
        if isinstance(error.code, int):
            return ""
        return str(error.code).strip().partition("\n")[0][:MAX_TEXT]
    said = str(error).strip().partition("\n")[0]
    return (f"{_kind(error)}: {said}" if said else _kind(error))[:MAX_TEXT]


def _place(trace: TracebackType | None) -> str:
    """The last frame of the user's own code, or the last of all if there is none."""
    frames = traceback.extract_tb(trace)
    own = [each for each in frames if _is_users(each.filename)] or frames
    if not own:
        return ""
    return f"{_short(own[-1].filename)}, line {own[-1].lineno}, in {own[-1].name}"


def _is_users(filename: str) -> bool:
    if filename.startswith("<") or _is_launchers(filename):
        return False
    if any(folder in filename.split(os.sep) for folder in _INSTALLED):
        return False
    # Compare the prefix alone: a script in /usr/lib/python3/../jobs is not part of a library.
    return not filename.startswith(tuple(folder + os.sep for folder in _LIBRARIES))


def _is_launchers(filename: str) -> bool:
    return filename.startswith(("<frozen runpy>", os.path.dirname(__file__) + os.sep))


def _short(filename: str) -> str:
    """The file name as its user knows it: nodes keep the code in folders of their own."""
    for folder in (sys.path[0] if sys.path else "", os.getcwd()):
        if folder and filename.startswith(folder + os.sep):
            return filename[len(folder) + 1 :]
    return filename


def _last_lines(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and not _is_users(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    text = "".join(
        traceback.format_exception(
            type(error), error, trace or without_launcher(error.__traceback__)
        )
    )
    kept = text.rstrip().splitlines()[-MAX_LINES:]
    while len(kept) > 1 and sum(len(each) + 1 for each in kept) > MAX_TRACEBACK:
        del kept[0]
    return "\n".join(kept)[-MAX_TRACEBACK:]
