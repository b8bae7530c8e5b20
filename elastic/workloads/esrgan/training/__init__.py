"""The training of ESRGAN, turn by turn: batches, steps, and how far it is."""

from elastic.workloads.esrgan.training.batches import Batches, SampleBatch
from elastic.workloads.esrgan.training.progress import TrainingProgress, options_digest
from elastic.workloads.esrgan.training.step import LOSS_NAMES, Computed, Stepper, Summed
from elastic.workloads.esrgan.training.training import Places, Run, opened, places_from, train

__all__ = [
    "LOSS_NAMES",
    "Batches",
    "Computed",
    "Places",
    "Run",
    "SampleBatch",
    "Stepper",
    "Summed",
    "TrainingProgress",
    "opened",
    "options_digest",
    "places_from",
    "train",
]
