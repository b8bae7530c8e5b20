"""Realistic mistakes, planted into the product one at a time, each with a life that shows it.

A promise that nobody can break by mistake proves nothing. Each defect swaps a function of the
product, or a constant, for a wrong one. Where a second defence would hide it, that one is switched
off too, and the table says so.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any
from unittest.mock import patch

from benchmarks.soak.faults import MINUTE, Fault, FaultKind
from benchmarks.soak.play import Outcome, Script, play
from elastic.clock import SteadyClock
from elastic.model import CapacityChoice, JobPhase, Limits, NodePhase
from elastic.pricing import Sifted, why_impossible
from elastic.providers import InstanceState
from elastic.reconciler import (
    LeaseHolder,
    Machines,
    TerminationPermission,
    Timekeeper,
    machines,
    price_records,
    steps,
)
from elastic.reconciler.billing_periods import BillingPeriods
from elastic.store import jobs, ledger, measurements, records
from elastic.store.decisions import Decisions
from elastic.store.heartbeats import Heartbeats
from elastic.store.jobs import Jobs
from elastic.store.ledger import Charges
from elastic.store.nodes import Nodes
from elastic.store.schema import ledger as ledger_rows

# Its package has a function of this name.
guard = import_module("elastic.policy.guard")

_HOUR = 3_600.0
# Draws that choose a call of the cloud, in the order of `Operation`.
_LAUNCH = 0.1
_LIST = 0.2
_TERMINATE = 0.4
# Draws that set a clock two hours, or a day, ahead.
_TWO_HOURS_AHEAD = 0.3
_A_DAY_AHEAD = 0.45

Swap = tuple[Any, str, Any]


@dataclass(frozen=True, slots=True)
class Defect:
    """A mistake: what is wrong, what the product's name is swapped for, and a life that shows it."""

    name: str
    what: str
    swaps: tuple[Swap, ...]
    script: Script
    # Another defence that is switched off, and its name.
    off: tuple[Swap, ...] = ()
    without: str = ""


@dataclass(frozen=True, slots=True)
class Catch:
    """What came of a planted defect: the promise that it broke, or None."""

    defect: str
    without: str
    promise: str | None
    days: float
    cpu_s: float
    what: str


@contextmanager
def planted(defect: Defect) -> Iterator[None]:
    """Has the product make a mistake until the block ends."""
    with ExitStack() as stack:
        for owner, name, new in (*defect.swaps, *defect.off):
            stack.enter_context(patch.object(owner, name, new))
        yield


def catch(name: str) -> Catch:
    """Plays the life of a defect until a promise is broken."""
    defect = DEFECTS[name]
    with planted(defect):
        outcome: Outcome = play(defect.script)
    promise = None
    what = ""
    if outcome.violations:
        promise = outcome.violations[0].promise
        what = outcome.violations[0].what
    return Catch(name, defect.without, promise, outcome.days, outcome.cpu_s, what)


def _at(hours: float, kind: FaultKind, minutes: float, draw: float = 0.5) -> Fault:
    return Fault(kind, hours * _HOUR, minutes * MINUTE, draw)


def _script(*faults: Fault, seed: int = 1, **more: Any) -> Script:
    """A job of six hours on one node, without a budget, in which exactly this happens."""
    told: dict[str, Any] = {
        "hours": 6.0,
        "nodes_max": 1,
        "capacity": CapacityChoice.ANY,
        "budget_usd": math.inf,
    }
    return Script(seed, faults=faults, **(told | more))


def _nothing(*args: Any, **kwargs: Any) -> None:
    return None


def _always(value: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: value


# Launches.

_request = Machines._request
_launch = Machines._launch
_open_launches = Nodes.open_launches


def _with_a_new_token(self: Any, intent: Any) -> Any:
    return replace(_request(self, intent), token=secrets.token_hex(16))


def _open_under_new_tokens(self: Any) -> Any:
    return tuple(replace(each, token=secrets.token_hex(16)) for each in _open_launches(self))


def _launch_as_if_first(self: Any, intent: Any, *, is_repeated: bool = False, now_s: float) -> bool:
    return _launch(self, intent, is_repeated=False, now_s=now_s)


_LAUNCHES = (
    Defect(
        "double buy",
        "Each attempt at a purchase has a token of its own.",
        ((Machines, "_request", _with_a_new_token),),
        _script(_at(0.0, FaultKind.LOST_ANSWER, 1, _LAUNCH)),
    ),
    Defect(
        "lost token",
        "A purchase that was left open is repeated under another token.",
        ((Nodes, "open_launches", _open_under_new_tokens),),
        _script(
            _at(0.0, FaultKind.LATE_LISTING, 5, 0.9), _at(0.0, FaultKind.LOST_ANSWER, 1, _LAUNCH)
        ),
    ),
    Defect(
        "silence is refusal",
        "A purchase whose answer was lost counts as refused.",
        ((machines, "ProviderUnavailable", ZeroDivisionError),),
        _script(
            _at(0.0, FaultKind.LATE_LISTING, 5, 0.9), _at(0.0, FaultKind.LOST_ANSWER, 1, _LAUNCH)
        ),
    ),
    Defect(
        "odd error closes",
        "An error that says nothing of the first attempt closes a repeated purchase.",
        ((Machines, "_launch", _launch_as_if_first),),
        _script(
            _at(0.0, FaultKind.LATE_LISTING, 5, 0.9),
            _at(0.0, FaultKind.LOST_ANSWER, 1, _LAUNCH),
            _at(0.0, FaultKind.ODD_ERROR, 5, _LAUNCH),
        ),
    ),
    Defect(
        "buys unwritten",
        "A purchase is repeated while the database takes no write.",
        ((Nodes, "touch", _nothing),),
        _script(
            _at(0.0, FaultKind.LATE_LISTING, 5, 0.9),
            _at(0.0, FaultKind.LOST_ANSWER, 1, _LAUNCH),
            _at(0.002, FaultKind.FULL_DISK, 5),
        ),
        off=((Nodes, "note_asked", _nothing),),
        without="the note of the call, which is written before it",
    ),
)

# Terminations.

_settle_node = Machines._settle_node
_listed = Machines._listed
_intend_end = Nodes.intend_end


def _settle_without_repeating(self: Any, node: Any, instance: Any, *, now_s: float) -> bool:
    is_ending = instance is not None and node.phase is NodePhase.TERMINATING
    if is_ending and instance.state is not InstanceState.GONE:
        return False
    return _settle_node(self, node, instance, now_s=now_s)


def _gone_on_request(self: Any, node_id: str, *, reason: str, now_s: float) -> Any:
    node = _intend_end(self, node_id, reason=reason, now_s=now_s)
    self.gone(node_id, at_s=now_s)
    return node


def _gone_when_not_listed(self: Any, node: Any, *, now_s: float) -> bool:
    self.store.nodes.gone(node.id, at_s=now_s)
    return True


def _first_page(self: Any) -> Any:
    return _listed(self)[:1]


def _known_but_intended(self: Any, instances: Any, *, now_s: float) -> Any:
    return tuple(each for each in self.store.nodes.listed() if each.phase is not NodePhase.INTENDED)


_TERMINATIONS = (
    Defect(
        "asked once",
        "A termination is asked for once and not repeated.",
        ((Machines, "_settle_node", _settle_without_repeating),),
        _script(_at(0.0, FaultKind.ODD_ERROR, 10, _TERMINATE), has_timers=False),
        without="the machine's own timer",
    ),
    Defect(
        "gone on request",
        "A node counts as gone as soon as its end is asked for.",
        ((Nodes, "intend_end", _gone_on_request),),
        _script(_at(0.0, FaultKind.ODD_ERROR, 10, _TERMINATE), has_timers=False),
        without="the machine's own timer",
    ),
    Defect(
        "not listed is gone",
        "A machine that is not listed once is gone.",
        ((BillingPeriods, "note_missing", _gone_when_not_listed),),
        _script(_at(0.0, FaultKind.LATE_LISTING, 5, 0.9)),
    ),
    Defect(
        "first page only",
        "Only the first page of machines is read.",
        ((Machines, "_listed", _first_page),),
        _script(nodes_max=2, hours=12.0, budget_usd=math.inf),
    ),
    Defect(
        "forgotten machine",
        "Machines without a node are not looked for.",
        ((Machines, "_end_orphans", _nothing),),
        _script(_at(1.0, FaultKind.STRAY, 5, 0.1)),
    ),
    Defect(
        "intents are no nodes",
        "A machine whose purchase was not answered counts as one without a node.",
        ((Machines, "_known", _known_but_intended),),
        _script(*(_at(0.0, FaultKind.LOST_ANSWER, 1, _LAUNCH) for _ in range(3))),
    ),
)

# Leases and new machines.

_patiences = steps._patiences


def _proven_by_a_list(self: Any, instances: Any) -> None:
    self.note_proof()


def _patiences_but_for(phase: NodePhase) -> Callable[..., Any]:
    def patiences(world: Any, node: Any) -> Iterator[Any]:
        if node.phase is not phase:
            yield from _patiences(world, node)

    return patiences


_LEASES = (
    Defect(
        "leases for ever",
        "Leases are renewed though no machine can be ended.",
        ((TerminationPermission, "lease_left_s", lambda self: self.lease_s),),
        _script(_at(0.5, FaultKind.FORBIDDEN, 90)),
    ),
    Defect(
        "a list is a proof",
        "A daemon that may list machines is taken to be able to end them.",
        ((TerminationPermission, "look", _proven_by_a_list),),
        _script(_at(0.5, FaultKind.FORBIDDEN, 90)),
    ),
    Defect(
        "silent for ever",
        "A node that is silent is waited for without end.",
        ((steps, "_patiences", _patiences_but_for(NodePhase.JOINED)),),
        _script(_at(0.5, FaultKind.CUT_OFF, 60), has_timers=False),
        without="the machine's own timer",
    ),
    Defect(
        "never registers",
        "A machine that never registers is waited for without end.",
        ((steps, "_patiences", _patiences_but_for(NodePhase.BOOTING)),),
        _script(_at(0.0, FaultKind.NO_BOOT, 15)),
    ),
)

# Budgets, the ledger and prices.

_ledger_prices = ledger._prices
_note_gone = BillingPeriods.note_gone


def _without_what_runs(self: Any, job_id: str, now_s: float) -> float:
    return float(self.over_usd.get(job_id, 0.0))


def _price_of_the_launch(connection: Any, node: Any) -> Any:
    return _ledger_prices(connection, node)[:1]


def _gone_when_seen(self: Any, node: Any, instance: Any, *, now_s: float) -> None:
    _note_gone(self, node, replace(instance, exited_at_s=now_s), now_s=now_s)


def _lost_is_free(self: Any, node: Any, instance: Any, *, now_s: float) -> None:
    is_lost = node.phase is not NodePhase.TERMINATING
    waived_s = math.inf if is_lost else None
    _note_gone(self, node, replace(instance, waived_before_s=waived_s), now_s=now_s)


def _written_beside_the_old(connection: Any, node: Any, chain: Any) -> None:
    identity = {name: getattr(node, name) for name in ("job_id", "node_type", "capacity", "zone")}
    for stretch in chain:
        values = ledger._values(stretch)
        connection.execute(ledger_rows.insert().values(node_id=node.id, **identity, **values))


def _believed(quotes: Any, in_force: Any, **more: Any) -> Sifted:
    possible = (each for each in quotes if why_impossible(each.usd_per_h) is None)
    return Sifted(tuple(possible), ())


_BILLS = (
    Defect(
        "what runs is free",
        "A budget counts machines only once they are gone.",
        ((Charges, "spent_usd", _without_what_runs),),
        _script(budget_usd=1.0, hours=12.0),
    ),
    Defect(
        "no end by budget",
        "A budget limits changes, and stops nothing.",
        ((guard, "_budget_reached", _nothing),),
        _script(budget_usd=1.0, hours=12.0),
    ),
    Defect(
        "price of the launch",
        "A machine is charged the price of its launch to its end.",
        ((ledger, "_prices", _price_of_the_launch),),
        _script(price_lasts_s=_HOUR, price_spread=(0.9, 1.6)),
    ),
    Defect(
        "gone when seen",
        "A machine that ended while nobody looked is charged until somebody does.",
        ((BillingPeriods, "note_gone", _gone_when_seen),),
        _script(_at(0.5, FaultKind.AWAY, 60)),
    ),
    Defect(
        "lost is free",
        "A machine that ends by itself is charged nothing.",
        ((BillingPeriods, "note_gone", _lost_is_free),),
        _script(_at(1.0, FaultKind.DIES, 1)),
    ),
    Defect(
        "charged twice",
        "Rows of the ledger that are written again stand beside the old ones.",
        ((ledger, "_write", _written_beside_the_old),),
        _script(price_lasts_s=_HOUR),
    ),
    Defect(
        "doubt unheard",
        "A source's own doubt of its prices is not heeded.",
        ((price_records, "sift", _believed),),
        _script(_at(0.5, FaultKind.WRONG_PRICES, 10, 0.1)),
        without="the bound of jumps, which is in the same function",
    ),
    Defect(
        "any jump",
        "A price may jump by any factor.",
        ((price_records, "sift", _believed),),
        _script(_at(0.5, FaultKind.WRONG_PRICES, 10, 0.9), knows_bounds=False),
        without="the source's own bounds",
    ),
    Defect(
        "old prices",
        "A price of any age is bought at.",
        ((Limits, "trust", _always(True)),),
        _script(
            _at(0.2, FaultKind.NO_PRICES, 240),
            _at(2.0, FaultKind.DIES, 1),
            capacity=CapacityChoice.SPOT,
            hours=12,
        ),
    ),
)

# Clocks: finding D3.

_now_s = SteadyClock._now_s
_why_hold = Timekeeper.why_hold


def _by_the_machine(self: Any) -> float:
    return float(self._machine_s())


def _not_for_the_first_answer(self: Any) -> str | None:
    self.clock.is_confirmed = True
    return _why_hold(self)


def _believes_at_once(self: Any, ahead_s: float) -> None:
    self._go_to(ahead_s - self._ahead_s)


_CLOCKS = (
    Defect(
        "D3, the machine's clock",
        "The daemon goes by its machine's clock, which is two hours ahead for 40 s.",
        ((SteadyClock, "_now_s", _by_the_machine),),
        _script(_at(1.5, FaultKind.CLOCK, 40 / 60, _TWO_HOURS_AHEAD), budget_usd=2.2),
        off=((Timekeeper, "why_hold", _nothing),),
        without="the hold while clocks differ",
    ),
    Defect(
        "D3, no first answer",
        "A daemon that starts with a wrong clock does not wait for the provider's.",
        ((Timekeeper, "why_hold", _not_for_the_first_answer),),
        _script(_at(1.0, FaultKind.REBOOTED, 40 / 60, _A_DAY_AHEAD), budget_usd=2.5),
    ),
    Defect(
        "D3, one wrong answer",
        "One answer of the provider sets the clock.",
        ((SteadyClock, "_weigh", _believes_at_once),),
        _script(_at(1.0, FaultKind.WRONG_DATE, 1, _A_DAY_AHEAD), budget_usd=2.5),
    ),
)

# The database: what was acknowledged, and finding D4.

_submit = Jobs.submit
_take_in = Heartbeats.take_in
_record = Decisions.record
_kept_back: dict[int, list[tuple[str, Any, float]]] = {}


def _submit_without_a_key(self: Any, spec: Any, *, key: Any, **more: Any) -> Any:
    return _submit(self, spec, key=None, **more)


def _acknowledged_first(self: Any, node_id: str, said: Any, *, now_s: float) -> int:
    """Writes what one heartbeat brought with the next one."""
    waiting = _kept_back.setdefault(id(self), [])
    stored = 0
    for earlier in list(waiting):
        stored += _take_in(self, earlier[0], earlier[1], now_s=earlier[2])
    waiting[:] = [(node_id, said, now_s)]
    return stored


def _recorded_without_series(self: Any, snapshot: Any, plan: Any, policy: str, **more: Any) -> int:
    return _record(self, replace(snapshot, series=()), plan, policy, **more)


_STORES = (
    Defect(
        "key unread",
        "A request that is repeated under its key is taken for another one.",
        ((Jobs, "submit", _submit_without_a_key),),
        _script(_at(0.5, FaultKind.AWAY, 1)),
    ),
    Defect(
        "acknowledged first",
        "A heartbeat is acknowledged before it is written down.",
        ((Heartbeats, "take_in", _acknowledged_first),),
        _script(_at(1.0, FaultKind.AWAY, 1)),
    ),
    Defect(
        "D4, all machines end",
        "Machines of jobs that the database does not know are ended.",
        ((Machines, "_held", _always(())),),
        _script(_at(1.0, FaultKind.LOST_STORE, 5)),
    ),
    Defect(
        "D4, adopted for nothing",
        "What an adopted job had cost before counts nothing.",
        ((records, "gap_usd", _always((0.0, 0.0))),),
        _script(_at(1.0, FaultKind.DIES, 1), _at(2.0, FaultKind.LOST_STORE, 5)),
    ),
    Defect(
        "other facts stored",
        "A decision is stored without the measurements that it was made from.",
        ((Decisions, "record", _recorded_without_series),),
        _script(),
    ),
)

# Iterations, drains and changes.

_ending = steps._ending
_restart = measurements._restart


def _redone_counts(connection: Any, job_id: str, fresh: Any) -> None:
    told = [replace(each, iteration=None) for each in fresh]
    _advance(connection, job_id, told)


_advance = measurements._advance


def _lost_twice(connection: Any, job_id: str, *, before: int, begins_at: int, at_s: float) -> Any:
    return _restart(
        connection, job_id, before=2 * before - begins_at, begins_at=begins_at, at_s=at_s
    )


def _ended_at_once(world: Any, liveness: Any) -> Iterator[Any]:
    remaining = [node for node in world.nodes if node.phase is not NodePhase.TERMINATING]
    yield from (steps.TerminateNode(node, "the job is ending") for node in remaining)
    if not world.nodes:
        yield steps.FinishJob(world.job.ending or JobPhase.CANCELLED)


def _without_the_cooldown() -> Any:
    return tuple(each for each in guard._LIMITS if each is not guard._cooldown)


_TRAINING = (
    Defect(
        "redone counts",
        "Iterations that are done again count as progress.",
        ((measurements, "_advance", _redone_counts),),
        _script(_at(1.0, FaultKind.DIES, 1)),
    ),
    Defect(
        "lost twice",
        "Iterations that a restart lost are counted from the furthest one of all.",
        ((measurements, "_restart", _lost_twice),),
        _script(_at(1.0, FaultKind.DIES, 1)),
    ),
    Defect(
        "no drain",
        "A job that ends does not wait until its workers have saved.",
        ((steps, "_ending", _ended_at_once),),
        _script(budget_usd=1.5, hours=12.0),
    ),
    Defect(
        "drain not waited for",
        "A drain counts as over as soon as it is asked for.",
        ((steps, "_has_stopped", _always(True)),),
        _script(budget_usd=1.5, hours=12.0),
    ),
    Defect(
        "failures add up",
        "Failures count as a row, whatever the job has done between them.",
        ((jobs, "_has_progressed", _always(False)),),
        _script(
            *(
                _at(hours, kind, 5)
                for hours in (0.5, 1.5, 2.5)
                for kind in (FaultKind.NO_BOOT, FaultKind.DIES)
            ),
            hours=9.0,
        ),
    ),
    Defect(
        "no cooldown",
        "A change may be undone at once.",
        ((guard, "_LIMITS", _without_the_cooldown()),),
        _script(price_lasts_s=300.0, price_spread=(0.5, 2.0)),
    ),
)

# The leader lease.


def _renew_whatever(self: Any) -> None:
    self._renewed_at_s = self.clock.now_s()


_LEADERS = (
    Defect(
        "never renews",
        "A daemon does not ask whether its leader lease is still its own.",
        ((LeaseHolder, "renew", _renew_whatever), (LeaseHolder, "confirm", _nothing)),
        _script(_at(1.0, FaultKind.TAKEN_OVER, 30), _at(1.02, FaultKind.DIES, 1)),
    ),
    Defect(
        "buys unconfirmed",
        "A purchase relies on a leader lease that was renewed a minute ago.",
        ((LeaseHolder, "confirm", LeaseHolder.require),),
        _script(
            _at(0.999, FaultKind.UNANSWERED, 1),  # has it look, and renew the lease, just before
            _at(1.002, FaultKind.TAKEN_OVER, 30),
            _at(1.002, FaultKind.DIES, 1),
        ),
    ),
    Defect(
        "takes what is held",
        "A daemon that starts takes the leader lease from one that lives.",
        ((LeaseHolder, "_is_alive", _always(False)),),
        _script(
            _at(0.99, FaultKind.AWAY, 2),
            _at(1.0, FaultKind.TAKEN_OVER, 60),
            _at(1.1, FaultKind.DIES, 1),
        ),
    ),
)

DEFECTS = {
    each.name: each
    for each in (
        *_LAUNCHES,
        *_TERMINATIONS,
        *_LEASES,
        *_BILLS,
        *_CLOCKS,
        *_STORES,
        *_TRAINING,
        *_LEADERS,
    )
}
