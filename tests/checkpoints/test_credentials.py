"""A node's client has its role's credentials, or is not made: one made without them would never
find any."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from elastic.checkpoints.s3 import connect
from elastic.errors import StorageUnavailable
from tests.roles import ROLE


@pytest.fixture(autouse=True)
def nothing_else_gives_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_PROFILE",
        "AWS_EC2_METADATA_DISABLED",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))


@contextmanager
def metadata_service(*, failures: int) -> Iterator[str]:
    """Refuses the first requests, as one that is just starting does."""
    left = [failures]

    class Handler(BaseHTTPRequestHandler):
        def _answer(self, body: str) -> None:
            left[0] -= 1
            self.send_response(503 if left[0] >= 0 else 200)
            self.end_headers()
            self.wfile.write(body.encode())

        def do_PUT(self) -> None:
            self._answer("token")

        def do_GET(self) -> None:
            self._answer(
                "node" if self.path.endswith("security-credentials/") else json.dumps(ROLE)
            )

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_metadata_service_that_is_slow_to_answer_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with metadata_service(failures=2) as url:
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url)
        client = connect(region="us-east-1")
    assert client._request_signer._credentials.access_key == "of-the-role"  # noqa: SLF001 (nothing else tells)


def test_without_credentials_no_client_is_made_and_the_next_try_finds_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(StorageUnavailable, match="instance_profile"):
        connect(region="us-east-1")
    with metadata_service(failures=0) as url:
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url)
        assert connect(region="us-east-1")
