"""A job's c10d rendezvous store in a process of its own, so that it outlives every node and the
daemon alike.

    python -m elastic.workloads.rendezvous --host 127.0.0.1 --ports 8471-8970 --ready-file PATH

It listens at one address only (a TCPStore left to itself binds all, and it has no authentication),
writes `host:port` to the ready file once it answers, and ends on SIGTERM, or when nobody has been
connected for long: a daemon that was killed and never started again ends nothing. On SIGHUP it lets
go of all who are connected, and of all that it holds, and listens elsewhere: what costs a start its
seconds is torch's import.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic

import psutil

from elastic.workloads.listening import listen_among
from elastic.workloads.nameless import give_up_names

END_SIGNALS = (signal.SIGTERM, signal.SIGINT)
RENEW_SIGNAL = signal.SIGHUP
IDLE_EXIT_S = 3600.0
"""Longer than nodes take to boot and to live out their leases: a job that is alive connects well
before."""


def main(argv: Sequence[str]) -> int:
    """Serves the store until asked to end; 0 then."""
    parser = argparse.ArgumentParser(
        prog="elastic.workloads.rendezvous", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--host", default="127.0.0.1", help="the one address to listen at")
    parser.add_argument(
        "--ports", type=_ports, default=range(1), help="FIRST-LAST: any of these; 0-0: any at all"
    )
    parser.add_argument(
        "--ready-file", type=Path, required=True, help="receives host:port once the store answers"
    )
    parser.add_argument(
        "--idle-exit-s", type=float, default=IDLE_EXIT_S, help="end after so long without a client"
    )
    parser.add_argument(
        "--tell",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="what it knows from the start",
    )
    arguments = parser.parse_args(argv)
    known = dict(each.split("=", 1) for each in arguments.tell)
    # Blocked before torch starts threads of its own, which inherit this: the signal is then waited
    # for, not handled.
    signal.pthread_sigmask(signal.SIG_BLOCK, (*END_SIGNALS, RENEW_SIGNAL))
    serve(
        arguments.host,
        arguments.ports,
        arguments.ready_file,
        known=known,
        idle_exit_s=arguments.idle_exit_s,
    )
    return 0


def serve(
    host: str,
    ports: range,
    ready_file: Path,
    *,
    known: Mapping[str, str] | None = None,
    idle_exit_s: float = IDLE_EXIT_S,
) -> None:
    """Serves a store at `host`, at a free one of `ports`, until one of `END_SIGNALS` arrives, or
    nobody is there.

    Nobody is there once no client has been for `idle_exit_s`. `known` is what it holds before
    anybody can ask. At each `RENEW_SIGNAL` an empty one takes its place, which holds that again.
    """
    # Bound before the slow import, so that taken ports are known at once.
    listener = listen_among(host, ports)
    from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch forgets to export it

    give_up_names()
    while True:
        store = TCPStore(
            host,
            listener.port,
            None,
            is_master=True,
            wait_for_workers=False,
            master_listen_fd=listener.descriptor,
        )
        for key, value in (known or {}).items():
            store.set(key, value)
        _announce(f"[{host}]:{store.port}" if ":" in host else f"{host}:{store.port}", ready_file)
        if not _is_renewed(store.port, idle_exit_s=idle_exit_s):
            return
        del store  # closes its connections, and all that is known to it is gone
        listener = listen_among(host, ports)


def _is_renewed(port: int, *, idle_exit_s: float) -> bool:
    """Returns once the store is to be no more: whether another one takes its place."""
    idle_since_s = monotonic()
    while True:
        told = signal.sigtimedwait((*END_SIGNALS, RENEW_SIGNAL), min(idle_exit_s / 4, 60.0))
        if told is not None:
            return told.si_signo == RENEW_SIGNAL
        if _has_clients(port):
            idle_since_s = monotonic()
        elif monotonic() - idle_since_s > idle_exit_s:
            return False


def _ports(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _has_clients(port: int) -> bool:
    found = [
        c
        for c in psutil.Process().net_connections(kind="tcp")
        if c.status == psutil.CONN_ESTABLISHED
    ]
    # The store is a client of itself, by an IPv4 address in IPv6 clothes.
    own = {(each.laddr.ip.removeprefix("::ffff:"), each.laddr.port) for each in found}
    return any(each.laddr.port == port and tuple(each.raddr) not in own for each in found)


def _announce(address: str, ready_file: Path) -> None:
    """Writes the file whole or not at all: a reader must not find half a port."""
    partial = ready_file.with_name(f"{ready_file.name}.{os.getpid()}.partial")
    partial.write_text(address + "\n")
    partial.replace(ready_file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
