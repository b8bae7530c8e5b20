"""How machines booted, as the store remembers it over all jobs."""

from __future__ import annotations

from elastic.model import Boot, JobSpec, Node, Offering, Setup
from elastic.store import Store
from tests.builders import add_price, intend
from tests.store.conftest import HALF

FULL = Offering("local.full")


def test_what_a_machine_was_made_from_and_its_set_up_are_on_record(
    store: Store, node: Node
) -> None:
    other = intend(store, node.job_id, HALF, now_s=120.0)
    store.nodes.launched(other.id, "machine-2", launched_at_s=121.0, minimum_s=0.0, image="ami-1")
    store.nodes.joined(other.id, now_s=171.0, setup=Setup(30.5, 3_000_000_000))
    found = store.nodes.get(other.id)
    assert (found.image, found.setup) == ("ami-1", Setup(30.5, 3_000_000_000))
    assert (node.image, node.setup) == (None, None)


def test_a_busy_type_drives_out_no_other_and_times_are_kept_to_a_tenth_of_a_second(
    store: Store, node: Node
) -> None:
    add_price(store, FULL, 0.72, valid_from_s=0.0, observed_at_s=0.0, source="test")
    for number in range(300):
        other = intend(store, node.job_id, FULL, now_s=120.0)
        store.nodes.launched(
            other.id,
            f"full-{number}",
            launched_at_s=121.0,
            minimum_s=0.0,
            image=f"ami-{number % 2}",
        )
        store.nodes.joined(other.id, now_s=131.04 + number, setup=Setup(3.14159, 7))
    *full, half = store.nodes.boots()
    assert half == Boot(HALF.node_type, None, 5.0)
    assert [each.boot_s for each in full] == [10.0 + number for number in reversed(range(268, 300))]
    assert [each.image for each in full].count("ami-1") == 16
    assert full[0].setup == Setup(3.1, 7)


def test_boots_are_those_of_every_job_newest_first_and_outlive_their_machines(
    store: Store, node: Node
) -> None:
    second = store.jobs.submit(
        JobSpec("second", ("train.py",)), key=None, request_hash="h", now_s=120.0
    )[0]
    other = intend(store, second.id, HALF, now_s=120.0)
    assert store.nodes.boots() == (Boot(HALF.node_type, None, 5.0),), (
        "one that has not joined tells nothing"
    )
    store.nodes.launched(other.id, "machine-2", launched_at_s=121.0, minimum_s=0.0, image="ami-1")
    store.nodes.joined(other.id, now_s=171.0, setup=Setup(30.5, 7))
    store.nodes.gone(node.id, at_s=200.0)
    assert store.nodes.boots() == (
        Boot(HALF.node_type, "ami-1", 50.0, Setup(30.5, 7)),
        Boot(HALF.node_type, None, 5.0),
    )
