"""The main loop in a session, whose members join, leave and crash without a restart."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.worker import drained, finished
from elastic.workloads.esrgan.options import WARMUP, EsrganOptions
from elastic.workloads.esrgan.training import (
    LOSS_NAMES,
    Computed,
    Places,
    Run,
    Summed,
    TrainingProgress,
    opened,
    options_digest,
)
from elastic.workloads.group import ProcessGroup, device_of
from elastic.workloads.session import (
    Attendance,
    CommittedStep,
    Session,
    SessionSettings,
    SessionStep,
)

# Places in the facts.
IS_PRETRAINED = 0
START_DB = 1


def train_in_session(
    options: EsrganOptions, places: Places, settings: SessionSettings, *, local_rank: int = 0
) -> TrainingProgress:
    """Trains from the newest checkpoint here, or from the members' state.

    It ends with the job, or when it is asked to leave.
    """
    with opened(
        options, ProcessGroup(0, 1, device_of(local_rank)), places, has_fixed_shares=False
    ) as run:
        return _InSession(run).to_the_end(settings)


class _InSession:
    """One process's part: `Run` knows the job, the session its members."""

    def __init__(self, run: Run) -> None:
        if run.precision == "fp16":
            raise InvalidInput(
                "precision: wanted fp32 or bf16 in a session, which has no loss scale; got fp16, "
                "which mode restart trains in",
                field="precision",
            )
        self.run = run
        self.progress = self.found = run.start()
        self.passes = run.stepper.passes
        if run.total > run.options.warmup_batches:
            self.progress = run.with_features(self.progress)
        self.round = 0
        # They travel with the state. All ranks look through the same features as the founder. The
        # second number is how good the untrained generator was; NaN if not known.
        start_db = self.progress.start_psnr_y_db
        facts = [
            float(bool(self.progress.is_pretrained)),
            math.nan if start_db is None else start_db,
        ]
        self.facts = torch.tensor(facts, dtype=torch.float64)

    def to_the_end(self, settings: SessionSettings) -> TrainingProgress:
        run = self.run
        # Load code and start threads before any member waits for this process. A newcomer's first
        # turn computes one sample, which fits any memory.
        self._computed(self.progress.iteration, range(1), summed=lambda values: values)
        with Session.join(
            self._units(),
            self._apply,
            batch=run.options.batch_size,
            step=self.progress.iteration,
            steps=run.total,
            numbers=len(LOSS_NAMES),
            terms=f"{run.precision} {options_digest(run.options)}",
            settings=settings,
        ) as session:
            self._begin(session)
            attendance = Attendance(session)
            while session.is_member and (
                session.step < run.total or not session.finish(lambda: self._keep(session))
            ):
                outcome = session.run(self._compute)
                self._see(session)
                if outcome is not None:
                    self._after(outcome)
                must_stop = attendance.turned(phase=run.phase(max(1, session.step)))
                if must_stop and session.step < run.total:
                    break
            return self._end(session)

    def _units(self) -> list[tuple[Tensor, ...]]:
        first, *others = self.run.networks.units()
        return [(*first, self.facts), *others]

    def _apply(self, gradients: Sequence[Tensor | None], step: int) -> None:
        """Moves both networks, after the turn's last sum."""
        networks = self.run.networks
        lr = self.run.learning_rate(step)
        generator = len(self.passes.generator_weights)
        networks.move_generator(gradients[:generator], lr=lr)
        if self.run.phase(step + 1) != WARMUP:
            networks.discriminator_adam.step(gradients[generator:], lr=lr)

    def _compute(self, turn: SessionStep) -> Sequence[Tensor | None]:
        computed = self._computed(turn.step, turn.share, summed=turn.summed)
        losses = torch.stack([loss.detach() for loss in computed.losses])
        turn.numbers = torch.nn.functional.pad(losses, (0, len(LOSS_NAMES) - len(losses)))
        judged: Sequence[Tensor | None] = computed.discriminator or [None] * len(
            self.passes.discriminator_weights
        )
        return [*computed.generator, *judged]

    def _computed(self, step: int, places: range, *, summed: Summed) -> Computed:
        batch = self.run.batches.at(step * self.run.options.batch_size, places=places)
        if self.run.phase(step + 1) == WARMUP:
            return self.passes.warmup(batch)
        return self.passes.gan(batch, summed=summed)

    def _begin(self, session: Session) -> None:
        # The last step's state never counts as kept: the rank that kept it may have died.
        self.run.saver = self.run.new_saver(at=min(session.step, self.run.total - 1))
        self._agree_on_features()
        self._see(session)
        self._judge_at_start(session)
        # The founder decides the features for all that join later.
        if session.round.world_size == 1:
            self.run.tell_of_features(self.found, self.progress)

    def _agree_on_features(self) -> None:
        """Looks through the same features as the members, which their founder has chosen.

        Raises InvalidInput if this node lacks their weights.
        """
        ours = self.progress.is_pretrained
        theirs = bool(self.facts[IS_PRETRAINED])
        if ours is None or ours == theirs:
            return
        if theirs:
            raise InvalidInput(
                "features: the members' content loss looks through pretrained features, this node "
                "has seeded random ones; give it the same VGG19 weights",
                field="features",
            )
        # The founder had no weights. All nodes can draw what it has drawn.
        self.passes.features = None
        self.progress = self.run.with_features(
            dataclasses.replace(self.progress, is_pretrained=False)
        )

    def _judge_at_start(self, session: Session) -> None:
        """Has the founder judge the untrained generator before its first turn, before any state is
        sent."""
        if session.round.world_size == 1 and session.step == 0:
            found = self.run.judged_at_start(self.progress).start_psnr_y_db
            self.facts[START_DB] = math.nan if found is None else found
        start_db = self.facts[START_DB].item()
        self.progress = dataclasses.replace(
            self.progress, start_psnr_y_db=None if math.isnan(start_db) else start_db
        )

    def _see(self, session: Session) -> None:
        """Notes which members take part, and how far the job is."""
        run, round_ = self.run, session.round
        # A process that has left gets a rank behind all others: it writes nothing any more.
        rank = len(round_.members) if round_.rank is None else round_.rank
        run.group = ProcessGroup(rank, round_.world_size, run.group.device)
        if run.group.is_first and round_.number != self.round:
            run.log(
                f"round {round_.number}: {round_.world_size} ranks from iteration {session.step}"
            )
        if round_.number != self.round:
            # The nodes that train now may differ from the earlier ones, also in how often they are
            # lost.
            run.saver.rhythm = run.rhythm(round_.interruptions_per_h)
        self.round = round_.number
        self.progress = dataclasses.replace(
            self.progress,
            iteration=session.step,
            samples_seen=session.step * run.options.batch_size,
        )

    def _after(self, outcome: CommittedStep) -> None:
        run = self.run
        progress = self.progress
        if progress.iteration % run.options.log_interval == 0 or progress.iteration == run.total:
            run.log_losses(progress, outcome.numbers)
        if run.group.is_first and (
            progress.iteration == run.total or run.saver.is_due(progress.iteration)
        ):
            run.save(progress)
        if progress.iteration % run.options.sample_interval == 0:
            run.show(progress, f"samples_{progress.iteration}.png")

    def _keep(self, session: Session) -> None:
        """Makes the last state durable, on rank 0."""
        self._see(session)
        self.run.save(self.progress)
        self.run.show(self.progress, "samples_final.png")
        self.run.saver.finish()

    def _end(self, session: Session) -> TrainingProgress:
        run = self.run
        progress = self.progress
        if session.is_member and session.step >= run.total:
            finished(progress.iteration)
            return progress
        run.save(progress)
        run.saver.finish()
        run.log(f"asked to stop, with no member left: stopped after iteration {progress.iteration}")
        drained(progress.iteration)
        return progress
