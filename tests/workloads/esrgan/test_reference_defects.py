"""Each defect of the reference implementation (eriklindernoren/PyTorch-GAN) that ours must not
have."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from PIL import Image
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile

from elastic.workloads.checkpoint import Checkpoints
from elastic.workloads.esrgan.generator import HeldOut, save_picture
from elastic.workloads.esrgan.generator.generator import DenseBlock
from elastic.workloads.esrgan.generator.judging import EvaluatedCrops
from elastic.workloads.esrgan.networks import choose_features
from elastic.workloads.esrgan.networks.discriminator import Discriminator
from elastic.workloads.esrgan.training import (
    Batches,
    Stepper,
    TrainingProgress,
    losses,
    options_digest,
)
from elastic.workloads.esrgan.training.progress import resume, state_of
from elastic.workloads.group import ProcessGroup
from elastic.workloads.photographs import open_photographs
from tests.workloads.esrgan.builders import (
    a_batch,
    alone,
    stepper_in,
    tiny_options,
    write_photographs,
)


def operators_of_a_gan_turn(stepper: Stepper) -> dict[str, int]:
    stepper.gan_turn(a_batch(), lr=1e-3, stop=False)
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        stepper.gan_turn(a_batch(), lr=1e-3, stop=False)
    return {event.key: event.count for event in seen.key_averages()}


def test_vgg_weight_gradients_are_neither_computed_nor_kept() -> None:
    _, stepper = stepper_in(torch.float32, tiny_options(), alone())
    stepper.gan_turn(a_batch(), lr=1e-3, stop=False)
    features = stepper.passes.features
    assert features is not None
    assert all(not weight.requires_grad and weight.grad is None for weight in features.parameters())


def test_the_discriminator_runs_once_on_each_input() -> None:
    networks, stepper = stepper_in(torch.float32, tiny_options(), alone())
    runs: list[int] = []
    networks.discriminator.register_forward_hook(lambda *_: runs.append(1))
    stepper.gan_turn(a_batch(), lr=1e-3, stop=False)
    assert len(runs) == 2


def test_the_discriminators_gradients_are_not_computed_in_the_generators_step() -> None:
    networks, stepper = stepper_in(torch.float32, tiny_options(), alone())
    computed: list[int] = []
    weight = next(networks.discriminator.parameters())
    weight.register_hook(lambda _: computed.append(1))  # type: ignore[no-untyped-call]
    stepper.gan_turn(a_batch(), lr=1e-3, stop=False)
    assert len(computed) == 1
    assert all(weight.grad is None for weight in networks.discriminator.parameters())


def test_no_value_is_read_back_from_the_device_in_a_step() -> None:
    networks, stepper = stepper_in(torch.float32, tiny_options(), alone())
    weights = [*networks.generator.parameters(), *networks.discriminator.parameters()]
    # Adam's fused kernel for the CPU looks at its own step counts; the one for GPUs leaves them
    # where they are.
    assert operators_of_a_gan_turn(stepper)["aten::_local_scalar_dense"] == len(weights)


def test_dense_blocks_concatenate_only_what_is_read() -> None:
    block = DenseBlock(4)
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        block(torch.rand(1, 4, 8, 8))
    assert {event.key: event.count for event in seen.key_averages()}["aten::cat"] == 4


def test_bf16_trains_and_stays_near_float32() -> None:
    options = tiny_options()
    _, stepper = stepper_in(torch.float32, options, alone())
    mixed, _ = stepper_in(torch.float32, options, alone())
    features = stepper.passes.features
    assert features is not None
    in_bf16 = Stepper(
        mixed, options, alone(), features=features.to(torch.bfloat16), dtype=torch.bfloat16
    )
    losses_bf16 = in_bf16.gan_turn(a_batch(), lr=1e-3, stop=False).losses
    features.to(torch.float32)
    torch.testing.assert_close(
        stepper.gan_turn(a_batch(), lr=1e-3, stop=False).losses, losses_bf16, rtol=0.05, atol=0
    )
    assert all(weight.dtype == torch.float32 for weight in mixed.generator.parameters())


def test_images_and_weights_are_channels_last(tmp_path: Path) -> None:
    options = tiny_options(data=str(write_photographs(tmp_path)))
    photographs, _ = open_photographs(options.data, None, height=16, width=32, channels=3)
    batch = Batches(photographs, options, alone()).at(0)
    networks, _ = stepper_in(torch.float32, options, alone())
    assert batch.high.is_contiguous(memory_format=torch.channels_last)
    assert networks.generator.trunk.weight.is_contiguous(memory_format=torch.channels_last)


def test_a_checkpoint_holds_optimizers_generator_of_chance_and_position(tmp_path: Path) -> None:
    options = tiny_options()
    networks, stepper = stepper_in(torch.float32, options, alone())
    stepper.gan_turn(a_batch(), lr=1e-3, stop=False)
    checkpoints = Checkpoints(tmp_path, "esrgan", options_digest(options))
    saved = TrainingProgress(
        iteration=9, samples_seen=36, start_psnr_y_db=20.5, is_pretrained=False
    )
    checkpoints.save(saved.iteration, state_of(networks, saved, lr=1e-3))
    chance = torch.rand(1)
    fresh, _ = stepper_in(torch.float32, options, alone())
    assert resume(checkpoints, fresh, alone(), say=pytest.fail) == saved
    assert all(torch.equal(a, b) for a, b in zip(fresh.tensors(), networks.tensors(), strict=True))
    assert any(moment.any() for moment in fresh.discriminator_adam.tensors())
    assert torch.equal(torch.rand(1), chance)


def test_width_is_respected(tmp_path: Path) -> None:
    options = tiny_options(data=str(write_photographs(tmp_path)), hr_height=20, hr_width=44)
    photographs, _ = open_photographs(options.data, None, height=20, width=44, channels=3)
    batch = Batches(photographs, options, alone()).at(0)
    assert (batch.high.shape, batch.low.shape) == ((4, 3, 20, 44), (4, 3, 5, 11))


def test_pictures_spread_the_unit_range_over_all_grey_values(tmp_path: Path) -> None:
    white, black = torch.ones(1, 3, 32, 32), torch.zeros(1, 3, 8, 8)
    save_picture(tmp_path / "picture.png", HeldOut(black, white), EvaluatedCrops(white * 1.5, 0.0))
    with Image.open(tmp_path / "picture.png") as picture:
        assert picture.size == (4 * 72 + 8, 28 + 72 + 8)
        colours = [picture.getpixel((8 + column * 72 + 32, 28 + 32)) for column in range(4)]
    assert colours == [(0, 0, 0), (0, 0, 0), (255, 255, 255), (255, 255, 255)]


def test_the_relativistic_loss_is_two_sided() -> None:
    one = torch.ones(1)
    real, fake = torch.tensor([[[[2.0]]]]), torch.tensor([[[[-1.0]]]])
    means = {"mean_real": real[0], "mean_fake": fake[0]}
    # softplus(3) from the real side, softplus(3) from the fake side; told apart well, each costs
    # softplus(-3).
    assert losses.generator_loss(real, fake, weights=one, **means).item() == pytest.approx(
        3.04859, abs=1e-5
    )
    assert losses.discriminator_loss(real, fake, weights=one, **means).item() == pytest.approx(
        0.04859, abs=1e-5
    )
    other = losses.generator_loss(
        real, fake, mean_real=real[0], mean_fake=fake[0] + 1, weights=one
    ).item()
    assert other == pytest.approx((2.12693 + 3.04859) / 2, abs=1e-5)


def test_only_the_first_rank_looks_for_pretrained_weights(tmp_path: Path) -> None:
    options = tiny_options(features="cached")
    kept = tmp_path / "vgg19-features.pt"
    features, _ = choose_features(options, alone(), kept=kept, settled=False, dtype=torch.float32)
    torch.save(
        {name: torch.ones_like(value) for name, value in features.layers.state_dict().items()}, kept
    )
    first, was_found = choose_features(
        options, alone(), kept=kept, settled=None, dtype=torch.float32
    )
    other = ProcessGroup(rank=1, world_size=1, device=torch.device("cpu"))
    _, was_found_by_other = choose_features(
        options, other, kept=kept, settled=None, dtype=torch.float32
    )
    assert (was_found, was_found_by_other) == (True, False)
    assert all(weight.eq(1).all() for weight in first.layers.parameters())


def test_what_was_settled_on_holds(tmp_path: Path) -> None:
    options = tiny_options(features="cached")
    with pytest.raises(FileNotFoundError, match="wanted the VGG19 weights this job began with"):
        choose_features(
            options, alone(), kept=tmp_path / "vgg19-features.pt", settled=True, dtype=torch.float32
        )


def test_a_score_does_not_depend_on_the_companions_in_the_batch() -> None:
    discriminator = Discriminator(tiny_options(discriminator_filters=16))
    images: Tensor = torch.rand(3, 3, 16, 32, generator=torch.Generator().manual_seed(2))
    torch.testing.assert_close(discriminator(images)[:1], discriminator(images[:1]))
    assert not any(isinstance(layer, nn.BatchNorm2d) for layer in discriminator.modules())
