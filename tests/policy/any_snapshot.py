"""Snapshots of all kinds, for properties."""

from __future__ import annotations

from hypothesis import strategies as st

from elastic.model import (
    Capacity,
    Change,
    Group,
    Mode,
    Objective,
    Obstacle,
    Offering,
    Snapshot,
    Unavailable,
)
from elastic.policy import POLICIES
from tests.builders import NOW_S, job, limits, node, price, series, snapshot

OFFERINGS = [
    Offering("local.quarter"),
    Offering("local.half"),
    Offering("local.full"),
    Offering("local.full", Capacity.SPOT, "zone-a"),
]


GROUPS = st.builds(Group.of, st.sampled_from(OFFERINGS), st.integers(1, 5)) | st.builds(
    lambda ours, others: Group(((Offering("local.full"), ours), (Offering("local.half"), others))),
    st.integers(1, 2),
    st.integers(1, 2),
)


LOCAL = OFFERINGS[:3]


MAYBE_USD = st.none() | st.floats(1e-4, 1.0)


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    """Anything a reconciler may see, and some things it should not."""
    nodes_min = draw(st.integers(1, 3))
    nodes_max = draw(st.integers(nodes_min, 5))
    deadline_in_s = draw(st.none() | st.floats(-100, 1e5))
    objective = Objective(
        deadline_s=None if deadline_in_s is None else NOW_S + deadline_in_s,
        budget_usd=draw(MAYBE_USD),
        max_usd_per_hour=draw(MAYBE_USD),
        value_of_time_usd_per_h=draw(MAYBE_USD),
    )
    target = draw(st.none() | GROUPS)
    measured = draw(
        st.dictionaries(GROUPS, st.tuples(st.floats(0.05, 5.0), st.integers(1, 20)), max_size=5)
    )
    history = draw(
        st.lists(st.tuples(GROUPS, st.sampled_from(["start", "trial", "price"])), max_size=4)
    )
    return snapshot(
        target=target,
        current=target if draw(st.booleans()) else draw(st.none() | GROUPS),
        measured=[
            series(group, step_s, windows, noise=draw(st.floats(0, 0.5)))
            for group, (step_s, windows) in measured.items()
        ],
        changes=[
            Change(
                NOW_S - 50.0 * (len(history) - number),
                history[number - 1][0] if number else None,
                group,
                code,
            )
            for number, (group, code) in enumerate(history)
        ],
        prices=[
            price(
                offering,
                draw(st.floats(0.01, 0.2)),
                price_id=number,
                valid_from_s=NOW_S - draw(st.floats(0, 1000)),
                observed_at_s=NOW_S - draw(st.sampled_from([0.0, 3000.0, 4000.0, 90_000.0])),
            )
            for number, offering in enumerate(
                draw(st.lists(st.sampled_from(OFFERINGS), max_size=6)), 1
            )
        ],
        nodes=tuple(node("local.half", number=number) for number in range(draw(st.integers(0, 3)))),
        spent_usd=draw(st.floats(0, 0.5)),
        unavailable=tuple(
            Unavailable(
                each, NOW_S + draw(st.floats(-10, 600)), draw(st.sampled_from(list(Obstacle)))
            )
            for each in draw(st.lists(st.sampled_from(OFFERINGS), unique=True, max_size=4))
        ),
        limits=limits(margin=draw(st.floats(0.05, 0.5)), trial_usd_share=draw(st.floats(0, 1))),
        job=job(
            policy=draw(st.sampled_from(sorted(POLICIES))),
            fixed_node_type=draw(st.sampled_from([None, "local.half", "local.full"])),
            nodes_min=nodes_min,
            nodes_max=nodes_max,
            nodes_wanted=draw(st.none() | st.integers(nodes_min, nodes_max)),
            iteration=draw(st.integers(0, 9_000)),
            iterations=draw(st.none() | st.integers(9_000, 20_000)),
            objective=objective,
            mode=draw(st.sampled_from([Mode.RESTART, Mode.LIVE])),
        ),
    )


@st.composite
def measured_snapshots(draw: st.DrawFn) -> Snapshot:
    """A job in a session that trains on what is well known, while some types are not available."""
    most = draw(st.integers(2, 3))
    sizes = [Group.of(offering, count) for offering in LOCAL for count in range(1, most + 1)]
    pairs = [Group(((ours, 1), (others, 1))) for ours in LOCAL for others in LOCAL if ours < others]
    known = draw(st.lists(st.sampled_from([*sizes, *pairs]), min_size=1, max_size=8, unique=True))
    held = draw(st.sampled_from(known))
    left_s = draw(st.none() | st.floats(500, 9_000))
    objective = Objective(
        deadline_s=None if left_s is None else NOW_S + left_s,
        max_usd_per_hour=draw(st.none() | st.just(0.15)),
    )
    return snapshot(
        target=held,
        measured=[series(each, draw(st.floats(0.1, 1.0)), noise=0.001) for each in known],
        unavailable=tuple(
            Unavailable(each, NOW_S + 300, Obstacle.CAPACITY)
            for each in draw(st.lists(st.sampled_from(LOCAL), unique=True, max_size=2))
        ),
        job=job(nodes_max=most, objective=objective, mode=Mode.LIVE),
    )
