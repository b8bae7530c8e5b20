"""Turns a job's document into its spec, or says everything that is wrong with it.

Nothing here needs a daemon, so that the command line can check a file before it sends it.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from api.documents import JsonValue, read_document
from api.job_document import (
    AUTO,
    WORDS_OF_PATTERNS,
    JobCheckpoint,
    JobDocument,
    JobNodes,
    JobObjective,
    JobPolicy,
    JobStart,
    as_text,
    instant_s,
    seconds_of,
)
from elastic.checkpoints import is_location, parse_location
from elastic.errors import InvalidInput
from elastic.faults import in_words, no_such
from elastic.model import (
    Batch,
    JobSpec,
    Mode,
    NodeType,
    Objective,
    Precision,
    StartCondition,
    Topic,
    TrainingPhase,
    Understood,
    check_shell_script,
    choose_mode,
    declared_mode,
    is_python,
    script_at,
    understand,
)
from elastic.policy import POLICIES
from elastic.workloads import WORKLOADS, Workload

# The part of the document at each path, to name its fields in messages.
_PARTS: Mapping[tuple[str, ...], type[BaseModel]] = {
    (): JobDocument,
    ("nodes",): JobNodes,
    ("objective",): JobObjective,
    ("policy",): JobPolicy,
    ("checkpoint",): JobCheckpoint,
    ("start",): JobStart,
}
# What to write instead of a field that there was.
_EARLIER: Mapping[str, str] = {
    "tier": "there is no field tier: write `mode: restart` where workers start again at each "
    "change of the group (with `preload: false` if they must not be forked), or `mode: live` "
    "where they are members of a session",
}
# Why a workload takes none of these.
_OF_COMMANDS: Mapping[str, str] = {
    "batch": "a workload's is the whole job's; only a command has one of its own",
    "code": "a workload needs none; only a command runs in it",
    "image": "a workload runs with what the nodes have; only a command runs in an image",
    "outputs": "a workload leaves its results with `job artifacts`; only a command has outputs",
}
# Variables that are secrets by their names, even if the job does not say so.
_SOUNDS_SECRET = re.compile(
    r"(?i)(?:^|_)(?:api_?key|access_key|token|secret|password|passwd)(?:_|$)"
)
_SKIMAGE = "skimage"
_MOST_SCRIPT_BYTES = 1_000_000


def to_spec(document: Mapping[str, JsonValue], *, now_s: float) -> JobSpec:
    """The spec that a document describes; a deadline such as `6h` counts from `now_s`.

    Raises InvalidInput, which names every fault.
    """
    try:
        # torchrun's options first: they become fields, which are checked like those that the author
        # wrote.
        asked = JobDocument.model_validate(settle_command(document), context={"now_s": now_s})
    except ValidationError as error:
        raise _invalid(tuple(_fault(each) for each in error.errors())) from error
    _check_policy(asked)
    if asked.workload is None:
        return _command_spec(asked, now_s)
    return _workload_spec(asked, asked.workload, now_s)


def check_node_types(spec: JobSpec, known: Collection[str]) -> None:
    """Raises InvalidInput for an unknown node type, or a fixed one that is not admitted."""
    named = [("node_types", name) for name in spec.node_types]
    named += [("most_samples", name) for name in spec.most_samples]
    if isinstance(spec.nproc_per_node, Mapping):
        named += [("nproc_per_node", name) for name in spec.nproc_per_node]
    if spec.fixed_node_type is not None:
        named.append(("policy.node_type", spec.fixed_node_type))
    faults = tuple(
        (field, no_such("node type", name, known)) for field, name in named if name not in known
    )
    if faults:
        raise _invalid(faults)
    if spec.node_types and spec.fixed_node_type not in (None, *spec.node_types):
        listed = ", ".join(spec.node_types)
        fault = f"wanted one of the job's node_types, {listed}; got {spec.fixed_node_type!r}"
        raise _invalid((("policy.node_type", fault),))


def check_recipients(spec: JobSpec, known: Collection[str]) -> None:
    """Raises InvalidInput if the job names somebody whom the daemon does not know."""
    unknown = sorted(set(spec.notify or ()) - set(known))
    if not unknown:
        return
    if known:
        raise _invalid((("notify", no_such("recipient", unknown[0], known)),))
    raise InvalidInput(
        f"notify: wanted names of the daemon's setting notify.to, which has none; got "
        f"{', '.join(unknown)}",
        field="notify",
    )


def check_fit(spec: JobSpec, types: Collection[NodeType]) -> None:
    """Raises InvalidInput if no admitted node type can run the job (GPUs, precision)."""
    admitted = [each for each in types if spec.admits_type(each.name)]
    reasons = [why for each in admitted if (why := spec.unfit(each)) is not None]
    # No type at all is another fault, which `check_node_types` names; here some are known.
    if reasons and len(reasons) == len(admitted):
        more = ""
        if len(reasons) > 1:
            more = f" ({len(reasons) - 1} more cannot either)"
        raise InvalidInput(
            f"node_types: wanted one that can run the job, found none: {reasons[0]}{more}",
            field="node_types",
        )


def without_untried(spec: JobSpec, types: Collection[NodeType]) -> JobSpec:
    """The spec of a job that names no mode, on these node types."""
    # No session was tried on a GPU yet, so a job gets one there only if it asks for it.
    has_gpus = any(each.gpu_count for each in types if spec.admits_type(each.name))
    if has_gpus:
        return dataclasses.replace(spec, mode=Mode.RESTART)
    return spec


def is_precision_open(spec: JobSpec) -> bool:
    """Whether the author leaves the choice of a precision to elasticd."""
    return spec.hyperparameters.get("precision") == AUTO


def with_precision(spec: JobSpec, precision: Precision) -> JobSpec:
    """A workload's spec with this precision for all nodes."""
    assert spec.workload is not None, "only a workload's precision is open"
    workload = WORKLOADS[spec.workload]
    options = workload.configure({**spec.hyperparameters, "precision": precision.value})
    return dataclasses.replace(
        spec,
        precision=precision,
        hyperparameters=_chosen(options),
        command=("-m", workload.module, *workload.command(options)),
    )


def check_workers(spec: JobSpec) -> None:
    """Raises InvalidInput if an iteration has fewer samples than the most nodes have workers."""
    asked = spec.nproc_per_node
    # Where the number of workers depends on the node type, groups with too many of them are simply
    # no candidates.
    workers = spec.nodes_max * (asked if isinstance(asked, int) else 1)
    if spec.global_batch is not None and spec.global_batch < workers:
        raise InvalidInput(
            f"global_batch: wanted a sample for each of up to {workers} workers (nodes.max x "
            f"nproc_per_node), got {spec.global_batch}",
            field="global_batch",
        )


def settle_command(document: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The document with its command as a list; torchrun's options become fields of the job.

    Anything else than a command stays, and is refused later together with other faults.
    """
    found = dict(document)
    match found.get("command"):
        case str(line):
            understood = understand(line)
        case [_, *_] as parts if all(isinstance(each, bool | int | float | str) for each in parts):
            understood = understand([as_text(each) for each in parts])
        case _:
            return found
    found["command"] = list(understood.command)
    _take_over(found, understood)
    return found


def resolve_paths(document: Mapping[str, JsonValue], folder: Path) -> dict[str, JsonValue]:
    """The document with absolute paths of its script and data; relative ones count from `folder`.

    A script within the job's code stays relative, since nodes have that folder elsewhere. The
    command is a settled one.
    """
    found = dict(document)
    match found.get("command"):
        # Without code, an image has the script itself.
        case [str(), *_] as command if "code" not in found and found.get("image") is None:
            parts = [str(each) for each in command]
            position = script_at(parts)
            if position is not None and _is_relative(parts[position]):
                # The folder of the file, not that of the shell: the same file means the same job
                # wherever it is submitted from.
                parts[position] = str(folder.resolve() / parts[position])
                found["command"] = list(parts)
    match found.get("data"):
        case str(data) if data != _SKIMAGE and "://" not in data and _is_relative(data):
            # Without a look at the disk: the path is one of the nodes, and need not exist here.
            found["data"] = os.path.normpath(folder.resolve() / data)
    match found.get("workload"):
        case str(name) if name in WORKLOADS:
            _place(found, WORKLOADS[name], folder)
    return found


def _place(document: dict[str, JsonValue], workload: Workload, folder: Path) -> None:
    """Makes paths among a workload's options absolute, wherever the document gives these."""
    options = document.get("hyperparameters", {})
    if not isinstance(options, dict):
        return  # reported when it is checked
    outside = [name for name in ("data", "init") if name in document]
    placed = dict(
        workload.placed({**options, **{name: document[name] for name in outside}}, folder)
    )
    for name in outside:
        document[name] = cast(JsonValue, placed.pop(name))
    if placed != options:
        document["hyperparameters"] = cast(JsonValue, placed)


def is_job(file: Path) -> bool:
    """Whether a file describes a job: it has only fields of a job, and says what to run."""
    try:
        found = read_document(file.read_bytes())
    except (InvalidInput, OSError):
        return False
    return not {"command", "workload"}.isdisjoint(found) and set(found) <= set(
        JobDocument.model_fields
    )


def settle_mode(document: Mapping[str, JsonValue], folder: Path = Path()) -> dict[str, JsonValue]:
    """The document with the mode that its script declares.

    A relative path counts from `folder`. Raises InvalidInput for a shell script that starts
    torchrun itself.
    """
    # Read here, since the daemon's machine may not have the script.
    found = dict(document)
    match found.get("command"):
        case [str(), *_] as command:
            mode = declared_by([str(each) for each in command], folder)
            if mode is not None and found.get("mode", AUTO) == AUTO:
                found["mode"] = mode.value
    return found


def declared_by(command: Sequence[str], folder: Path = Path()) -> Mode | None:
    """The mode that a command's script declares; None if it declares none or cannot be read here.

    Raises InvalidInput for a shell script that starts torchrun itself.
    """
    position = script_at(command)
    text = None
    if position is not None:
        text = _text_at(folder / command[position])
    if position is None or text is None:
        return None
    if is_python(command) is False:
        check_shell_script(Path(command[position]).name, text)
        return None
    return declared_mode(text)


def _text_at(path: Path) -> str | None:
    try:
        is_script = (
            # A relative path would be read in whatever folder the daemon was started.
            path.is_absolute() and path.is_file() and path.stat().st_size <= _MOST_SCRIPT_BYTES
        )
        if is_script:
            return path.read_text()
        return None
    except (OSError, UnicodeDecodeError):
        return None


def _take_over(found: dict[str, JsonValue], said: Understood) -> None:
    """Copies a command's options into the job's fields. Raises InvalidInput if they disagree."""
    if said.nproc_per_node is not None:
        _set_once(found, "nproc_per_node", said.nproc_per_node, option="--nproc_per_node")
    if said.max_restarts is not None:
        _set_once(found, "max_restarts", said.max_restarts, option="--max_restarts")
    nodes = found.get("nodes")
    if said.nodes is not None and (nodes is None or isinstance(nodes, dict)):
        least, most = said.nodes
        _set_once(found, "nodes", {"min": least, "max": most}, option="--nnodes")
    if (
        said.is_one_node
        and isinstance(found.get("nodes"), dict)
        and found["nodes"] != {"min": 1, "max": 1}
    ):
        raise InvalidInput(
            f"nodes: torchrun's --standalone says one node, but nodes is {_plain(found['nodes'])}: "
            "take one of the two out",
            field="nodes",
        )
    env = found.get("env", {})
    if said.env and isinstance(env, dict):
        for name, value in said.env.items():
            if str(as_text(env.get(name, value))) != value:
                raise InvalidInput(
                    f"env.{name}: the command says another value: write it once", field="env"
                )
        found["env"] = {**env, **said.env}


def _set_once(found: dict[str, JsonValue], field: str, value: JsonValue, *, option: str) -> None:
    # Neither wins: whichever did, an author who changed the other would see no effect.
    if found.setdefault(field, value) != value:
        raise InvalidInput(
            f"{field}: wanted it said once, but it is {_plain(found[field])}, and torchrun's "
            f"{option} in the command says {_plain(value)}: take one of the two out",
            field=field,
        )


def _plain(value: JsonValue) -> str:
    if isinstance(value, dict):
        return json.dumps(value)
    return str(value)


def _is_relative(path: str) -> bool:
    return not path.startswith(("-", "/", "~")) and path != ""


def _command_spec(asked: JobDocument, now_s: float) -> JobSpec:
    if asked.command is None:
        known = ", ".join(sorted(WORKLOADS))
        raise InvalidInput(
            f"wanted a command, or a workload ({known}); got neither", field="command"
        )
    given = {
        "preset": asked.preset,
        "hyperparameters": asked.hyperparameters,
        "init": asked.init,
        "checkpoint": asked.checkpoint.interval,
    }
    # Refused and not ignored: a command would train without them, and no message would say so.
    if faults := tuple(
        (name, "only a workload takes it; give it in the command") for name in given if given[name]
    ):
        raise _invalid(faults)
    if asked.precision == AUTO:
        raise InvalidInput(
            f"precision: wanted one of {', '.join(Precision)} for a command; only a workload's can "
            "be chosen for it",
            field="precision",
        )
    _check_script(asked.command, has_code=asked.code is not None, has_image=asked.image is not None)
    return _spec(
        asked,
        now_s,
        command=tuple(asked.command),
        data=None if asked.data is None else _data(asked.data),
        global_batch=asked.global_batch,
        iterations=asked.iterations,
        supported=declared_by(asked.command),
        precision=None if asked.precision is None else Precision(asked.precision),
        batch=_batch(asked),
    )


def _data(asked: str) -> str:
    """A job's data, as nodes understand it."""
    if is_location(asked):
        try:
            return str(parse_location(asked))
        except InvalidInput as error:
            raise InvalidInput(f"data: {error}", field="data") from error
    path = asked.removeprefix("file://")
    if not path.startswith("/"):
        raise InvalidInput(
            f"data: wanted s3://BUCKET/PREFIX, or an absolute path on the nodes; got {asked!r}",
            field="data",
        )
    return path


def _batch(asked: JobDocument) -> Batch | None:
    """What one iteration of a command is; None if the document does not say."""
    if asked.batch is not None:
        return Batch(asked.batch)
    # A batch that is named for the whole job is one of the whole job.
    if asked.global_batch is None:
        return None
    return Batch.JOB


def _check_script(command: Sequence[str], *, has_code: bool, has_image: bool) -> None:
    position = script_at(command)
    if position is None:
        return
    script = command[position]
    if script.startswith("python") and not script.endswith(".py"):
        raise InvalidInput(
            "command: wanted python (the node's own), or another Python's absolute path; got "
            f"{script!r}",
            field="command",
        )
    if has_code:
        if not script.startswith("/") and ".." in Path(script).parts:
            raise InvalidInput(
                f"command: wanted a script within the code's folder, got {script!r}",
                field="command",
            )
    elif not script.startswith("/") and has_image:
        raise InvalidInput(
            f"command: wanted the script's absolute path in the image, got {script!r}; `code: .` "
            "sends this folder, and the command runs in it",
            field="command",
        )
    elif not script.startswith("/"):
        raise InvalidInput(
            f"command: wanted the script's absolute path, got {script!r}; `elasticd job submit` "
            "makes it absolute, and `code` sends its folder",
            field="command",
        )


def _workload_spec(asked: JobDocument, name: str, now_s: float) -> JobSpec:
    workload = WORKLOADS.get(name)
    if workload is None:
        raise InvalidInput(no_such("workload", name, WORKLOADS), field="workload")
    if asked.command is not None:
        raise InvalidInput("wanted a command or a workload, got both", field="command")
    for field, why in _OF_COMMANDS.items():
        if getattr(asked, field) is not None:
            raise InvalidInput(f"{field}: {why}", field=field)
    is_fetched = asked.data is not None and is_location(asked.data)
    if (
        asked.data not in (None, _SKIMAGE)
        and not is_fetched
        and not str(asked.data).startswith("/")
    ):
        raise InvalidInput(
            f"data: wanted {_SKIMAGE}, s3://BUCKET/PREFIX or an absolute path, got {asked.data!r}",
            field="data",
        )
    options = _options(asked, workload)
    chosen = _chosen(options)
    precision = chosen.get("precision", AUTO)
    return _spec(
        asked,
        now_s,
        command=("-m", workload.module, *workload.command(options)),
        hyperparameters=chosen,
        data=_data(str(asked.data)) if is_fetched else None,
        global_batch=chosen.get("batch_size"),
        iterations=chosen.get("iterations"),
        phases=tuple(
            TrainingPhase(each.name, each.until_iteration) for each in workload.phases(options)
        ),
        supported=Mode.LIVE if workload.has_session else Mode.RESTART,
        precision=None if precision == AUTO else Precision(precision),
        batch=Batch.JOB,
    )


def _chosen(options: Any) -> dict[str, Any]:
    return {
        field: value for field, value in dataclasses.asdict(options).items() if value is not None
    }


def _options(asked: JobDocument, workload: Workload) -> Any:
    """The workload's options: its defaults, its preset's, and the document's.

    Some options are fields of a job too, and may stand in either place.
    """
    known = [field.name for field in dataclasses.fields(workload.options)]
    unknown = [name for name in asked.hyperparameters if name not in known]
    if unknown:
        raise _invalid(
            tuple((f"hyperparameters.{name}", no_such("option", name, known)) for name in unknown)
        )
    values: dict[str, object] = dict(asked.hyperparameters)
    for field, option, value in (
        ("iterations", "iterations", asked.iterations),
        ("global_batch", "batch_size", asked.global_batch),
        ("data", "data", asked.data),
        ("init", "init", asked.init),
        ("precision", "precision", asked.precision),
        ("checkpoint.interval", "checkpoint_interval", asked.checkpoint.interval),
    ):
        if value is not None and values.setdefault(option, value) != value:
            raise InvalidInput(
                f"{field} is {value!r} but hyperparameters.{option} is {values[option]!r}",
                field=field,
            )
    try:
        return workload.configure(values, preset=asked.preset)
    except InvalidInput as error:
        if error.field in (None, "preset"):
            at = error.field
        else:
            at = f"hyperparameters.{error.field}"
        raise InvalidInput(str(error), field=at) from error


def _spec(
    asked: JobDocument,
    now_s: float,
    *,
    command: tuple[str, ...],
    hyperparameters: Mapping[str, bool | int | float | str] | None = None,
    data: str | None = None,
    global_batch: int | None,
    iterations: int | None,
    phases: tuple[TrainingPhase, ...] = (TrainingPhase("main"),),
    supported: Mode | None,
    precision: Precision | None,
    batch: Batch | None,
) -> JobSpec:
    # fp16 needs a loss scale, which sessions do not have.
    if precision is Precision.FP16:
        supported = _without_session(asked.mode, supported)
    mode = choose_mode(
        command, wanted=None if asked.mode == AUTO else Mode(asked.mode), supported=supported
    )
    spec = JobSpec(
        name=asked.name,
        command=command,
        code=asked.code,
        env=dict(asked.env),
        workload=asked.workload,
        hyperparameters=dict(hyperparameters or {}),
        nodes_min=asked.nodes.min,
        nodes_max=asked.nodes.max,
        nproc_per_node=asked.nproc_per_node,
        global_batch=global_batch,
        iterations=iterations,
        objective=_objective(asked.objective, now_s),
        node_types=tuple(asked.node_types),
        capacity=asked.capacity,
        policy=asked.policy.name,
        fixed_node_type=asked.policy.node_type,
        phases=phases,
        mode=mode,
        # A shell script is started by a shell: there is nothing that could be forked for it.
        preload=asked.preload and is_python(command) is not False,
        most_samples=dict(asked.most_samples),
        precision=precision,
        max_restarts=asked.max_restarts,
        outputs=None if asked.outputs is None else tuple(asked.outputs),
        image=asked.image,
        requirements=tuple(asked.requirements),
        setup=tuple(asked.setup),
        data=data,
        # By name, too: a token that was not marked would stand in logs and pages for good.
        secrets=tuple(sorted({*asked.secrets, *filter(_SOUNDS_SECRET.search, asked.env)})),
        secret_parameters=dict(asked.secret_parameters),
        notify=_told(asked.notify),
        priority=asked.priority,
        max_duration_s=None if asked.max_duration is None else seconds_of(asked.max_duration),
        start=_start(asked.start, now_s),
        batch=Batch.JOB if mode is Mode.LIVE else batch,  # a session divides one batch
    )
    check_workers(spec)
    if spec.most_samples and spec.mode is not Mode.LIVE:
        raise InvalidInput(
            "most_samples: wanted mode live, where a batch is divided by what each worker can "
            f"take; got {spec.mode}",
            field="most_samples",
        )
    return spec


def _told(
    asked: Sequence[str] | Mapping[str, Sequence[str]] | None,
) -> dict[str, tuple[Topic, ...]] | None:
    """The topics of each recipient; none stand for all.

    >>> _told(["me"]), _told({"me": ["failed"]})
    ({'me': ()}, {'me': (<Topic.FAILED: 'failed'>,)})
    """
    if asked is None:
        return None
    if isinstance(asked, Mapping):
        return {name: tuple(map(Topic, topics)) for name, topics in asked.items()}
    return dict.fromkeys(asked, ())


def _without_session(mode: str, supported: Mode | None) -> Mode | None:
    """The best mode that a program supports in fp16: sessions have no loss scale."""
    if mode == Mode.LIVE:
        raise InvalidInput(
            "precision: wanted fp32 or bf16 in mode live, whose sessions have no loss scale; "
            "got fp16, which mode restart trains in",
            field="precision",
        )
    if supported is None:
        return None
    return Mode.RESTART


def _objective(asked: JobObjective, now_s: float) -> Objective:
    return Objective(
        maximize=asked.maximize,
        deadline_s=None if asked.deadline is None else instant_s(asked.deadline, now_s=now_s),
        budget_usd=asked.budget_usd,
        max_usd_per_hour=asked.max_usd_per_hour,
        value_of_time_usd_per_h=asked.value_of_time_usd_per_h,
        on_miss=asked.on_miss,
    )


def _start(asked: JobStart, now_s: float) -> StartCondition:
    not_before_s = None
    if asked.not_before is not None:
        not_before_s = instant_s(asked.not_before, now_s=now_s)
    return StartCondition(not_before_s, asked.hours, asked.when_usd_per_h_below)


def _check_policy(asked: JobDocument) -> None:
    policy = asked.policy
    if policy.name not in POLICIES:
        raise InvalidInput(no_such("policy", policy.name, POLICIES), field="policy.name")
    if policy.name == "fixed" and policy.node_type is None:
        raise InvalidInput(
            "policy fixed: wanted the node_type to stay on, got none", field="policy.node_type"
        )
    if policy.name != "fixed" and policy.node_type is not None:
        raise InvalidInput(
            f"policy {policy.name} chooses the node type itself: take it out",
            field="policy.node_type",
        )


def _elsewhere(name: str) -> str | None:
    """Where to write an unknown field instead, if another part has it; None if none has."""
    places = [(*path, name) for path, part in _PARTS.items() if name in part.model_fields]
    if not places:
        return None
    return f"no field {name!r} here; did you mean {' or '.join(map('.'.join, places))}?"


def _no_option(field: str) -> str | None:
    """What to write instead, if an unknown field is an option of a workload; None if not."""
    for name, workload in WORKLOADS.items():
        if field in (each.name for each in dataclasses.fields(workload.options)):
            return (
                f"no field {field!r}; it is an option of the workload {name}: write it below "
                "hyperparameters"
            )
    return None


def _invalid(faults: tuple[tuple[str, str], ...]) -> InvalidInput:
    field, message = faults[0]
    more = ""
    if len(faults) > 1:
        more = f" (and {len(faults) - 1} more)"
    # One sentence for people, and all faults for programs, which mark each field of a form.
    return InvalidInput(f"{field}: {message}{more}", field=field, faults=faults)


def _fault(error: ErrorDetails) -> tuple[str, str]:
    """One fault, as the field's path and a sentence."""
    path = tuple(str(part) for part in error["loc"])
    field = ".".join(path)[:128] or "document"
    match error["type"]:
        case "extra_forbidden":
            said = _EARLIER.get(field) or _elsewhere(path[-1]) or _no_option(field)
            return field, said or no_such("field", path[-1], _PARTS[path[:-1]].model_fields)
    wanted = ""
    match error["type"]:
        case "string_pattern_mismatch":
            wanted = WORDS_OF_PATTERNS[error["ctx"]["pattern"]]
        case "list_type" if path == ("command",):
            wanted = "wanted a line, or a list of its words"
        case "model_type":
            wanted = f"wanted a map of its fields ({', '.join(_PARTS[path].model_fields)})"
    # An environment may hold secrets.
    return field, in_words(error, wanted=wanted, is_secret=path[:1] == ("env",))
