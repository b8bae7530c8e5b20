"""Strangers who open connections and send little or nothing keep nobody out."""

from __future__ import annotations

import logging
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import httpx2
import pytest

from api.connections import Repeats
from elastic.clock import ManualClock
from tests.api.serving import serving
from tests.api.world import TOKEN, World

MOST = 8
HALF = b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n"
WHOLE = b"GET /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
ADMITTED = WHOLE.removesuffix(b"\r\n") + f"Authorization: Bearer {TOKEN}\r\n\r\n".encode()
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def url(world: World) -> Iterator[str]:
    """A server that waits for longer than these tests, so that only the door ends connections."""
    with serving(world, most=MOST, head_s=60.0, body_s=60.0) as url:
        yield url


@pytest.fixture
def impatient(world: World) -> Iterator[str]:
    with serving(world, head_s=0.3, body_s=0.3) as url:
        yield url


def connect(url: str, first: bytes = b"") -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=20)
    connection.sendall(first)
    return connection


def answer(connection: socket.socket) -> bytes:
    """One whole answer; its head and its body, in JSON, may come apart."""
    found = b""
    while not found.endswith(b"}") and (more := connection.recv(4096)):
        found += more
    return found


def is_closed(connection: socket.socket) -> bool:
    """Waits until the server closes it; raises TimeoutError after 20 s."""
    try:
        while connection.recv(4096):
            pass
    except ConnectionResetError:
        pass
    return True


@pytest.mark.parametrize("sent", [b"", HALF], ids=["nothing", "half a head"])
def test_a_request_that_does_not_come_ends_its_connection(impatient: str, sent: bytes) -> None:
    with connect(impatient, sent) as connection:
        assert is_closed(connection)


def test_bytes_one_by_one_win_no_time(impatient: str) -> None:
    with connect(impatient, HALF) as connection:
        connection.settimeout(0.05)
        for _ in range(400):
            try:
                connection.sendall(b"X")
                if connection.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except ConnectionError:
                return
    raise AssertionError("it was open for 20 s")


def test_the_head_of_a_second_request_has_its_time_too(impatient: str) -> None:
    with connect(impatient, WHOLE) as connection:
        assert answer(connection).startswith(b"HTTP/1.1 401")
        connection.sendall(HALF)
        assert is_closed(connection)


def test_a_body_that_stays_away_ends_its_connection(impatient: str) -> None:
    with connect(impatient, HALF + b"Content-Length: 100\r\n\r\n{") as connection:
        assert is_closed(connection)


def test_strangers_make_room_and_who_showed_a_token_stays(url: str) -> None:
    with ExitStack() as stack:
        known = stack.enter_context(connect(url, ADMITTED))
        assert answer(known).startswith(b"HTTP/1.1 200")
        strangers = [stack.enter_context(connect(url, HALF)) for _ in range(3 * MOST)]
        with httpx2.Client(headers=HEADERS) as newcomer:
            assert newcomer.get(f"{url}/v1/jobs").status_code == 200
        assert all(is_closed(each) for each in strangers[: 2 * MOST]), "the oldest left"
        known.sendall(ADMITTED)
        assert answer(known).startswith(b"HTTP/1.1 200"), "on the same connection"


def test_who_was_refused_stays_a_stranger(url: str) -> None:
    with ExitStack() as stack:
        refused = [stack.enter_context(connect(url, WHOLE)) for _ in range(MOST)]
        for each in refused:
            assert answer(each).startswith(b"HTTP/1.1 401")
        stack.enter_context(connect(url))
        assert is_closed(refused[0])


@pytest.mark.parametrize(
    ("soft", "hard"), [(256, 1024), (1024, 1024), (1024, 20_000), (20_000, 20_000)]
)
def test_there_are_never_more_connections_than_files(soft: int, hard: int) -> None:
    code = "from api.connections import raise_limit; print(raise_limit())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == min(4096, hard - 256)


def test_the_same_message_is_logged_once_a_minute() -> None:
    clock = ManualClock(0.0)
    repeats = Repeats(clock.now_s)

    def said(text: str) -> str | None:
        record = logging.LogRecord("uvicorn.error", logging.WARNING, "", 0, text, None, None)
        return record.getMessage() if repeats.filter(record) else None

    assert [said("invalid request"), said("invalid request"), said("another")] == [
        "invalid request",
        None,
        "another",
    ]
    clock.advance(61.0)
    assert said("invalid request") == "invalid request (and 1 times more since the last one)"
