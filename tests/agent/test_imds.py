"""The metadata service as an agent asks it, against a small server that keeps its rules."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from elastic.agent.imds import Imds, SpotAction, imds_url
from elastic.errors import ProviderUnavailable
from tests.agent.metadata import FakeMetadata, serve_metadata


@pytest.fixture
def metadata() -> Iterator[FakeMetadata]:
    with serve_metadata() as served:
        yield served


def test_a_machine_reads_its_id_and_its_address_and_finds_no_notice(metadata: FakeMetadata) -> None:
    imds = Imds(metadata.url)
    metadata.documents["meta-data/local-ipv4"] = "10.0.0.7"
    assert imds.instance_id() == "i-1"
    assert imds.local_ipv4() == "10.0.0.7"
    assert imds.spot_action() is None
    assert imds.rebalance() is None
    assert metadata.tokens_given == 1


def test_a_notice_says_what_happens_and_when(metadata: FakeMetadata) -> None:
    metadata.announce("terminate", at="2017-09-18T08:22:00Z")
    metadata.recommend_rebalance(at="2017-09-18T08:20:00Z")
    assert Imds(metadata.url).spot_action() == SpotAction("terminate", 1_505_722_920.0)
    assert Imds(metadata.url).rebalance() == 1_505_722_800.0


def test_a_token_that_has_ended_is_replaced(metadata: FakeMetadata) -> None:
    imds = Imds(metadata.url)
    imds.instance_id()
    metadata.forget_tokens()
    assert imds.instance_id() == "i-1"
    assert metadata.tokens_given == 2


def test_a_service_that_takes_no_token_is_asked_only_twice(metadata: FakeMetadata) -> None:
    metadata.takes_tokens = False
    with pytest.raises(ProviderUnavailable, match="status 401"):
        Imds(metadata.url).instance_id()
    assert metadata.tokens_given == 2


def test_a_service_that_is_switched_off_says_so(metadata: FakeMetadata) -> None:
    metadata.is_enabled = False
    with pytest.raises(ProviderUnavailable, match="wanted a token, got status 403"):
        Imds(metadata.url).spot_action()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"action": "terminate"}',
        '{"action": "terminate", "time": "soon"}',
        '{"action": 1, "time": 2}',
    ],
)
def test_a_notice_that_makes_no_sense_is_no_notice_and_no_all_clear(
    metadata: FakeMetadata, text: str
) -> None:
    metadata.documents["meta-data/spot/instance-action"] = text
    with pytest.raises(ProviderUnavailable, match="wanted"):
        Imds(metadata.url).spot_action()


def test_an_id_that_is_missing_is_an_error(metadata: FakeMetadata) -> None:
    del metadata.documents["meta-data/instance-id"]
    with pytest.raises(ProviderUnavailable, match="found nothing there"):
        Imds(metadata.url).instance_id()


def test_a_service_that_hangs_is_given_up() -> None:
    release = threading.Event()

    class Hanging(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            release.wait(10.0)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hanging)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        with pytest.raises(ProviderUnavailable, match="timed out"):
            Imds(f"http://127.0.0.1:{server.server_port}", timeout_s=0.05).instance_id()
    finally:
        release.set()
        server.shutdown()
        thread.join()
        server.server_close()


def test_nobody_there_is_no_answer() -> None:
    with pytest.raises(ProviderUnavailable, match="Refused"):
        Imds("http://127.0.0.1:1").instance_id()


def test_a_proxy_that_the_environment_names_is_not_asked(
    metadata: FakeMetadata, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert Imds(metadata.url).instance_id() == "i-1"


def test_the_environment_may_name_another_address() -> None:
    assert imds_url({}) == "http://169.254.169.254"
    assert (
        imds_url({"AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:7"})
        == "http://127.0.0.1:7"
    )
