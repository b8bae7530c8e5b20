"""Plays one row: submits the script, changes its nodes, kills one, and gathers what a user can see
of it."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml

from benchmarks.zoo.daemon import CommandFailed, command, kill_node
from benchmarks.zoo.rows import SCRIPTS, SHARED, Row
from benchmarks.zoo.script_log import Round, ScriptLog, read_log
from benchmarks.zoo.verdict import Seen, WindowSeen
from elastic.errors import ElasticError
from tests.e2e.running import RunningDaemon

ROW_TIMEOUT_S = 300.0  # four times what a row takes on two quiet cores
STEPS_BETWEEN_CHANGES = 40  # enough for a rate of each generation
_POLL_S = 0.2
_STOP_TIMEOUT_S = 30.0


class FellShort(Exception):
    """The row cannot be played on; the text says why."""


@dataclass(slots=True)
class Run:
    """One row while it is played; what the daemon says of it is remembered."""

    row: Row
    preload: str
    daemon: RunningDaemon
    folder: Path
    until_s: float = field(default_factory=lambda: time.monotonic() + ROW_TIMEOUT_S)
    job: dict[str, Any] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.row.name}-preload-{self.preload}".replace("_", "-").lower()

    @property
    def log_path(self) -> Path:
        return self.folder / "run.log"

    def log(self) -> ScriptLog:
        with suppress(FileNotFoundError), self.log_path.open() as file:
            return read_log(file)
        return read_log([])

    def look(self) -> dict[str, Any]:
        """Asks for the job, and remembers what is said of it."""
        with self.daemon.client() as client:
            self.job = client.get(f"/v1/jobs/{self.name}")
        for each in filter(
            None, (*self.job["alarms"], *self.job.get("warnings", ()), self.job["message"])
        ):
            self.said[each.partition(":")[0]] = each  # an alarm tells of ever more seconds
        return self.job

    def until(self, what: str, is_true: Callable[[], Any], *, may_end: bool = False) -> Any:
        """Waits until `is_true` gives something true, and gives that."""
        while time.monotonic() < self.until_s:
            if self.daemon.process is None or self.daemon.process.poll() is not None:
                raise FellShort(f"the daemon ended before {what}")
            with suppress(ElasticError, OSError):
                job = self.look()
                if found := is_true():
                    return found
                if job["is_final"] and not may_end:
                    raise FellShort(f"the job ended before {what}")
            time.sleep(_POLL_S)
        raise FellShort(f"not within {ROW_TIMEOUT_S:.0f} s: {what}")


def play(row: Row, *, preload: str, daemon: RunningDaemon, folder: Path) -> Seen:
    """Plays the row in a folder of its own, which keeps the script's log, its project and what came
    home."""
    run, trouble, begun_s = Run(row, preload, daemon, folder), None, time.monotonic()
    try:
        _submit(run)
        if row.is_whole:
            _change_nodes(run)
        run.until("the end", lambda: run.job["is_final"], may_end=True)
    except (FellShort, CommandFailed) as error:
        trouble = str(error)
    seconds = time.monotonic() - begun_s
    if run.job and not run.job["is_final"]:
        _stop(run)
    return _seen(run, trouble=trouble, seconds=seconds)


def _submit(run: Run) -> None:
    """Submits a copy of the script's folder, with the job's file as its user wrote it but for name,
    preloading and log."""
    project = run.folder / "project"
    shutil.copytree(run.row.folder, project, ignore=shutil.ignore_patterns("__pycache__"))
    for name in SHARED:
        shutil.copy(SCRIPTS / name, project)
    job = yaml.safe_load((project / "job.yaml").read_text())
    env = {**job.get("env", {}), "RUN_LOG": str(run.log_path)}
    (project / "job.yaml").write_text(
        yaml.safe_dump({**job, "name": run.name, "preload": run.preload == "yes", "env": env})
    )
    command(run.daemon, "job", "submit", "-f", str(project / "job.yaml"), "-y")
    run.look()


def _change_nodes(run: Run) -> None:
    """One node, two, a kill, two again, one: each trains for a while before the next change."""
    _trained(run, "one node has trained", world_size=1, since_s=0.0)
    _scale(run, 2)
    both = _trained(run, "two nodes have trained", world_size=2, since_s=0.0)
    killed_s = time.time()
    kill_node(_victim(run, both))
    _trained(run, "two nodes have trained after the kill", world_size=2, since_s=killed_s)
    scaled_s = time.time()
    _scale(run, 1)
    _trained(run, "one node has trained in the end", world_size=1, since_s=scaled_s)


def _trained(run: Run, what: str, *, world_size: int, since_s: float) -> Round:
    """Waits until a round of that size, begun since then, has made enough steps.

    The script is slowed until that round begins: on a busy machine it would be over before a node
    has come.
    """

    def found(steps: int) -> Round | None:
        rounds = [
            each
            for each in run.log().rounds
            if each.world_size == world_size and each.begun_s >= since_s
        ]
        enough = [each for each in rounds if len(each.steps) >= steps]
        return enough[-1] if enough else None

    slow = run.log_path.with_name(run.log_path.name + ".slow")
    slow.touch()
    try:
        run.until(what, lambda: found(1))
    finally:
        slow.unlink()
    trained = run.until(what, lambda: found(STEPS_BETWEEN_CHANGES))
    assert isinstance(trained, Round)
    return trained


def _scale(run: Run, nodes: int) -> None:
    with run.daemon.client() as client:
        client.post(f"/v1/jobs/{run.name}:scale", {"nodes": nodes})


def _victim(run: Run, both: Round) -> str:
    """The node to kill: with preloading that of rank 0, which keeps the files; without it
    the other."""
    try:
        worker = psutil.Process(both.pids[0 if run.preload == "yes" else 1])
        return worker.environ()["ELASTICD_NODE_ID"]
    except (psutil.Error, KeyError) as error:
        raise FellShort(f"two nodes trained, but the one to kill was gone: {error!r}") from error


def _stop(run: Run) -> None:
    with suppress(ElasticError, OSError, FellShort):
        with run.daemon.client() as client:
            client.post(f"/v1/jobs/{run.name}:stop")
        run.until_s = time.monotonic() + _STOP_TIMEOUT_S
        run.until("it has stopped", lambda: run.job["is_final"], may_end=True)


def _seen(run: Run, *, trouble: str | None, seconds: float) -> Seen:
    windows, nodes, fetched, notes = tuple[WindowSeen, ...](), 0, dict[str, str](), list[str]()
    if run.job:
        with run.daemon.client() as client:
            measured = client.items("/v1/measurements", job=run.job["id"], limit=10_000)
            notes = [each["text"] for each in client.get(f"/v1/jobs/{run.name}/report")["notes"]]
            nodes = len(client.items("/v1/nodes", job=run.job["id"], all="true", limit=100))
        windows = tuple(
            _window(each["window"]) for each in measured if not each["window"]["is_cold"]
        )
        fetched, problem = _fetch(run)
        trouble = trouble or problem
    return Seen(
        row=run.row,
        preload=run.preload,
        log=run.log(),
        phase=run.job.get("phase", "not submitted"),
        said="; ".join([*notes, *run.said.values()]),
        iteration=run.job["progress"]["iteration"] if run.job else 0,
        windows=windows,
        fetched=fetched,
        nodes=nodes,
        seconds=seconds,
        trouble=trouble,
    )


def _window(window: dict[str, Any]) -> WindowSeen:
    return WindowSeen(window["iterations"], window["elapsed_s"], window["ended_at_s"])


def _fetch(run: Run) -> tuple[dict[str, str], str | None]:
    """Brings the outputs home: each file's name and digest, and what went wrong."""
    home = run.folder / "outputs"
    if not run.row.is_whole:
        return {}, None
    try:
        command(run.daemon, "job", "outputs", run.name, "-o", str(home))
    except CommandFailed as error:
        return {}, str(error)
    files = [each for each in home.rglob("*") if each.is_file()]
    return {str(each.relative_to(home)): _digest(each) for each in files}, None


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
