"""One turn of the main loop: forward, backward, sum over ranks, update.

What makes it lean against the reference: the discriminator runs once on each image and serves both losses; no weight
gradient is computed that no optimizer applies (the discriminator's in the generator's step, VGG19's ever); convolutions
get channels_last tensors; nothing is read back from the device but one number where ranks must agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd import grad

from elastic.workloads.esrgan import losses
from elastic.workloads.esrgan.batches import Batch
from elastic.workloads.esrgan.features import Features
from elastic.workloads.esrgan.networks import Networks
from elastic.workloads.esrgan.options import EsrganOptions
from elastic.workloads.esrgan.precision import autocast
from elastic.workloads.gradient_sum import GradientSum
from elastic.workloads.group import Group

LOSS_NAMES = ("pixel", "content", "adversarial", "discriminator")


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn tells: the global batch's losses, `(4,)` in the order of `LOSS_NAMES`, and whether all shall stop."""

    losses: Tensor
    is_asked_to_stop: bool


class Stepper:
    """Trains the networks by one global batch at a time."""

    def __init__(
        self, networks: Networks, options: EsrganOptions, group: Group, *, features: Features | None, bf16: bool
    ) -> None:
        self.features = features
        self._networks = networks
        self._options = options
        self._group = group
        self._bf16 = bf16
        self._generator_weights = list(networks.generator.parameters())
        self._discriminator_weights = list(networks.discriminator.parameters())
        self._generator_sum = GradientSum(self._generator_weights, group, riders=len(LOSS_NAMES) + 1)
        self._discriminator_sum = GradientSum(self._discriminator_weights, group)

    def warmup_turn(self, batch: Batch, *, lr: float, stop: bool) -> Turn:
        """Trains the generator by the pixel loss alone."""
        pixel = losses.l1(self._generate(batch.low), batch.high, batch.weights)
        gradients = grad(pixel, self._generator_weights)
        return self._update_generator(gradients, [pixel], lr=lr, stop=stop)

    def gan_turn(self, batch: Batch, *, lr: float, stop: bool) -> Turn:
        """Trains both networks by all losses."""
        fake = self._generate(batch.low)
        # The losses see a copy cut off from the generator: each is taken back to it, and its memory freed, in turn.
        seen = fake.detach().requires_grad_()
        toward_content, pixel, content = self._content_gradient(seen, batch)
        toward_real, adversarial, discrimination = self._adversarial_gradient(seen, batch)
        gradients = grad(fake, self._generator_weights, (toward_content + toward_real).to(fake.dtype))
        # The discriminator's sum has been on its way during the generator's backward pass.
        turn = self._update_generator(gradients, [pixel, content, adversarial, discrimination], lr=lr, stop=stop)
        self._networks.discriminator_adam.step(self._discriminator_sum.finish()[0], lr=lr)
        return turn

    def _generate(self, low: Tensor) -> Tensor:
        with autocast(self._group.device, bf16=self._bf16):
            image: Tensor = self._networks.generator(low)
            return image

    def _content_gradient(self, seen: Tensor, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        assert self.features is not None, "the GAN phase needs features"
        with autocast(self._group.device, bf16=self._bf16):
            with torch.no_grad():
                wanted = self.features(batch.high)
            found = self.features(seen)
        content = losses.l1(found, wanted, batch.weights)
        pixel = losses.l1(seen, batch.high, batch.weights)
        (gradient,) = grad(content + self._options.lambda_pixel * pixel, seen)
        return gradient, pixel.detach(), content.detach()

    def _adversarial_gradient(self, seen: Tensor, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Gives the adversarial loss's gradient at the fake images, and starts to sum the discriminator's."""
        with autocast(self._group.device, bf16=self._bf16):
            real = self._networks.discriminator(batch.high)
            fake = self._networks.discriminator(seen)
        real, fake = losses.widened(real), losses.widened(fake)
        own = torch.stack([losses.weighted_sum(real, batch.weights), losses.weighted_sum(fake, batch.weights)])
        mean_real, mean_fake = self._group.summed(own)
        adversarial = losses.generator_loss(
            real.detach(), fake, mean_real=mean_real.detach(), mean_fake=mean_fake, weights=batch.weights
        )
        (gradient,) = grad(self._options.lambda_adv * adversarial, seen, retain_graph=True)
        discrimination = losses.discriminator_loss(
            real, fake, mean_real=mean_real, mean_fake=mean_fake, weights=batch.weights
        )
        self._discriminator_sum.start(grad(discrimination, self._discriminator_weights))
        return gradient, adversarial.detach(), discrimination.detach()

    def _update_generator(self, gradients: tuple[Tensor, ...], found: list[Tensor], *, lr: float, stop: bool) -> Turn:
        riders = torch.zeros(len(LOSS_NAMES) + 1, dtype=found[0].dtype, device=self._group.device)
        riders[: len(found)] = torch.stack([loss.detach() for loss in found])
        riders[-1] = float(stop)
        self._generator_sum.start(gradients, riders)
        total, summed = self._generator_sum.finish()
        self._networks.generator_adam.step(total, lr=lr)
        return Turn(summed[:-1].clone(), self._agreed(summed, stop))

    def _agreed(self, summed: Tensor, stop: bool) -> bool:
        # Alone, this rank knows its own mind: reading the number back would make a GPU wait.
        return stop if self._group.world_size == 1 else bool(summed[-1].item() > 0)
