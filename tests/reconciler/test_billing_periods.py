"""When machines began and ended, by what their provider lists of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.model import Node, NodePhase, Offering
from elastic.providers import Instance, InstanceState
from elastic.reconciler.billing_periods import BillingPeriods
from elastic.store import Store, open_store
from tests.builders import add_price, intend, job_spec
from tests.empty_database import lay_out

SMALL = Offering("small")
INTENDED_S, LEASE_S = 1000.0, 600.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(lay_out(tmp_path / "elasticd.db"))
    yield store
    store.close()


def bought(store: Store, *, launched_at_s: float) -> Node:
    """A node whose purchase was answered at an instant that counts as its launch."""
    job, _ = store.jobs.submit(job_spec(), key=None, request_hash="h", now_s=INTENDED_S)
    add_price(store, SMALL, 0.36, valid_from_s=0.0, observed_at_s=INTENDED_S, source="test")
    node = intend(store, job.id, SMALL, now_s=INTENDED_S)
    store.nodes.launched(node.id, "i-1", launched_at_s=launched_at_s, minimum_s=0.0)
    return store.nodes.get(node.id)


def listed(node: Node, *, launched_at_s: float) -> Instance:
    return Instance(
        "i-1", node.id, node.job_id, node.token, SMALL, InstanceState.RUNNING, launched_at_s
    )


def test_a_purchase_that_was_repeated_costs_from_when_it_was_made_first(store: Store) -> None:
    node = bought(store, launched_at_s=INTENDED_S + 90.0)
    BillingPeriods(store, LEASE_S).note_seen(
        node, listed(node, launched_at_s=INTENDED_S + 1.0), now_s=INTENDED_S + 95.0
    )
    (row,) = store.ledger.of_job(node.job_id)
    assert (store.nodes.get(node.id).launched_at_s, row.from_s) == (
        INTENDED_S + 1.0,
        INTENDED_S + 1.0,
    )


@pytest.mark.parametrize(("after_s", "from_s"), [(500.0, INTENDED_S), (60.0, INTENDED_S + 60.0)])
def test_what_a_late_repetition_bought_and_nobody_ever_saw_costs_from_the_first_attempt(
    store: Store, after_s: float, from_s: float
) -> None:
    """The first attempt may have bought it, and its cloud may have forgotten it since."""
    node, billing_periods = (
        bought(store, launched_at_s=INTENDED_S + after_s),
        BillingPeriods(store, LEASE_S),
    )
    later_s = INTENDED_S + after_s + 121.0
    assert billing_periods.note_missing(node, now_s=later_s) is False, "one look may be too early"
    assert billing_periods.note_missing(node, now_s=later_s + 1.0) is True
    (row,) = store.ledger.of_job(node.job_id)
    assert store.nodes.get(node.id).phase in (NodePhase.LOST, NodePhase.TERMINATED)
    assert row.from_s == from_s


@pytest.mark.parametrize(("register_s", "alone_s"), [(60.0, LEASE_S), (1800.0, 1800.0)])
def test_a_machine_that_never_spoke_may_have_lived_for_as_long_as_it_may_take_to_register(
    store: Store, register_s: float, alone_s: float
) -> None:
    node, billing_periods = (
        bought(store, launched_at_s=INTENDED_S),
        BillingPeriods(store, LEASE_S, register_s),
    )
    for later_s in (9_000.0, 9_005.0):
        billing_periods.note_missing(node, now_s=INTENDED_S + later_s)
    (row,) = store.ledger.of_job(node.job_id)
    assert row.to_s == INTENDED_S + alone_s


def test_one_that_spoke_lived_for_no_more_than_a_lease(store: Store) -> None:
    node, billing_periods = (
        bought(store, launched_at_s=INTENDED_S),
        BillingPeriods(store, LEASE_S, 1800.0),
    )
    node = replace(node, joined_at_s=INTENDED_S + 50.0, heartbeat_at_s=INTENDED_S + 100.0)
    for later_s in (9_000.0, 9_005.0):
        billing_periods.note_missing(node, now_s=INTENDED_S + later_s)
    (row,) = store.ledger.of_job(node.job_id)
    assert row.to_s == INTENDED_S + 100.0 + LEASE_S


@pytest.mark.parametrize("has_joined", [True, False])
def test_what_never_ran_is_free_unless_it_was_heard(store: Store, has_joined: bool) -> None:
    node, billing_periods = bought(store, launched_at_s=INTENDED_S), BillingPeriods(store, LEASE_S)
    node = replace(node, joined_at_s=INTENDED_S + 2.0 if has_joined else None)
    gone = replace(listed(node, launched_at_s=INTENDED_S), state=InstanceState.GONE, never_ran=True)
    billing_periods.note_gone(node, gone, now_s=INTENDED_S + 3.0)
    (row,) = store.ledger.of_job(node.job_id)
    assert row.is_waived is not has_joined


@pytest.mark.parametrize(
    ("seen_after_s", "exited_after_s", "is_waived"),
    [(3500.0, None, True), (3700.0, None, False), (3700.0, 3590.0, True), (3700.0, 3610.0, False)],
)
def test_what_is_taken_back_in_time_is_free_by_its_end_or_by_when_it_was_seen_gone(
    store: Store, seen_after_s: float, exited_after_s: float | None, is_waived: bool
) -> None:
    node, billing_periods = bought(store, launched_at_s=INTENDED_S), BillingPeriods(store, LEASE_S)
    node = replace(node, heartbeat_at_s=INTENDED_S + 3400.0)
    gone = replace(
        listed(node, launched_at_s=INTENDED_S),
        state=InstanceState.GONE,
        exited_at_s=None if exited_after_s is None else INTENDED_S + exited_after_s,
        waived_before_s=INTENDED_S + 3600.0,
    )
    billing_periods.note_gone(node, gone, now_s=INTENDED_S + seen_after_s)
    (row,) = store.ledger.of_job(node.job_id)
    assert row.is_waived is is_waived
    assert row.to_s == INTENDED_S + (exited_after_s or seen_after_s)
