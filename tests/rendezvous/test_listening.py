"""A store listens where it may."""

import errno
import os
import socket

import pytest

from elastic.rendezvous.listening import listen_among


def test_of_some_ports_a_free_one_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"of {port} to {port}, found none") as told:
            listen_among("127.0.0.1", range(port, port + 1))
        assert told.value.errno == errno.EADDRINUSE
        among = range(max(port - 20, 1024), port + 1)
        found = listen_among("127.0.0.1", among)
        os.close(found.descriptor)
        assert found.port in among
        assert found.port != port


def test_an_address_that_is_not_this_machines_is_not_tried_at_every_port() -> None:
    with pytest.raises(OSError, match="assign") as told:
        listen_among("203.0.113.9", range(2000, 2500))
    assert told.value.errno == errno.EADDRNOTAVAIL
