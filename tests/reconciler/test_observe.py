"""What is seen of a job's nodes before a decision."""

from __future__ import annotations

import pytest

from elastic.errors import ProviderUnavailable
from elastic.model import Boot, Group, Limits, Outcome
from elastic.reconciler import KnownCatalog, observe, training_group
from elastic.store import JobFacts
from tests.builders import node_type
from tests.reconciler.worlds import HALF, JOB, generation, left, node


@pytest.mark.parametrize(
    ("outcome", "trains"),
    [(Outcome.SUCCEEDED, True), (Outcome.DRAINED, False), (Outcome.FAILED, False)],
)
def test_a_group_trains_until_the_last_of_its_nodes_is_done(outcome: Outcome, trains: bool) -> None:
    ended = node("a", exit=left(outcome))
    found = training_group(generation("a", "b"), (ended, node("b")))
    assert found == (Group.of(HALF, 2) if trains else None)


def test_a_group_does_not_train_whole_where_a_node_is_missing_or_about_to_be() -> None:
    assert training_group(generation("a", "b"), (node("a"),)) is None
    assert training_group(generation("a"), (node("a", stopping_at_s=90.0),)) is None
    assert training_group(generation("a", drain_at_s=90.0), (node("a"),)) is None


def test_a_snapshot_says_since_when_its_group_trains() -> None:
    facts = JobFacts(JOB, None, (node("a"),), generation("a"), (), (), (), 0.0)
    seen = observe(facts, KnownCatalog((), (HALF,)), (), limits=Limits(), now_s=1.0)
    assert seen.current_since_s == generation("a").started_at_s


def test_a_snapshot_has_the_boots_of_types_on_offer_or_from_their_images_and_all_while_nobody_knows_these() -> (
    None
):
    facts = JobFacts(JOB, None, (), None, (), (), (), 0.0)
    boots = (Boot("local.half", "old", 1.0), Boot("gone", "new", 2.0), Boot("gone", "old", 3.0))
    known = KnownCatalog((node_type("local.half", image="new"),), (HALF,))
    found = [
        observe(facts, catalog, (), boots=boots, limits=Limits(), now_s=1.0).boots
        for catalog in (known, KnownCatalog(failure=ProviderUnavailable("away")))
    ]
    assert found == [boots[:2], boots]
