"""torch's rendezvous state as a session uses it, against a real store."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from importlib.metadata import version

import pytest
from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch forgets to export it
from torch.distributed.elastic.rendezvous.c10d_rendezvous_backend import C10dRendezvousBackend
from torch.distributed.elastic.rendezvous.dynamic_rendezvous import DynamicRendezvousHandler

from elastic.workloads.listening import listen
from elastic.workloads.session.c10d import StoreLost, StoreRendezvous, View, connect


@pytest.fixture
def address() -> Iterator[str]:
    store = TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
    yield f"127.0.0.1:{store.port}"
    del store


def test_knows_the_torch_whose_private_names_it_uses() -> None:
    assert re.match(r"2\.13\.", version("torch")), (
        "read elastic/workloads/session/c10d.py against this torch first"
    )


def test_one_member_writes_the_next_round_whole(address: str) -> None:
    one, two = (
        StoreRendezvous(address, "job", "10.0.0.1"),
        StoreRendezvous(address, "job", "10.0.0.2"),
    )
    one.register()
    two.register()
    seen = one.look()
    assert seen == View(0, (), (one.name, two.name), is_closed=False)
    assert one.publish(seen, (one.name, two.name), number=7)
    assert two.look() == View(7, (one.name, two.name), (), is_closed=False)


@pytest.mark.parametrize("written", ["::1", "[::1]"])
def test_a_store_s_address_may_be_of_ipv6(written: str) -> None:
    try:
        listener = listen("::1", 0)
    except OSError:
        pytest.skip("this machine has no IPv6")
    store = TCPStore(
        "::1",
        listener.port,
        None,
        True,
        wait_for_workers=False,
        master_listen_fd=listener.descriptor,
    )
    one = StoreRendezvous(f"{written}:{store.port}", "job", "::1")
    one.register()
    assert one.look().waiting == (one.name,)


def test_of_two_who_publish_at_once_one_succeeds(address: str) -> None:
    one, two = (
        StoreRendezvous(address, "job", "10.0.0.1"),
        StoreRendezvous(address, "job", "10.0.0.2"),
    )
    seen = one.look()
    assert one.publish(seen, (one.name,), number=1)
    assert not two.publish(seen, (two.name,), number=1)
    assert two.look().participants == (one.name,)


def test_torchs_own_handler_reads_the_state_and_waits_in_its_list(address: str) -> None:
    one = StoreRendezvous(address, "job", "10.0.0.1")
    assert one.publish(one.look(), (one.name,), number=3)
    store = TCPStore(*_split(address), None, False)
    stock = DynamicRendezvousHandler.from_backend(
        "job", store, C10dRendezvousBackend(store, "job"), 1, 4
    )
    assert stock.num_nodes_waiting() == 0 and not stock.is_closed()
    two = StoreRendezvous(address, "job", "10.0.0.2")
    two.register()
    assert _soon_waiting(stock) == 1
    two.close()
    assert one.look().is_closed


def test_a_round_without_members_is_open_for_a_founder(address: str) -> None:
    one = StoreRendezvous(address, "job", "10.0.0.1")
    assert one.publish(one.look(), (one.name,), number=3)
    assert one.publish(one.look(), (), number=4)
    assert one.look() == View(4, (), (), is_closed=False)


def test_a_name_survives_a_new_connection(address: str) -> None:
    one = StoreRendezvous(address, "job", "10.0.0.1")
    one.register()
    again = StoreRendezvous(address, "job", "10.0.0.1", name=one.name)
    assert again.name == one.name and again.look().waiting == (one.name,)
    again.strike([one.name])
    assert again.look().waiting == ()


def test_a_script_s_own_connection_to_a_port_of_that_number_is_left_as_it_is() -> None:
    place = listen("127.0.0.1", 0)
    port = place.port
    served = TCPStore(
        "127.0.0.1", port, None, True, wait_for_workers=False, master_listen_fd=place.descriptor
    )
    with (
        socket.create_server(("127.0.0.2", port)) as server,
        socket.create_connection(("127.0.0.2", port)) as own,
    ):
        before = own.getsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, 16)
        store = connect(f"127.0.0.1:{port}")
        assert own.getsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, 16) == before
        assert not own.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        store.set("key", "value")
        assert served.get("key") == b"value"
        server.accept()[0].close()


def test_says_that_no_store_answers() -> None:
    with pytest.raises(StoreLost, match="no store answers"):
        StoreRendezvous("127.0.0.1:1", "job", "10.0.0.1")
    with pytest.raises(StoreLost, match="file that is to name the store is not there"):
        StoreRendezvous("", "job", "10.0.0.1")
    for address in ("localhost", "localhost:store"):
        with pytest.raises(StoreLost, match=r"no store answers .* wanted host:port"):
            StoreRendezvous(address, "job", "10.0.0.1")


def _split(address: str) -> tuple[str, int]:
    host, port = address.split(":")
    return host, int(port)


def _soon_waiting(stock: DynamicRendezvousHandler) -> int:
    stock._state_holder._cache_duration = 0  # type: ignore[attr-defined]  # noqa: SLF001 (a test of torch's own state)
    return stock.num_nodes_waiting()
