"""A failed job's log opens where it failed: at the traceback of the worker that failed of
itself."""

from __future__ import annotations

from api.job_logs import Shown, failure_in, written
from elastic.log_line import LogLine

HEAD = "Traceback (most recent call last):"


def lines(*said: tuple[int, str]) -> list[LogLine]:
    """Lines by rank, each rank on a node of its own."""
    return [
        LogLine(number, 0.0, 1, f"n{rank}", 0, rank, text)
        for number, (rank, text) in enumerate(said, start=1)
    ]


def texts(found: tuple[LogLine, ...]) -> list[str]:
    return [line.text for line in found]


def test_it_is_the_last_traceback_of_that_worker_alone_and_what_followed() -> None:
    said = lines(
        (0, HEAD), (0, "ValueError: the first start"), (0, "starting again"),
        (1, "loss 0.5"),
        (0, HEAD), (0, '  File "train.py", line 3'), (1, "loss 0.4"), (0, "ValueError: no such folder"), (0, "bye"),
    )  # fmt: skip
    assert texts(failure_in(said)) == [
        HEAD,
        '  File "train.py", line 3',
        "ValueError: no such folder",
        "bye",
    ]


def test_workers_that_only_lost_their_peer_do_not_count() -> None:
    said = lines(
        (1, HEAD), (1, "RuntimeError: Connection closed by peer [10.0.0.2]"),
        (0, "[rank0]: " + HEAD), (0, "[rank0]: ValueError: no such folder"),
        (2, HEAD), (2, "RuntimeError: Broken pipe"),
    )  # fmt: skip
    assert {line.rank for line in failure_in(said)} == {0}
    assert {line.rank for line in failure_in([line for line in said if line.rank != 0])} == {1}, (
        "the first one"
    )


def test_tracebacks_that_belong_together_are_shown_together() -> None:
    chain = "During handling of the above exception, another exception occurred:"
    said = lines(
        (0, HEAD), (0, "KeyError: handled long ago"), (0, "loss 0.5"),
        (0, HEAD), (0, "KeyError: 'lr'"), (0, ""), (0, chain), (0, ""), (0, HEAD), (0, "ValueError: no lr"),
    )  # fmt: skip
    assert texts(failure_in(said))[:2] == [HEAD, "KeyError: 'lr'"]


def test_without_a_traceback_there_is_no_such_place() -> None:
    assert failure_in(lines((0, "Killed"), (0, HEAD), (0, '  File "cut off"'))) == ()
    assert failure_in([]) == ()


def test_it_says_where_it_begins_and_one_worker_s_lines_bear_no_label() -> None:
    said = tuple(lines((0, "a"), (1, "b")))
    text = "".join(written(Shown(said, cut=1200), is_labelled=True))
    assert text.splitlines() == [
        "... 1,200 earlier lines are no longer kept: a job keeps 16 MiB ...",
        "==> generation 1 <==",
        "[rank 0] a",
        "[rank 1] b",
    ]
    alone = "".join(written(Shown(said[:1], is_failure=True), is_labelled=True))
    assert alone == "==> generation 1, rank 0 <==\na\n"
