"""Builds the next round's process group in a thread, while training continues in the present
one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from time import monotonic, sleep

from elastic.durations import RETRY_S, SPIN_S
from elastic.errors import InvalidInput
from elastic.rendezvous import CALL_TIMEOUT_S, StoreLost
from elastic.workloads.session.messages import tell
from elastic.workloads.session.rendezvous import View
from elastic.workloads.session.rounds import Branch, Gloo, Gpu, Plug, Round, RoundLost
from elastic.workloads.session.settings import SessionSettings
from elastic.workloads.session.state import SessionTerms


class Builder(threading.Thread):
    """Waits until all members of a round have answered, and connects them."""

    def __init__(
        self,
        view: View,
        name: str,
        *,
        settings: SessionSettings,
        terms: SessionTerms,
        gpu: Gpu,
        cost: float,
        is_new: bool,
        changed: Callable[[], None],
    ) -> None:
        super().__init__(name=f"session-builder-{view.round}", daemon=True)
        self.number = view.round
        self.result: Round | None = None
        self.has_failed = False
        self.misfit: InvalidInput | None = None
        self.began_s = monotonic()
        self._members = view.participants
        self._rank = view.participants.index(name)
        self._settings = settings
        self._terms = terms
        self._cost = cost
        self._is_new = is_new
        self._gpu = gpu
        self._changed = changed
        self._is_cancelled = False

    def cancel(self) -> None:
        """Stops waiting for the others."""
        self._is_cancelled = True

    def run(self) -> None:
        try:
            self.result = self._built()
        except (RoundLost, StoreLost, RuntimeError, ValueError):
            self.has_failed = True
        # A problem of this process alone, for example no free descriptor.
        except OSError as error:
            tell(f"session: this process cannot meet the others of round {self.number}: {error}")
            sleep(RETRY_S)
            self.has_failed = True
        except InvalidInput as error:
            self.has_failed = True
            self.misfit = error
        self._changed()

    def _built(self) -> Round | None:
        size = len(self._members)
        settings = self._settings
        # A lone member needs no group, and no store.
        if size == 1:
            alone = (
                (self._cost,),
                (settings.most_samples,),
                (self._is_new,),
                (settings.losses_per_h,),
            )
            return Round(self.number, self._members, 0, None, *alone)
        store = Branch(
            settings.address(),
            f"{settings.job}/round/{self.number}",
            credential=settings.credential(),
        )
        plug = Plug(settings.host)
        about = {
            "plugs": plug.addresses,
            "terms": self._terms.as_dict(),
            "cost": self._cost,
            "limit": settings.most_samples,
            "is_new": self._is_new,
            "losses_per_h": settings.losses_per_h,
            "gpu": self._gpu.name(),
        }
        # Each member posts its addresses and terms, and waits until all have done so.
        store.set(f"here/{self._rank}", json.dumps(about))
        keys = [f"here/{rank}" for rank in range(size)]
        while not store.check(keys):
            if self._is_cancelled:
                return None
            sleep(SPIN_S)
        answers = [json.loads(store.get(key)) for key in keys]
        # Before anything is connected: a member with other terms must not sum.
        for each in answers:
            self._terms.check(each["terms"])
        plugs = {
            rank: [(host, port) for host, port in each["plugs"]]
            for rank, each in enumerate(answers)
        }
        gpus = {each["gpu"] for each in answers}
        # If two ranks share a GPU, or one has none, gloo sums by way of memory.
        gpu = self._gpu if len(gpus) == size and None not in gpus else None
        # A member whose store is frozen fails a call after this time. A meeting may take no longer.
        group = Gloo(store, self._rank, size, plug, plugs, timeout_s=CALL_TIMEOUT_S, gpu=gpu)
        costs = tuple(float(each["cost"]) for each in answers)
        # What members said of themselves, in the order of their ranks.
        limits, are_new, losses = (
            tuple(each[key] for each in answers) for key in ("limit", "is_new", "losses_per_h")
        )
        return Round(self.number, self._members, self._rank, group, costs, limits, are_new, losses)
