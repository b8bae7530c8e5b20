"""How far a job is, and how that is stored and sent to every rank."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from elastic.workloads.checkpoint import Checkpoints
from elastic.workloads.esrgan.networks import AVERAGE, LOSS_SCALE, Networks
from elastic.workloads.esrgan.options import EsrganOptions
from elastic.workloads.group import ProcessGroup

# Options that may change between two runs of a job without changing what an iteration does.
_FREE_TO_CHANGE = frozenset(
    [
        "epoch",
        "n_epochs",
        "init",  # a checkpoint holds its result
        "cuda",
        "local_rank",
        "most_unreadable",
        "iterations",
        "n_cpu",
        "sample_interval",
        "checkpoint_interval",
        "log_interval",
        "data",
        "dataset_name",
        "precision",  # a job keeps to one by its spec; its checkpoints are float32 in all of them
        "held_out_crops",
        "held_out_size",
        "collective_timeout_s",
        "features",
    ]
)


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How far a job is."""

    iteration: int = 0
    samples_seen: int = 0
    # PSNR on Y before the first turn.
    start_psnr_y_db: float | None = None
    # Whether the content loss uses pretrained features; None if not settled yet.
    is_pretrained: bool | None = None


def options_digest(options: EsrganOptions) -> str:
    """Returns a digest over the options that a checkpoint's weights depend on."""
    fixed = {
        name: value
        for name, value in dataclasses.asdict(options).items()
        if name not in _FREE_TO_CHANGE
    }
    return hashlib.sha256(json.dumps(fixed, sort_keys=True).encode()).hexdigest()


def state_of(networks: Networks, progress: TrainingProgress, *, lr: float) -> dict[str, Any]:
    """Returns everything that training changes; its tensors are the live ones."""
    return {
        **networks.state(),
        "progress": dataclasses.asdict(progress),
        "learning_rate": lr,
        "rng": torch.get_rng_state(),
    }


def resume(
    checkpoints: Checkpoints,
    networks: Networks,
    group: ProcessGroup,
    *,
    say: Callable[[str], None],
    begin: Callable[[], None] = lambda: None,
) -> TrainingProgress:
    """Gives every rank the newest usable checkpoint's state, or the start, changed by `begin`.

    Only rank 0 reads files.
    """
    progress = TrainingProgress()
    if group.is_first:
        found = _load(checkpoints, networks, say)
        if found is None:
            begin()
        progress = found or progress
    packed = _pack(progress).to(group.device)
    group.broadcast([packed, *networks.tensors()])
    return _unpack(packed)


def _load(
    checkpoints: Checkpoints, networks: Networks, say: Callable[[str], None]
) -> TrainingProgress | None:
    found = checkpoints.newest()
    if found is None:
        return None
    iteration, state, refused = found
    for refusal in refused:
        say(f"refused {refusal}; going back to iteration {iteration}")
    state.setdefault(AVERAGE, state["generator"])  # a checkpoint from before there was an average
    for part, tensors in networks.state().items():
        if part == LOSS_SCALE and part not in state:
            continue  # it was trained in another format so far
        _copy_into(tensors, state[part])
    torch.set_rng_state(state["rng"])
    return TrainingProgress(**state["progress"])


@torch.no_grad()
def _copy_into(live: list[Tensor], kept: list[Any]) -> None:
    for target, source in zip(live, kept, strict=True):
        target.copy_(source)


def _pack(progress: TrainingProgress) -> Tensor:
    """Returns progress as numbers, for a collective without pickling; NaN stands for None."""
    values = (getattr(progress, field.name) for field in dataclasses.fields(progress))
    return torch.tensor(
        [float("nan") if value is None else float(value) for value in values], dtype=torch.float64
    )


def _unpack(packed: Tensor) -> TrainingProgress:
    iteration, samples_seen, psnr, pretrained = (
        None if value != value else value for value in packed.tolist()
    )
    return TrainingProgress(
        int(iteration or 0),
        int(samples_seen or 0),
        psnr,
        bool(pretrained) if pretrained is not None else None,
    )
