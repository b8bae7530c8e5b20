"""What an agent makes of the answers of a daemon that does not speak as it does."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from elastic.agent.daemon_client import DaemonClient, Refused
from elastic.errors import InvalidInput
from elastic.model import AgentState, NodeReport
from elastic.protocol import PROTOCOL, Heartbeat
from tests.agent.conftest import FakeDaemon

MAJOR = int(PROTOCOL.partition(".")[0])


class Refusing(FakeDaemon):
    """Answers everything with one problem document."""

    def __init__(self, status: int, document: dict[str, Any]) -> None:
        super().__init__()
        self.problem = status, document

    def answer(self, path: str, body: dict[str, Any], token: str) -> tuple[int, dict[str, Any]]:
        return self.problem


@pytest.fixture
def daemon() -> Iterator[FakeDaemon]:
    made = FakeDaemon()
    yield made
    made.close()


def problem(*faults: tuple[str, str]) -> dict[str, Any]:
    return {"status": 422, "errors": [{"field": field, "message": why} for field, why in faults]}


def test_a_daemon_of_the_same_major_version_is_registered_with(daemon: FakeDaemon) -> None:
    daemon.protocol = f"{MAJOR}.99"
    with DaemonClient(daemon.url, instance_id="n1") as client:
        registered = client.register("join")
    assert registered is not None and registered.node_id == "n1"


def test_a_daemon_of_another_major_version_is_not_asked_again(daemon: FakeDaemon) -> None:
    daemon.protocol = f"{MAJOR + 1}.0"
    with (
        DaemonClient(daemon.url, instance_id="n1") as client,
        pytest.raises(InvalidInput, match=rf"the daemon speaks {MAJOR + 1}\.0"),
    ):
        client.register("join")


@pytest.mark.parametrize("field", ["protocol", "hostname"])
def test_only_a_refusal_of_the_protocol_is_final_for_a_registration(field: str) -> None:
    refusing = Refusing(422, problem((field, f"wanted {MAJOR}.x, but the agent speaks 9.0")))
    with DaemonClient(refusing.url, instance_id="n1") as client:
        if field == "protocol":
            with pytest.raises(InvalidInput, match=r"the agent speaks 9\.0"):
                client.register("join")
        else:
            assert client.register("join") is None
    refusing.close()


@pytest.mark.parametrize(
    ("status", "document", "wanted"),
    [
        (422, problem(("windows.3.phase", "no")), Refused({"windows.3.phase": "no"})),
        (422, {"errors": "none"}, Refused({})),
        (503, problem(("windows.3.phase", "no")), None),
        (200, {"lease_s": "soon"}, None),
    ],
)
def test_a_heartbeat_that_is_refused_tells_which_fields_are_at_fault(
    status: int, document: dict[str, Any], wanted: Refused | None
) -> None:
    refusing = Refusing(status, document)
    with DaemonClient(refusing.url, instance_id="n1") as client:
        heartbeat = Heartbeat("n1", "n1", 1.0, NodeReport(AgentState.IDLE))
        assert client.heartbeat(heartbeat, node_token="t") == wanted
    refusing.close()


def test_a_node_goes_on_to_the_address_at_which_a_daemon_answers(daemon: FakeDaemon) -> None:
    gone = Refusing(503, {"status": 503})
    gone.close()
    with DaemonClient(gone.url, daemon.url, instance_id="n1") as client:
        assert client.register("join") is None, "nothing listens there any more"
        registered = client.register("join")
        assert registered is not None and registered.node_id == "n1"


def test_a_node_leaves_a_daemon_that_has_lost_its_database_for_the_one_that_took_over(
    daemon: FakeDaemon,
) -> None:
    cut_off = Refusing(503, {"status": 503})
    beat = Heartbeat("n1", "n1", 1.0, NodeReport(AgentState.IDLE))
    with DaemonClient(cut_off.url, daemon.url, instance_id="n1") as client:
        assert client.heartbeat(beat, node_token="n1") is None
        assert client.register("join") is not None
    cut_off.close()


def test_a_node_looks_at_every_address_for_one_that_listens(daemon: FakeDaemon) -> None:
    gone = Refusing(503, {"status": 503})
    gone.close()
    with DaemonClient(gone.url, daemon.url, instance_id="n1") as client:
        assert client.is_listening()
        assert client.register("join") is not None
    with DaemonClient(gone.url, instance_id="n1") as client:
        assert not client.is_listening()


@pytest.mark.slow
def test_heartbeats_that_are_seconds_apart_need_one_connection() -> None:
    ports: list[int] = []

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            ports.append(self.client_address[1])
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(503)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        heartbeat = Heartbeat(
            node_id="node-1",
            instance_id="i-1",
            sent_at_s=1.0,
            report=NodeReport(AgentState.IDLE),
            protocol=PROTOCOL,
        )
        with DaemonClient(url, instance_id="i-1") as client:
            client.heartbeat(heartbeat, node_token="t")
            time.sleep(6.0)
            client.heartbeat(heartbeat, node_token="t")
        server.shutdown()
    assert len(set(ports)) == 1
