"""Defects that are planted in the product, to see that a promise is found broken by each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any
from unittest.mock import patch

from benchmarks.soak.faults import FaultKind
from elastic.clock import SteadyClock
from elastic.policy import guard
from elastic.pricing.plausible import Sifted
from elastic.providers import LaunchRequest
from elastic.reconciler import price_records
from elastic.reconciler.machines import Machines
from elastic.reconciler.timekeeper import Timekeeper
from elastic.simulator import simulation
from elastic.store.nodes import Nodes

# One method of the product, and what stands in its place, given the method.
Change = tuple[Any, str, Callable[[Any], Any]]


@dataclass(frozen=True, slots=True)
class Defect:
    """What is broken, the faults in which it shows, and the promises that it breaks."""

    name: str
    changes: tuple[Change, ...]
    kinds: tuple[FaultKind, ...]
    breaks: frozenset[str]


@contextmanager
def planted(defect: Defect) -> Iterator[None]:
    """The product has this defect while the block lasts."""
    with ExitStack() as stack:
        for owner, name, changed in defect.changes:
            stack.enter_context(patch.object(owner, name, changed(getattr(owner, name))))
        yield


def _nothing(_: Any) -> Any:
    return lambda *args, **kwargs: None


def _new_token_each_time(request: Any) -> Any:
    numbers = count()

    def changed(self: Machines, intent: Any) -> LaunchRequest:
        made: LaunchRequest = request(self, intent)
        return replace(made, token=f"{made.token}-{next(numbers)}")

    return changed


def _once(terminate: Any) -> Any:
    asked = set()

    def changed(self: Machines, provider_id: str, *, now_s: float) -> None:
        if provider_id not in asked:
            asked.add(provider_id)
            terminate(self, provider_id, now_s=now_s)

    return changed


def _believe_all(_: Any) -> Any:
    return lambda quotes, measures: Sifted(tuple(quotes), ())


def _charged_late(launched: Any) -> Any:
    def changed(self: Nodes, *args: Any, launched_at_s: float, **rest: Any) -> None:
        launched(self, *args, launched_at_s=launched_at_s + 600.0, **rest)

    return changed


def _machine_s_clock(_: Any) -> Any:
    return lambda self: self._machine_s()  # noqa: SLF001


DEFECTS: Mapping[str, Defect] = {
    each.name: each
    for each in (
        Defect(
            "a purchase is repeated under another token",
            ((Machines, "_request", _new_token_each_time),),
            (FaultKind.LOST_ANSWER, FaultKind.CRASH_AT_CALL, FaultKind.STORM),
            frozenset({"P2", "P3", "P7"}),
        ),
        Defect(
            "no machine is ended",
            ((Machines, "_terminate", _nothing),),
            (FaultKind.STORM,),
            frozenset({"P3"}),
        ),
        Defect(
            "the end of a machine is asked for once",
            ((Machines, "_terminate", _once),),
            (FaultKind.REFUSED,),
            frozenset({"P3"}),
        ),
        Defect(
            "every price is believed",
            ((price_records, "sift", _believe_all),),
            (FaultKind.WRONG_PRICES,),
            frozenset({"P6", "P7", "ends"}),
        ),
        Defect(
            "a machine is charged from ten minutes after it was bought",
            ((Nodes, "launched", _charged_late),),
            (FaultKind.STORM,),
            frozenset({"P7"}),
        ),
        Defect(
            "the daemon goes by the clock of its machine",
            (
                (SteadyClock, "now_s", _machine_s_clock),
                (Timekeeper, "why_hold", _nothing),
            ),
            (FaultKind.CLOCK,),
            frozenset({"P7", "ends", "P3", "P6"}),
        ),
        Defect(
            "no budget stops a job",
            ((guard, "_budget_reached", _nothing),),
            (FaultKind.STORM,),
            frozenset({"P6"}),
        ),
        Defect(
            "a node that never registers is kept",
            ((simulation, "REGISTER_S", lambda _: math.inf),),
            (FaultKind.NO_BOOT,),
            frozenset({"P5"}),
        ),
    )
}
