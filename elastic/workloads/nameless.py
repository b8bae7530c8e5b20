"""Keeps torch's stores from looking up the names of addresses.

For its log, torch (2.13) looks up the peer's name whenever a store's client connects or its server
accepts, even if nothing is logged. The server does so in the one thread that answers all clients.
If the name service does not answer, or one datagram is lost, the whole store stands still for the
resolver's 5 s or more. Torch gives lookups up for the rest of a process once one has failed
(pytorch #159596). So this module makes one fail at once.
"""
# ruff: noqa: SLF001 (glibc's own names begin so)

from __future__ import annotations

import contextlib
import ctypes
import threading
from functools import cache

from elastic.rendezvous.listening import listen

# An address of this machine that no hosts file names: a lookup answered from there does not fail.
_NOBODY = "127.83.71.97"


class _Resolver(ctypes.Structure):
    """The start of glibc's `struct __res_state` (resolv.h); with `retry` 0 all lookups fail."""

    _fields_ = (("retrans", ctypes.c_int), ("retry", ctypes.c_int))


@cache
def give_up_names() -> None:
    """Makes torch stop looking up names in this process and its forks; runs once.

    Other code looks names up as before. If it cannot work (another C library, no such address),
    torch goes on asking: that is slow, not wrong.
    """
    thread = threading.Thread(target=_connect_to_nobody, daemon=True)
    thread.start()
    thread.join()


def _connect_to_nobody() -> None:
    from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch does not export it

    with contextlib.suppress(OSError, RuntimeError, ValueError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.__res_state.restype = ctypes.POINTER(_Resolver)
        libc.__res_init()
        libc.__res_state().contents.retry = 0
        listener = listen(_NOBODY, 0)
        TCPStore(
            _NOBODY,
            listener.port,
            None,
            True,
            wait_for_workers=False,
            master_listen_fd=listener.descriptor,
        )
