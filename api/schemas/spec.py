"""A job's spec and state on the wire, as the domain holds them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import Field, FiniteFloat, model_validator

from api.schemas.wire import Wire
from elastic import model


class ObjectiveIn(Wire):
    """What to maximise, within which limits; null is no limit, `deadline_s` an instant."""

    maximize: model.Goal
    deadline_s: FiniteFloat | None
    budget_usd: FiniteFloat | None
    max_usd_per_hour: FiniteFloat | None
    value_of_time_usd_per_h: FiniteFloat | None
    on_miss: model.OnMiss


class StartIn(Wire):
    """What must hold before machines are bought for a job that has none; null is no condition."""

    not_before_s: FiniteFloat | None
    hours: str | None
    usd_per_h_below: FiniteFloat | None


class TrainingPhaseIn(Wire):
    """A part of a job in which all iterations cost about the same."""

    name: str
    until_iteration: int | None


class JobSpecIn(Wire):
    """What was asked for, checked and completed; `command` is what follows torchrun's options."""

    name: str
    command: list[str]
    code: str | None
    env: dict[str, str]
    workload: str | None
    hyperparameters: dict[str, bool | int | FiniteFloat | str]
    nodes_min: int
    nodes_max: int
    nodes_wanted: int | None
    nproc_per_node: model.NprocPerNode
    global_batch: int | None
    iterations: int | None
    objective: ObjectiveIn
    node_types: list[str]
    capacity: model.CapacityChoice
    policy: str
    fixed_node_type: str | None
    phases: list[TrainingPhaseIn]
    drain_grace_s: FiniteFloat
    mode: model.Mode
    preload: bool
    most_samples: dict[str, int]
    precision: model.Precision | None
    max_restarts: int | None
    outputs: list[str] | None
    batch: model.Batch | None
    image: str | None
    requirements: list[str]
    setup: list[str]
    data: str | None
    secrets: list[str]
    secret_parameters: dict[str, str]
    notify: dict[str, list[model.Topic]] | None
    priority: int
    max_duration_s: FiniteFloat | None
    start: StartIn

    @model_validator(mode="before")
    @classmethod
    def _keeps_secrets(cls, spec: Any) -> Any:
        if isinstance(spec, model.JobSpec):
            return replace(spec, env=spec.shown_env)
        return spec


class JobState(Wire):
    """A job as a snapshot holds it."""

    id: str
    spec: JobSpecIn
    phase: model.JobPhase
    submitted_at_s: FiniteFloat
    version: int
    iteration: int
    training_phase: str | None
    finished_at_s: FiniteFloat | None
    ending: model.JobPhase | None
    message: str | None
    redone: int
    kept_iteration: int | None
    restarts_at_zero: bool
    stops_when_asked: bool | None
    batch: model.Batch | None
    error: model.ScriptError | None = Field(
        None, description="Why its program failed last; null once it has got beyond that."
    )
