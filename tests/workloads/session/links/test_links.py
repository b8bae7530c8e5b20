"""Links to members that cannot be reached."""

from __future__ import annotations

import contextlib
import ctypes
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from elastic.workloads.session.links import Links, Status
from tests.certificates import credential
from tests.workloads.session.running import wait_until


@contextmanager
def _links(name: str, *, silence_s: float = 5.0) -> Iterator[Links]:
    links = Links("job", credential(), silence_s=silence_s, notify=lambda: None)
    links.begin(name, "127.0.0.1")
    try:
        yield links
    finally:
        links.close()
        links.join()


@pytest.mark.parametrize(
    "host", ["255.255.255.255", "nobody.invalid"], ids=["no way there", "no such name"]
)
def test_one_that_cannot_be_reached_is_given_up_and_the_others_are_heard(host: str) -> None:
    with _links("m-1") as one, _links("m-2") as two:
        two.reach({"m-0": (host, 9), "m-1": ("127.0.0.1", one.port)})
        one.reach({"m-2": ("127.0.0.1", two.port)})
        wait_until(lambda: "m-0" in two.gone(), "the judgement")
        assert {"m-1"} == set(two.statuses()) and {"m-2"} == set(one.statuses()) and not one.gone()


def test_one_that_has_said_nothing_while_a_call_held_the_lock_says_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with _links("m-1", silence_s=0.6) as one, _links("m-2", silence_s=1000.0) as two:
        one.reach({"m-2": ("127.0.0.1", two.port)})
        two.reach({"m-1": ("127.0.0.1", one.port)})
        wait_until(lambda: bool(one.statuses() and two.statuses()), "the link")
        # Microseconds, in which no other thread of Python's runs.
        ctypes.PyDLL(None).usleep(900_000)
        wait_until(lambda: "ELASTICD_SESSION_SILENCE_S" in capsys.readouterr().err, "its word")


@pytest.mark.timeout(30)
def test_a_link_that_comes_about_late_waits_for_no_beat() -> None:
    with (
        _links("m-2", silence_s=1000.0) as two,
        socket.create_server(("127.0.0.1", 0), backlog=0) as other,
    ):
        address = other.getsockname()
        crowd = [socket.socket() for _ in range(3)]
        for each in crowd:
            each.setblocking(False)
            each.connect_ex(address)
        two.reach({"m-1": address})
        time.sleep(0.2)  # its connection waits for a place in the queue
        names: list[bytes] = []
        while not names:
            connection, _ = other.accept()
            with connection, contextlib.suppress(OSError):
                connection.settimeout(0.5)
                with credential().accepting(connection) as proven:
                    names.append(proven.recv(4096))
        assert b'"m-2"' in names[0]
        for each in crowd:
            each.close()


@pytest.mark.timeout(30)
def test_a_stranger_that_says_its_name_late_waits_for_no_beat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("elastic.workloads.session.links.links.CONNECT_TIMEOUT_S", 1000.0)
    with (
        _links("m-1", silence_s=1000.0) as one,
        credential().connecting(socket.create_connection(("127.0.0.1", one.port))) as stranger,
    ):
        one.reach({"m-2": ("127.0.0.1", 9)})
        time.sleep(0.2)
        stranger.sendall(b'{"name": "m-2", "job": "job", "status": {"step": 7}}\n')
        wait_until(lambda: one.statuses() == {"m-2": Status(step=7)}, "its word")
