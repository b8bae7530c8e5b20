"""VGG19's first layers, built by ourselves."""

from __future__ import annotations

import pytest
import torch

from elastic.worker.torchvision_import import help_torchvision
from elastic.workloads.esrgan.networks import Features, random_features
from elastic.workloads.esrgan.networks.features import is_offline


@pytest.mark.slow
def test_torchvisions_weights_fit_and_give_the_same_maps() -> None:
    help_torchvision()
    import torchvision

    torch.manual_seed(0)
    theirs = torchvision.models.vgg19(weights=None).features[:35].eval()
    ours = Features(35)
    ours.layers.load_state_dict(theirs.state_dict())
    image = torch.rand(1, 3, 32, 32)
    mean, std = (
        torch.tensor(v).view(1, 3, 1, 1) for v in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
    )
    with torch.no_grad():
        assert torch.equal(ours(image), theirs((image - mean) / std))


def test_random_features_are_the_same_on_every_rank_and_leave_chance_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    first, second = random_features(8, seed=3), random_features(8, seed=3)
    assert torch.equal(torch.rand(1), expected)
    assert all(
        torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True)
    )


def test_random_features_keep_the_signals_size() -> None:
    features = random_features(35, seed=0)
    with torch.no_grad():
        maps = features(torch.rand(1, 3, 32, 32))
    assert 0.1 < maps.std() < 10


def test_a_cut_ends_at_the_layer_that_was_asked_for() -> None:
    assert [type(layer).__name__ for layer in Features(8).layers][-2:] == ["ReLU", "Conv2d"]
    assert len(Features(35).layers) == 35


@pytest.mark.parametrize(
    ("value", "expected"), [("1", True), ("yes", True), ("0", False), ("", False)]
)
def test_downloads_can_be_forbidden(value: str, expected: bool) -> None:
    assert is_offline({"ELASTICD_OFFLINE": value}) is expected
