"""`elasticd job` and `elasticd plan`: submit jobs, follow them, steer them, account for them."""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elastic import figures
from elastic.archive import SUM_PATTERN, Archive, pack
from elastic.cli import completing, job_pages, render
from elastic.cli.decision import explain_decision
from elastic.cli.job_pages import comparison, ordered
from elastic.cli.logs import follow_logs
from elastic.cli.options import (
    JobArgument,
    LimitOption,
    ListOutputOption,
    OutputOption,
    YesOption,
    confirm,
    connection_of,
    limit_of,
)
from elastic.cli.render import Column, ListOutput, Output
from elastic.client import path_of
from elastic.clock import SystemClock
from elastic.errors import InvalidInput, NotFound, cannot_read
from elastic.model import JobOrder, JobPhase, OnMiss, script_at

if TYPE_CHECKING:
    from elastic.cli.exits import ExitCode
    from elastic.cli.watch import WatchedJob
    from elastic.client.rest import Client, JsonObject

_JOB_SUFFIXES = (".yaml", ".yml", ".json")

app = typer.Typer(help="Training jobs.", no_args_is_help=True)

COLUMNS = (
    Column("JOB", "id", is_extra=True),
    Column("NAME", "spec.name"),
    Column("PHASE", "phase"),
    Column("ITERATION", "progress.iteration", figures.count, is_number=True),
    Column("OF", "progress.iterations", figures.count, is_number=True),
    Column("GROUP", "current_group", render.group, is_extra=True),
    Column("SPENT", "spent_usd", figures.usd, is_number=True),
    Column("TIME LEFT", "progress.eta_s", figures.duration, is_number=True, is_extra=True),
    Column("SUBMITTED", "submitted_at_s", figures.instant, is_extra=True),
    Column("ATTENTION", "attention", can_wrap=True, is_extra=True),
)

ARTIFACT_COLUMNS = (
    Column("ARTIFACT", "name"),
    Column("SIZE", "bytes", figures.size, is_number=True),
    Column("WRITTEN", "modified_at_s", figures.instant),
)

OUTPUT_COLUMNS = (
    Column("OUTPUT", "path"),
    Column("SIZE", "bytes", figures.size, is_number=True),
    Column("WRITTEN", "modified_at_s", figures.instant),
)


BudgetOption = Annotated[
    float | None,
    typer.Option("--budget", help="Most that it may cost in USD, what it has cost included."),
]
DeadlineOption = Annotated[
    str | None,
    typer.Option("--deadline", help="When to be done: 6h, 1d12h, or ISO 8601 with a zone."),
]


@app.command("submit")
def submit(
    context: typer.Context,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            help="Instead of a file, after --: the line that starts the training in this folder."
        ),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option("--file", "-f", help="The job's YAML or JSON; - reads standard input."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="The job's name, with a command; the folder's if absent.")
    ] = None,
    yes: YesOption = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print that plan and submit nothing.")
    ] = False,
    key: Annotated[
        str | None,
        typer.Option(
            "--idempotency-key", help="The same key with the same job submits it only once."
        ),
    ] = None,
    has_all: Annotated[
        bool, typer.Option("--all", "-a", help="Print every candidate of the plan.")
    ] = False,
    watch_it: Annotated[
        bool, typer.Option("--watch", "-w", help="Then watch it until it ends.")
    ] = False,
    output: OutputOption = Output.TABLE,
) -> None:
    """Submit a job: print what it would buy at which price, ask, and send it."""
    # Exactly one of the two says what to run.
    if (file is None) == (command is None):
        raise InvalidInput(
            "submit: wanted either a job's file (-f job.yaml) or a command (-- torchrun train.py), "
            "got " + ("neither" if file is None else "both")
        )
    if command is not None and command[0].endswith(_JOB_SUFFIXES):
        raise InvalidInput(
            f"submit: wanted a command that starts the training, got {command[0]}: if that is a "
            f"job's file, submit it by -f {command[0]}"
        )
    if file is not None and name is not None:
        raise InvalidInput(
            f"submit: --name goes with a command, and {file} has the name of its job: write "
            f"`name: {name}` there",
            field="name",
        )
    spec, code = read_spec(file) if file is not None else read_command(command or [], name=name)
    with connection_of(context).open() as client:
        # The daemon checks the job before its code is sent, which may be large.
        plan = client.post("/v1/jobs:plan", spec)
        # After the daemon's check, which finds what is wrong with the document itself.
        _check_paths(spec, file or "-")
        _look_over(plan["spec"])
        if dry_run and output is Output.JSON:
            render.show_json(plan)
        elif output is Output.TABLE:
            job_pages.show_plan(plan, has_all=has_all, code=code)
        if dry_run:
            return
        confirm("submit this job?", yes=yes, can_ask=file != "-")
        # The code must be there before the job that names it.
        if code is not None:
            client.put(f"/v1/code/{code.sha256}", code.content, media_type="application/zip")
        job = client.post("/v1/jobs", spec, headers={"Idempotency-Key": key} if key else None)
        if output is Output.JSON:
            render.show_json(job)
        else:
            print(
                f"submitted {job['spec']['name']} as {job['id']}; `elasticd job watch "
                f"{job['spec']['name']}` follows it"
            )
        if watch_it:
            # By its id: a second job of this name may begin while this one is watched.
            raise typer.Exit(_watch(client, job["id"], timeout_s=None))


@app.command("ls")
def list_jobs(
    context: typer.Context,
    limit: LimitOption = None,
    phase: Annotated[
        list[JobPhase] | None,
        typer.Option("--phase", help="Only jobs in this phase. Repeat it for several."),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--match", help="Only jobs whose name or id contains this.")
    ] = None,
    first: Annotated[
        JobOrder, typer.Option("--first", help="What comes first; among equals, the newest.")
    ] = JobOrder.NEWEST,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """List jobs, newest first, or what needs attention, costs most or takes least longer first."""
    with connection_of(context).open() as client:
        found = client.items(
            "/v1/jobs", limit=limit_of(limit, output, in_table=50), phase=phase or None, text=text
        )
    render.show_list(ordered(found, first), COLUMNS, output)


@app.command("compare")
def compare(
    context: typer.Context,
    jobs: Annotated[
        list[str],
        typer.Argument(help="The jobs' ids or names, two to five.", autocompletion=completing.jobs),
    ],
    output: OutputOption = Output.TABLE,
) -> None:
    """Compare jobs side by side: what a dollar bought, what they cost, and what came of them."""
    # More columns than five do not fit a terminal.
    if not 2 <= len(jobs) <= 5:
        raise InvalidInput(f"compare: wanted two to five jobs, got {len(jobs)}")
    with connection_of(context).open() as client:
        found = [(client.get(path_of(job)), client.get(f"{path_of(job)}/report")) for job in jobs]
    if output is Output.JSON:
        render.show_json([{"job": job, "report": report} for job, report in found])
    else:
        render.show(comparison(found))


@app.command("get")
def get(context: typer.Context, job: JobArgument, output: OutputOption = Output.TABLE) -> None:
    """Show one job: its status, its money, its candidates."""
    with connection_of(context).open() as client:
        found = client.get(path_of(job))
    render.show_one(found, output, job_pages.show_job)


@app.command("watch")
def watch(
    context: typer.Context,
    job: JobArgument,
    timeout_s: Annotated[
        float | None, typer.Option("--timeout", help="Stop watching after this many seconds.")
    ] = None,
) -> None:
    """Follow a job until it ends; Ctrl-C stops the watching, never the job."""
    with connection_of(context).open() as client:
        raise typer.Exit(_watch(client, job, timeout_s=timeout_s))


@app.command("logs")
def logs(
    context: typer.Context,
    job: JobArgument,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Stay, and print lines as they come.")
    ] = False,
    rank: Annotated[
        int | None, typer.Option("--rank", "-r", min=0, help="Only this rank's lines.")
    ] = None,
    node: Annotated[
        str | None, typer.Option("--node", help="Only the lines of this node, by its id.")
    ] = None,
    tail: Annotated[
        int | None,
        typer.Option(
            "--tail", "-n", min=1, max=10_000, help="At most this many last lines; 100 if absent."
        ),
    ] = None,
) -> None:
    """Print the last lines that the job's workers wrote; of a failed job, from its traceback on."""
    path = f"{path_of(job)}/logs"
    with connection_of(context).open() as client:
        if follow:
            is_live = sys.stdout.isatty()
            follow_logs(
                client, path, tail=tail, rank=rank, node=node, is_live=is_live, clock=SystemClock()
            )
            return
        said = client.text(path, tail=tail, rank=rank, node=node)
    sys.stdout.write(said)
    # On the error's side, so that a script that reads the lines gets none.
    if not said:
        print("No lines yet.", file=sys.stderr)


@app.command("artifacts")
def artifacts(
    context: typer.Context,
    job: JobArgument,
    save: Annotated[Path | None, typer.Option(help="Fetch them all into this folder.")] = None,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """List the pictures, reports and weights that the job's workload left, or fetch them."""
    with connection_of(context).open() as client:
        found = client.get(f"{path_of(job)}/artifacts")["items"]
        if save is not None:
            # Only this command and `outputs` write files.
            from elastic.cli.bringing import bring_artifacts

            bring_artifacts(client, found, save)
    render.show_list(found, ARTIFACT_COLUMNS, output)


@app.command("outputs")
def outputs(
    context: typer.Context,
    job: JobArgument,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--output-dir",
            "-o",
            help="Bring them into this folder; files there that differ are replaced.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the daemon's JSON.")] = False,
) -> None:
    """List the files that the job's script wrote, as last uploaded, or download them."""
    # Only this command compares and writes files.
    from elastic.cli.bringing import bring_outputs

    with connection_of(context).open() as client:
        found = client.get(f"{path_of(job)}/outputs")["items"]
        render.show_list(found, OUTPUT_COLUMNS, Output.JSON if as_json else Output.TABLE)
        if folder is not None:
            print(bring_outputs(client, found, folder))


@app.command("stop")
def stop(context: typer.Context, job: JobArgument, yes: YesOption = False) -> None:
    """Stop the job at its next safe point and end its nodes; `resume` continues it."""
    with connection_of(context).open() as client:
        _halt(client, job, "stop", yes=yes)


@app.command("pause")
def pause(context: typer.Context, job: JobArgument, yes: YesOption = False) -> None:
    """Have the job save and give its machines back; `resume` lets it go on. Its deadline counts."""
    with connection_of(context).open() as client:
        for each in _halt(client, job, "pause", yes=yes)["warnings"]:
            print(f"warning: {each}")


@app.command("resume")
def resume(
    context: typer.Context,
    job: JobArgument,
    code: Annotated[
        Path | None, typer.Option(help="Replace the job's code by this folder.")
    ] = None,
    requirements: Annotated[
        Path | None, typer.Option(help="Replace the job's requirements by this file's.")
    ] = None,
    image: Annotated[
        str | None, typer.Option(help="Replace the job's container image by this one.")
    ] = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB", help="Carry these files home, and no others. Repeat it for several."
        ),
    ] = None,
    setup: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINE", help="Replace the job's setup by this line. Repeat it for several."
        ),
    ] = None,
    budget: BudgetOption = None,
    deadline: DeadlineOption = None,
    on_miss: Annotated[
        OnMiss | None,
        typer.Option("--on-miss", help="What to do once a goal is certain to be missed."),
    ] = None,
    min_nodes: Annotated[
        int | None, typer.Option(min=1, help="Fewest nodes that may train.")
    ] = None,
    max_nodes: Annotated[int | None, typer.Option(min=1, help="Most nodes that may train.")] = None,
) -> None:
    """Continue a paused, failed or stopped job from its newest checkpoint; `--code .` sends new
    code."""
    with connection_of(context).open() as client:
        given = _given(
            budget_usd=budget,
            deadline=deadline,
            on_miss=on_miss,
            nodes_min=min_nodes,
            nodes_max=max_nodes,
        )
        given |= _given(image=image, outputs=outputs or None, setup=setup or None)
        if requirements is not None:
            settled = import_module("api.brought").settle_requirements(
                {"requirements": str(requirements)}, Path()
            )
            given["requirements"] = settled["requirements"]
        if code is not None:
            given["code"] = _send_fixed(client, job, code.resolve())
        resumed = client.post(f"{path_of(job)}:resume", given)
        print(
            f"job {resumed['id']}: {resumed['phase']}, goes on at iteration {resumed['iteration']} "
            f"with {figures.usd(resumed['spent_usd'])} spent; `elasticd job watch "
            f"{resumed['spec']['name']}` follows it"
        )


@app.command("scale")
def scale(
    context: typer.Context,
    job: JobArgument,
    nodes: Annotated[
        str | None,
        typer.Option(
            help="How many nodes, within the job's bounds; auto: the policy chooses again."
        ),
    ] = None,
    node_type: Annotated[
        str | None, typer.Option("--type", help="Which node type, for all of its nodes.")
    ] = None,
    yes: YesOption = False,
) -> None:
    """Move the job to another number of nodes or node type: print the price, ask, and do it."""
    given = _given(nodes=_node_count(nodes), node_type=node_type)
    if not given:
        raise InvalidInput("scale: wanted --nodes or --type, got neither")
    with connection_of(context).open() as client:
        job_pages.show_scaling(client.post(f"{path_of(job)}:plan", given))
        confirm(f"scale {job}?", yes=yes)
        found = client.post(f"{path_of(job)}:scale", given)
        print(f"job {found['id']} ({found['phase']}): {job_pages.wanted_nodes(found['spec'])}")


@app.command("limit")
def limit(
    context: typer.Context,
    job: JobArgument,
    budget: BudgetOption = None,
    deadline: DeadlineOption = None,
    priority: Annotated[
        int | None,
        typer.Option(help="Where the purse of all jobs is short, higher ones come first."),
    ] = None,
    yes: YesOption = False,
) -> None:
    """Change the budget, deadline or priority of a job that goes on: print what follows, ask, and
    do it."""
    given = _given(budget_usd=budget, deadline=deadline, priority=priority)
    if not given:
        raise InvalidInput("limit: wanted --budget, --deadline or --priority, got none of them")
    with connection_of(context).open() as client:
        job_pages.show_scaling(client.post(f"{path_of(job)}:plan", given))
        confirm(f"change the limits of {job}?", yes=yes)
        found = client.post(f"{path_of(job)}:limit", given)
        limits = job_pages.limits(found["spec"])
        print(f"job {found['id']} ({found['phase']}): {limits}")


@app.command("explain")
def explain(context: typer.Context, job: JobArgument, output: OutputOption = Output.TABLE) -> None:
    """Say why the job is where it is: its newest decision."""
    with connection_of(context).open() as client:
        # The job first: of a name that several runs have, the daemon says which one is meant.
        newest = client.items("/v1/decisions", limit=1, job=client.get(path_of(job))["id"])
    if not newest:
        raise NotFound(f"{job}: nothing has been decided yet; the first tick decides")
    render.show_one(newest[0], output, explain_decision)


@app.command("forecast")
def forecast(context: typer.Context, job: JobArgument, output: OutputOption = Output.TABLE) -> None:
    """Say when the job would be done and for how much: where it trains, and where it may be better.

    By its newest decision. `-o json` has every group.
    """
    with connection_of(context).open() as client:
        found = client.get(f"{path_of(job)}/forecast")
        current = client.get(path_of(job))["current_group"]
    if output is Output.JSON:
        render.show_json(found)
    elif found["frontier"]:
        print(f"as of {figures.instant(found['at_s'])}")
        job_pages.show_forecast(found, current=current)
    else:
        print(
            f"{job}: no pace is known yet, or it has no end; its first measured windows will tell"
        )


@app.command("report")
def report(context: typer.Context, job: JobArgument, output: OutputOption = Output.TABLE) -> None:
    """Account for the job: dollars by node, what fixed choices would have cost, the decisions."""
    with connection_of(context).open() as client:
        found = client.get(f"{path_of(job)}/report")
    render.show_one(found, output, job_pages.show_report)


def plan_job(
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="The job's YAML or JSON; - reads standard input.")],
    has_all: Annotated[bool, typer.Option("--all", "-a", help="Print every candidate.")] = False,
    output: OutputOption = Output.TABLE,
) -> None:
    """Print what a job would begin with, its cost against its finish time, and its goals.

    Submits nothing.
    """
    spec, code = read_spec(file)
    with connection_of(context).open() as client:
        # The daemon weighs it: only there are prices, and what earlier runs have measured.
        priced = client.post("/v1/jobs:plan", spec)
    render.show_one(
        priced, output, lambda priced: job_pages.show_plan(priced, has_all=has_all, code=code)
    )


def read_spec(file: str) -> tuple[dict[str, Any], Archive | None]:
    """Reads a job's YAML or JSON, and packs the code that it names; `-` is standard input.

    Relative paths count from the file's folder. Where `code` names a folder, the document has its
    archive's sum instead.
    """
    # elastic must not import api, which stands above it, so the module is found by name. This way
    # the file is read as the daemon would read it.
    documents = import_module("api.documents")
    try:
        if file == "-":
            body = sys.stdin.buffer.read()
        else:
            body = Path(file).read_bytes()
    except OSError as error:
        raise cannot_read(
            file,
            error,
            wanted="a job's YAML or JSON",
            advice="name the job's file, or without one give the command: "
            "`elasticd job submit -- torchrun train.py`",
        ) from error
    try:
        document = documents.read_document(body)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}", field=error.field, faults=error.faults) from error
    return _settled(document, Path() if file == "-" else Path(file).parent)


def read_command(command: list[str], *, name: str | None) -> tuple[dict[str, Any], Archive | None]:
    """Makes the document of a job from a command; the working folder is its code and its name."""
    # Names are parts of paths and tags, so they have few characters; folders have any.
    own_name = re.sub(r"[^a-z0-9]+", "-", Path.cwd().name.lower()).strip("-")[:63]
    # A single argument is a whole line in quotes, unless it is the name of a script.
    line: str | list[str] = command
    if len(command) == 1 and not Path(command[0]).exists():
        line = command[0]
    return _settled({"name": name or own_name or "job", "code": ".", "command": line}, Path())


def _settled(document: dict[str, Any], folder: Path) -> tuple[dict[str, Any], Archive | None]:
    """Resolves what only this machine knows: paths, files, and variables of the shell."""
    specs = import_module("api.specs")
    brought = import_module("api.brought")
    # In this order: variables first, since secrets may be among them, and the command last, which
    # takes over variables of its own.
    document = brought.settle_env(document, os.environ)
    document = brought.settle_secrets(document, os.environ, folder)
    document = specs.settle_command(brought.settle_requirements(document, folder))
    match document.get("code"):
        # Neither a folder's name nor a sum is wrong here: a sum names code that was sent before.
        case str(named) if not re.fullmatch(SUM_PATTERN, named):
            code_folder = (folder / Path(named).expanduser()).resolve()
            code = _packed(code_folder)
            _check_script(document.get("command"), code, code_folder)
            placed = specs.resolve_paths(document, folder)
            # The mode is read from the script as it lies in this folder; only the sum goes to the
            # daemon.
            return specs.settle_mode({**placed, "code": code.sha256}, code_folder), code
        case _:
            return specs.settle_mode(specs.resolve_paths(document, folder)), None


def _packed(folder: Path) -> Archive:
    """The code in a folder, without the files that describe jobs or are the daemon's settings."""
    # A changed deadline must not change the code's sum: it would count as another program.
    is_job = import_module("api.specs").is_job
    files = [each for each in folder.glob("*") if each.suffix in _JOB_SUFFIXES and each.is_file()]
    jobs = [each.name for each in files if is_job(each)]
    return pack(folder, but=[*jobs, *_settings_in(folder)])


def _settings_in(folder: Path) -> list[str]:
    """The daemon's files of settings in this folder, and those that they name: hosts, tokens, keys,
    prices. Relative to it."""
    from elastic.config import config_files, load_settings

    settings = load_settings()
    named = [
        settings.ssh.hosts_file,
        settings.look_token_file,
        settings.metrics_token_file,
        settings.price_trace,
    ]
    if settings.metrics_token_file is not None:
        named.append(settings.metrics_token_file.with_name(settings.certificate_file.name))
    if settings.tls is not None:
        named += [settings.tls.cert, settings.tls.key]
    files = [*config_files(), folder / "elasticd.toml", *(each for each in named if each)]
    inside = folder.resolve()
    found = [each.expanduser().resolve() for each in files]
    return [each.relative_to(inside).as_posix() for each in found if each.is_relative_to(inside)]


def _send_fixed(client: Client, job: str, folder: Path) -> str:
    """Sends the code in a folder, in place of what the job has run, and returns its sum."""
    packed = _packed(folder)
    _check_script(client.get(path_of(job))["spec"]["command"], packed, folder)
    client.put(f"/v1/code/{packed.sha256}", packed.content, media_type="application/zip")
    return packed.sha256


def _check_script(command: object, code: Archive, folder: Path) -> None:
    """Raises InvalidInput for a script that is not among the packed files."""
    script = _script_of(command)
    if (
        script is not None
        and not script.startswith(("-", "/"))
        # Before anything is sent: the job would boot a machine, to fail there.
        and os.path.normpath(script) not in code.paths
    ):
        why = "nothing is there"
        if (folder / script).is_file():
            why = "git ignores it"
        if why == "nothing is there" and re.fullmatch(r"\w+", script):
            why += (
                ", and it is no program that elasticd understands. Write the line that starts the "
                "training, such as `python train.py` or `bash run.sh`"
            )
        raise InvalidInput(
            f"command: {script} is not among the files of {folder}: {why}", field="command"
        )


def _check_paths(spec: dict[str, Any], file: str) -> None:
    """Raises InvalidInput for a script or data in the file's folder that does not exist."""
    # A path elsewhere may exist on the nodes only.
    folder = Path() if file == "-" else Path(file).parent
    named = (
        ("command", _script_of(spec.get("command"))),
        ("data", spec.get("data")),
        ("init", spec.get("init")),
    )
    for field, value in named:
        if (
            isinstance(value, str)
            and Path(value).is_relative_to(folder.resolve())
            and not Path(value).exists()
        ):
            raise InvalidInput(
                f"{field}: nothing is at {value}; relative paths count from the job file's folder"
            )


def _script_of(command: object) -> str | None:
    """The file that a settled command runs; None if it runs none."""
    match command:
        case [str(), *_]:
            parts = [str(each) for each in command]
            position = script_at(parts)
            if position is None:
                return None
            return parts[position]
    return None


def _look_over(spec: dict[str, Any]) -> None:
    """Prints notes about the data that a workload will train on. Raises InvalidInput."""
    from elastic.workloads import WORKLOADS  # slow to import; `--help` needs none

    workload = WORKLOADS.get(spec["workload"] or "")
    if workload is not None:
        for told in workload.looked_over(workload.configure(spec["hyperparameters"])):
            print(f"note: {told}", file=sys.stderr)


def _watch(client: Client, job: str, *, timeout_s: float | None) -> ExitCode:
    from elastic.cli.watch import ANSWER_S, watched_job
    from elastic.cli.watch import watch as watch_job

    def look() -> WatchedJob:
        # Not the client's own patience: a watcher shows within seconds that no answer comes.
        return watched_job(client.get(path_of(job), within_s=ANSWER_S))

    return watch_job(look, is_live=sys.stdout.isatty(), timeout_s=timeout_s, clock=SystemClock())


def _halt(client: Client, job: str, how: str, *, yes: bool) -> JsonObject:
    """Asks, has the job stop or pause, and gives it as it then stands."""
    found = client.get(path_of(job))
    at = f"{found['spec']['name']} at iteration {found['progress']['iteration']}"
    confirm(f"{how} {at}?", yes=yes)
    halted = client.post(f"{path_of(job)}:{how}")
    print(f"job {halted['id']}: {halted['phase']}")
    return halted


def _given(**options: str | float | list[str] | None) -> JsonObject:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def _node_count(text: str | None) -> int | str | None:
    """The number in `--nodes`, or auto. Raises InvalidInput."""
    if text is None or text == "auto":
        return text
    try:
        return int(text)
    except ValueError as error:
        raise InvalidInput(f"--nodes: wanted a number or auto, got {text!r}") from error
