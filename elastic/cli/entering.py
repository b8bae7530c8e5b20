"""`elasticd node ssh` and `elasticd node exec`: a shell on a node, or one command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from elastic.cli.exits import ExitCode
from elastic.cli.options import NodeArgument, connection_of
from elastic.durations import END_GRACE_S
from elastic.errors import (
    DaemonUnreachable,
    ElasticError,
    InvalidInput,
    ProviderError,
    StoreUnavailable,
)
from elastic.log_line import plain_lines

if TYPE_CHECKING:
    from elastic.cli.foreground import Ended
    from elastic.client.rest import Client, JsonObject
    from elastic.model import WayIn

# Shells show a death by signal N as 128 + N; ssh says 255 where its connection broke.
_KILLED = 128
# Among a job's newest events, its node's end is at most as far back.
_EVENTS = 100

CommandArgument = Annotated[list[str], typer.Argument(help="The command and its words.")]


def ssh(context: typer.Context, node: NodeArgument) -> None:
    """Open a shell on a node, where its job's workers run. It ends with the node at the latest."""
    raise typer.Exit(_enter(context, node, ()))


def execute(context: typer.Context, node: NodeArgument, command: CommandArgument) -> None:
    """Run one command on a node, and exit as it does: `elasticd node exec NODE -- nvidia-smi`."""
    # All that follows the node is the command's, so the parser leaves these dashes in.
    if command[0] == "--":
        command = command[1:]
    if not command:
        raise InvalidInput(
            "wanted a command behind --, got none: `elasticd node ssh` opens a shell"
        )
    raise typer.Exit(_enter(context, node, command))


def _enter(context: typer.Context, node: str, command: Sequence[str]) -> int:
    connection = connection_of(context)
    with connection.open() as client:
        path = f"/v1/nodes/{quote(node, safe='')}"
        # On record before anything runs: whatever happens to this computer, the entry is known.
        began = client.post(f"{path}:enter", body={"by": _me(), "command": list(command)})
        left: JsonObject = {"entry": began["entry"]}
        try:
            way = _way_of(began["way"])
            # Another machine's daemon must not choose files here: they may name programs to run.
            if not connection.is_of_this_machine():
                way = replace(way, ssh_config="", known_hosts="")
            ended = _run(client, path, way, command)
            left["because"] = ended.because
            if not ended.because:
                left["exit_code"] = ended.exit_code
        except ElasticError as error:
            left["because"] = str(error)[:500]
            raise
        finally:
            # A daemon that is away does not hold up the person; its log lacks this end.
            with suppress(DaemonUnreachable, StoreUnavailable):
                client.post(f"{path}:leave", body=left)
    if ended.because:
        typer.echo(f"elasticd: {node} {plain_lines(ended.because)}", err=True)
        return ExitCode.NODE_ENDED
    return ended.exit_code


def _run(client: Client, path: str, way: WayIn, command: Sequence[str]) -> Ended:
    from elastic.cli.foreground import terminal_of_this_process  # `--help` runs no child
    from elastic.model import Means

    has_terminal = terminal_of_this_process() is not None

    def must_end() -> str:
        # A daemon that is away ends no session: the node goes on, too.
        with suppress(DaemonUnreachable, StoreUnavailable):
            found = client.get(path, within_s=END_GRACE_S)
            if found["phase"] in ("terminating", "terminated", "lost"):
                return f"ended: {_why_ended(client, found)}"
        return ""

    if way.means is Means.SESSION_MANAGER:
        ended = _run_managed(way, command, has_terminal=has_terminal, must_end=must_end)
    else:
        ended = _run_here(way, command, has_terminal=has_terminal, must_end=must_end)
    if not ended.because and ended.exit_code >= _KILLED:
        # The node's own end may have killed it before the daemon was asked.
        return replace(ended, because=must_end())
    return ended


def _why_ended(client: Client, node: JsonObject) -> str:
    found = client.get("/v1/events", job=node["job_id"], limit=_EVENTS)["items"]
    told = [
        each["text"]
        for each in found
        if each["node_id"] == node["id"] and each["kind"] in ("node_terminating", "node_lost")
    ]
    if told:
        return str(told[-1])
    return str(node["phase"])


def _run_here(
    way: WayIn, command: Sequence[str], *, has_terminal: bool, must_end: Callable[[], str]
) -> Ended:
    import shutil

    from elastic.cli.foreground import run_child
    from elastic.model import entering

    _check_place(way)
    # Where the daemon may name its own files they may be gone, and ssh has its own.
    files = {each for each in (way.ssh_config, way.known_hosts) if each and os.path.exists(each)}
    words = entering(way, command, has_terminal=has_terminal, files=files)
    if shutil.which(words[0]) is None:
        raise InvalidInput(
            f"wanted {words[0]} on this computer, found none: enter the node from one that has it"
        )
    return run_child(words, must_end=must_end)


def _run_managed(
    way: WayIn, command: Sequence[str], *, has_terminal: bool, must_end: Callable[[], str]
) -> Ended:
    """Enters an instance of EC2, with this person's own rights there."""
    from uuid import uuid4

    from elastic.cli.foreground import Ended, run_child
    from elastic.model import remote_script
    from elastic.providers.ec2.session_manager import open_session  # boto3 is slow to import

    script = remote_script(way, command)
    output = None
    if command:
        # No command writes it by chance.
        output = MarkedOutput(uuid4().hex)
        script = output.marked(script)
    session = open_session(way, script, has_terminal=has_terminal and not command)
    ended = None
    try:
        ended = run_child(
            session.command,
            must_end=must_end,
            variables=session.variables,
            take=None if output is None else output.take,
        )
    finally:
        if ended is None or ended.because:
            # A plugin that was killed leaves the session open at AWS, and the shell on the node.
            session.end()
    if output is None or ended.because:
        return ended
    if output.exit_code is None:
        raise ProviderError(
            f"{way.target}: Session Manager closed the session before the command had ended "
            f"(exit code {ended.exit_code}); how it went is not known"
        )
    return Ended(output.exit_code)


@dataclass(slots=True)
class MarkedOutput:
    """Writes a command's own output, out of that of a session, which names itself around it.

    Session Manager's plugin hands no exit code on, so a last line brings it.
    """

    mark: str
    exit_code: int | None = None
    _held: bytes = b""
    _has_begun: bool = False

    def marked(self, script: str) -> str:
        """The script with a line before and after what it writes."""
        # A subshell: an `exit` in the script ends it, and not the line that brings the exit code.
        return f"echo {self.mark}\n(\n{script}\n)\necho {self.mark} $?"

    def take(self, found: bytes) -> None:
        """Writes what is certainly the command's, as it comes."""
        own = self.own(found)
        if own:
            sys.stdout.buffer.write(own)
            sys.stdout.buffer.flush()

    def own(self, found: bytes) -> bytes:
        """What of the session's output so far is the command's, and was not given yet.

        >>> output = MarkedOutput("m1")
        >>> output.own(b"Starting session\\nm1\\nhel"), output.own(b"lom1 3\\nExiting session")
        (b'hel', b'lo')
        >>> output.exit_code
        3
        """
        self._held += found
        mark = self.mark.encode()
        if not self._has_begun:
            _, begun, rest = self._held.partition(mark)
            # A terminal on the way may have made two characters of the line's end.
            _, end, rest = rest.partition(b"\n")
            if not begun or not end:
                return b""
            self._has_begun = True
            self._held = rest
        own, closed, rest = self._held.partition(mark)
        if closed:
            # Not before the line's end: `1` may be the beginning of `127`.
            if self.exit_code is None and b"\n" in rest:
                self.exit_code = int(rest.split()[0])
            self._held = closed + rest
            return own
        # The mark may have come in part.
        kept = next(n for n in range(len(mark) - 1, -1, -1) if own.endswith(mark[:n]))
        self._held = own[len(own) - kept :]
        return own[: len(own) - kept]


def _check_place(way: WayIn) -> None:
    """Raises InvalidInput where the node's processes run on another machine than this one."""
    import socket

    from elastic.model import Means
    from elastic.providers.keeping import boot_id

    # ssh would take it for an option, which may name a program to run here.
    if way.target.startswith("-"):
        raise InvalidInput(
            f"wanted a host to enter, the daemon says {way.target!r}: is this elasticd's address?"
        )
    # The boot's id and not the host's name: two machines may have one name. A daemon elsewhere
    # that leaves it out has its script run on no person's computer.
    if way.means is Means.PROCESSES and way.boot_id != boot_id():
        raise InvalidInput(
            f"the node runs on {way.machine}, the daemon's own machine, and this is "
            f"{socket.gethostname()}: log in there, and enter the node from there"
        )


def _way_of(told: JsonObject) -> WayIn:
    from elastic.model import Means, WayIn

    return WayIn(**{**told, "means": Means(told["means"])})


def _me() -> str:
    """The person, for the record: a user's name and this computer's."""
    import getpass
    import socket

    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a user without a name
        name = str(os.getuid())
    return f"{name}@{socket.gethostname()}"[:128]
