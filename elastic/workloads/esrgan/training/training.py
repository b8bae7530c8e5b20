"""The main loop: turns until the job is done or asked to stop, with checkpoints and pictures."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from torch import Tensor

from elastic.errors import InvalidInput
from elastic.worker import checkpointed, drained, finished, note, paramount
from elastic.workloads.arithmetic import DTYPES, Arithmetic, LossScale, set_up, settle
from elastic.workloads.checkpoint import BackgroundSaver, Checkpoints, Saved, way_from
from elastic.workloads.esrgan import weights
from elastic.workloads.esrgan.files import init_path, looked_over
from elastic.workloads.esrgan.generator import HeldOut, bicubic, cut_held_out, judge, save_picture
from elastic.workloads.esrgan.networks import AVERAGE, Networks, build_networks, choose_features
from elastic.workloads.esrgan.options import GAN, WARMUP, EsrganOptions
from elastic.workloads.esrgan.training import progress as progress_module
from elastic.workloads.esrgan.training.batches import Batches
from elastic.workloads.esrgan.training.progress import TrainingProgress, options_digest
from elastic.workloads.esrgan.training.step import LOSS_NAMES, Stepper, StepReport
from elastic.workloads.group import ProcessGroup
from elastic.workloads.photographs import Photographs, open_photographs
from elastic.workloads.rhythm import Rhythm
from elastic.workloads.schedule import learning_rate


@dataclass(frozen=True, slots=True)
class Places:
    """A job's folders for checkpoints and artifacts, its id, and its interruption rate.

    `job_id` and `interruptions_per_h` are None without an agent.
    """

    checkpoints: Path
    artifacts: Path
    job_id: str | None = None
    interruptions_per_h: float | None = None


def places_from(environment: Mapping[str, str] = os.environ) -> Places:
    """Returns the folders that the agent named, or some in the working directory."""
    rate = environment.get("ELASTICD_INTERRUPTIONS_PER_H")
    return Places(
        Path(environment.get("ELASTICD_CHECKPOINT_DIR", "checkpoints")),
        Path(environment.get("ELASTICD_ARTIFACT_DIR", "artifacts")),
        job_id=environment.get("ELASTICD_JOB_ID"),
        interruptions_per_h=float(rate) if rate else None,
    )


def train(options: EsrganOptions, group: ProcessGroup, places: Places) -> TrainingProgress:
    """Trains from the newest checkpoint to the end, or to the turn at which all ranks stop."""
    with opened(options, group, places) as run:
        return run.to_the_end()


@contextmanager
def opened(
    options: EsrganOptions, group: ProcessGroup, places: Places, *, has_fixed_shares: bool = True
) -> Iterator[Run]:
    """Yields a run over the job's photographs, and ends its threads.

    `has_fixed_shares` means that this rank has equally many samples in each turn.
    """
    arithmetic = set_up(group.device, has_fixed_shapes=has_fixed_shares)
    training, held_out = open_photographs(
        options.data,
        options.dataset_name,
        height=options.hr_height,
        width=options.hr_width,
        channels=options.channels,
        most_unreadable=options.most_unreadable,
    )
    run = Run(options, group, places, training, held_out, arithmetic)
    try:
        yield run
    finally:
        run.batches.close()
        run.saver.close()


class Run:
    """One process's run of the loop, from resume to exit."""

    def __init__(
        self,
        options: EsrganOptions,
        group: ProcessGroup,
        places: Places,
        training: Photographs,
        held_out: Photographs,
        arithmetic: Arithmetic,
    ) -> None:
        self.options = options
        self.group = group
        self.places = places
        self.arithmetic = arithmetic
        self.checkpoints = Checkpoints(
            places.checkpoints, "esrgan", options_digest(options), places.job_id
        )
        self.precision = settle(options.precision, group.device)
        loss_scale = None
        if self.precision == "fp16":
            loss_scale = LossScale(group.device)
        self.networks: Networks = build_networks(options, group.device, loss_scale=loss_scale)
        training.tell = held_out.tell = self._tell_of_image
        self._kept_apart = held_out
        self.batches = Batches(training, options, group)
        self.stepper = Stepper(
            self.networks, options, group, features=None, dtype=DTYPES[self.precision]
        )
        self.epoch_length = len(training)
        self.total = options.iterations or math.ceil(
            options.n_epochs * len(training) / options.batch_size
        )
        self.saver = self.new_saver(at=0)

    def to_the_end(self) -> TrainingProgress:
        progress = self.judged_at_start(self.start())
        stop = False
        while progress.iteration < self.total:
            progress, turn = self._turn(progress, stop)
            phase = self.phase(progress.iteration)
            is_last = progress.iteration == self.total
            if self.group.is_first and (is_last or self.saver.is_due(progress.iteration)):
                self.save(progress)
            if progress.iteration % self.options.sample_interval == 0:
                self.show(progress, f"samples_{progress.iteration}.png")
            stop = paramount(progress.iteration, phase=phase)
            if not is_last and (turn.is_asked_to_stop or (stop and self.group.world_size == 1)):
                return self._leave(progress)
        return self._complete(progress)

    def start(self) -> TrainingProgress:
        progress = progress_module.resume(
            self.checkpoints, self.networks, self.group, say=self.say, begin=self._begin
        )
        self.saver = self.new_saver(at=progress.iteration)
        if progress.samples_seen < self.options.epoch * self.epoch_length:
            raise InvalidInput(
                f"epoch: wanted a checkpoint of epoch {self.options.epoch} or later in "
                f"{self.places.checkpoints}, found "
                f"{progress.samples_seen / self.epoch_length:.2f} epochs done",
                field="epoch",
            )
        self.log(
            f"{self.group.world_size} ranks, {self.arithmetic.named(self.precision)}, "
            f"{self.group.device}, iteration {progress.iteration} of {self.total}, "
            f"batch {self.options.batch_size}"
        )
        return progress

    def _begin(self) -> None:
        """Gives the generator its first weights, if the job names any. Raises InvalidInput."""
        path = init_path(self.options)
        if path is None:
            return
        weights.check_fit(path, self.options)
        weights.put(path, self.networks.generator)
        self.networks.average.begin()
        self.log(f"the generator begins with {path}")

    @cached_property
    def held_out(self) -> HeldOut:
        """The crops kept for judging, cut when first needed: only rank 0 judges."""
        return cut_held_out(self._kept_apart, self.options, self.group.device)

    def judged_at_start(self, progress: TrainingProgress) -> TrainingProgress:
        """Returns progress with the untrained generator's quality; rank 0 judges it at the start.

        It checks the job's images as well. Raises InvalidInput if they cannot be trained on.
        """
        if not self.group.is_first or progress.iteration or progress.start_psnr_y_db is not None:
            return progress
        for told in looked_over(self.options):
            self.say(told)
        return dataclasses.replace(
            progress, start_psnr_y_db=judge(self.networks.generator, self.held_out).psnr_y_db
        )

    def _turn(self, progress: TrainingProgress, stop: bool) -> tuple[TrainingProgress, StepReport]:
        batch = self.batches.at(progress.samples_seen)
        lr = self.learning_rate(progress.iteration)
        if self.phase(progress.iteration + 1) == WARMUP:
            turn = self.stepper.warmup_turn(batch, lr=lr, stop=stop)
        else:
            before = progress
            progress = self.with_features(progress)
            self.tell_of_features(before, progress)
            turn = self.stepper.gan_turn(batch, lr=lr, stop=stop)
        done = dataclasses.replace(
            progress,
            iteration=progress.iteration + 1,
            samples_seen=progress.samples_seen + self.options.batch_size,
        )
        if done.iteration % self.options.log_interval == 0 or done.iteration == self.total:
            self.log_losses(done, turn.losses)
        return done, turn

    def phase(self, iteration: int) -> str:
        """Returns the phase of the `iteration`-th turn, counting from 1."""
        if iteration <= self.options.warmup_batches:
            return WARMUP
        return GAN

    def learning_rate(self, iteration: int) -> float:
        decay_from = self.options.decay_epoch / self.options.n_epochs
        return learning_rate(
            base=self.options.lr, iteration=iteration, total=self.total, decay_from=decay_from
        )

    def with_features(self, progress: TrainingProgress) -> TrainingProgress:
        """Loads VGG19's features before the first turn that uses them."""
        if self.stepper.passes.features is not None:
            return progress
        features, is_pretrained = choose_features(
            self.options,
            self.group,
            kept=self.places.checkpoints / "vgg19-features.pt",
            settled=progress.is_pretrained,
            dtype=DTYPES[self.precision],
        )
        self.stepper.passes.features = features
        return dataclasses.replace(progress, is_pretrained=is_pretrained)

    def tell_of_features(self, before: TrainingProgress, progress: TrainingProgress) -> None:
        """Reports that features are not pretrained: once a job, when that is settled."""
        if before.is_pretrained is None and progress.is_pretrained is False:
            self.say(
                "VGG19 features are seeded random, not pretrained: the content loss is weaker than "
                "ESRGAN's own"
            )

    def new_saver(self, *, at: int) -> BackgroundSaver:
        """Returns what makes checkpoints; the state of iteration `at` needs none."""
        rhythm = self.rhythm(self.places.interruptions_per_h)
        way = way_from(self.group.device)
        return BackgroundSaver(
            self.checkpoints, rhythm, at=at, tell=_tell_of, way=way, beside=self._leave_weights
        )

    def rhythm(self, interruptions_per_h: float | None) -> Rhythm:
        """Returns the checkpoint rhythm of a group with this interruption rate."""
        return Rhythm(self.options.checkpoint_interval, interruptions_per_h)

    def save(self, progress: TrainingProgress) -> None:
        """Begins to make this iteration's state durable, on rank 0."""
        if self.group.is_first and self.saver.last_iteration != progress.iteration:
            lr = self.learning_rate(progress.iteration)
            self.saver.take(
                progress.iteration, progress_module.state_of(self.networks, progress, lr=lr)
            )

    def _leave_weights(self, iteration: int, state: Mapping[str, Any]) -> None:
        """Writes a checkpoint's weights for people, in the thread that writes checkpoints."""
        names = [name for name, _ in self.networks.generator.named_parameters()]
        weights.write(
            self.places.artifacts,
            self.options,
            last=dict(zip(names, state["generator"], strict=True)),
            average=dict(zip(names, state[AVERAGE], strict=True)),
            iteration=iteration,
            iterations=self.total,
        )

    def _leave(self, progress: TrainingProgress) -> TrainingProgress:
        self.save(progress)
        self.saver.finish()
        self.log(f"asked to stop: stopped after iteration {progress.iteration}")
        # No rank may report its end before the checkpoint is there.
        self.group.barrier()
        drained(progress.iteration)
        return progress

    def _complete(self, progress: TrainingProgress) -> TrainingProgress:
        self.show(progress, "samples_final.png")
        self.saver.finish()
        self.group.barrier()
        finished(progress.iteration)
        return progress

    def show(self, progress: TrainingProgress, name: str) -> None:
        """Writes the picture and the report so far, on rank 0."""
        if not self.group.is_first:
            return
        verdict = judge(self.networks.generator, self.held_out)
        averaged = judge(self.networks.averaged_generator, self.held_out)
        save_picture(self.places.artifacts / name, self.held_out, verdict)
        report = {
            "workload": "esrgan",
            "iteration": progress.iteration,
            "iterations": self.total,
            "is_complete": progress.iteration >= self.total,
            "samples_seen": progress.samples_seen,
            "psnr_y_db": verdict.psnr_y_db,
            "average_psnr_y_db": averaged.psnr_y_db,
            "bicubic_psnr_y_db": bicubic(self.held_out).psnr_y_db,
            "start_psnr_y_db": progress.start_psnr_y_db,
            "held_out_crops": self.options.held_out_crops,
            "vgg19_features": _FEATURES[progress.is_pretrained],
            "precision": self.precision,
            "float32_products": self.arithmetic.products,
            "world_size": self.group.world_size,
            "picture": name,
            "options": dataclasses.asdict(self.options),
        }
        # A reader must see the old report or the new one, never half of one.
        partial = self.places.artifacts / "report.partial"
        partial.write_text(json.dumps(report, indent=2) + "\n")
        partial.replace(self.places.artifacts / "report.json")
        self.log(
            f"held-out PSNR-Y {verdict.psnr_y_db:.2f} dB, bicubic "
            f"{report['bicubic_psnr_y_db']:.2f} dB"
        )

    def _tell_of_image(self, text: str) -> None:
        """Reports an unreadable image, from any rank: only the rank that draws it finds it."""
        print(f"esrgan: {text}", file=sys.stderr, flush=True)
        note(text)

    def log_losses(self, progress: TrainingProgress, losses: Tensor) -> None:
        values = ", ".join(
            f"{name} {value:.4f}" for name, value in zip(LOSS_NAMES, losses.tolist(), strict=True)
        )
        if self.networks.loss_scale is not None:
            values += f", losses multiplied by {self.networks.loss_scale.read():g}"
        self.log(
            f"iteration {progress.iteration} of {self.total}, {self.phase(progress.iteration)}: "
            f"{values}"
        )

    def say(self, text: str) -> None:
        """Writes to the log and to the job's events."""
        self.log(text)
        if self.group.is_first:
            note(text)

    def log(self, text: str) -> None:
        if self.group.is_first:
            print(f"esrgan: {text}", file=sys.stderr, flush=True)


def _tell_of(saved: Saved) -> None:
    checkpointed(saved.iteration, elapsed_s=saved.elapsed_s)


_FEATURES = {True: "pretrained", False: "seeded random", None: "not used yet"}
