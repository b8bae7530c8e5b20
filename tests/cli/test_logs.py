"""Following a job's logs: across restarts of the daemon, with what has not ended below."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from elastic.cli.logs import follow_logs
from elastic.client.rest import Streamed
from elastic.clock import ManualClock
from elastic.errors import DaemonUnreachable

END = Streamed("end", None, {})


def said(number: int, text: str, *, generation: int = 1) -> dict[str, Any]:
    return {
        "id": number, "at_s": 0.0, "generation": generation, "node_id": "n1", "worker": 0, "rank": 0,
        "source": "rank 0", "text": text,
    }  # fmt: skip


def event(*lines: tuple[int, str], open_line: str = "") -> Streamed:
    data = {
        "lines": [said(*line) for line in lines],
        "open": [said(0, open_line)] if open_line else [],
    }
    return Streamed("", lines[-1][0] if lines else 0, json.loads(json.dumps(data)))


class Scripted:
    """A client whose streams end as told; an error stands for a daemon that is away."""

    def __init__(self, *streams: list[Streamed] | DaemonUnreachable) -> None:
        self._streams = list(streams)
        self.asked: list[dict[str, Any]] = []

    def stream(self, path: str, **query: Any) -> Iterator[Streamed]:
        self.asked.append(query)
        found = self._streams.pop(0)
        if isinstance(found, DaemonUnreachable):
            raise found
        yield from found


def follow(client: Scripted, *, is_live: bool = False, rank: int | None = None) -> None:
    follow_logs(client, "/logs", tail=5, rank=rank, node=None, is_live=is_live, clock=ManualClock())  # type: ignore[arg-type]


def test_lines_are_printed_until_the_job_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    client = Scripted([event((1, "a"), (2, "b"), open_line=" 10%"), END])
    follow(client)
    assert capsys.readouterr().out == "==> generation 1 <==\n[rank 0] a\n[rank 0] b\n"
    assert client.asked == [{"tail": 5, "rank": None, "node": None, "after": None}]


def test_a_daemon_that_is_away_for_a_while_is_waited_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    away = DaemonUnreachable("no daemon")
    client = Scripted([event((1, "a"))], away, away, [event((2, "b")), END])
    follow(client)
    printed = capsys.readouterr()
    assert printed.out.endswith("a\n[rank 0] b\n")
    assert printed.err == "no daemon; trying again\n"
    assert [asked["after"] for asked in client.asked] == [None, 1, 1, 1]


def test_a_daemon_that_restarts_before_the_first_line_is_waited_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    follow(Scripted([event()], DaemonUnreachable("no daemon"), [event((1, "a")), END]))
    assert capsys.readouterr().out.endswith("a\n")


def test_a_daemon_that_was_never_there_is_an_error() -> None:
    with pytest.raises(DaemonUnreachable):
        follow(Scripted(DaemonUnreachable("no daemon")))


def test_on_a_terminal_a_progress_bar_moves_below_the_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    follow(
        Scripted(
            [event((1, "a"), open_line=" 10%"), event(open_line=" 20%"), event((2, "b")), END]
        ),
        is_live=True,
        rank=0,
    )
    erase = "\r\x1b[2K"
    assert capsys.readouterr().out == f"==> generation 1, rank 0 <==\na\n 10%{erase} 20%{erase}b\n"


def test_a_bar_of_another_generation_stands_below_its_heading(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bar = Streamed("", 1, {"lines": [], "open": [said(0, "5%", generation=2)]})
    follow(Scripted([event((1, "a")), bar, bar, END]), is_live=True)
    expected = (
        "==> generation 1 <==\n[rank 0] a\n==> generation 2 <==\n[rank 0] 5%\r\x1b[2K[rank 0] 5%\n"
    )
    assert capsys.readouterr().out == expected
