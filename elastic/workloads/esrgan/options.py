"""All options of an ESRGAN job, checked before any money is spent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from elastic.errors import InvalidInput
from elastic.workloads.image_folder import BUNDLED
from elastic.workloads.options import OptionValue, check_options, option
from elastic.workloads.workload import Phase

WARMUP = "warmup"
GAN = "gan"

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class EsrganOptions:
    """Options of an ESRGAN job.

    The first block has the names and defaults of the reference (eriklindernoren/PyTorch-GAN).
    `batch_size` is the job's global batch: it is divided over all ranks. Intervals count
    iterations.
    """

    epoch: int = option(
        0,
        "epoch to go on from: a checkpoint at least that far must exist",
        minimum=0,
        maximum=10**6,
    )
    n_epochs: int = option(200, "epochs to train", minimum=1, maximum=10**6)
    dataset_name: str | None = option(None, "name of a folder inside the folder `data`")
    batch_size: int = option(
        4, "samples an iteration, over all ranks together", minimum=1, maximum=65536
    )
    lr: float = option(2e-4, "Adam's learning rate", minimum=1e-12, maximum=1.0)
    b1: float = option(0.9, "Adam's decay of the first moment", minimum=0.0, maximum=0.999999)
    b2: float = option(0.999, "Adam's decay of the second moment", minimum=0.0, maximum=0.99999999)
    decay_epoch: int = option(
        100,
        "epoch from which the learning rate falls linearly to 0 (n_epochs or later: never)",
        minimum=0,
        maximum=10**6,
    )
    n_cpu: int = option(8, "threads that prepare samples ahead (0: none)", minimum=0, maximum=256)
    hr_height: int = option(
        256, "height of a training crop", minimum=16, maximum=4096, multiple_of=4
    )
    hr_width: int = option(256, "width of a training crop", minimum=16, maximum=4096, multiple_of=4)
    channels: int = option(3, "3 for colour, 1 for grey", choices=(1, 3))
    sample_interval: int = option(100, "iterations between sample images", minimum=1, maximum=10**9)
    checkpoint_interval: int = option(
        5000, "iterations between checkpoints", minimum=1, maximum=10**9
    )
    residual_blocks: int = option(23, "residual-in-residual dense blocks", minimum=1, maximum=64)
    warmup_batches: int = option(
        500, "iterations with the pixel loss alone", minimum=0, maximum=10**9
    )
    lambda_adv: float = option(5e-3, "weight of the adversarial loss", minimum=0.0, maximum=1e6)
    lambda_pixel: float = option(
        1e-2, "weight of the pixel loss in the GAN phase", minimum=0.0, maximum=1e6
    )

    data: str = option(
        "skimage", "a folder of images, or skimage for the photographs that scikit-image brings"
    )
    init: str | None = option(
        None,
        "weights (safetensors) that the generator begins with; a relative path counts from `data`",
    )
    most_unreadable: int = option(
        10,
        "images that may be unreadable, and are left out; more are an error",
        minimum=0,
        maximum=10**9,
    )
    seed: int = option(
        0, "seed of the weights and of the order of samples", minimum=0, maximum=2**31 - 1
    )
    precision: str = option(
        "auto",
        "auto: bf16 where the hardware computes in it; elasticd chooses one for the whole job",
        choices=("auto", "fp32", "bf16", "fp16"),
    )
    iterations: int | None = option(
        None, "total iterations; replaces n_epochs", minimum=1, maximum=10**9
    )
    filters: int = option(64, "channels of the generator", minimum=4, maximum=512)
    discriminator_filters: int = option(
        64, "channels of the discriminator's first block", minimum=8, maximum=512, multiple_of=8
    )
    skip: str = option(
        "none",
        "upsampled input that the generator's output is added to",
        choices=("none", "bicubic", "nearest"),
    )
    features: str = option(
        "auto",
        "VGG19 weights. auto: pretrained if cached or reachable; cached: never downloads; random: "
        "seeded",
        choices=("auto", "cached", "random"),
    )
    feature_layers: int = option(
        35, "how many of VGG19's layers the content loss looks through", minimum=1, maximum=36
    )
    held_out_crops: int = option(4, "crops kept for judging", minimum=1, maximum=64)
    held_out_size: int = option(
        128, "height and width of those crops", minimum=32, maximum=1024, multiple_of=4
    )
    log_interval: int = option(20, "iterations between lines of log", minimum=1, maximum=10**9)
    collective_timeout_s: float = option(
        300.0, "how long ranks wait for one another", minimum=1.0, maximum=86400.0
    )
    cuda: bool | None = option(None, "taken, without effect: a GPU is used wherever a node has one")
    local_rank: int | None = option(
        None, "taken, without effect: each worker learns its own from torchrun"
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.epoch >= self.n_epochs:
            raise InvalidInput(
                f"epoch: wanted less than n_epochs ({self.n_epochs}), got {self.epoch}",
                field="epoch",
            )
        if self.dataset_name is not None and not NAME.fullmatch(self.dataset_name):
            raise InvalidInput(
                "dataset_name: wanted a plain folder name of letters, digits and . _ -, got "
                f"{self.dataset_name!r}",
                field="dataset_name",
            )
        if not self.data or "\0" in self.data:
            raise InvalidInput(
                f"data: wanted {BUNDLED} or the path of a folder, got {self.data!r}", field="data"
            )
        for name, path in (("data", self.data), ("init", self.init)):
            if path is not None and path.startswith("~"):
                raise InvalidInput(
                    f"{name}: wanted an absolute path, or one that counts from the job's file, got "
                    f"{path!r}; no node puts a home folder in place of ~",
                    field=name,
                )
        if self.dataset_name is not None and self.data == BUNDLED:
            raise no_dataset(self.dataset_name, "nowhere, since data does not say where it lies")


def preset_of(options: EsrganOptions) -> str | None:
    """Returns the preset that has the same generator.

    >>> preset_of(EsrganOptions(residual_blocks=2, filters=32, skip="bicubic"))
    'small'
    >>> preset_of(EsrganOptions()) is None
    True
    """
    shaping = ("filters", "residual_blocks", "skip")
    return next(
        (
            name
            for name, preset in PRESETS.items()
            if all(preset[each] == getattr(options, each) for each in shaping)
        ),
        None,
    )


def no_dataset(name: str, looked: str) -> InvalidInput:
    """Returns the error of a dataset that was not found; `looked` says where it was looked for."""
    return InvalidInput(
        f"dataset_name: wanted a folder of images named {name}, looked {looked}; name the folder "
        "that it lies in (data: /path/of/folder). To train on the photographs that scikit-image "
        f"brings, say data: {BUNDLED} and leave dataset_name out",
        field="dataset_name",
    )


def phases(options: EsrganOptions) -> tuple[Phase, ...]:
    """Returns the phases whose iterations cost alike: the warm-up, if any, then the GAN.

    >>> [phase.until_iteration for phase in phases(EsrganOptions(warmup_batches=500))]
    [500, None]
    """
    gan = (Phase(GAN),)
    if options.warmup_batches:
        return (Phase(WARMUP, options.warmup_batches), *gan)
    return gan


PRESETS: Mapping[str, Mapping[str, OptionValue]] = {
    # Made for two cores: 0.1 to 0.3 s an iteration of the GAN phase on one thread
    # (benchmarks/esrgan_step.py --preset small). Its picture is better than bicubic after 300
    # iterations.
    "small": {
        "batch_size": 4,
        "lr": 2e-3,
        "n_cpu": 0,
        "hr_height": 32,
        "hr_width": 32,
        "sample_interval": 50,
        "checkpoint_interval": 20,
        "residual_blocks": 2,
        "warmup_batches": 60,
        "lambda_pixel": 1.0,
        "filters": 32,
        "discriminator_filters": 16,
        "skip": "bicubic",
        "features": "cached",
        "feature_layers": 8,
        "held_out_size": 96,
        "iterations": 300,
        "collective_timeout_s": 60.0,
    },
}
