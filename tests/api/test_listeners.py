"""Users and nodes are answered apart: the other side's routes do not exist."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from fastapi.testclient import TestClient

from api.app import ListenerSide, create_app, routes
from elastic.agent.daemon_client import DaemonClient
from elastic.authority import Authority, listening_context
from elastic.config import Settings
from elastic.errors import AlreadyRunning, InvalidInput
from elastic.listeners import find_listeners, with_certificates
from elastic.trust import trust_for
from tests.api.serving import serving
from tests.api.world import TOKEN, World

OURS = Authority(b"ours")
OF_NODES = ("/v1/agent/", "/v1/wheels/")


def paths(side: ListenerSide | None) -> set[str]:
    return set(routes(side).openapi()["paths"])


def test_each_route_is_answered_on_one_side() -> None:
    of_nodes, of_users = paths(ListenerSide.NODES), paths(ListenerSide.USERS)
    assert of_nodes
    assert all(each.startswith(OF_NODES) for each in of_nodes)
    assert not any(each.startswith(OF_NODES) for each in of_users)
    assert of_nodes | of_users == paths(None)


@pytest.mark.parametrize(
    ("side", "method", "path"),
    [
        (ListenerSide.NODES, "GET", "/"),
        (ListenerSide.NODES, "GET", "/healthz"),
        (ListenerSide.NODES, "GET", "/metrics"),
        (ListenerSide.NODES, "GET", "/openapi.json"),
        (ListenerSide.NODES, "GET", "/v1/jobs"),
        (ListenerSide.NODES, "POST", "/v1/jobs"),
        (ListenerSide.NODES, "GET", "/v1/agent/../jobs"),
        (ListenerSide.USERS, "POST", "/v1/agent/register"),
        (ListenerSide.USERS, "POST", "/v1/agent/heartbeat"),
        (ListenerSide.USERS, "GET", "/v1/agent/code"),
    ],
)
def test_the_other_sides_routes_do_not_exist(
    world: World, side: ListenerSide, method: str, path: str
) -> None:
    bearers = (TOKEN, world.context.node_tokens.node_token("node-1", "i-1"))
    with TestClient(create_app(world.context, side), base_url="http://127.0.0.1") as client:
        for bearer in bearers:
            answer = client.request(method, path, headers={"Authorization": f"Bearer {bearer}"})
            assert answer.status_code == 404


def test_a_nodes_token_opens_no_route_of_users(world: World) -> None:
    token = world.context.node_tokens.node_token("node-1", "i-1")
    app = create_app(world.context, ListenerSide.USERS)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        answer = client.get("/v1/jobs", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 401


@pytest.fixture
def encrypted(world: World) -> Iterator[str]:
    """A listener of nodes with this daemon's certificate, and room for eight connections."""
    context = listening_context(OURS.issue(["127.0.0.1"]))
    with serving(world, most=8, head_s=2.0, tls=context) as url:
        yield url


def test_requests_are_answered_through_tls_alone(encrypted: str) -> None:
    trust = trust_for(encrypted, OURS.certificate)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx2.Client(verify=trust, headers=headers) as client:
        assert client.get(f"{encrypted}/v1/jobs").status_code == 200
    with httpx2.Client(headers=headers) as client, pytest.raises(httpx2.TransportError):
        client.get(f"{encrypted.replace('https', 'http')}/v1/jobs")


def test_strangers_who_never_shake_hands_keep_nobody_out(encrypted: str) -> None:
    port = int(encrypted.rpartition(":")[2])
    trust = trust_for(encrypted, OURS.certificate)
    with contextlib.ExitStack() as strangers:
        for _ in range(20):
            silent = strangers.enter_context(socket.create_connection(("127.0.0.1", port)))
            silent.sendall(b"\x16\x03\x01\x02")
        with httpx2.Client(verify=trust, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
            for _ in range(3):
                assert client.get(f"{encrypted}/v1/jobs").status_code == 200
        with contextlib.suppress(ConnectionError):
            assert silent.recv(1) == b"", "its time for a handshake is over"


def test_an_agent_sends_nothing_to_another_daemon_at_the_address(
    encrypted: str, caplog: pytest.LogCaptureFixture
) -> None:
    theirs = Authority(b"theirs").certificate
    with DaemonClient(encrypted, instance_id="i-1", certificate=theirs) as client:
        assert client.register("join") is None
        assert client.register("join") is None
        assert client.code(node_id="node-1", node_token="t") is None
    said = [each.getMessage() for each in caplog.records if "is not this node's daemon" in each.msg]
    assert len(said) == 1
    assert encrypted in said[0]
    with DaemonClient(encrypted, instance_id="i-1", certificate=OURS.certificate) as client:
        assert client.register("join") is None, "its token is wrong, but it is heard"
    assert sum("POST /v1/agent/register: 401" in each.getMessage() for each in caplog.records) == 1


def test_an_agent_goes_on_to_the_address_where_its_own_daemon_is(
    encrypted: str, caplog: pytest.LogCaptureFixture
) -> None:
    theirs = Authority(b"theirs")
    with (
        imposed(theirs) as other,
        DaemonClient(other, encrypted, instance_id="i-1", certificate=OURS.certificate) as client,
    ):
        assert client.register("join") is None
        assert client.register("join") is None
    said = [each.getMessage() for each in caplog.records]
    (first, second) = said
    assert f"{other} is not this node's daemon" in first
    assert "POST /v1/agent/register: 401" in second


@contextlib.contextmanager
def imposed(authority: Authority) -> Iterator[str]:
    """The URL of a server with a certificate of this authority, which only shakes hands."""
    context = listening_context(authority.issue(["127.0.0.1"]))
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    with contextlib.suppress(ssl.SSLError):
                        context.wrap_socket(listener.accept()[0], server_side=True).close()

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


def test_an_agent_does_not_speak_in_clear_to_another_machine() -> None:
    with pytest.raises(InvalidInput, match="wanted https://"):
        DaemonClient("http://10.0.0.5:8471", instance_id="i-1")


def settings(folder: Path, **given: object) -> Settings:
    return Settings.model_validate({"data_dir": folder, "port": 0, **given})


def test_users_get_plain_http_on_loopback_alone_and_nodes_nowhere(tmp_path: Path) -> None:
    users, nodes = find_listeners(settings(tmp_path))
    assert (users.is_encrypted, nodes.is_encrypted) == (False, True)
    users, nodes = with_certificates(users, nodes, settings(tmp_path), OURS)
    assert users.pem is None
    assert nodes.pem is not None
    users, nodes = find_listeners(settings(tmp_path, host="0.0.0.0", node_host="127.0.0.1"))
    assert (users.url[:8], nodes.url[:18]) == ("https://", "https://127.0.0.1:")
    users, nodes = with_certificates(users, nodes, settings(tmp_path, host="0.0.0.0"), OURS)
    assert users.pem == nodes.pem
    assert (tmp_path / "certificate.pem").read_text() == OURS.certificate


def test_users_are_shown_the_certificate_of_the_settings_and_nodes_are_not(tmp_path: Path) -> None:
    pem = Authority(b"a public one").issue(["daemon.example"])
    key, mark, certificate = pem.partition("-----BEGIN CERTIFICATE-----")
    (tmp_path / "key.pem").write_text(key)
    (tmp_path / "cert.pem").write_text(mark + certificate)
    files = {"cert": tmp_path / "cert.pem", "key": tmp_path / "key.pem"}
    told = settings(tmp_path, tls=files)
    users, nodes = with_certificates(*find_listeners(told), told, OURS)
    assert users.is_encrypted
    assert users.pem is not None
    assert certificate.strip() in users.pem
    assert nodes.pem is not None
    assert certificate.strip() not in nodes.pem
    assert (tmp_path / "certificate.pem").read_text() == mark + certificate
    (tmp_path / "key.pem").write_text("nothing")
    with pytest.raises(InvalidInput, match="tls: wanted a certificate and its private key"):
        with_certificates(users, nodes, told, OURS)


def test_the_port_of_nodes_follows_that_of_users(tmp_path: Path) -> None:
    host = "127.0.0.2"  # no other program here listens on it, so the port before is free
    with socket.create_server((host, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(AlreadyRunning, match="choose another node_port"):
            find_listeners(settings(tmp_path, host=host, port=port - 1))
        with pytest.raises(InvalidInput, match="wanted another port than that of users"):
            find_listeners(settings(tmp_path, host=host, port=port, node_port=port))
    (tmp_path / "daemon.json").write_text(json.dumps({"port": 1, "node_port": port}))
    assert find_listeners(settings(tmp_path, host=host))[1].port == port
