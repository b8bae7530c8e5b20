"""What is wrong with a session's settings is said before anything waits."""

from __future__ import annotations

import errno
import socket
from pathlib import Path
from typing import Any

import pytest
import torch

from elastic.errors import InvalidInput
from elastic.workloads.session import Session, SessionSettings
from tests.certificates import certificate
from tests.workloads.session.stores import serve_store, session_settings

STORE = {"ELASTICD_SESSION_STORE": "127.0.0.1:1", "ELASTICD_CERTIFICATE": certificate()}


@pytest.mark.parametrize(
    "store", ["localhost", "store", "127.0.0.1:", ":29400", "127.0.0.1:0", "127.0.0.1:65536", "h:x"]
)
def test_a_store_that_is_neither_an_address_nor_a_path_is_refused(store: str) -> None:
    with pytest.raises(
        InvalidInput, match=r"ELASTICD_SESSION_STORE\): wanted host:port .* path with a /"
    ) as refused:
        SessionSettings.from_environment({"ELASTICD_SESSION_STORE": store})
    assert repr(store) in str(refused.value) and refused.value.field == "store"


@pytest.mark.parametrize(
    "store", ["node-1:29400", "::1:29400", "[::1]:29400", "/srv/session-store", "./store"]
)
def test_a_store_is_an_address_or_a_path(store: str) -> None:
    found = SessionSettings.from_environment({**STORE, "ELASTICD_SESSION_STORE": store})
    assert found.store == store


def test_without_the_job_s_key_there_is_no_session(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="ELASTICD_CERTIFICATE, found nothing; make one by"):
        SessionSettings.from_environment({**STORE, "ELASTICD_CERTIFICATE": ""})
    for name in ("missing", "empty"):
        (tmp_path / "empty").touch()
        told = {**STORE, "ELASTICD_CERTIFICATE": str(tmp_path / name)}
        with pytest.raises(InvalidInput, match=f"wanted a file with a job's key .*{name}"):
            SessionSettings.from_environment(told).credential()


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("SILENCE_S", "abc", "a number"),
        ("SILENCE_S", "0", "a positive number"),
        ("SILENCE_S", "nan", "a positive number"),
        ("HANG_S", "-1", "a positive number, or 0 for never"),
        ("HANG_S", "inf", "a positive number, or 0 for never"),
        ("CHUNK_BYTES", "8e6", "a whole number"),
        ("CHUNK_BYTES", "0", "a positive number"),
        ("MOST_SAMPLES", "-3", "1 or more"),
        ("MOST_SAMPLES", "0", "1 or more"),
        ("MOST_SAMPLES", "1.5", "a whole number"),
        ("LOSSES_PER_H", "-0.5", "0 or more"),
        ("LOSSES_PER_H", "often", "a number"),
    ],
)
def test_a_wrong_number_is_told_by_its_variable(name: str, value: str, wanted: str) -> None:
    with pytest.raises(
        InvalidInput, match=rf"ELASTICD_SESSION_{name}\b.*: wanted {wanted}.*, found "
    ) as refused:
        SessionSettings.from_environment({**STORE, f"ELASTICD_SESSION_{name}": value})
    assert refused.value.field == name.lower()


def test_what_is_not_set_or_empty_is_as_documented() -> None:
    names = ("SILENCE_S", "HANG_S", "CHUNK_BYTES", "MOST_SAMPLES", "LOSSES_PER_H")
    empty = {f"ELASTICD_SESSION_{name}": "" for name in names}
    found = SessionSettings.from_environment({**STORE, **empty})
    assert (
        found
        == SessionSettings.from_environment(STORE)
        == session_settings("127.0.0.1:1", "session")
    )
    assert (found.silence_s, found.hang_s, found.chunk_bytes, found.most_samples) == (
        1.25,
        600.0,
        8_000_000,
        None,
    )


def test_numbers_are_read() -> None:
    told = {
        "SILENCE_S": "2.5",
        "HANG_S": "0",
        "CHUNK_BYTES": "100",
        "MOST_SAMPLES": "4",
        "LOSSES_PER_H": "0",
    }
    found = SessionSettings.from_environment(
        {**STORE, **{f"ELASTICD_SESSION_{name}": each for name, each in told.items()}}
    )
    assert (found.silence_s, found.hang_s, found.chunk_bytes) == (2.5, 0.0, 100)
    assert (found.most_samples, found.losses_per_h) == (4, 0.0)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("host", "store", "wanted"),
    [
        ("192.0.2.1", "127.0.0.1", r"an address or a name of this machine, found '192\.0\.2\.1'"),
        ("no body", "127.0.0.1", "an address or a name of this machine, found 'no body'"),
        (
            "127.0.0.1",
            "192.0.2.1",
            r"others reach this process, found 127\.0\.0\.1; the store is at 192\.0\.2\.1",
        ),
        (
            "0.0.0.0",
            "192.0.2.1",
            r"others reach this process, found 0\.0\.0\.0; the store is at 192\.0\.2\.1",
        ),
    ],
)
def test_a_host_at_which_nobody_reaches_this_process_is_refused(
    host: str, store: str, wanted: str
) -> None:
    settings, weight = session_settings(f"{store}:9", "job", host), torch.zeros(3)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        if way.connect_ex((store, 9)):
            pytest.skip("no way leads out of this machine")
    with pytest.raises(
        InvalidInput, match=r"host \(ELASTICD_SESSION_HOST\): wanted .*" + wanted
    ) as refused:
        Session.join([(weight,)], lambda gradients, step: None, batch=4, settings=settings)
    assert refused.value.field == "host"


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("asked", "failure"),
    [
        ("getaddrinfo", socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")),
        ("create_server", OSError(errno.EMFILE, "Too many open files")),
    ],
)
def test_a_host_that_cannot_be_tried_for_the_moment_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, asked: str, failure: OSError
) -> None:
    given, failures = getattr(socket, asked), [failure]

    def failing(place: Any, *args: Any, **kwargs: Any) -> Any:
        if failures and (asked == "create_server" or place == "localhost"):
            raise failures.pop()
        return given(place, *args, **kwargs)

    monkeypatch.setattr(socket, asked, failing)
    store, weight = serve_store(), torch.zeros(3)
    settings = session_settings(f"127.0.0.1:{store.port}", "job", "localhost")
    with Session.join(
        [(weight,)], lambda gradients, step: None, batch=4, settings=settings
    ) as session:
        assert session.is_member and not failures
