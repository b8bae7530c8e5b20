"""The record of a session's members, against a real store."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from importlib.metadata import version

import pytest

from elastic.rendezvous import StoreLost, listen
from elastic.workloads.session.rendezvous import StoreRendezvous, View
from tests.certificates import credential
from tests.workloads.session.stores import serve_store


@pytest.fixture
def address() -> Iterator[str]:
    store = serve_store()
    yield store.address
    store.close()


def test_knows_the_torch_whose_private_names_it_uses() -> None:
    assert re.match(r"2\.13\.", version("torch")), (
        "read elastic/workloads/session/rounds/c10d.py against this torch first"
    )


def test_one_member_writes_the_next_round_whole(address: str) -> None:
    one, two = (
        StoreRendezvous(address, "job", "10.0.0.1", credential=credential()),
        StoreRendezvous(address, "job", "10.0.0.2", credential=credential()),
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
    os.close(listener.descriptor)
    store = serve_store("::1")
    one = StoreRendezvous(f"{written}:{store.port}", "job", "::1", credential=credential())
    one.register()
    assert one.look().waiting == (one.name,)


def test_of_two_who_publish_at_once_one_succeeds(address: str) -> None:
    one, two = (
        StoreRendezvous(address, "job", "10.0.0.1", credential=credential()),
        StoreRendezvous(address, "job", "10.0.0.2", credential=credential()),
    )
    seen = one.look()
    assert one.publish(seen, (one.name,), number=1)
    assert not two.publish(seen, (two.name,), number=1)
    assert two.look().participants == (one.name,)


def test_a_round_without_members_is_open_for_a_founder(address: str) -> None:
    one = StoreRendezvous(address, "job", "10.0.0.1", credential=credential())
    assert one.publish(one.look(), (one.name,), number=3)
    assert one.publish(one.look(), (), number=4)
    assert one.look() == View(4, (), (), is_closed=False)


def test_a_name_survives_a_new_connection(address: str) -> None:
    one = StoreRendezvous(address, "job", "10.0.0.1", credential=credential())
    one.register()
    again = StoreRendezvous(address, "job", "10.0.0.1", name=one.name, credential=credential())
    assert again.name == one.name and again.look().waiting == (one.name,)
    again.strike([one.name])
    assert again.look().waiting == ()


def test_says_that_no_store_answers() -> None:
    with pytest.raises(StoreLost, match="no store answers"):
        StoreRendezvous("127.0.0.1:1", "job", "10.0.0.1", credential=credential())
    with pytest.raises(StoreLost, match="file that is to name the store is not there"):
        StoreRendezvous("", "job", "10.0.0.1", credential=credential())
    for address in ("localhost", "localhost:store"):
        with pytest.raises(StoreLost, match=r"no store answers .* wanted host:port"):
            StoreRendezvous(address, "job", "10.0.0.1", credential=credential())
