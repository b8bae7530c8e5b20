"""Hosts on one machine: network namespaces on a bridge, whose links can be cut. Needs root."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Host:
    """A namespace with one address."""

    namespace: str
    address: str

    def command(self, *arguments: str) -> list[str]:
        """Gives a command that runs on this host."""
        return ["nsenter", f"--net=/run/netns/{self.namespace}", *arguments]

    def cut(self) -> None:
        """Takes the host off the network: what is sent to it or by it is lost without a word."""
        _ip("-n", self.namespace, "link", "set", "eth0", "down")

    def mend(self) -> None:
        _ip("-n", self.namespace, "link", "set", "eth0", "up")

    def slow_down(self, mbit_per_s: int) -> None:
        """Has what this host sends leave no faster than that."""
        rate = ["rate", f"{mbit_per_s}mbit", "burst", "256kb", "latency", "200ms"]
        subprocess.run(
            self.command("tc", "qdisc", "replace", "dev", "eth0", "root", "tbf", *rate), check=True
        )

    def lose(self, other: Host) -> None:
        """Has what this host sends to one other be lost without a word."""
        nobody = "02:00:00:00:00:01"
        _ip(
            "-n",
            self.namespace,
            "neigh",
            "replace",
            other.address,
            "lladdr",
            nobody,
            "dev",
            "eth0",
            "nud",
            "permanent",
        )

    def find(self, other: Host) -> None:
        """Has it come there again."""
        _ip("-n", self.namespace, "neigh", "delete", other.address, "dev", "eth0")


@contextmanager
def running_hosts(count: int) -> Iterator[list[Host]]:
    """Gives hosts that reach each other, and leaves none of it."""
    stem = f"ses{os.getpid() % 100000}"
    switch = f"{stem}sw"
    hosts = [Host(f"{stem}h{number}", f"10.77.0.{number + 1}") for number in range(count)]
    try:
        _ip("netns", "add", switch)
        _ip("-n", switch, "link", "add", "br0", "type", "bridge")
        _ip("-n", switch, "link", "set", "br0", "up")
        for number, host in enumerate(hosts):
            _ip("netns", "add", host.namespace)
            port = f"p{number}"
            _ip(
                "-n",
                switch,
                "link",
                "add",
                port,
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "netns",
                host.namespace,
            )
            _ip("-n", switch, "link", "set", port, "master", "br0", "up")
            _ip("-n", host.namespace, "link", "set", "lo", "up")
            _ip("-n", host.namespace, "address", "add", f"{host.address}/24", "dev", "eth0")
            host.mend()
        yield hosts
    finally:
        for name in (*(host.namespace for host in hosts), switch):
            subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL, check=False)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
