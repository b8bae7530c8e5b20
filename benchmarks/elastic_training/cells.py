"""How a measurement is written in the table."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median, quantiles

from benchmarks.elastic_training.gaps import Change, Found, NoChange

ENOUGH_FOR_P99 = 100


def cell(found: Sequence[Found]) -> str:
    """Describes some rounds of one change.

    >>> cell([Change(0.012, 1.4, 0), Change(0.030, 1.5, 0), Change(0.010, 1.1, 1)])
    'p50 12 ms, worst 30 ms, longest step p50 1.4 x, worst 1.5 x, 1 iteration lost, 3 rounds'
    >>> cell([Change(45.42, 900.0, 1)])
    '45.4 s, 1 iteration lost'
    >>> cell([NoChange(120.1, has_ended=False)]), cell([NoChange(61.2, has_ended=True)])
    ('> 120 s', 'the job ended within 61.2 s')
    """
    changes = [each for each in found if isinstance(each, Change)]
    failed = [_failed(each) for each in found if isinstance(each, NoChange)]
    return ", ".join([*([_told(changes)] if changes else []), *sorted(set(failed))])


def _told(changes: Sequence[Change]) -> str:
    lost_s = [each.lost_s for each in changes]
    iterations = max(each.iterations_lost for each in changes)
    iterations_lost = f"{iterations} iteration{'' if iterations == 1 else 's'} lost"
    if len(changes) == 1:
        return f"{duration(lost_s[0])}, {iterations_lost}"
    is_many = len(changes) >= ENOUGH_FOR_P99
    top = (
        f"p99 {duration(quantiles(lost_s, n=100)[-1])}"
        if is_many
        else f"worst {duration(max(lost_s))}"
    )
    longest = [each.longest for each in changes]
    return (
        f"p50 {duration(median(lost_s))}, {top}, longest step p50 {median(longest):.1f} x, worst "
        f"{max(longest):.1f} x, {iterations_lost}, {len(changes)} rounds"
    )


def _failed(none: NoChange) -> str:
    return (
        f"the job ended within {duration(none.waited_s)}"
        if none.has_ended
        else f"> {none.waited_s:.0f} s"
    )


def duration(seconds: float) -> str:
    """Gives milliseconds below one second, seconds above.

    >>> duration(0.2291), duration(45.42)
    ('229 ms', '45.4 s')
    """
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
