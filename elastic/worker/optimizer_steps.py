"""Counts the turns of an unmodified script through torch's own optimizer step hook.

It does not import torch.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
import weakref
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from elastic.worker.agreement import C10D_MODULE, Agreement, default_store
from elastic.worker.hook import Worker, handles_sigterm
from elastic.worker.imports import after_import
from elastic.worker.rank_starts import RankStart
from elastic.worker.replicas import replica_of

OPTIMIZER_MODULE = "torch.optim.optimizer"
RETIRED_AFTER_OTHER_STEPS = 100
# Gradients of a step are exchanged within the step, and a step takes no longer as a rule.
HOLD_S = 2.0
# Groups that do not count their collectives.
UNCOUNTED = -1
# Functions of torch.distributed.checkpoint and DeepSpeed that make an optimizer's state by a step
# on zeros, before a script reads its checkpoint.
STATE_MAKERS = frozenset({"_init_optim_state", "initialize_optimizer_states"})
ALONE_AFTER = 20  # every step of data-parallel training exchanges gradients at least once
CAUGHT = (
    "The script caught SystemExit, which stops it after a step, and went on. So it is killed. "
    "Write `except Exception:` in place of `except:` around its steps"
)
_held: set[object] = set()


def count_optimizer_steps(worker: Worker) -> None:
    """Counts the first optimizer's steps as turns, as soon as the script imports torch."""
    counter = StepCounter(worker)

    def register(module: ModuleType) -> None:
        module.register_optimizer_step_pre_hook(counter.before)
        module.register_optimizer_step_post_hook(counter)

    after_import(OPTIMIZER_MODULE, register)


class StepCounter:
    """A hook after every optimizer step; one step of the first optimizer is one turn.

    A GAN's two optimizers thus count once, and so do hundreds, such as one for each parameter. If
    the counted optimizer is gone, or another one has made 100 steps without it, that one is counted
    from there on. The counter stops when the script calls ``paramount()`` itself, or joins a
    session. What it counted in its first two seconds is then taken back.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._counted: Callable[[], object | None] = lambda: None
        # The steps of each other optimizer since the last counted one.
        self._other_steps: weakref.WeakKeyDictionary[object, int] = weakref.WeakKeyDictionary()
        # The first parameter of the counted optimizer, by its id.
        self._first_parameter: int | None = None
        self._further_parts = 0
        self._turns = 0
        self._agreement: Agreement | None = None
        self._has_called_for_signal = False
        self._has_raised = False
        self._has_met = False
        self._collectives: int | None = None

    def before(self, optimizer: object, _args: object, _kwargs: object) -> None:
        """Runs before each step; before the first one the ranks compare where they begin."""
        if self._has_met or self._worker.counts_own_turns or _makes_state():
            return
        self._has_met = True
        begins_at = self._worker.saves.begin()
        self._worker.meet(
            RankStart(begins_at, self._worker.saves.read_from),
            replica=functools.partial(
                replica_of, optimizer, world_size=self._worker.membership.world_size
            ),
        )

    def __call__(self, optimizer: object, _args: object, _kwargs: object) -> None:
        if (
            self._worker.counts_own_turns
            or _makes_state()
            or not self._is_counted(optimizer)
            or self._is_further_part(optimizer)
        ):
            return
        self._turns += 1
        if self._turns == 1:
            self._worker.recorder.hold(for_s=HOLD_S)
            _hold_process_groups()
            self._collectives = _collectives()
        elif self._turns == 2:
            # A script that reports its turns itself has done so by now.
            self._worker.tell_beginning(stops_when_asked=handles_sigterm())
        elif self._turns == ALONE_AFTER:
            self._tell_if_alone()
        if (
            self._worker.count(None, "main")
            and not self._has_called_for_signal
            and self._all_may_stop()
        ):
            self._stop_here()

    def _is_counted(self, optimizer: object) -> bool:
        counted = self._counted()
        if counted is not optimizer:
            steps = self._other_steps.get(optimizer, 0) + 1
            if counted is not None and steps <= RETIRED_AFTER_OTHER_STEPS:
                self._other_steps[optimizer] = steps
                return False
            self._counted = weakref.ref(optimizer)
            self._first_parameter = None
        self._other_steps.clear()
        return True

    def _is_further_part(self, optimizer: Any) -> bool:
        """Whether this is the same turn as the step before.

        DeepSpeed's ZeRO gives the parameters to their optimizer part by part, each with a step.
        """
        if "deepspeed" not in sys.modules:
            return False
        first = next((id(each) for part in optimizer.param_groups for each in part["params"]), None)
        if self._first_parameter is None or self._further_parts > RETIRED_AFTER_OTHER_STEPS:
            self._first_parameter = first
        if first == self._first_parameter:
            self._further_parts = 0
            return False
        self._further_parts += 1
        return True

    def _tell_if_alone(self) -> None:
        """Tells the job's owner if several processes do not average their gradients.

        Each of them then trains a model of its own.
        """
        workers = self._worker.membership.world_size
        if workers > 1 and self._collectives == _collectives() != UNCOUNTED:
            self._worker.say(
                "note",
                text=f"{workers} workers train {workers} separate models: they exchanged nothing "
                f"in {ALONE_AFTER} steps. Wrap the model in DistributedDataParallel or FSDP, or "
                "ask for one worker (nproc_per_node: 1)",
            )

    def _all_may_stop(self) -> bool:
        """Whether this turn is the one at which all ranks stop.

        Ranks see the drain file at different turns, and one that left would make the others fail.
        If they have no process group to agree by, the agent is asked for a signal, which reaches
        all ranks at once.
        """
        membership = self._worker.membership
        if membership.world_size == 1:
            return True
        try:
            store = None
            if self._agreement is None:
                store = default_store()
            if store is not None:
                self._agreement = Agreement(
                    store,
                    rank=membership.rank,
                    world_size=membership.world_size,
                    generation=membership.generation,
                )
            if self._agreement is not None:
                return self._agreement.is_over(self._turns)
        except (RuntimeError, ValueError):  # torch's, when the store is gone
            pass
        self._has_called_for_signal = True
        self._worker.tell_agent("needs_signal")
        return False

    def _stop_here(self) -> None:
        """Ends the process at this step boundary.

        A script with a SIGTERM handler knows best how to stop, and gets its signal now. Any other
        script ends by ``SystemExit``, so that its ``finally`` blocks run. A script that catches it,
        such as by an ``except:`` around each step, would skip the rest of every turn. It waits here
        until the agent kills it.
        """
        _hold_process_groups()
        if handles_sigterm():
            self._has_called_for_signal = True
            # Blocked where the machine's owner signals all processes, as Slurm does.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
            os.kill(os.getpid(), signal.SIGTERM)
        elif self._has_raised:
            self._worker.say("note", text=CAUGHT)
            threading.Event().wait()
        else:
            self._has_raised = True
            self._worker.say_last("drained", None)
            raise SystemExit(0)


def _makes_state() -> bool:
    """Whether this step trains nothing, but makes the optimizer's state."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 (its public name is in `inspect`)
    while frame is not None:
        if frame.f_code.co_name in STATE_MAKERS:
            return True
        frame = frame.f_back
    return False


def _collectives() -> int | None:
    """How many collectives the script's process groups have begun.

    None where it has no groups, UNCOUNTED where a backend does not count them.
    """
    world = getattr(sys.modules.get(C10D_MODULE), "_world", None)
    groups = getattr(world, "pg_map", None)
    if not groups:
        return None
    try:
        # torch has no public name for it.
        return sum(int(group._get_sequence_number_for_group()) for group in groups)  # noqa: SLF001
    except RuntimeError:  # torch's, for a backend of another package, such as oneCCL's
        return UNCOUNTED


def _hold_process_groups() -> None:
    """Keeps the script's process groups for as long as this process lives.

    Without this, torch destroys a gloo group while it holds the GIL, and waits for the group's
    threads. They may want the GIL to release the last collective (pytorch/pytorch#56297). A script
    that ended right after a step, and dropped its DistributedDataParallel, hung in one of four
    runs.
    """
    world = getattr(sys.modules.get(C10D_MODULE), "_world", None)
    _held.update(getattr(world, "pg_map", ()))
