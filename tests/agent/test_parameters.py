"""Secrets that a node reads from SSM parameters by itself."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from elastic.agent.parameters import read_parameters
from elastic.errors import PreparationFailed
from tests.roles import ROLE


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A node whose metadata service does not answer twice, and a store of one parameter."""
    left = [2]

    class Handler(BaseHTTPRequestHandler):
        def _answer(self, body: str, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def _tell(self, body: str) -> None:
            left[0] -= 1
            self._answer(body, 503 if left[0] >= 0 else 200)

        def do_PUT(self) -> None:
            self._tell("token")

        def do_GET(self) -> None:
            is_list = self.path.endswith("security-credentials/")
            self._tell("node" if is_list else json.dumps(ROLE))

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if asked["Name"] == "/there":
                self._answer(json.dumps({"Parameter": {"Name": "/there", "Value": "secret"}}))
            else:
                self._answer(json.dumps({"__type": "ParameterNotFound"}), 400)

        def log_message(self, *_: object) -> None:
            pass

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED", raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url)
        monkeypatch.setenv("AWS_ENDPOINT_URL_SSM", url)
        yield
        server.shutdown()


@pytest.mark.usefixtures("node")
def test_a_metadata_service_that_is_slow_to_answer_fails_no_job() -> None:
    assert read_parameters({"TOKEN": "/there"}, region="us-east-1") == {"TOKEN": "secret"}


@pytest.mark.usefixtures("node")
def test_a_parameter_that_is_not_there_is_no_missing_right() -> None:
    with pytest.raises(PreparationFailed) as told:
        read_parameters({"TOKEN": "/none"}, region="us-east-1")
    assert str(told.value) == (
        "secret TOKEN: wanted the SSM parameter /none, there is none in us-east-1; make it there, "
        "or correct its name"
    )
