"""The way in to a node: what a person's own computer runs to get a shell there."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

# Where an agent notes the environment of its job's workers, in the node's working folder.
ENVIRONMENT_FILE = "environment.sh"
# What means the same within the quotes of every shell.
_PLAIN = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+=./,:;@<>()[]|&*"
)


class Means(StrEnum):
    """What carries a person into a node."""

    # The node's processes run on the daemon's own machine.
    PROCESSES = "processes"
    SSH = "ssh"
    SLURM = "slurm"
    SESSION_MANAGER = "session_manager"


@dataclass(frozen=True, slots=True)
class WayIn:
    """How to enter one node."""

    means: Means
    # The destination of ssh, the job of Slurm, or the instance of EC2; empty for processes.
    target: str
    # Where the node's agent keeps its files: a word of the shell, which may hold variables.
    folder: str
    # By these the node's processes are found when it ends, and a shell among them.
    marks: Mapping[str, str] = field(default_factory=dict)
    # The one boot of a machine that it works on, and the machine's name; empty: it works elsewhere.
    boot_id: str = ""
    machine: str = ""
    # Of processes: the control group that limits them; empty if there is none.
    cgroup: str = ""
    # Of ssh: files that the daemon uses; empty: those of the user.
    ssh_config: str = ""
    known_hosts: str = ""
    # Of EC2.
    region: str = ""


def entering(
    way: WayIn, command: Sequence[str] = (), *, has_terminal: bool, files: Collection[str] = ()
) -> tuple[str, ...]:
    """The command line that runs `command` on the node, or a shell where it is empty.

    `files` are those of the way's OpenSSH files that are on the user's computer. Session Manager
    takes no command line: `remote_script` is what it runs.

    >>> way = WayIn(Means.SSH, "me@box", ".elasticd/nodes/node-1/work")
    >>> entering(way, ["nvidia-smi"], has_terminal=False)[:3]
    ('ssh', '-T', 'me@box')
    """
    script = remote_script(way, command)
    match way.means:
        case Means.SSH:
            options = ["-t" if has_terminal else "-T"]
            if way.ssh_config in files:
                options += ["-F", way.ssh_config]
            if way.known_hosts in files:
                options += ["-o", f"UserKnownHostsFile={way.known_hosts}"]
            return ("ssh", *options, way.target, for_any_shell(script))
        case Means.SLURM:
            srun = ["srun", f"--jobid={way.target}", "--overlap", "--quiet"]
            if has_terminal:
                srun.append("--pty")
            return (*srun, "/bin/sh", "-c", script)
        case Means.PROCESSES | Means.SESSION_MANAGER:
            return ("/bin/sh", "-c", script)


def for_any_shell(script: str) -> str:
    """The command line that has `/bin/sh` run lines, whatever shell reads it: bash, fish or tcsh.

    >>> print(for_any_shell("cd /w\\nls 'a b'"))
    exec /bin/sh -c 'eval "$(printf %b "cd /w\\0012ls \\0047a b\\0047")"'
    """
    # Even within quotes tcsh takes no end of a line, and `!` for its own.
    encoded = "".join(
        chr(each) if chr(each) in _PLAIN else f"\\0{each:03o}" for each in script.encode()
    )
    return f'exec /bin/sh -c \'eval "$(printf %b "{encoded}")"\''


def remote_script(way: WayIn, command: Sequence[str] = ()) -> str:
    """The lines of `/bin/sh` that begin where the job's workers do.

    >>> print(remote_script(WayIn(Means.SSH, "box", "/w"), ["ls", "a b"]))
    cd /w/code 2>/dev/null || cd /w || exit
    [ ! -r /w/environment.sh ] || . /w/environment.sh
    exec ls 'a b'
    """
    lines = []
    if way.cgroup:
        group = shlex.quote(f"{way.cgroup}/cgroup.procs")
        lines.append(f"echo $$ >{group} || exit")
    lines += [f"export {name}={shlex.quote(value)}" for name, value in way.marks.items()]
    folder = way.folder
    lines.append(f"cd {folder}/code 2>/dev/null || cd {folder} || exit")
    lines.append(f"[ ! -r {folder}/{ENVIRONMENT_FILE} ] || . {folder}/{ENVIRONMENT_FILE}")
    if command:
        lines.append(f"exec {shlex.join(command)}")
    else:
        lines.append("if command -v bash >/dev/null; then exec bash -i; fi")
        lines.append("exec sh -i")
    return "\n".join(lines)
