"""Chooses the features of the content loss once for all ranks, and for the whole job."""

from __future__ import annotations

from pathlib import Path

import torch

from elastic.workloads.esrgan.features import (
    Features,
    is_offline,
    pretrained_weights,
    random_features,
)
from elastic.workloads.esrgan.options import EsrganOptions
from elastic.workloads.group import ProcessGroup


def choose_features(
    options: EsrganOptions,
    group: ProcessGroup,
    *,
    kept: Path,
    settled: bool | None,
    dtype: torch.dtype,
) -> tuple[Features, bool]:
    """Returns the features, and whether they are pretrained.

    Only rank 0 looks for weights, and sends them to the others. The choice of an earlier generation
    (`settled`) holds: another loss would be another training.
    """
    features = random_features(options.feature_layers, seed=options.seed)
    weights = None
    if group.is_first and options.features != "random" and settled is not False:
        may_download = options.features == "auto" and not is_offline()
        weights = pretrained_weights(options.feature_layers, kept=kept, may_download=may_download)
    if group.is_first and settled and weights is None:
        raise FileNotFoundError(
            f"{kept}: wanted the VGG19 weights this job began with, found none here or in torch's "
            "cache; put them back"
        )
    if weights is not None:
        features.layers.load_state_dict(weights)
    is_pretrained = torch.tensor([float(weights is not None)], device=group.device)
    features.to(group.device)
    group.broadcast([is_pretrained, *features.layers.state_dict().values()])
    # Frozen weights are cast once; autocast would cast them again in every forward pass.
    features.to(dtype=dtype, memory_format=torch.channels_last)  # type: ignore[call-overload]
    return features, bool(is_pretrained.item())
