"""The contributor's page: the policy that it shows works, and the registries that it names
exist."""

from __future__ import annotations

from typing import Any

from elastic.model import Action, JobPhase, Plan, Snapshot
from tests.builders import group, job, snapshot
from tests.docs.pages import ROOT, blocks, page


def cheapest(seen: Snapshot) -> Plan:
    """What the policy of the page decides."""
    (shown,) = (each for each in blocks("python") if each.page == ROOT / "CONTRIBUTING.md")
    module: dict[str, Any] = {}
    exec(shown.text, module)  # noqa: S102  # it is a block of this repository's own page
    plan = module["cheapest"](seen)
    assert isinstance(plan, Plan)
    return plan


def test_the_policy_that_the_page_shows_decides() -> None:
    started = cheapest(snapshot())
    assert (started.action, started.target) == (Action.START, group("local.quarter"))
    assert started.reason.text == "local.quarter at $0.025/h is the cheapest of 3 candidates"
    moved = cheapest(snapshot(target="local.full"))
    assert (moved.action, moved.target) == (Action.MOVE, group("local.quarter"))
    assert cheapest(snapshot(target="local.quarter")).action is Action.HOLD


def test_the_policy_that_the_page_shows_holds_where_it_should() -> None:
    assert cheapest(snapshot(prices=())).reason.code == "no_choice"
    assert cheapest(snapshot(job=job(phase=JobPhase.DRAINING))).reason.code == "ending"


def test_the_registries_that_the_page_names_exist() -> None:
    shown = page("CONTRIBUTING.md")
    for registry, file in (
        ("_REGISTERED", "elastic/policy/decide.py"),
        ("PRICE_SOURCES", "elastic/pricing/sources.py"),
        ("PriceSetup", "elastic/market.py"),
    ):
        assert f"`{registry}`" in shown
        assert registry in page(file)
