"""Sees the turns of an unmodified script through torch's own optimizer step hook, without importing torch."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import weakref
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from elastic.worker.agreement import C10D_MODULE, Agreement, default_store
from elastic.worker.hook import Worker

OPTIMIZER_MODULE = "torch.optim.optimizer"
RETIRED_AFTER_OTHER_STEPS = 100
HOLD_S = 2.0
_held: set[object] = set()


def count_optimizer_steps(worker: Worker) -> None:
    """Arranges that the steps of the first optimizer count as turns, as soon as the script imports torch."""
    counter = StepCounter(worker)
    if OPTIMIZER_MODULE in sys.modules:
        _register(sys.modules[OPTIMIZER_MODULE], counter)
    else:
        sys.meta_path.insert(0, _ImportHook(counter))


class StepCounter:
    """A hook after every optimizer step; one step of the first optimizer that ever stepped is one turn.

    A GAN's two optimizers thus count once. Where the counted optimizer is gone, or others have stepped 100 times
    without it (a script that changes optimizers), the one stepping then is counted from there on. The counter stands
    aside when the script calls ``paramount()`` itself, or comes to a session; what it saw in its first two seconds is
    then taken back.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._counted: Callable[[], object | None] = lambda: None
        self._other_steps = 0
        self._turns = 0
        self._agreement: Agreement | None = None
        self._has_called_for_signal = False

    def __call__(self, optimizer: object, _args: object, _kwargs: object) -> None:
        if self._worker.counts_own_turns or not self._is_counted(optimizer):
            return
        self._turns += 1
        if self._turns == 1:
            self._worker.recorder.hold(for_s=HOLD_S)
            _hold_process_groups()
        if self._worker.count(None, "main") and not self._has_called_for_signal and self._all_may_stop():
            self._stop_here()

    def _is_counted(self, optimizer: object) -> bool:
        counted = self._counted()
        if counted is optimizer:
            self._other_steps = 0
            return True
        self._other_steps += 1
        if counted is not None and self._other_steps <= RETIRED_AFTER_OTHER_STEPS:
            return False
        self._counted = weakref.ref(optimizer)
        self._other_steps = 0
        return True

    def _all_may_stop(self) -> bool:
        """Whether this turn is the one at which all ranks stop.

        Several see the drain file at different turns, and one that left would make the others fail. Where they have no
        process group to agree by, the agent is asked for a signal, which reaches all at once, wherever they are.
        """
        membership = self._worker.membership
        if membership.world_size == 1:
            return True
        try:
            store = default_store() if self._agreement is None else None
            if store is not None:
                self._agreement = Agreement(
                    store, rank=membership.rank, world_size=membership.world_size, generation=membership.generation
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

        A script with a SIGTERM handler knows best how to stop and gets its signal now. One without leaves by
        ``SystemExit``, so that its ``finally`` blocks run.
        """
        _hold_process_groups()
        if signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, signal.SIG_IGN, None):
            self._has_called_for_signal = True
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            self._worker.say_last("drained", None)
            raise SystemExit(0)


class _ImportHook(MetaPathFinder):
    """Lets the import of torch's optimizer module pass and registers the counter when it is done."""

    def __init__(self, counter: StepCounter) -> None:
        self._counter = counter

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != OPTIMIZER_MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _RegisteringLoader(spec.loader, self._counter)
        return spec


class _RegisteringLoader(Loader):
    def __init__(self, loader: Loader, counter: StepCounter) -> None:
        self._loader = loader
        self._counter = counter

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The module keeps its true loader: inspect and pickling ask it for source and name.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _register(module, self._counter)


def _hold_process_groups() -> None:
    """Keeps the script's process groups for as long as this process lives.

    torch ends a gloo group that nobody holds with the GIL in its hand, and waits for threads of the group, which may
    want the GIL to let go of the last collective (pytorch/pytorch#56297): a script that ends right after a step, and
    drops its DistributedDataParallel, hung in one of four ends.
    """
    world = getattr(sys.modules.get(C10D_MODULE), "_world", None)
    _held.update(getattr(world, "pg_map", ()))


def _register(module: ModuleType, counter: StepCounter) -> None:
    module.register_optimizer_step_post_hook(counter)
