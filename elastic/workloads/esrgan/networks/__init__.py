"""All networks of a training: the two that it changes, and VGG's layers that compare images."""

from elastic.workloads.esrgan.networks.features import Features, choose_features, random_features
from elastic.workloads.esrgan.networks.networks import AVERAGE, LOSS_SCALE, Networks, build_networks

__all__ = [
    "AVERAGE",
    "LOSS_SCALE",
    "Features",
    "Networks",
    "build_networks",
    "choose_features",
    "random_features",
]
