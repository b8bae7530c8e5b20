"""Answers the daemon on a host: looks, starts a node, ends it. The standard library only.

The daemon starts it over ssh, sends one JSON object a line on stdin, and reads one a line from
stdout. It ends with the connection. Nodes do not: their keeper is detached from it.
"""

from __future__ import annotations

import base64
import errno
import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from elastic.durations import ANSWER_TIMEOUT_S, CONNECT_TIMEOUT_S, DAY_S
from elastic.engines import find_engine
from elastic.providers.keeping.address import NotPossible, host_and_port, own_address
from elastic.providers.keeping.keeper import boottime_s
from elastic.providers.keeping.process import is_alive, reap
from elastic.providers.keeping.records import (
    KEEPER,
    LEAST_FREE_BYTES,
    NodeFiles,
    disk_is_full,
    free_bytes,
    last_line,
    locked,
    make_once,
    read_json,
)
from elastic.providers.keeping.spawn import boot_id, start_once

_NODE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_BF16_FLAGS = ("avx512_bf16", "amx_bf16", "bf16")

Fields = dict[str, Any]


class Attendant:
    """One host, as the processes of one user see it."""

    def __init__(self, root: Path, *, proc: Path = Path("/proc")) -> None:
        self._root = root
        self._proc = proc
        self._nodes = root / "nodes"
        # Ends that a full disk does not take.
        self._unwritten: dict[str, Fields] = {}

    def answer(self, request: Fields) -> Fields:
        """Does what is asked; an error comes as `refused`."""
        calls: Mapping[str, Callable[[Fields], Fields]] = {
            "look": self.look,
            "facts": self.facts,
            "launch": self.launch,
            "end": self.end,
            "tail": self.tail,
            "put": self.put,
            "check": self.check,
        }
        try:
            self._nodes.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Two daemons, or two connections of one, may ask at once.
            with locked(self._root):
                return calls[request["do"]](request)
        except NotPossible as refusal:
            return {"refused": str(refusal)}
        except OSError as error:
            return {"refused": _plain(error, self._root)}
        except (ValueError, KeyError, TypeError) as error:
            return {"refused": f"a record below {self._root} is damaged: {error}"}

    def look(self, request: Fields) -> Fields:
        """Every node of the daemon's cluster, whose claim stands, and what is free."""
        nodes = [self._seen(node, request) for node in self._all()]
        mine = [each for each in nodes if each and each["cluster"] == request["cluster"]]
        self._drop_claim_of_the_dead(request)
        return {
            "nodes": mine,
            "claim": read_json(self._root / "claim.json") or self._rival(),
            "disk_free_bytes": free_bytes(self._root),
            "boot_id": boot_id(),
            # The same under all its names.
            "machine": [boot_id(), socket.gethostname(), str(self._root)],
        }

    def launch(self, request: Fields) -> Fields:
        """Claims the host and starts a node, or finds the one that the same launch started."""
        launch = request["launch"]
        node = self._node(launch["node_id"])
        known = node.read("launch")
        if known is not None and known["token"] != launch["token"]:
            raise NotPossible(f"{launch['node_id']}: was launched under another token")
        # Asked again after an answer was lost: nothing is started twice.
        if known is None or not (node.has("process") or node.has("stop")):
            self._drop_claim_of_the_dead(request)
            self._claim(launch)
            self._start(node, request)
        return self.look(request)

    def end(self, request: Fields) -> Fields:
        """Ends a node for good: every process of it."""
        node = self._node(request["node_id"])
        launch = node.read("launch")
        if launch is not None and launch["cluster"] == request["cluster"]:
            if not node.has("stop") and not node.has("exit"):
                # A full disk must keep nothing from being ended.
                with suppress(OSError):
                    node.write("stop", {"asked_at_s": request["now_s"]})
            node.end_processes(marks(launch))
            if not self._has_exit(node):
                self._bury(node, launch, request, because="")
        return self.look(request)

    def tail(self, request: Fields) -> Fields:
        """The last lines of what a node's agent wrote."""
        node = self._node(request["node_id"])
        with suppress(OSError):
            return {"text": node.agent_log.read_text(errors="replace")[-8000:]}
        return {"text": ""}

    def put(self, request: Fields) -> Fields:
        """Keeps a file, if its content comes along; whether it is there."""
        path = self._root / request["path"]
        if "content" in request and not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            partial = path.with_name(f"{path.name}.{os.getpid()}.new")
            try:
                partial.write_bytes(base64.b64decode(request["content"]))
                partial.replace(path)
            finally:
                partial.unlink(missing_ok=True)
        return {"path": str(path), "is_there": path.exists()}

    def facts(self, request: Fields) -> Fields:
        """What this machine is, found by looking."""
        gpus, wrong = _gpus()
        if not any(self._proc.glob("driver/nvidia/gpus/*")):
            wrong = ""
        flags = _cpu_lines(r"(?:flags|Features)\s*:\s*(.*)")
        return {
            "cores": len(os.sched_getaffinity(0)),
            "physical_cores": _physical_cores(),
            "memory_gib": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30,
            "gpus": gpus,
            # Why GPUs that are there cannot be used, or what a node saves would be lost.
            "wrong": wrong or "; ".join(next(_shared_folder(request.get("marker")), ())),
            "bf16": bool(flags) and any(flag in flags[0].split() for flag in _BF16_FLAGS),
            # One that hangs must not keep the rest.
            "engine": str(find_engine(CONNECT_TIMEOUT_S)),
            "boot_id": boot_id(),
        }

    def check(self, request: Fields) -> Fields:
        """What would keep a node from working here: each with what to do."""
        return {"findings": list(_findings(request))}

    def _all(self) -> Iterator[NodeFiles]:
        for name in sorted(os.listdir(self._nodes)):
            if _NODE_ID.fullmatch(name):
                yield NodeFiles(self._nodes / name)

    def _node(self, node_id: str) -> NodeFiles:
        if not _NODE_ID.fullmatch(node_id):
            raise NotPossible(f"{node_id!r}: a node's id is wanted as 1 to 100 of A-Z a-z 0-9 _ -")
        return NodeFiles(self._nodes / node_id)

    def _seen(self, node: NodeFiles, request: Fields) -> Fields | None:
        """The node as it is now; None if nothing was ever started for it."""
        launch = node.read("launch")
        if launch is None or not (node.has("process") or node.has("stop")):
            return None
        process = node.process()
        if not self._has_exit(node):
            if process is not None and is_alive(process) and not node.has("stop"):
                return {**launch, "state": "running", "work": str(node.work)}
            if not node.end_processes(marks(launch)):
                return {**launch, "state": "stopping"}
            self._bury(node, launch, request, because=_why_gone(node))
        gone = self._unwritten.get(node.path.name) or node.read("exit") or {}
        return {**launch, "state": "gone", **gone}

    def _has_exit(self, node: NodeFiles) -> bool:
        return node.path.name in self._unwritten or node.has("exit")

    def _bury(self, node: NodeFiles, launch: Fields, request: Fields, *, because: str) -> None:
        now_s = request["now_s"]
        ended = node.read("ended")
        process = node.process()
        if process is not None:
            reap(process)
        if process is None:
            # A node that never ran costs nothing.
            exited_at_s = launch["launched_at_s"]
        elif ended is not None and ended["boot_id"] == boot_id():
            exited_at_s = now_s - (boottime_s() - ended["boottime_s"])
        elif process.boot_id != boot_id():
            exited_at_s = now_s - boottime_s()
        else:
            exited_at_s = now_s
        exit_record = {
            "exited_at_s": min(now_s, max(exited_at_s, launch["launched_at_s"])),
            "because": because,
        }
        try:
            make_once(node.path / "exit.json", exit_record)
        except OSError:
            self._unwritten[node.path.name] = exit_record
        self._release(launch)

    def _claim(self, launch: Fields) -> None:
        rival = self._rival()
        if rival is not None:
            raise NotPossible(claimed_by(rival))
        claim = {name: launch[name] for name in ("cluster", "place", "node_id", "launched_at_s")}
        if make_once(self._root / "claim.json", claim):
            return
        held = read_json(self._root / "claim.json")
        if held is None or (held["cluster"], held["node_id"]) != (
            launch["cluster"],
            launch["node_id"],
        ):
            raise NotPossible(claimed_by(held or claim))

    def _rival(self) -> Fields | None:
        """The node of another account or folder on this host, as a claim; None if there is none.

        Files of other users cannot be read, but a keeper's command line can.
        """
        for process in self._proc.iterdir():
            with suppress(OSError, KeyError):
                words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
                if KEEPER not in words:
                    continue
                folder = Path(words[words.index(KEEPER) + 1])
                if not folder.is_relative_to(self._nodes):
                    user = pwd.getpwuid(process.stat().st_uid).pw_name
                    place = f"user {user} of this host, files in {folder.parents[1]}"
                    return {"cluster": "of another account", "place": place, "node_id": folder.name}
        return None

    def _release(self, launch: Fields) -> None:
        held = read_json(self._root / "claim.json")
        if held is not None and held["node_id"] == launch["node_id"]:
            (self._root / "claim.json").unlink()

    def _drop_claim_of_the_dead(self, request: Fields) -> None:
        """Frees the host of a node that was never started, or of which no process is left."""
        held = read_json(self._root / "claim.json")
        if held is None:
            return
        node = self._node(held["node_id"])
        launch = node.read("launch")
        wanted = request.get("launch", {}).get("node_id")
        if launch is None:
            # Its daemon died before it had said what to start.
            (self._root / "claim.json").unlink()
        elif not node.has("process") and not node.has("stop"):
            if wanted not in (None, held["node_id"]):
                node.write("stop", {"asked_at_s": request["now_s"]})
                self._bury(node, launch, request, because="")
        elif launch["cluster"] != request["cluster"]:
            # Another cluster's daemon may never come again to look after it.
            self._seen(node, request)

    def _start(self, node: NodeFiles, request: Fields) -> None:
        launch = request["launch"]
        # Old folders first: they may be what fills the disk.
        self._remove_old(request["now_s"])
        free = free_bytes(self._root)
        least = request.get("least_free_bytes", LEAST_FREE_BYTES)
        try:
            if free < least:
                raise NotPossible(disk_is_full(free, least))
            (node.work / "logs").mkdir(mode=0o700, parents=True, exist_ok=True)
            node.write("launch", launch)
            node.write("agent", self._completed(node, request["agent"]))
            order = request["order"] | {"marks": marks(launch)}
            order["environment"] = str(self._root / order["environment"])
            node.write("order", order)
            self._spawn(node, launch, order)
        except (OSError, NotPossible):
            if not node.has("process"):
                shutil.rmtree(node.path, ignore_errors=True)
                self._release(launch)
            raise

    def _completed(self, node: NodeFiles, agent: Fields) -> Fields:
        """The agent's configuration with what only this machine knows."""
        address = agent["advertise_host"] or own_address(agent["daemon_url"])
        return agent | {
            "work_dir": str(node.work),
            "shared_cache": str(self._root / "cache"),
            "advertise_host": address,
        }

    def _spawn(self, node: NodeFiles, launch: Fields, order: Fields) -> None:
        # This login's own address and terminal mean nothing to a node that outlives it.
        env = {name: value for name, value in os.environ.items() if not name.startswith("SSH_")}
        start_once(
            {
                "lock": str(node.path / "lock"),
                "process": str(node.path / "process.json"),
                "vetoes": [str(node.path / "stop.json"), str(node.path / "exit.json")],
                "cgroup": None,
                "argv": [sys.executable, order["program"], KEEPER, str(node.path)],
                "env": {**env, **order["env"], **marks(launch)},
                "cwd": str(node.path),
                "log": str(node.agent_log),
                "launched_at_s": launch["launched_at_s"],
            }
        )

    def _remove_old(self, now_s: float) -> None:
        for node in self._all():
            exit_record = node.read("exit")
            if exit_record is not None and exit_record["exited_at_s"] < now_s - DAY_S:
                shutil.rmtree(node.path, ignore_errors=True)


def marks(launch: Mapping[str, Any]) -> dict[str, str]:
    """The environment variables by which a node's processes are found."""
    return {"ELASTICD_NODE_ID": launch["node_id"], "ELASTICD_CLUSTER": launch["cluster"]}


def claimed_by(claim: Mapping[str, Any]) -> str:
    """Which daemon has the host, for a person."""
    return (
        f"claimed by cluster {claim['cluster']} ({claim['place']}) for node {claim['node_id']}; "
        "it is free when that node has ended"
    )


def _why_gone(node: NodeFiles) -> str:
    """Why a node without processes ended, if its end was not asked for."""
    if node.has("stop"):
        return ""
    ended = node.read("ended")
    if ended is not None:
        return str(ended["because"])
    process = node.process()
    if process is not None and process.boot_id != boot_id():
        return "the host was restarted"
    if free_bytes(node.path) < LEAST_FREE_BYTES:
        return f"its processes ended on the host, whose disk is full: {last_line(node.agent_log)}"
    return "all of its processes were ended on the host"


def _plain(error: OSError, root: Path) -> str:
    if error.errno == errno.EDQUOT:
        # Of the disk itself much may be free.
        return f"{root}: your quota there is used up; make room, or set another `folder` in [ssh]"
    if error.errno == errno.ENOSPC:
        return disk_is_full(free_bytes(root))
    return str(error)


def _gpus() -> tuple[list[str], str]:
    """NVIDIA's GPUs, as nvidia-smi lists them; and how it fails."""
    command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=ANSWER_TIMEOUT_S, check=False
        )
    except OSError:
        return [], ""
    except subprocess.TimeoutExpired:
        return [], "nvidia-smi hangs; restart the host"
    if done.returncode == 0:
        return [line.strip() for line in done.stdout.splitlines() if line.strip()], ""
    said = (done.stdout or done.stderr).strip()
    return [], f"nvidia-smi fails: {said[:200]}; restart the host"


def _physical_cores() -> int | None:
    """Two threads on one core count once; None where the processor does not say."""
    packages = _cpu_lines(r"physical id\s*:\s*(\d+)")
    cores = _cpu_lines(r"core id\s*:\s*(\d+)")
    if not cores or len(packages) != len(cores):
        return None
    return min(len(set(zip(packages, cores, strict=True))), len(os.sched_getaffinity(0)))


def _cpu_lines(pattern: str) -> list[str]:
    with suppress(OSError):
        return re.findall(rf"^{pattern}$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return []


def _findings(request: Fields) -> Iterator[tuple[str, str]]:
    python = request["python"] or sys.executable
    command = [os.path.expanduser(python), "-c", request["imports"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().rpartition("\n")[2]
        yield f"{python}: {said or 'it fails'}", request["advice"]
    yield from _way_to_daemon(request["daemon_url"])
    yield from _shared_folder(request.get("marker"))
    yield from _logind()


def _way_to_daemon(daemon_url: str) -> Iterator[tuple[str, str]]:
    host, port = host_and_port(daemon_url)
    try:
        socket.create_connection((host, port), timeout=ANSWER_TIMEOUT_S).close()
    except OSError as error:
        yield (
            f"the daemon at {host}:{port} cannot be reached from here: {error}",
            "start `elasticd serve`, open that port, or set host and daemon_urls",
        )


def _shared_folder(marker: str | None) -> Iterator[tuple[str, str]]:
    if marker is None:
        return
    folder = Path(marker).parent
    probe = Path(f"{marker}-{socket.gethostname()}")
    try:
        os.stat(marker)
        probe.touch()
        probe.unlink()
    except FileNotFoundError:
        yield (
            f"{folder} is not the daemon's folder of checkpoints",
            "mount it here at the same path (NFS), or set checkpoint_root to s3://...",
        )
    except OSError as error:
        yield (
            f"{folder} cannot be read and written here: {error.strerror}",
            "look at the folder's owner, and at its mount's options (ro, root_squash)",
        )


def _logind() -> Iterator[tuple[str, str]]:
    files = [Path("/etc/systemd/logind.conf"), *Path("/etc/systemd/logind.conf.d").glob("*.conf")]
    for path in files:
        with suppress(OSError):
            if re.search(r"^KillUserProcesses=(yes|true|1|on)", path.read_text(), re.MULTILINE):
                yield (
                    f"{path} ends processes when the last login ends",
                    "on the host: loginctl enable-linger, or KillUserProcesses=no",
                )


def own_part(root: Path) -> Path:
    """The part of elasticd's folder that is this machine's.

    Machines may share a home folder, and find no process of each other's nodes. The first has the
    folder itself, each other one a part of it.
    """
    mine = {"name": socket.gethostname()}
    owner = root / "machine.json"
    # A full disk takes no record, and must not keep the daemon from ending what runs here.
    with suppress(OSError):
        make_once(owner, mine)
    if read_json(owner) in (mine, None):
        return root
    return root / "machines" / mine["name"]


def serve(root: Path) -> None:
    """Answers until stdin ends."""
    attendant = Attendant(own_part(root.absolute()))
    for line in sys.stdin:
        reply = attendant.answer(json.loads(line))
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
