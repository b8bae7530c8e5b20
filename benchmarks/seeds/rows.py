"""The rows: each a program of `examples`, the command that its user types, and where it runs."""

from __future__ import annotations

import csv
import io
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.seeds import places
from benchmarks.seeds.own_log import batches_logged
from benchmarks.seeds.places import Place
from benchmarks.seeds.verdict import JobSeen, Seen

EXAMPLES = Path(__file__).parents[2] / "examples"
# Four times what the longest row takes on two busy cores.
_ROW_TIMEOUT_S = 1200.0
_END_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Run:
    """A row while it runs: in its own folder, on its place."""

    row: str
    place: Place
    folder: Path
    # Fewer runs, for CI.
    short: bool

    def example(self, name: str) -> Path:
        """A copy of an example, as a user has it."""
        project = self.folder / name
        shutil.copytree(EXAMPLES / name, project, ignore=shutil.ignore_patterns("__pycache__"))
        return project

    def seen(self, command: str) -> Seen:
        return Seen(self.row, self.place.name, command, self.place.unit)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. What a place needs and this machine lacks, `place` tells."""

    name: str
    what: str
    place: Callable[[Path], AbstractContextManager[Place]]
    play: Callable[[Run], Seen]


def sweep_dcgan(run: Run) -> Seen:
    """S1: one rank as baseline, then two nodes with one, two and four ranks each."""
    project = run.example("dcgan")
    layouts = "1x1,2x2 --repeat 1" if run.short else "1x1,2x1,2x2,2x4 --repeat 3"
    command = f"elasticd sweep job.yaml --layouts {layouts} -o csv"
    seen = run.seen(command)
    said = _command(run, seen, f"{command} --yes", folder=project)
    runs = list(csv.DictReader(io.StringIO(said)))
    (run.folder / "sweep.csv").write_text(said)
    for each in runs:
        logged = _log_of(run, seen, each["job"])
        seen.jobs.append(JobSeen(each["job"], each["phase"], int(each["iterations"]), logged))
        seen.cost += float(each["usd"])
        ranks = int(each["nodes"]) * int(each["ranks"])
        for name in ("epochs_s", *(f"epoch_s_rank_{rank}" for rank in range(ranks))):
            if not each.get(f"reported.{name}"):
                seen.trouble.append(f"{each['job']}: the CSV has no {name}")
    return seen


def compare_rnn(run: Run) -> Seen:
    """S3: the RNN by data parallel on one node, then by DDP on two."""
    project = run.example("rnn")
    names = ["rnn-ddp"] if run.short else ["rnn-dp", "rnn-ddp"]
    files = [f"job-{name.removeprefix('rnn-')}.yaml" for name in names]
    seen = run.seen("; ".join(f"elasticd job submit -f {file}" for file in files))
    for name, file in zip(names, files, strict=True):
        _train(run, seen, name, file, project)
    return seen


def play(row: Row, folder: Path, *, short: bool) -> Seen:
    """Runs a row from its first command to what it leaves behind. Raises Missing."""
    with row.place(folder) as place:
        begun_s = time.monotonic()
        seen = row.play(Run(row.name, place, folder, short))
        seen.seconds = time.monotonic() - begun_s
        seen.left = _left(place)
        seen.bill = place.bill_usd()
        return seen


def _train(run: Run, seen: Seen, name: str, file: str, project: Path) -> None:
    """Submits a job, waits for its end, and adds what is known of it then."""
    _command(run, seen, f"elasticd job submit -f {file} -y", folder=project)
    _command(run, seen, f"elasticd job watch {name}", folder=project)
    job = run.place.daemon.get(f"/v1/jobs/{name}")
    logged = _log_of(run, seen, name)
    seen.jobs.append(JobSeen(name, job["phase"], job["progress"]["iteration"], logged))
    seen.cost += job["spent_usd"]


def _left(place: Place) -> list[str]:
    """What is still there once machines have had time to end."""
    until_s = time.monotonic() + _END_TIMEOUT_S
    while (found := place.left()) and time.monotonic() < until_s:
        time.sleep(0.2)
    return found


def _command(run: Run, seen: Seen, line: str, *, folder: Path) -> str:
    """What a command prints; what it says of an error is trouble."""
    done = subprocess.run(
        [sys.executable, "-m", "elastic.cli", *shlex.split(line)[1:]],
        cwd=folder,
        env=run.place.daemon.variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_ROW_TIMEOUT_S,
        check=False,
    )
    if done.returncode != 0:
        seen.trouble.append(f"{line}: status {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def _log_of(run: Run, seen: Seen, job: str) -> int:
    """The batches in the log that came home."""
    home = run.folder / "outputs" / job
    _command(run, seen, f"elasticd job outputs {job} -o {home}", folder=run.folder)
    return batches_logged(home / "log.csv")


ROWS = {
    row.name: row
    for row in (
        Row("S1", "DCGAN on ssh hosts, by layout", places.ssh, sweep_dcgan),
        Row("S3", "RNN by Fabric on Slurm, DP against DDP", places.slurm, compare_rnn),
    )
}
