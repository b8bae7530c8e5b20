"""Understands the command that people type: torchrun, python, a shell's script, or the script
itself."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from elastic.errors import InvalidInput

# Programs that run the file that follows them, line by line.
SHELLS = ("bash", "dash", "ksh", "sh", "zsh")
MODULE_OPTIONS = ("-m", "--module")

_PYTHON = re.compile(r"python(?:3(?:\.\d+)?)?")
_ENV = ("env", "/usr/bin/env", "/bin/env")
_TORCHRUN_MODULES = ("torch.distributed.run", "torch.distributed.elastic.multiprocessing.run")
_OPERATOR = re.compile(r"[();<>|&]+")
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_EXPANSION = re.compile(r"\$[A-Za-z_{(]|`")
_STARTS_TORCHRUN = re.compile(
    r"\btorchrun\b|\btorch\.distributed\.(run|launch)\b|\baccelerate\s+launch\b|\bdeepspeed\s"
)

# Options of torchrun (torch/distributed/run.py, torch 2.13) by what becomes of them.
_FLAGS = frozenset({"standalone", "module", "no-python", "run-path", "virtual-local-rank"})
_TAKEN = frozenset({"nnodes", "nproc-per-node", "max-restarts", *(_FLAGS - {"virtual-local-rank"})})
_MAKES_RENDEZVOUS = "elasticd makes the rendezvous itself: take it out"
_SHOWS_LOGS = "`elasticd job logs` shows what every worker writes: take it out"
_SETS_IT = "elasticd sets it: take it out"
_REFUSED: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "rdzv-backend",
            "rdzv-endpoint",
            "rdzv-id",
            "rdzv-conf",
            "master-addr",
            "master-port",
            "local-addr",
        ),
        _MAKES_RENDEZVOUS,
    ),
    "node-rank": "elasticd numbers the nodes: take it out",
    **dict.fromkeys(
        (
            "log-dir",
            "redirects",
            "tee",
            "logs-specs",
            "local-ranks-filter",
            "duplicate-stdout-filters",
            "duplicate-stderr-filters",
        ),
        _SHOWS_LOGS,
    ),
    "start-method": "the job's field `preload` says whether workers are forked: take it out",
    "shutdown-timeout": "workers have the time of a drain: take it out",
    **dict.fromkeys(
        (
            "monitor-interval",
            "role",
            "event-log-handler",
            "numa-binding",
            "signals-to-handle",
            "virtual-local-rank",
        ),
        _SETS_IT,
    ),
}
_SHORT: Mapping[str, str] = {"m": "module", "r": "redirects", "t": "tee"}
_WRAPPERS: Mapping[str, str] = {
    "accelerate": (
        "write `torchrun train.py`: elasticd starts the workers, and accelerate finds them. "
        "What its config sets goes into `env`, such as ACCELERATE_MIXED_PRECISION"
    ),
    "deepspeed": "write `torchrun train.py`: elasticd starts the workers",
    "horovodrun": "write `torchrun train.py`: elasticd starts the workers by torchrun alone",
    "mpirun": "write `torchrun train.py`: elasticd starts the workers by torchrun alone",
    "srun": "write `torchrun train.py`: elasticd starts the workers by torchrun alone",
    "conda": "write `python train.py`, and what it needs in `requirements`",
    "poetry": "write `python train.py`, and what it needs in `requirements`",
    "uv": "write `python train.py`, and what it needs in `requirements`",
    "pipenv": "write `python train.py`, and what it needs in `requirements`",
    "make": (
        "write the line that its target runs, such as `python train.py`, and what it builds first "
        "in `setup`"
    ),
    "docker": (
        "write `python train.py`, and the image's name in the job's field `image`: elasticd starts "
        "the containers"
    ),
}


@dataclass(frozen=True, slots=True)
class Understood:
    """A command in the form that jobs keep, and what its author said with it."""

    # The script, `-m` and a module, or a program; then its arguments.
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    # torchrun's own option; None if it was not given, as for the next ones.
    nproc_per_node: int | str | None = None
    # The fewest and the most nodes.
    nodes: tuple[int, int] | None = None
    # torchrun's `--standalone`.
    is_one_node: bool = False
    max_restarts: int | None = None


def understand(command: str | Sequence[str]) -> Understood:
    """Gives what a command means, written as a line or as a list. Raises InvalidInput that says
    what to write.

    >>> found = understand("torchrun --nproc_per_node 4 --nnodes=1:2 train.py --lr 0.1")
    >>> found.command, found.nproc_per_node, found.nodes
    (('train.py', '--lr', '0.1'), 4, (1, 2))
    >>> [understand(line).command for line in ("python3.12 train.py", "python -m pkg.train",
    ...     "bash run.sh")]
    [('train.py',), ('-m', 'pkg.train'), ('bash', 'run.sh')]
    >>> understand("env LR=0.1 python train.py").env
    {'LR': '0.1'}
    """
    if isinstance(command, str):
        parts = _split(command)
    else:
        parts = tuple(command)
    env: dict[str, str] = {}
    while parts and ((found := _VARIABLE.fullmatch(parts[0])) or parts[0] in _ENV):
        if found is not None:
            env[found[1]] = found[2]
        elif len(parts) > 1 and parts[1].startswith("-"):
            raise _refused(
                f"{parts[0]} {parts[1]}: wanted NAME=value and then the program; its options are "
                "not known here"
            )
        parts = parts[1:]
    if not parts:
        raise _refused("wanted at least the script to run, got nothing")
    return replace(_program(parts), env=env)


def is_shell(program: str) -> bool:
    """Whether this program is a shell.

    >>> is_shell("/bin/bash"), is_shell("run.sh")
    (True, False)
    """
    return program.rpartition("/")[2] in SHELLS


def script_at(command: Sequence[str]) -> int | None:
    """Where in a command the file stands that it runs; None where it runs a module, or a shell
    without a script.

    >>> [script_at(each.split()) for each in ("train.py --lr 1", "bash -o pipefail run.sh",
    ...     "-m pkg.train")]
    [0, 3, None]
    """
    if command[0] in MODULE_OPTIONS:
        return None
    if not is_shell(command[0]):
        return 0
    position = 1
    while position < len(command) and command[position].startswith("-"):
        # What `-o` names is a word of its own, as in `-euo pipefail`.
        position += 2 if command[position].endswith("o") else 1
    if position < len(command):
        return position
    return None


def check_shell_script(name: str, text: str) -> None:
    """Raises InvalidInput for a shell's script that starts torchrun: every worker would start a
    group of its own.

    >>> check_shell_script("run.sh", "export A=1\\ntorchrun train.py\\n")
    Traceback (most recent call last):
    elastic.errors.InvalidInput: command: run.sh starts torchrun in line 2 ...
    """
    for number, line in enumerate(text.splitlines(), start=1):
        code = line.partition("#")[0].strip()
        if _STARTS_TORCHRUN.search(code):
            raise _refused(
                f"{name} starts torchrun in line {number} ({code[:60]!r}), but elasticd starts "
                f"torchrun itself, and every worker runs {name}: write that line as the job's "
                "command, and what comes before it in `setup`"
            )


def _split(line: str) -> tuple[str, ...]:
    text = line.replace("\\\n", " ").strip()
    if "\n" in text:
        raise _refused("wanted one line, got more: what runs before the training goes into `setup`")
    if _EXPANSION.search(text):
        raise _refused(
            f"wanted plain words, got {text[:80]!r}: no shell reads them, so nothing replaces $ "
            "and `. Write the values, write a list to pass them as they are, or write `bash run.sh`"
        )
    # Only unquoted operators come as words of their own.
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        parts = tuple(lexer)
    except ValueError as error:
        raise _refused(f"wanted words with closed quotes, got {text[:80]!r}: {error}") from error
    for part in parts:
        if _OPERATOR.fullmatch(part):
            raise _refused(
                f"wanted one program and its arguments, got a shell's {part!r}: put these lines "
                "into a script and write `bash run.sh`, or what comes first into `setup`"
            )
    return parts


def _program(parts: Sequence[str]) -> Understood:
    first = parts[0]
    rest = tuple(parts[1:])
    name = first.rpartition("/")[2]
    if name == "torchrun":
        return _torchrun(rest)
    if _PYTHON.fullmatch(first):
        return _python(first, rest)
    if first in _WRAPPERS:
        raise _refused(f"{first} cannot start workers here: {_WRAPPERS[first]}")
    if is_shell(first):
        return _shell(first, rest)
    if first in MODULE_OPTIONS:
        if not rest:
            raise _refused(f"wanted a module's name after {first}, got nothing")
        return Understood(("-m", *rest))
    return Understood(tuple(parts))


def _python(python: str, parts: Sequence[str]) -> Understood:
    """What follows `python`; its output is never held back, so that -u says nothing new."""
    rest = list(parts)
    while rest and rest[0] == "-u":
        rest.pop(0)
    match rest:
        case []:
            raise _refused(f"wanted a script or -m and a module after {python}, got nothing")
        case ["-m"]:
            raise _refused("wanted a module's name after -m, got nothing")
        case ["-m", module, *arguments] if module in _TORCHRUN_MODULES:
            return _torchrun(arguments)
        case ["-m", "torch.distributed.launch", *_]:
            raise _refused(
                "torch.distributed.launch is torchrun's old name: write `torchrun train.py`. The "
                "script finds its place in LOCAL_RANK instead of --local-rank"
            )
        case ["-m", "accelerate.commands.launch", *_]:
            raise _refused(f"accelerate cannot start workers here: {_WRAPPERS['accelerate']}")
        case ["-m", module, *arguments]:
            return Understood(("-m", module, *arguments))
        case [option, *_] if option.startswith("-"):
            raise _refused(
                f"{python} {option}: wanted a script or -m and a module; what other options do, "
                "variables of `env` do too, such as PYTHONOPTIMIZE"
            )
    return Understood(tuple(rest))


def _shell(shell: str, parts: Sequence[str]) -> Understood:
    """What follows `bash`: each worker runs it, as by `torchrun --no-python`."""
    if parts and re.fullmatch(r"-[a-z]*c", parts[0]):
        raise _refused(
            f"{shell} {parts[0]}: put these lines into a script and write `{shell} run.sh`"
        )
    command = (shell, *parts)
    if script_at(command) is None:
        raise _refused(f"wanted a script after {shell}, got {shlex.join(parts) or 'nothing'!r}")
    return Understood(command)


def _torchrun(parts: Sequence[str]) -> Understood:
    """What follows `torchrun`: its own options, then the script or program."""
    options: dict[str, str] = {}
    words = iter(parts)
    command: tuple[str, ...] = ()
    for word in words:
        if word == "--" or not word.startswith("-"):
            command = (*(() if word == "--" else (word,)), *words)
            break
        name, value = _option(word, words)
        options[name] = value
    if not command:
        raise _refused("wanted the script to run after torchrun's options, got none")
    if refused := {name: _REFUSED[name] for name in options if name in _REFUSED}:
        raise _refused("; ".join(f"torchrun's --{name}: {why}" for name, why in refused.items()))
    found = Understood(_training(command, options), is_one_node="standalone" in options)
    if "nproc-per-node" in options:
        found = replace(found, nproc_per_node=_processes(options["nproc-per-node"]))
    if "nnodes" in options:
        found = replace(found, nodes=_nodes(options["nnodes"]))
    if "max-restarts" in options:
        found = replace(found, max_restarts=_restarts(options["max-restarts"]))
    return found


def _training(command: tuple[str, ...], options: Mapping[str, str]) -> tuple[str, ...]:
    """What torchrun starts, told apart as torchrun does: a script unless it says otherwise."""
    if "module" in options:
        return ("-m", *command)
    if "no-python" not in options:
        return command
    inner = _program(command)
    if inner != Understood(inner.command):
        raise _refused("torchrun --no-python: wanted a program, got another torchrun")
    return inner.command


def _option(word: str, words: Iterator[str]) -> tuple[str, str]:
    """One of torchrun's options, by its long name with hyphens, and its value; "" of a flag."""
    written, equals, value = word.partition("=")
    name = _full_name(written)
    if name in _FLAGS:
        return name, ""
    if not equals:
        found = next(words, None)
        if found is None:
            raise _refused(f"torchrun's {written}: wanted a value, got nothing")
        value = found
    return name, value


def _full_name(written: str) -> str:
    """argparse takes an option cut short, where only one begins so."""
    if not written.startswith("--"):
        name = _SHORT.get(written.lstrip("-")[:1], "")
        if name and len(written) == 2:
            return name
    else:
        name = written.removeprefix("--").replace("_", "-")
        known = sorted(_TAKEN | _REFUSED.keys())
        alike = [each for each in known if each == name] or [
            each for each in known if each.startswith(name)
        ]
        if len(alike) == 1:
            return alike[0]
    raise _refused(
        f"torchrun's {written} is not known here: wanted --nproc_per_node, --nnodes, "
        "--max_restarts, --standalone, "
        "--module or --no_python; the script's own options come after the script"
    )


def _processes(text: str) -> int | str:
    if text in ("auto", "gpu"):
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise _refused(
        "torchrun's --nproc_per_node: wanted a number, gpu or auto (a worker for each GPU, or one "
        f"on all cores), got {text[:40]!r}"
    )


def _nodes(text: str) -> tuple[int, int]:
    least, _, most = text.partition(":")
    if least.isdecimal() and (most or least).isdecimal():
        return int(least), int(most or least)
    raise _refused(f"torchrun's --nnodes: wanted a number or MIN:MAX, got {text[:40]!r}")


def _restarts(text: str) -> int:
    if text.isdecimal():
        return int(text)
    raise _refused(f"torchrun's --max_restarts: wanted a number, got {text[:40]!r}")


def _refused(why: str) -> InvalidInput:
    return InvalidInput(f"command: {why}", field="command")
