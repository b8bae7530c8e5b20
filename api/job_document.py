"""The document that describes a job: its fields, their limits and their meaning."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from elastic import model
from elastic.archive import SUM_PATTERN
from elastic.calendar import hours_of
from elastic.config import RECIPIENT_PATTERN
from elastic.errors import InvalidInput
from elastic.model import Batch, CapacityChoice, Goal, Mode, OnMiss, PerNode, Precision, Topic

NAME_PATTERN = r"^[a-z0-9]([a-z0-9-]{0,62})$"
# As `elastic.store` draws ids.
_ID_PATTERN = r"job-[0-9a-f]{8}"
_TYPE_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$"
_GLOB_PATTERN = r"^[^/]"
# As engines read it: a registry's address, a name, a tag, a digest. With another one a node would
# be paid for until its engine has refused it.
_IMAGE_PATTERN = (
    r"^([A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]+)?/)?"
    r"[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"
    r"(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@[a-z0-9]+:[0-9a-f]{32,})?$"
)
_VARIABLE_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*$"
_PARAMETER_PATTERN = r"^[A-Za-z0-9_.:/-]+$"
# What to tell people whose text does not match a pattern.
WORDS_OF_PATTERNS: Mapping[str, str] = {
    NAME_PATTERN: "wanted lower-case letters, digits and hyphens, at most 63 and no hyphen first",
    _TYPE_PATTERN: "wanted a node type: letters, digits, dots, underscores and hyphens, at most 63",
    _GLOB_PATTERN: "wanted a pattern within the working folder, so without / first",
    _IMAGE_PATTERN: "wanted an image such as ghcr.io/team/train:7, its name in lower-case letters",
    _VARIABLE_PATTERN: "wanted letters, digits and underscores, no digit first",
    _PARAMETER_PATTERN: "wanted the name of an SSM parameter, such as /train/key",
    RECIPIENT_PATTERN: "wanted a name of notify.to: lower-case letters, digits, - and _",
    SUM_PATTERN: "a folder is sent by `elasticd job submit` in a shell; here wanted the SHA-256 of "
    "code that is stored, or no code",
}
_DURATION = re.compile(r"(?:(\d{1,4})d)?(?:(\d{1,6})h)?(?:(\d{1,8})m)?(?:(\d{1,10})s)?")
# Seconds of a day, an hour, a minute and a second, as in `_DURATION`.
_UNIT_S = (86_400, 3_600, 60, 1)
_MOST_WORKERS = 64

Text = Annotated[str, Field(max_length=4096)]
Glob = Annotated[Text, Field(pattern=_GLOB_PATTERN)]
Image = Annotated[str, Field(pattern=_IMAGE_PATTERN, max_length=512)]
Recipient = Annotated[str, Field(pattern=RECIPIENT_PATTERN)]
Usd = Annotated[FiniteFloat, Field(gt=0, le=1e9)]
Count = Annotated[int, Field(ge=1, le=10**9)]
AUTO = "auto"


def as_text(value: Any) -> Any:
    """A YAML number or flag as the text that environments and commands hold."""
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case _:
            return value


def _is_option(value: Any) -> Any:
    if not isinstance(value, bool | int | float | str):
        raise ValueError("wanted a number, a text, true or false")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("wanted a finite number")
    return value


def _as_workers(value: Any) -> Any:
    """The workers of a node, by number, by GPU, or by node type."""
    # A union of types would report one error for each kind that the value might have been.
    match value:
        case bool():
            pass
        case int() if 1 <= value <= _MOST_WORKERS:
            return value
        case str() if value in list(PerNode):
            return PerNode(value)
        case dict() if len(value) <= 256 and all(
            re.fullmatch(_TYPE_PATTERN, str(name)) for name in value
        ):
            return {name: _as_workers(each) for name, each in value.items()}
    raise ValueError(
        f"wanted auto, gpu, a number from 1 to {_MOST_WORKERS}, or a map from node types to these; "
        f"got {value!r:.60}"
    )


def seconds_of(text: str) -> float:
    """The seconds of a duration such as `1d12h`. Raises ValueError.

    >>> seconds_of("1h30m")
    5400.0
    """
    found = _duration_s(text)
    if not found:
        raise ValueError(f"wanted a time such as 8h or 1d12h, got {text[:64]!r}")
    return found


def _duration_s(text: str) -> float | None:
    """The seconds of a duration; None if the text is none."""
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        return None
    counts = zip(found.groups(), _UNIT_S, strict=True)
    return float(sum(int(count or 0) * unit_s for count, unit_s in counts))


def _one_of(known: Iterable[str], value: str) -> str:
    if value not in (names := list(known)):
        raise ValueError(f"wanted one of {', '.join(names)}, got {value[:64]!r}")
    return value


def _is_duration(text: str) -> str:
    seconds_of(text)
    return text


def _is_no_id(name: str) -> str:
    """Refuses a name that could be the id of another job, which commands take too."""
    if re.fullmatch(_ID_PATTERN, name):
        raise ValueError(
            f"wanted a name that no job's id can be, got {name!r}: leave out `job-`, or add a word"
        )
    return name


Name = Annotated[str, Field(pattern=NAME_PATTERN), AfterValidator(_is_no_id)]
NprocPerNode = Annotated[model.NprocPerNode, BeforeValidator(_as_workers)]
OptionName = Annotated[str, Field(max_length=64)]
Option = Annotated[bool | int | float | str, BeforeValidator(_is_option)]
Variable = Annotated[str, Field(pattern=_VARIABLE_PATTERN, max_length=128)]
ParameterName = Annotated[str, Field(pattern=_PARAMETER_PATTERN, max_length=2048)]
Command = Annotated[
    list[Text],
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string", "maxLength": 4096}},
            ]
        }
    ),
]
EnvironmentText = Annotated[Text, BeforeValidator(as_text)]
Duration = Annotated[str, AfterValidator(_is_duration)]
ModeName = Annotated[str, AfterValidator(partial(_one_of, (AUTO, *Mode)))]
PrecisionName = Annotated[str, AfterValidator(partial(_one_of, (AUTO, *Precision)))]
BatchName = Annotated[str, AfterValidator(partial(_one_of, tuple(Batch)))]


class _Part(BaseModel):
    # Strict: YAML's types are meant, and "4" for a number is more likely a mistake. Unknown fields
    # are refused, since a typing error in `deadline` would let a job run without one.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class JobNodes(_Part):
    """How many nodes may train together."""

    min: int = Field(1, ge=1, le=1024, description="Fewest nodes that may train.")
    max: int = Field(
        1, ge=1, le=1024, description="Most nodes that may train; `min` if that is more."
    )

    @model_validator(mode="before")
    @classmethod
    def _max_follows_min(cls, given: Any) -> Any:
        if isinstance(given, dict) and "min" in given and "max" not in given:
            # Before the fields are checked: the default of 1 would make every larger minimum a
            # contradiction.
            return {**given, "max": given["min"]}
        return given

    @model_validator(mode="after")
    def _min_is_at_most_max(self) -> JobNodes:
        if self.min > self.max:
            raise ValueError(f"wanted min <= max, got min {self.min} and max {self.max}")
        return self


class JobObjective(_Part):
    """What to maximise, within which limits."""

    maximize: Goal = Field(
        Goal.ITERATIONS_PER_DOLLAR, strict=False, description="What the money should buy."
    )
    deadline: str | None = Field(
        None,
        max_length=64,
        description="When to be done: ISO 8601 with a zone, or a time from now such as `6h`, "
        "`1d12h`.",
    )
    budget_usd: Usd | None = Field(None, description="Most that the whole job may cost, in USD.")
    max_usd_per_hour: Usd | None = Field(
        None, description="Most that its nodes together may cost, in USD per hour."
    )
    value_of_time_usd_per_h: FiniteFloat | None = Field(
        None, ge=0, le=1e9, description="What being done an hour sooner is worth, in USD."
    )
    on_miss: OnMiss = Field(
        OnMiss.FASTEST,
        strict=False,
        description="What to do once the deadline or the budget is certain to be missed: `stop` in "
        "good order, go on where an iteration costs least (`cheapest`), or as fast as the limits "
        "allow (`fastest`).",
    )

    @field_validator("deadline")
    @classmethod
    def _deadline_is_ahead(cls, deadline: str | None, info: ValidationInfo) -> str | None:
        # The instant is given, so that one request has one now, and a test another.
        now_s: float = (info.context or {})["now_s"]
        if deadline is not None and instant_s(deadline, now_s=now_s) <= now_s:
            raise ValueError(f"wanted a deadline that is still to come, got {deadline!r}")
        return deadline


class JobPolicy(_Part):
    """How the group of nodes is chosen."""

    name: str = Field(
        "best_value",
        max_length=64,
        description="`best_value`, or `fixed` to stay on one node type.",
    )
    node_type: str | None = Field(
        None, pattern=_TYPE_PATTERN, description="The node type of policy `fixed`."
    )


class JobCheckpoint(_Part):
    """How often the job's state is made durable."""

    interval: Count | None = Field(None, description="Iterations between checkpoints.")


class JobStart(_Part):
    """What must hold before machines are bought for a job that has none."""

    not_before: str | None = Field(
        None,
        max_length=64,
        description="No machine before this: ISO 8601 with a zone, or a time from now such as "
        "`6h`.",
    )
    hours: str | None = Field(
        None,
        max_length=96,
        description="Only within these hours of each day, with their zone: `20:00-07:00 "
        "Europe/Madrid`.",
    )
    when_usd_per_h_below: Usd | None = Field(
        None, description="Only while what it begins on costs less than that, in USD per hour."
    )

    @field_validator("not_before")
    @classmethod
    def _is_an_instant(cls, not_before: str | None, info: ValidationInfo) -> str | None:
        if not_before is not None:
            instant_s(not_before, now_s=(info.context or {})["now_s"])
        return not_before

    @field_validator("hours")
    @classmethod
    def _are_hours(cls, hours: str | None) -> str | None:
        if hours is not None:
            try:
                hours_of(hours)
            except InvalidInput as error:
                raise ValueError(str(error)) from error
        return hours


class JobDocument(_Part):
    """A job as its author describes it: a `command`, or a `workload` that is part of elasticd."""

    name: Name = Field(
        description="What people call the job: lower-case letters, digits and hyphens; not as ids "
        "are, such as `job-9cc9ccc8`."
    )
    command: Command | None = Field(
        None,
        min_length=1,
        max_length=1024,
        description="What starts the training, as a line or a list: `torchrun --nproc_per_node 4 "
        "train.py`, `python train.py`, `bash run.sh`, or the script itself. Its path is absolute, "
        "or within `code`.",
    )
    code: str | None = Field(
        None,
        pattern=SUM_PATTERN,
        description="The SHA-256 of the zip of the folder to run in, put to `/v1/code/{sha256}` "
        "before.",
    )
    workload: str | None = Field(
        None, max_length=64, description="A training program that elasticd brings: `esrgan`."
    )
    preset: str | None = Field(
        None, max_length=64, description="A named set of the workload's hyperparameters."
    )
    hyperparameters: dict[OptionName, Option] = Field(
        default_factory=dict, max_length=256, description="The workload's options, by name."
    )
    env: dict[Variable, EnvironmentText] = Field(
        default_factory=dict, max_length=256, description="Environment of the workers."
    )
    nodes: JobNodes = JobNodes(min=1, max=1)
    nproc_per_node: NprocPerNode = Field(
        PerNode.AUTO,
        description="Workers on each node: `auto`, one a GPU, or one where there is none; `gpu`, "
        "one a GPU and none elsewhere; a number; or a map from node types to these.",
    )
    global_batch: int | None = Field(
        None,
        ge=1,
        le=10**6,
        description="Samples an iteration, over all workers together; fixed for the job.",
    )
    batch: BatchName | None = Field(
        None,
        description="What an iteration of a command is: `worker`, one worker's batch, so that a "
        "step of 4 workers counts 4; or `job`, one step of all workers together.",
    )
    iterations: Count | None = Field(
        None, description="Paramount iterations in all; absent: until the script ends."
    )
    objective: JobObjective = JobObjective()
    priority: int = Field(
        0,
        ge=-1000,
        le=1000,
        description="Where the purse of all jobs is short, higher ones come first.",
    )
    max_duration: Duration | None = Field(
        None,
        max_length=64,
        description="How long it may take from its first machine on, such as `8h`: then it stops.",
    )
    start: JobStart = JobStart()
    node_types: list[Annotated[str, Field(pattern=_TYPE_PATTERN)]] = Field(
        default_factory=list,
        max_length=256,
        description="The node types to choose from; empty: all there are.",
    )
    capacity: CapacityChoice = Field(
        CapacityChoice.ANY, strict=False, description="How nodes may be bought."
    )
    policy: JobPolicy = JobPolicy()
    mode: ModeName = Field(
        AUTO,
        description="What a change of the group does to the workers: `restart`, `live` in a "
        "session, or `auto`, the best that the script supports.",
    )
    preload: bool = Field(
        True,
        description="Whether workers are forked from a process with torch loaded, where the "
        "program is Python.",
    )
    most_samples: dict[Annotated[str, Field(pattern=_TYPE_PATTERN)], Count] = Field(
        default_factory=dict,
        max_length=256,
        description="Most samples of a batch that fit one worker's memory, by node type; only in "
        "mode live.",
    )
    max_restarts: int | None = Field(
        None,
        ge=0,
        le=100,
        description="How often crashed workers are started again without progress; the daemon's "
        "own number if null.",
    )
    precision: PrecisionName | None = Field(
        None,
        description="What all workers compute in: fp32, bf16, fp16, or of a workload auto, the "
        "best value.",
    )
    outputs: list[Glob] | None = Field(
        None,
        max_length=256,
        description="Globs of the files in the working folder that are uploaded; absent: every new "
        "or changed one, 5 GiB at most; an empty list: none.",
    )
    init: Text | None = Field(
        None,
        min_length=1,
        description="Weights (safetensors) that a workload begins with: an absolute path, or one "
        "within `data`.",
    )
    data: Text | None = Field(
        None,
        min_length=1,
        description="`s3://bucket/prefix`, fetched to every node, or an absolute path there; a "
        "command's workers find it in ELASTICD_DATA_DIR. Of a workload also `skimage`.",
    )
    checkpoint: JobCheckpoint = JobCheckpoint()
    image: Image | None = Field(
        None,
        description="The container image that workers run in on every node, such as "
        "`pytorch/pytorch:2.13.0`: it brings Python and torch. Absent: the node's own.",
    )
    requirements: list[Text] = Field(
        default_factory=list,
        max_length=1024,
        description="What pip installs on each node, beside the node's torch, before workers "
        "begin: lines of a requirements file. `elasticd job submit` reads them from the file that "
        "is named instead.",
    )
    setup: list[Text] = Field(
        default_factory=list,
        max_length=64,
        description="Lines that a shell runs on each node, once, in the working folder, before "
        "workers begin.",
    )
    secrets: list[Variable] = Field(
        default_factory=list,
        max_length=256,
        description="Variables of `env` whose values are never shown.",
    )
    secret_parameters: dict[Variable, ParameterName] = Field(
        default_factory=dict,
        max_length=64,
        description="More variables that are never shown, with the SSM parameters that nodes read "
        "them from.",
    )
    notify: list[Recipient] | dict[Recipient, list[str]] | None = Field(
        None,
        description="Recipients of messages about this job: names of the setting `notify.to`. In a "
        "map each has a list of topics; an empty one means all. Absent: the daemon's default. An "
        "empty list: no messages.",
    )

    @field_validator("env", mode="before")
    @classmethod
    def _env_is_a_map(cls, env: Any) -> Any:
        if isinstance(env, list):
            raise ValueError(
                "wanted a map; names alone are taken from the shell by `elasticd job submit`"
            )
        return env

    @field_validator("requirements", mode="before")
    @classmethod
    def _requirements_are_lines(cls, requirements: Any) -> Any:
        if isinstance(requirements, str):
            raise ValueError("wanted a list of pip's lines; `elasticd job submit` reads a file")
        return requirements

    @model_validator(mode="after")
    def _secrets_are_variables(self) -> JobDocument:
        if unknown := sorted(set(self.secrets) - set(self.env)):
            raise ValueError(f"secrets: wanted names of variables in env, got {', '.join(unknown)}")
        if both := sorted(set(self.secret_parameters) & set(self.env)):
            raise ValueError(
                f"secrets: wanted each variable once, got {', '.join(both)} in env too"
            )
        return self

    @field_validator("notify")
    @classmethod
    def _topics_are_known(
        cls, notify: list[str] | dict[str, list[str]] | None
    ) -> list[str] | dict[str, list[str]] | None:
        if isinstance(notify, dict):
            for topics in notify.values():
                for each in topics:
                    _one_of(Topic, each)
        return notify

    @field_validator("env")
    @classmethod
    def _env_is_not_ours(cls, env: dict[str, str]) -> dict[str, str]:
        if taken := sorted(name for name in env if name.startswith("ELASTICD_")):
            raise ValueError(
                "wanted no name that begins with ELASTICD_, which are elasticd's own; got "
                f"{', '.join(taken)}"
            )
        return env


def instant_s(text: str, *, now_s: float) -> float:
    """The instant that a deadline means, in Unix seconds. Raises ValueError.

    >>> instant_s("1h30m", now_s=100.0)
    5500.0
    >>> instant_s("1970-01-01T01:00:00+00:00", now_s=0.0)
    3600.0
    """
    from_now_s = _duration_s(text)
    if from_now_s is not None:
        return now_s + from_now_s
    try:
        instant = datetime.fromisoformat(text.strip())
        # Without a zone the daemon would have to guess whose clock is meant.
        if instant.tzinfo is not None:
            return instant.astimezone(UTC).timestamp()
    # In UTC it may be before the year 1, or after 9999.
    except (ValueError, OverflowError) as error:
        raise ValueError(
            "wanted a time from now such as 6h or 1d12h, or ISO 8601 such as 2031-05-01T12:00:00Z, "
            f"got {text[:64]!r}"
        ) from error
    raise ValueError(
        f"wanted an instant with its zone, such as {instant.isoformat()}Z, got {text[:64]!r}"
    )
