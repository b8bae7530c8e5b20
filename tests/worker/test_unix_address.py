"""Sockets whose paths are longer than an address of one."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from elastic.worker.unix_address import MOST_BYTES, address_of
from tests.worker.conftest import AgentSocket


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """A folder whose own path is longer than a socket's address."""
    folder = tmp_path / ("d" * 120)
    folder.mkdir()
    return folder


def test_a_path_that_fits_is_its_own_address() -> None:
    longest = "/" + "s" * (MOST_BYTES - 1)
    with address_of(longest) as address:
        assert address == longest


def test_the_bound_is_the_system_s(tmp_path: Path) -> None:
    path = tmp_path / ("s" * (MOST_BYTES - len(os.fsencode(tmp_path)) - 1))
    assert len(os.fsencode(path)) == MOST_BYTES
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bound:
        bound.bind(str(path))
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as refused,
        pytest.raises(OSError, match="too long"),
    ):
        refused.bind(f"{path}s")


def test_what_is_sent_to_a_long_path_arrives_and_no_descriptor_stays_open(deep: Path) -> None:
    agent = AgentSocket(deep / "s")
    before = len(os.listdir("/proc/self/fd"))
    outbox = agent.outbox()
    outbox.put({"kind": "note", "text": "hello"})
    assert [message["text"] for message in agent.drain(outbox)] == ["hello"]
    outbox.close(timeout_s=0.0)
    assert len(os.listdir("/proc/self/fd")) == before
    agent.end()


def test_what_cannot_be_sent_to_a_long_path_is_left_beside_it(deep: Path) -> None:
    agent = AgentSocket(deep / "s")
    agent.close()
    outbox = agent.outbox()
    outbox.put({"kind": "note", "text": "hello"})
    assert not outbox.flush()
    outbox.close(timeout_s=0.0)
    assert [path.name for path in deep.iterdir()] == ["s.left-w"]


def test_a_worker_whose_folder_is_gone_goes_on(deep: Path) -> None:
    agent = AgentSocket(deep / "s")
    agent.end()
    deep.rmdir()
    outbox = agent.outbox()
    outbox.put({"kind": "note", "text": "hello"})
    outbox.close(timeout_s=0.0)
    assert outbox.flush(), "there is no one left to tell"
