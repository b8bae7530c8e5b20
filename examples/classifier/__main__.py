"""Trains a small convolutional network to tell which way stripes run.

    python -m elastic.rendezvous.certificate /tmp/job.pem
    python -m elastic.rendezvous --ready-file /tmp/store --certificate /tmp/job.pem &
    export ELASTICD_SESSION_STORE=/tmp/store ELASTICD_CERTIFICATE=/tmp/job.pem
    torchrun --standalone -m examples.classifier --steps 300

Start the last line as often as you like; end any of them by Ctrl-C, SIGTERM or SIGKILL. The
weights come out the same. For more than one machine start the store with `--host ADDRESS`, copy the
certificate to the others, which is a secret, and say there where the store stands, as its ready
file does: `ELASTICD_SESSION_STORE=ADDRESS:PORT`.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from elastic.worker import checkpointed, drained, finished
from elastic.workloads import Rhythm
from elastic.workloads.adam import Adam
from elastic.workloads.checkpoint import BackgroundSaver, Checkpoints
from elastic.workloads.session import Attendance, Session, SessionEnded, SessionStep

ELASTICD_MODE = (
    "live"  # read by elasticd, which runs this script in a session without being asked to
)
CLASSES = 4
SIZE = 16
HELD_OUT = 256


class Classifier:
    """The network, its optimizer and its data: what a step does follows from its number alone."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            # A norm over the batch would depend on how it is divided among ranks; one over groups
            # of channels does not.
            nn.GroupNorm(4, 16),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.GroupNorm(4, 32),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
            nn.Linear(128, CLASSES),
        )
        self.weights = list(self.model.parameters())
        self.adam = Adam(self.weights, b1=0.9, b2=0.999)

    def compute(self, turn: SessionStep) -> Sequence[Tensor]:
        """Gives this rank's part of the gradients."""
        images, labels = samples(turn.places() or range(1))
        losses = (
            nn.functional.cross_entropy(self.model(images), labels, reduction="sum") / turn.batch
        )
        loss = losses if turn.share else losses * 0.0
        turn.numbers = loss.detach().reshape(1)
        return torch.autograd.grad(loss, self.weights)

    def apply(self, gradients: Sequence[Tensor | None], step: int) -> None:
        """Moves the state."""
        self.adam.step(gradients, lr=1e-3)

    def accuracy(self) -> float:
        """Gives the part of images never trained on that is told right."""
        images, labels = samples(range(-HELD_OUT, 0))
        with torch.no_grad():
            return float((self.model(images).argmax(1) == labels).float().mean())


def samples(places: range) -> tuple[Tensor, Tensor]:
    """Gives the images `(len, 1, 16, 16)` and labels `(len,)` at places of an endless sequence."""
    made = [_sample(place) for place in places]
    return torch.stack([image for image, _ in made]), torch.tensor([label for _, label in made])


def _sample(place: int) -> tuple[Tensor, int]:
    """Gives stripes in one of four directions, shifted, under noise: all drawn from the place."""
    chance = torch.Generator().manual_seed(place + 2**32)
    label = int(torch.randint(CLASSES, (), generator=chance))
    down, across = torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="ij")
    along = (down, across, down + across, down - across)[label]
    stripes = torch.sin(0.9 * along + 6.3 * float(torch.rand((), generator=chance)))
    return (stripes + 1.5 * torch.randn(SIZE, SIZE, generator=chance)).unsqueeze(0), label


def main(argv: Sequence[str]) -> int:
    """Trains to the end, or until asked to leave."""
    parser = argparse.ArgumentParser(
        prog="examples.classifier", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--checkpoint-interval", type=int, default=100)
    options = parser.parse_args(argv)
    try:
        _train(options)
    except SessionEnded as ended:
        _say(str(ended))
        return 0 if ended.is_complete else 1
    return 0


def _train(options: argparse.Namespace) -> None:
    folder = Path(os.environ.get("ELASTICD_CHECKPOINT_DIR", "checkpoints"))
    terms = f"batch {options.batch}"
    checkpoints = Checkpoints(folder, "classifier", terms, os.environ.get("ELASTICD_JOB_ID"))
    task = Classifier()
    step = _resume(task, checkpoints)
    saver = BackgroundSaver(
        checkpoints,
        Rhythm(options.checkpoint_interval),
        at=step,
        tell=lambda saved: checkpointed(saved.iteration, elapsed_s=saved.elapsed_s),
    )
    with Session.join(
        task.adam.units(),
        task.apply,
        batch=options.batch,
        step=step,
        steps=options.steps,
        numbers=1,
        terms=terms,
    ) as session:

        def keep() -> None:
            saver.take(session.step, _kept(task))
            saver.finish()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: session.leave())
        attendance = Attendance(session)
        while session.is_member and (session.step < options.steps or not session.finish(keep)):
            outcome = session.run(task.compute)
            is_last = session.step >= options.steps
            if outcome is not None and session.is_first:
                # The nodes that train now may be lost more often than others were.
                saver.rhythm = Rhythm(
                    options.checkpoint_interval, session.round.interruptions_per_h
                )
                if not is_last and saver.is_due(outcome.step):
                    saver.take(outcome.step, _kept(task))
                if is_last or outcome.step % 20 == 0:
                    ranks, loss = session.round.world_size, float(outcome.numbers[0])
                    _say(f"step {outcome.step}, {ranks} ranks, loss {loss:.4f}")
            if attendance.turned() and not is_last:
                keep()
                break
        saver.finish()
        if session.is_member and session.step >= options.steps:
            _say(f"finished: {100 * task.accuracy():.1f} % right, state {session.digest()[:12]}")
            finished(session.step)
        else:
            _say(f"stopped after step {session.step}")
            drained(session.step)


@torch.no_grad()
def _resume(task: Classifier, checkpoints: Checkpoints) -> int:
    """Takes the newest checkpoint's state where there is one, and gives the steps it has done."""
    found = checkpoints.newest()
    if found is None:
        return 0
    step, state, _ = found
    live = [tensor for unit in task.adam.units() for tensor in unit]
    for target, source in zip(live, state["tensors"], strict=True):
        target.copy_(source)
    return step


def _kept(task: Classifier) -> dict[str, list[Tensor]]:
    return {"tensors": [tensor for unit in task.adam.units() for tensor in unit]}


def _say(text: str) -> None:
    print(f"classifier: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
