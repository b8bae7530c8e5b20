"""VGG19's first layers, through which the content loss compares images (arXiv:1409.1556)."""

from __future__ import annotations

import hashlib
import os
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic

import torch
from torch import Tensor, nn
from torch.hub import get_dir

from elastic.durations import CONNECT_TIMEOUT_S
from elastic.figures import duration
from elastic.worker.torchvision_import import help_torchvision
from elastic.workloads.esrgan.options import EsrganOptions
from elastic.workloads.group import ProcessGroup

# Configuration E of arXiv:1409.1556, table 1: the channels of each stage, and how many convolutions
# it has before its pooling.
_STAGES = ((64, 2), (128, 2), (256, 4), (512, 4), (512, 4))
_FILE = "vgg19-dcbb9e9d.pth"
# torch hub's rule: a published file's name ends in the first digits of its digest.
_SHA256_PREFIX = "dcbb9e9d"
# The file has 575 MB: 90 s at 50 Mbit/s. The other ranks wait meanwhile.
_DOWNLOAD_TIMEOUT_S = 90.0
# ImageNet's, which the published weights expect
_MEAN = (0.485, 0.456, 0.406)
_STD = (0.229, 0.224, 0.225)


class Features(nn.Module):
    """VGG19's first layers with frozen weights, `(batch, 1 or 3, h, w)` in [0, 1] to feature maps.

    Built here rather than by torchvision, whose import costs 3.5 CPU-seconds. Names and shapes are
    torchvision's, so its published weights fit.
    """

    def __init__(self, layer_count: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inputs = 3
        for outputs, convolutions in _STAGES:
            for _ in range(convolutions):
                layers += [
                    nn.Conv2d(inputs, outputs, kernel_size=3, padding=1),
                    nn.ReLU(inplace=True),
                ]
                inputs = outputs
            layers.append(nn.MaxPool2d(2))
        self.layers = nn.Sequential(*layers[:layer_count])
        self.register_buffer("mean", torch.tensor(_MEAN).view(1, 3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(_STD).view(1, 3, 1, 1), persistent=False)
        self.requires_grad_(False)

    def forward(self, image: Tensor) -> Tensor:
        mean = self.get_buffer("mean")
        std = self.get_buffer("std")
        maps: Tensor = self.layers((image.expand(-1, 3, -1, -1) - mean) / std)
        return maps


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


def random_features(layer_count: int, *, seed: int) -> Features:
    """Returns features with weights drawn from `seed` (He's initialisation, arXiv:1502.01852).

    They are the same on every rank.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        features = Features(layer_count)
        for layer in features.layers:
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
                assert layer.bias is not None
                nn.init.zeros_(layer.bias)
    return features


def pretrained_weights(
    layer_count: int, *, kept: Path, may_download: bool
) -> dict[str, Tensor] | None:
    """Returns the first layers' published weights; None if not kept, cached or reachable.

    `kept` is the job's own copy of just these layers, written when they are first found: no later
    rank or node downloads them.
    """
    if kept.exists():
        return _load(kept)
    cached = Path(get_dir()) / "checkpoints" / _FILE
    if not cached.exists() and not (may_download and _download(cached)):
        return None
    wanted = Features(layer_count).layers.state_dict().keys()
    published = _load(cached)
    weights = {name: published[f"features.{name}"].clone() for name in wanted}
    _keep(weights, kept)
    return weights


def is_offline(environment: Mapping[str, str] = os.environ) -> bool:
    """Says whether the user has forbidden downloads."""
    return environment.get("ELASTICD_OFFLINE", "") not in ("", "0")


def _load(path: Path) -> dict[str, Tensor]:
    loaded: dict[str, Tensor] = torch.load(path, weights_only=True, map_location="cpu")
    return loaded


def _keep(weights: dict[str, Tensor], path: Path) -> None:
    # Another rank may read the file meanwhile.
    partial = path.with_suffix(".partial")
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(weights, partial)
    partial.replace(path)


def _download(target: Path) -> bool:
    """Downloads torchvision's published weights within a fixed time; False if it fails."""
    help_torchvision()
    from torchvision.models import VGG19_Weights  # it takes 3.5 s, needed only for a download

    url = str(VGG19_Weights.IMAGENET1K_V1.url)
    partial = target.with_suffix(f".{os.getpid()}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not _fetch(url, partial).startswith(_SHA256_PREFIX):
            return False
        partial.replace(target)
    except OSError:  # urllib's errors and every time-out are OSErrors
        return False
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    return True


def _fetch(url: str, target: Path) -> str:
    """Downloads `url` to a file, and returns its SHA-256; raises TimeoutError if it is slow."""
    digest = hashlib.sha256()
    deadline_s = monotonic() + _DOWNLOAD_TIMEOUT_S
    with (
        urllib.request.urlopen(url, timeout=CONNECT_TIMEOUT_S) as response,
        target.open("wb") as file,
    ):
        while block := response.read(1 << 20):
            digest.update(block)
            file.write(block)
            if monotonic() > deadline_s:
                raise TimeoutError(f"{url}: not there after {duration(_DOWNLOAD_TIMEOUT_S)}")
    return digest.hexdigest()
