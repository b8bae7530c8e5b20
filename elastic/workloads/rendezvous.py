"""A job's c10d rendezvous store in a process of its own, so that it outlives every node and the daemon alike.

    python -m elastic.workloads.rendezvous --host 127.0.0.1 --port 0 --ready-file PATH

It listens at one address only (a TCPStore left to itself binds all, and it has no authentication), writes `host:port`
to the ready file once it answers, and ends on SIGTERM.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from elastic.workloads.listening import listen

END_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def main(argv: Sequence[str]) -> int:
    """Serves the store until asked to end; 0 then."""
    parser = argparse.ArgumentParser(prog="elastic.workloads.rendezvous", description=__doc__.splitlines()[0])
    parser.add_argument("--host", default="127.0.0.1", help="the one address to listen at")
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    parser.add_argument("--ready-file", type=Path, required=True, help="receives host:port once the store answers")
    arguments = parser.parse_args(argv)
    # Blocked before torch starts threads of its own, which inherit this: the signal is then waited for, not handled.
    signal.pthread_sigmask(signal.SIG_BLOCK, END_SIGNALS)
    serve(arguments.host, arguments.port, arguments.ready_file)
    return 0


def serve(host: str, port: int, ready_file: Path) -> None:
    """Serves a store at `host` until one of `END_SIGNALS` arrives."""
    # Bound before the slow import, so that a taken port is known at once.
    listener = listen(host, port)
    from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch forgets to export it

    store = TCPStore(
        host, listener.port, None, is_master=True, wait_for_workers=False, master_listen_fd=listener.descriptor
    )
    _announce(f"{host}:{store.port}", ready_file)
    signal.sigwait(END_SIGNALS)


def _announce(address: str, ready_file: Path) -> None:
    """Writes the file whole or not at all: a reader must not find half a port."""
    partial = ready_file.with_name(f"{ready_file.name}.{os.getpid()}.partial")
    partial.write_text(address + "\n")
    partial.replace(ready_file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
