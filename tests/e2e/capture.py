"""A packet capture of this machine's loopback device, which also carries what a machine sends to
its own addresses."""

from __future__ import annotations

import socket
import struct
import threading
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import pytest

_EVERY_PROTOCOL = 0x0003  # ETH_P_ALL of <linux/if_ether.h>
_BUFFER_BYTES = 64 << 20
_Flow = tuple[bytes, int, bytes, int]


class Capture:
    """What TCP carried to or from the ports that are looked at, each direction in one piece."""

    def __init__(self, device: socket.socket) -> None:
        self.ports: set[int] = set()
        self._device = device
        self._flows: dict[_Flow, dict[int, bytes]] = defaultdict(dict)
        self._is_over = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._is_over = True
        self._thread.join()

    def carried(self, ports: Collection[int]) -> list[bytes]:
        """The bytes of each direction of each connection to these ports."""
        return [
            b"".join(parts[at] for at in sorted(parts))
            for (_, source, _, target), parts in list(self._flows.items())
            if source in ports or target in ports
        ]

    def _run(self) -> None:
        while not self._is_over:
            try:
                frame = self._device.recv(1 << 17)
            except TimeoutError:
                continue
            self._take(frame[14:])  # the head of Ethernet

    def _take(self, packet: bytes) -> None:
        # RFC 791, 3.1, and RFC 9293, 3.1.
        if len(packet) < 40 or packet[0] >> 4 != 4 or packet[9] != socket.IPPROTO_TCP:
            return
        whole = struct.unpack("!H", packet[2:4])[0]
        segment = packet[(packet[0] & 15) * 4 : whole or None]
        source, target, number = struct.unpack("!HHI", segment[:8])
        payload = segment[(segment[12] >> 4) * 4 :]
        if payload and {source, target} & self.ports:
            flow = (packet[12:16], source, packet[16:20], target)
            known = self._flows[flow].get(number, b"")
            self._flows[flow][number] = max(known, payload, key=len)


@contextmanager
def captured() -> Iterator[Capture]:
    """A capture for the length of a block. Skips the test where this process may not capture."""
    try:
        device = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_EVERY_PROTOCOL))
    except PermissionError:
        pytest.skip("this user may not capture packets: it wants CAP_NET_RAW")
    with device:
        device.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
        device.bind(("lo", 0))
        device.settimeout(0.2)
        capture = Capture(device)
        try:
            yield capture
        finally:
            capture.stop()
