"""Properties of how the purse is divided: no cap is passed, and no job starves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elastic.model import CalendarUnit, Cap, Claim, JobPhase, Share, Snapshot
from elastic.policy import claim_of, decide, divide, rate_usd_per_h
from tests.builders import NOW_S, job, node_type, prices

H = 3600.0
COOLDOWN_S = 600.0
SLICE_S = 900.0
WIND_DOWN_S = 120.0

usd = st.floats(0.01, 5.0)


def cap(
    usd: float, *, unit: CalendarUnit = CalendarUnit.HOUR, spent_usd: float = 0.0, left_s: float = H
) -> Cap:
    return Cap(unit, usd, spent_usd, NOW_S + left_s)


def claim(name: str = "a", *, least: float = 0.1, wanted: float = 0.1, **rest: object) -> Claim:
    values = {"held_usd_per_h": 0.0, "since_s": NOW_S, "slice_s": SLICE_S, "priority": 0} | rest
    return Claim(
        job_id=name,
        name=name,
        least_usd_per_h=least,
        wanted_usd_per_h=wanted,
        **values,  # type: ignore[arg-type]  # tests name the fields they are about
    )


def shares(caps: list[Cap], claims: list[Claim], now_s: float = NOW_S) -> dict[str, Share]:
    return divide(
        caps, claims, wind_down_s=WIND_DOWN_S, cooldown_s=COOLDOWN_S, ahead_s=24 * H, now_s=now_s
    )


@st.composite
def claims(draw: st.DrawFn) -> list[Claim]:
    found = []
    for number in range(draw(st.integers(1, 8))):
        least = draw(usd)
        found.append(
            claim(
                f"job-{number}",
                least=least,
                wanted=draw(st.sampled_from([0.0, least, least + draw(usd)])),
                held_usd_per_h=draw(st.sampled_from([0.0, least, draw(usd)])),
                priority=draw(st.integers(-1, 2)),
                since_s=NOW_S - draw(st.floats(0.0, 10_000.0)),
                waited_s=draw(st.floats(0.0, 10_000.0)),
                rests=draw(st.booleans()),
                done_per_usd=draw(st.none() | st.floats(0.001, 1.0)),
                lasts_s=draw(st.none() | st.floats(1.0, 50_000.0)),
            )
        )
    return found


@given(claims(), usd, st.floats(0.0, 5.0), st.floats(1.0, H))
def test_all_shares_together_are_within_the_hour(
    asked: list[Claim], most: float, spent: float, left_s: float
) -> None:
    caps = [cap(most, spent_usd=spent, left_s=left_s)]
    found = shares(caps, asked)
    total = sum(each.usd_per_h for each in found.values())
    ending = sum(each.held_usd_per_h for each in asked if not each.wanted_usd_per_h)
    assert total == pytest.approx(0.0) or total + ending <= rate_usd_per_h(caps, now_s=NOW_S) + 1e-6


@given(claims(), usd)
def test_what_may_be_added_at_once_is_free(asked: list[Claim], most: float) -> None:
    caps = [cap(most)]
    found = shares(caps, asked)
    burning = sum(each.held_usd_per_h for each in asked)
    added = sum(each.free_usd_per_h for each in found.values())
    assert added <= max(rate_usd_per_h(caps, now_s=NOW_S) - burning, 0.0) + 1e-6


@given(claims(), usd)
def test_a_share_is_nothing_or_at_least_the_cheapest_group(asked: list[Claim], most: float) -> None:
    found = shares([cap(most)], asked)
    assert set(found) == {each.job_id for each in asked if each.wanted_usd_per_h}
    for each in asked:
        if each.wanted_usd_per_h:
            share = found[each.job_id].usd_per_h
            assert share == 0.0 or each.least_usd_per_h - 1e-9 <= share
            assert share <= max(each.wanted_usd_per_h, each.least_usd_per_h) + 1e-9


@given(
    claims(),
    st.floats(0.1, 50.0),
    st.sampled_from([CalendarUnit.DAY, CalendarUnit.MONTH]),
    st.floats(60.0, 9e4),
)
def test_machines_that_run_can_end_with_what_is_left_of_a_day_or_month(
    asked: list[Claim], left: float, unit: CalendarUnit, left_s: float
) -> None:
    found = shares([cap(left, unit=unit, left_s=left_s)], asked)
    needed = sum(each.usd_per_h for each in found.values()) * min(WIND_DOWN_S, left_s) / H
    ending = sum(each.held_usd_per_h for each in asked if not each.wanted_usd_per_h)
    kept = ending * min(WIND_DOWN_S, left_s) / H
    assert needed <= max(left - kept, 0.0) + 1e-6


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.floats(0.05, 0.9), st.integers(0, 2)), min_size=2, max_size=8),
)
def test_each_job_has_its_time_slice(jobs: list[tuple[float, int]]) -> None:
    """Jobs that never end, each of which fits the purse alone, follow their shares."""
    caps = [cap(1.0, left_s=H)]
    standing = [
        claim(f"job-{number}", least=least, wanted=least, priority=priority)
        for number, (least, priority) in enumerate(jobs)
    ]
    begun: set[str] = set()
    now_s = NOW_S
    # Each comes first once it has waited for two slices, and then has one.
    for _ in range(5 * 3 * (4 + 2 * len(jobs))):
        found = shares([replace(each, ends_at_s=now_s + H) for each in caps], standing, now_s)
        standing = [_followed(each, found[each.job_id], now_s) for each in standing]
        begun |= {each.job_id for each in standing if each.held_usd_per_h}
        assert sum(each.held_usd_per_h for each in standing) <= 0.9 + 1e-6
        now_s += SLICE_S / 3
    assert begun == {each.job_id for each in standing}


def test_small_jobs_do_not_keep_a_large_one_out() -> None:
    """Three small ones of nine run at a time, and one of them always has its slice."""
    running = [
        claim(
            f"running-{number}",
            least=0.3,
            wanted=0.3,
            held_usd_per_h=0.3,
            since_s=NOW_S - number * SLICE_S / 3,
            waited_s=3 * SLICE_S,
        )
        for number in range(3)
    ]
    waiting = [
        claim(f"waiting-{n}", least=0.3, wanted=0.3, since_s=NOW_S - (3 - n / 3) * SLICE_S)
        for n in range(6)
    ]
    large = claim("large", least=0.85, wanted=0.85, since_s=NOW_S - 2.5 * SLICE_S)
    standing = [large, *running, *waiting]
    now_s = NOW_S
    for _ in range(30):
        found = shares([cap(1.0, left_s=now_s - NOW_S + H)], standing, now_s)
        standing = [_followed(each, found[each.job_id], now_s) for each in standing]
        now_s += SLICE_S / 6
        if standing[0].held_usd_per_h:
            return
    raise AssertionError("the large job starved")


def test_a_job_that_gave_its_machines_back_rests_no_longer_than_others_need_them() -> None:
    gave_back = claim("low", least=0.5, wanted=0.5, since_s=NOW_S - 1.0, rests=True)
    high = claim("high", least=0.3, wanted=0.3, priority=1, held_usd_per_h=0.3)
    assert shares([cap(1.0)], [gave_back, high])["low"].usd_per_h == 0.0
    assert shares([cap(1.0)], [gave_back])["low"].usd_per_h == 0.5
    # What it gave back for a price that rose a little, it does not take at once again.
    barely = replace(gave_back, least_usd_per_h=0.85, wanted_usd_per_h=0.85)
    assert shares([cap(1.0)], [barely])["low"].usd_per_h == 0.0
    rested = replace(barely, since_s=NOW_S - COOLDOWN_S)
    assert shares([cap(1.0)], [rested])["low"].usd_per_h == 0.85


def test_a_third_job_does_not_rest_while_the_purse_has_enough_for_all() -> None:
    gave_back = claim("third", least=0.3, wanted=0.3, since_s=NOW_S - 1.0, rests=True)
    others = [claim(each, least=0.3, wanted=0.3, held_usd_per_h=0.3) for each in ("a", "b")]
    # All three need $0.90/h of nine tenths of the cap: $1.08/h is a fifth more.
    assert shares([cap(1.1)], [*others, gave_back])["third"].usd_per_h == 0.0
    assert shares([cap(1.3)], [*others, gave_back])["third"].usd_per_h == pytest.approx(0.3)


def test_a_higher_priority_gets_all_that_it_wants_first() -> None:
    found = shares(
        [cap(1.0)],
        [
            claim("low", least=0.2, wanted=0.6),
            claim("high", least=0.2, wanted=0.6, priority=5),
        ],
    )
    assert found["high"].usd_per_h == pytest.approx(0.6)
    assert found["low"].usd_per_h == pytest.approx(0.3)
    assert found["low"].before == 1


def test_of_equals_the_job_grows_of_which_a_dollar_buys_most() -> None:
    found = shares(
        [cap(1.0)],
        [
            claim("little", least=0.2, wanted=0.8, done_per_usd=0.1),
            claim("much", least=0.2, wanted=0.8, done_per_usd=0.3),
        ],
    )
    assert found["much"].usd_per_h == pytest.approx(0.7)
    assert found["little"].usd_per_h == pytest.approx(0.2)


def test_the_rest_of_a_day_is_kept_for_the_higher_priority() -> None:
    day = cap(10.0, unit=CalendarUnit.DAY, spent_usd=1.0, left_s=8 * H)
    high = claim("high", least=1.0, wanted=1.0, held_usd_per_h=1.0, priority=1)
    low = claim("low", least=1.0, wanted=1.0)
    assert shares([day], [high, low])["low"].usd_per_h == 1.0
    tight = replace(day, spent_usd=1.9)
    assert shares([tight], [high, low])["low"].usd_per_h == 0.0
    assert shares([tight], [high, low])["high"].usd_per_h == 1.0


def test_what_an_hour_has_spent_beyond_its_rate_is_saved_in_its_rest() -> None:
    assert rate_usd_per_h([cap(1.0)], now_s=NOW_S) == pytest.approx(0.9)
    late = cap(1.0, spent_usd=0.9, left_s=H / 4)
    assert rate_usd_per_h([late], now_s=NOW_S) == pytest.approx(0.4)


def _followed(standing: Claim, share: Share, now_s: float) -> Claim:
    """The claim once its job has followed its share."""
    if standing.held_usd_per_h and not share.usd_per_h:
        return replace(standing, held_usd_per_h=0.0, since_s=now_s, rests=True)
    if standing.held_usd_per_h or share.free_usd_per_h < standing.least_usd_per_h - 1e-9:
        return standing
    return replace(
        standing,
        held_usd_per_h=standing.least_usd_per_h,
        since_s=now_s,
        waited_s=now_s - standing.since_s,
        rests=False,
    )


def test_what_a_job_needs_least_is_of_a_type_that_it_admits() -> None:
    prices_now = prices({"local.half": 0.1, "local.full": 0.4})
    types = (node_type("local.half"), node_type("local.full", 1.0))
    fixed = job(phase=JobPhase.SUBMITTED, policy="fixed", fixed_node_type="local.full")
    asked = Snapshot(NOW_S, fixed, None, None, (), types, prices_now, (), (), (), 0.0)
    found = claim_of(asked, decide(asked))
    assert (found.least_usd_per_h, found.wanted_usd_per_h) == (0.4, 0.4)
