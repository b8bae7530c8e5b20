"""A job's rendezvous store in a process of its own, so that it outlives every node and the daemon
alike.

    python -m elastic.rendezvous --host 127.0.0.1 --ready-file PATH --certificate PATH

It listens at one address only, and writes `host:port` to the ready file once it answers. It ends on
SIGTERM, and when no member has been connected for a long time: a daemon that was killed ends no
store.

The one argument `-` has it read its arguments from its standard input, as a JSON list: a process's
arguments are there for every user of the machine to see.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from elastic.durations import HOUR_S, MINUTE_S
from elastic.rendezvous.credential import Credential
from elastic.rendezvous.server import StoreServer

END_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def main(argv: Sequence[str]) -> None:
    """Serves the store until asked to end."""
    if list(argv) == ["-"]:
        argv = json.load(sys.stdin)
    arguments = _parser().parse_args(argv)
    # Blocked before there are threads, which inherit this: the signal is then waited for.
    signal.pthread_sigmask(signal.SIG_BLOCK, END_SIGNALS)
    if arguments.certificate.startswith("-----BEGIN"):
        credential = Credential(arguments.certificate)
    else:
        credential = Credential.of_file(arguments.certificate)
    server = StoreServer(
        credential,
        host=arguments.host,
        ports=arguments.ports,
        known=dict(each.split("=", 1) for each in arguments.tell),
    )
    # Only now: who reads the file may connect at once.
    _announce(server.address, arguments.ready_file)
    look_s = min(arguments.idle_exit_s / 4, MINUTE_S)
    while signal.sigtimedwait(END_SIGNALS, look_s) is None:
        if server.idle_s() > arguments.idle_exit_s:
            return


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="elastic.rendezvous", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--host", default="127.0.0.1", help="the one address to listen at")
    parser.add_argument(
        "--ports", type=_ports, default=range(1), help="FIRST-LAST: any of these; 0-0: any at all"
    )
    parser.add_argument(
        "--ready-file", type=Path, required=True, help="receives host:port once the store answers"
    )
    parser.add_argument(
        "--certificate",
        required=True,
        help="the job's key and certificate: a file, or on standard input the text itself",
    )
    parser.add_argument(
        "--idle-exit-s",
        type=float,
        # Nodes boot and live out their leases in less: a job that is alive connects well before.
        default=HOUR_S,
        help="end after this long without a member",
    )
    parser.add_argument(
        "--tell",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="what it knows from the start",
    )
    return parser


def _ports(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _announce(address: str, ready_file: Path) -> None:
    """Writes the file whole or not at all: a reader must not find half a port."""
    partial = ready_file.with_name(f"{ready_file.name}.{os.getpid()}.partial")
    partial.write_text(address + "\n")
    partial.replace(ready_file)


if __name__ == "__main__":
    main(sys.argv[1:])
