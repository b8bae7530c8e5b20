"""One turn of the main loop: forward, backward, sum over ranks, update.

It does less work than the reference. The discriminator runs once on each image and serves both
losses. It computes no weight gradient that no optimizer applies: not the discriminator's in the
generator's step, and never VGG19's. Convolutions get channels_last tensors. Nothing is read back
from the device: ranks agree by way of the CPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd import grad

from elastic.workloads.arithmetic import autocast
from elastic.workloads.esrgan.networks import Features, Networks
from elastic.workloads.esrgan.options import EsrganOptions
from elastic.workloads.esrgan.training import losses
from elastic.workloads.esrgan.training.batches import SampleBatch
from elastic.workloads.group import GradientSum, ProcessGroup

Summed = Callable[[Tensor], Tensor]
Receive = Callable[[Sequence[Tensor]], None]

LOSS_NAMES = ("pixel", "content", "adversarial", "discriminator")


@dataclass(frozen=True, slots=True)
class StepReport:
    """A turn's result: the global batch's losses, `(4,)` as in `LOSS_NAMES`, and a stop request."""

    losses: Tensor
    is_asked_to_stop: bool


@dataclass(frozen=True, slots=True)
class Computed:
    """This rank's part of a turn: its losses, and gradients by network, None if not trained.

    With a loss scale the gradients are multiplied by it, and the losses are not.
    """

    generator: tuple[Tensor, ...]
    discriminator: tuple[Tensor, ...] | None
    losses: list[Tensor]


class Passes:
    """Computes turns, and moves nothing. `summed` returns sums over ranks with gradients."""

    def __init__(
        self,
        networks: Networks,
        options: EsrganOptions,
        device: torch.device,
        *,
        features: Features | None,
        dtype: torch.dtype,
    ) -> None:
        # The features of the content loss; None until the GAN phase.
        self.features = features
        self._networks = networks
        self._options = options
        self._device = device
        self._dtype = dtype
        self.generator_weights = list(networks.generator.parameters())
        self.discriminator_weights = list(networks.discriminator.parameters())

    def warmup(self, batch: SampleBatch) -> Computed:
        """Returns the gradients of the pixel loss alone."""
        pixel = losses.l1(self._generate(batch.low), batch.high, batch.weights)
        return Computed(grad(self._scaled(pixel), self.generator_weights), None, [pixel])

    def gan(
        self, batch: SampleBatch, *, summed: Summed, on_discriminator: Receive | None = None
    ) -> Computed:
        """Returns the gradients of all losses.

        `on_discriminator` gets the discriminator's as soon as they exist.
        """
        fake = self._generate(batch.low)
        # The losses see a copy that is cut off from the generator. Each is taken back to it in
        # turn, and its memory freed.
        seen = fake.detach().requires_grad_()
        toward_content, pixel, content = self._content_gradient(seen, batch)
        toward_real, adversarial, discrimination, toward_judgement = self._adversarial_gradient(
            seen, batch, summed
        )
        if on_discriminator is not None:
            on_discriminator(toward_judgement)
        gradients = grad(
            fake, self.generator_weights, (toward_content + toward_real).to(fake.dtype)
        )
        return Computed(gradients, toward_judgement, [pixel, content, adversarial, discrimination])

    def _generate(self, low: Tensor) -> Tensor:
        with autocast(self._device, self._dtype):
            image: Tensor = self._networks.generator(low)
            return image

    def _scaled(self, loss: Tensor) -> Tensor:
        scale = self._networks.loss_scale
        return loss if scale is None else loss * scale.value

    def _content_gradient(self, seen: Tensor, batch: SampleBatch) -> tuple[Tensor, Tensor, Tensor]:
        assert self.features is not None, "the GAN phase needs features"
        with autocast(self._device, self._dtype):
            with torch.no_grad():
                wanted = self.features(batch.high)
            found = self.features(seen)
        content = losses.l1(found, wanted, batch.weights)
        pixel = losses.l1(seen, batch.high, batch.weights)
        (gradient,) = grad(self._scaled(content + self._options.lambda_pixel * pixel), seen)
        return gradient, pixel.detach(), content.detach()

    def _adversarial_gradient(
        self, seen: Tensor, batch: SampleBatch, summed: Summed
    ) -> tuple[Tensor, Tensor, Tensor, tuple[Tensor, ...]]:
        """Returns the adversarial gradient at the fakes, both losses, and the discriminator's."""
        with autocast(self._device, self._dtype):
            real = self._networks.discriminator(batch.high)
            fake = self._networks.discriminator(seen)
        real = losses.widened(real)
        fake = losses.widened(fake)
        own = torch.stack(
            [losses.weighted_sum(real, batch.weights), losses.weighted_sum(fake, batch.weights)]
        )
        mean_real, mean_fake = summed(own)
        adversarial = losses.generator_loss(
            real.detach(),
            fake,
            mean_real=mean_real.detach(),
            mean_fake=mean_fake,
            weights=batch.weights,
        )
        (gradient,) = grad(
            self._scaled(self._options.lambda_adv * adversarial), seen, retain_graph=True
        )
        # It goes through the same graph, which the pass above has therefore kept.
        discrimination = losses.discriminator_loss(
            real, fake, mean_real=mean_real, mean_fake=mean_fake, weights=batch.weights
        )
        toward_judgement = grad(self._scaled(discrimination), self.discriminator_weights)
        return gradient, adversarial.detach(), discrimination.detach(), toward_judgement


class Stepper:
    """Trains the networks by one global batch at a time, over a group with fixed members."""

    def __init__(
        self,
        networks: Networks,
        options: EsrganOptions,
        group: ProcessGroup,
        *,
        features: Features | None,
        dtype: torch.dtype,
    ) -> None:
        self.passes = Passes(networks, options, group.device, features=features, dtype=dtype)
        self._networks = networks
        self._group = group
        self._generator_sum = GradientSum(
            self.passes.generator_weights, group, control=len(LOSS_NAMES)
        )
        self._discriminator_sum = GradientSum(self.passes.discriminator_weights, group)

    def warmup_turn(self, batch: SampleBatch, *, lr: float, stop: bool) -> StepReport:
        """Trains the generator by the pixel loss alone."""
        return self._move(self.passes.warmup(batch), lr=lr, stop=stop)

    def gan_turn(self, batch: SampleBatch, *, lr: float, stop: bool) -> StepReport:
        """Trains both networks by all losses."""
        # The discriminator's sum is on its way during the generator's backward pass.
        computed = self.passes.gan(
            batch, summed=self._group.summed, on_discriminator=self._discriminator_sum.start
        )
        return self._move(computed, lr=lr, stop=stop)

    def _move(self, computed: Computed, *, lr: float, stop: bool) -> StepReport:
        """Sums, then applies both networks' gradients: nothing moves before all sums have come."""
        control = torch.zeros(
            len(LOSS_NAMES), dtype=computed.losses[0].dtype, device=self._group.device
        )
        control[: len(computed.losses)] = torch.stack([loss.detach() for loss in computed.losses])
        is_asked_to_stop = self._group.any_of(stop)
        self._generator_sum.start(computed.generator, control)
        total, summed = self._generator_sum.finish()
        judged = None
        if computed.discriminator is not None:
            judged = self._discriminator_sum.finish()[0]
        networks = self._networks
        overflow = None
        if networks.loss_scale is not None:
            # Either network's overflow counts: a turn moves both or none.
            overflow = networks.loss_scale.unscale([*total, *(judged or [])])
        networks.move_generator(total, lr=lr, overflow=overflow)
        if judged is not None:
            networks.discriminator_adam.step(judged, lr=lr, overflow=overflow)
        return StepReport(summed.clone(), is_asked_to_stop())
