"""The rows: each a program of `examples`, the command that its user types, and where it runs."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import boto3

from benchmarks.seeds import places
from benchmarks.seeds.own_log import batches_logged
from benchmarks.seeds.places import Place
from benchmarks.seeds.verdict import JobSeen, Seen
from elastic.figures import duration, number
from elastic_lab import Lab

EXAMPLES = Path(__file__).parents[2] / "examples"
# Four times what the longest row takes on two busy cores.
_ROW_TIMEOUT_S = 1200.0
_END_TIMEOUT_S = 60.0
_POLL_S = 0.2
_PLACEMENT_GROUP = "near"


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
    """One program, and a line of the table for each of its places."""

    name: str
    what: str
    play: Callable[[Run], Seen]
    places: tuple[Callable[[Path], AbstractContextManager[Place]], ...]


def train_dcgan(run: Run) -> Seen:
    """S0: the DCGAN on two machines, in an image on hosts, in a placement group on EC2."""
    project = run.example("dcgan")
    file = "job-hostfile.yaml" if run.place.lab is None else "job-ec2.yaml"
    (name,) = re.findall(r"^name: (.+)$", (project / file).read_text(), re.MULTILINE)
    seen = run.seen(f"elasticd job submit -f {file}")
    if run.place.lab is None:
        # The data is on every host, as the author had it: setup belongs into the image.
        data = run.folder / "cifar-10-batches-py"
        subprocess.run([sys.executable, project / "make_data.py", data], check=True)
        text = (project / file).read_text()
        (project / file).write_text(text.replace("/mnt/cifar-10-batches-py", str(data)))
    _submit(run, seen, file, project)
    _finish(run, seen, name)
    if run.place.lab is not None:
        seen.trouble += _outside(run.place.lab, _PLACEMENT_GROUP)
    return seen


def sweep_dcgan(run: Run) -> Seen:
    """S1: one rank as baseline, then two nodes with one, two and four ranks each."""
    project = run.example("dcgan")
    layouts = "2x2 --repeat 1" if run.short else "1x1,2x1,2x2,2x4 --repeat 3"
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
    # The same line without CSV reads what was run, and buys nothing.
    table = _command(run, seen, f"{command.removesuffix(' -o csv')} --yes", folder=project)
    seen.notes += table.splitlines()
    if len(run.place.daemon.get("/v1/jobs", limit=100)["items"]) != len(runs):
        seen.trouble.append("the same line again ran jobs again")
    return seen


def train_esrgan(run: Run) -> Seen:
    """S2: the ESRGAN; each iteration as CSV, and the notebook that plots what a dollar bought."""
    project = run.example("esrgan")
    seen = run.seen("elasticd job submit -f job.yaml")
    _submit(run, seen, "job.yaml", project)
    _finish(run, seen, "esrgan")
    said = _command(run, seen, "elasticd job logs esrgan -n 10000", folder=project)
    (job,) = seen.jobs
    # This program says in its log what others write to a file.
    job.logged = len(set(re.findall(r"iteration (\d+) of \d+, \w+:", said)))
    ls = "elasticd measurement ls --job esrgan -o csv"
    table = _command(run, seen, ls, folder=project)
    in_csv = sum(int(each["window.iterations"]) for each in csv.DictReader(io.StringIO(table)))
    if in_csv < job.counted:
        seen.trouble.append(f"the CSV has {in_csv} iterations of {job.counted}")
    seen.trouble += _notebook(run, "esrgan")
    return seen


def compare_rnn(run: Run) -> Seen:
    """S3: the RNN by data parallel on one node, then by DDP on two."""
    project = run.example("rnn")
    names = ["rnn-ddp"] if run.short else ["rnn-dp", "rnn-ddp"]
    files = [f"job-{name.removeprefix('rnn-')}.yaml" for name in names]
    seen = run.seen("; ".join(f"elasticd job submit -f {file}" for file in files))
    for name, file in zip(names, files, strict=True):
        _submit(run, seen, file, project)
        _finish(run, seen, name)
        report = run.place.daemon.get(f"/v1/jobs/{name}/report")
        seen.notes.append(
            f"{name}: {report['iterations_done']} iterations in {duration(report['elapsed_s'])}, "
            f"{number(report['spent_usd'])} {seen.unit}"
        )
    return seen


def train_resnet(run: Run) -> Seen:
    """S4: the ResNet; TensorBoard's files come home, and its nodes say how busy they are."""
    project = run.example("resnet")
    seen = run.seen("elasticd job submit -f job.yaml")
    _submit(run, seen, "job.yaml", project)
    seen.trouble += _unshown_usage(run, "resnet")
    _finish(run, seen, "resnet")
    if not list((run.folder / "outputs" / "resnet" / "runs").glob("events.out.tfevents.*")):
        seen.trouble.append("no file of TensorBoard came home")
    job_id = run.place.daemon.get("/v1/jobs/resnet")["id"]
    with run.place.daemon.client() as client:
        if not re.search(r'href="[^"]*tfevents', client.text(f"/jobs/{job_id}")):
            seen.trouble.append("the page has no link to TensorBoard's files")
    return seen


def play(
    row: Row,
    where: Callable[[Path], AbstractContextManager[Place]],
    folder: Path,
    *,
    short: bool,
) -> Seen:
    """Runs a row at a place, from its first command to what it leaves behind. Raises Missing."""
    with where(folder) as place:
        begun_s = time.monotonic()
        seen = row.play(Run(row.name, place, folder, short))
        seen.seconds = time.monotonic() - begun_s
        seen.left = _left(place)
        if place.lab is not None:
            bill = place.lab.bill()
            seen.bill = bill.usd
            seen.second = sum(line.usd / line.billed_s for line in bill.lines)
        return seen


def _submit(run: Run, seen: Seen, file: str, project: Path) -> None:
    _command(run, seen, f"elasticd job submit -f {file} -y", folder=project)


def _finish(run: Run, seen: Seen, name: str) -> None:
    """Waits for a job's end, and adds what is known of it then."""
    _command(run, seen, f"elasticd job watch {name}", folder=run.folder)
    job = run.place.daemon.get(f"/v1/jobs/{name}")
    logged = _log_of(run, seen, name)
    seen.jobs.append(JobSeen(name, job["phase"], job["progress"]["iteration"], logged))
    seen.cost += job["spent_usd"]


def _outside(lab: Lab, placement_group: str) -> list[str]:
    """The instances that were not launched into the placement group."""
    ec2 = boto3.Session("lab", "lab", region_name=lab.region).client(
        "ec2", endpoint_url=lab.endpoint_url
    )
    instances = [
        each
        for reservation in ec2.describe_instances()["Reservations"]
        for each in reservation["Instances"]
    ]
    return [
        f"{each['InstanceId']} is not in the placement group"
        for each in instances
        if each["Placement"].get("GroupName") != placement_group
    ]


def _notebook(run: Run, name: str) -> list[str]:
    """Runs the example's notebook on a job, as Jupyter would; gives what went wrong."""
    cells = json.loads((EXAMPLES / "notebook" / "iterations_per_dollar.ipynb").read_text())["cells"]
    code = ["".join(each["source"]) for each in cells if each["cell_type"] == "code"]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(code)],
        cwd=run.folder,
        env={**run.place.daemon.variables, "JOB": name, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=_ROW_TIMEOUT_S,
        check=False,
    )
    if done.returncode != 0:
        return [f"the notebook: {done.stderr.strip()[-400:]}"]
    picture = run.folder / "iterations_per_dollar.png"
    return [] if picture.exists() else ["the notebook has drawn nothing"]


def _unshown_usage(run: Run, name: str) -> list[str]:
    """Where it is not shown how busy the job's nodes are, in all the time that it trains."""
    job_id = run.place.daemon.get(f"/v1/jobs/{name}")["id"]
    missing = {"REST", "metrics", "page"}
    with run.place.daemon.client() as client:
        while missing and not client.get(f"/v1/jobs/{name}")["is_final"]:
            nodes = client.items("/v1/nodes", job=name, limit=10)
            if any(node["usage"] for node in nodes):
                missing.discard("REST")
            if f'elasticd_node_cores_used{{job_id="{job_id}"' in client.text("/metrics"):
                missing.discard("metrics")
            if re.search(r"\d of \d\S* cores?", client.text(f"/jobs/{job_id}")):
                missing.discard("page")
            time.sleep(_POLL_S)
    return [f"{where}: it is not shown how busy nodes are" for where in sorted(missing)]


@contextmanager
def _lab_for(name: str, folder: Path) -> Iterator[Place]:
    """A lab whose machines can install what an example requires."""
    lines = (EXAMPLES / name / "requirements.txt").read_text().splitlines()
    requirements = [each for each in lines if not each.startswith("#")]
    with places.lab(folder, requirements=requirements) as place:
        yield place


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
        Row(
            "S0",
            "DCGAN by an MPI hostfile",
            train_dcgan,
            (
                partial(places.ssh_with_docker, image="registry.example/team/dcgan:1"),
                partial(places.lab, placement_group=_PLACEMENT_GROUP),
            ),
        ),
        Row("S1", "DCGAN over ssh, by layout", sweep_dcgan, (places.ssh,)),
        Row("S2", "ESRGAN, measured and moved", train_esrgan, (places.lab,)),
        Row("S3", "RNN by Fabric, DP against DDP", compare_rnn, (places.slurm,)),
        Row("S4", "ResNet", train_resnet, (partial(_lab_for, "resnet"), places.slurm)),
    )
}
