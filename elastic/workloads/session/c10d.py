"""torch's c10d rendezvous as a session uses it: the one module that touches torch's private names.

The state, its encoding and its compare-and-set are those of `DynamicRendezvousHandler`. A node
registers in its wait list as any node of torchrun does. What differs is how a round is closed: not
by every member leaving and joining again while a clock runs, but by one member writing the next
round whole. Tested against torch 2.13.
"""
# ruff: noqa: SLF001 (torch's private members are this module's very subject)

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Timer
from typing import Any

from torch.distributed import (  # type: ignore[attr-defined]  # torch forgets to export some
    PrefixStore,
    ProcessGroupGloo,
    TCPStore,
)
from torch.distributed.elastic.rendezvous.api import RendezvousError
from torch.distributed.elastic.rendezvous.c10d_rendezvous_backend import C10dRendezvousBackend
from torch.distributed.elastic.rendezvous.dynamic_rendezvous import (
    DynamicRendezvousHandler,
    _NodeDesc,
)

from elastic.worker.ping import answers
from elastic.workloads.nameless import give_up_names
from elastic.workloads.session import sockets
from elastic.workloads.session.agreement import MAX_MEMBERS
from elastic.workloads.session.sockets import Address

# Heartbeats in this state compare clocks of different machines, and two missed ones made a split
# brain. A session has its own, between the members; what is written here never expires.
NEVER_S = 10_000_000
# A day, longer than any turn: the links report dead and silent members long before. As NEVER_S the
# milliseconds would not fit into 32 bits.
COLLECTIVE_TIMEOUT = timedelta(hours=24)
CALL_TIMEOUT_S = 5.0


class StoreLost(Exception):
    """The store does not answer; the same call may be repeated on a new connection."""


@dataclass(frozen=True, slots=True)
class View:
    """What the store says: the round in force, its members by rank, and who waits to come in."""

    round: int
    participants: tuple[str, ...]
    waiting: tuple[str, ...]
    is_closed: bool


class StoreRendezvous:
    """One process's place in a job's rendezvous, under a name that no other process nor earlier
    place ever had."""

    def __init__(self, address: str, job: str, host: str, *, name: str | None = None) -> None:
        self.store, self.address, self._job = connect(address), address, job
        try:
            backend = C10dRendezvousBackend(self.store, job)
        except RendezvousError as error:
            raise StoreLost(str(error)) from error
        handler = DynamicRendezvousHandler.from_backend(
            job, self.store, backend, 1, MAX_MEMBERS, local_addr=host, keep_alive_interval=NEVER_S
        )
        self._holder: Any = handler._state_holder
        self._holder._cache_duration = 0
        self._node = handler._this_node if name is None else _node(name)
        self.name = repr(self._node)
        self._seen: tuple[bytes | None, View] | None = None

    def look(self) -> View:
        """Gives the state as it is now."""
        # Nearly always it is what it was: to unpickle it would take longer than to fetch it.
        if self._seen is None or not self._stored() == self._seen[0] == self._holder._token:
            self._sync()
            self._seen = self._holder._token, self._view()
        return self._seen[1]

    def _view(self) -> View:
        state = self._holder.state
        ranked = sorted(state.participants, key=lambda node: (state.participants[node], node))
        return View(
            state.round,
            tuple(map(repr, ranked)) if state.complete else (),
            tuple(map(repr, sorted(state.wait_list))),
            state.closed,
        )

    def register(self) -> None:
        """Puts this node on the wait list."""
        while True:
            self._sync()
            state = self._holder.state
            if self._node in state.wait_list or self._node in state.participants:
                return
            state.wait_list.add(self._node)
            state.last_heartbeats[self._node] = datetime.now(UTC)
            if self._written():
                return

    def publish(self, seen: View, members: Sequence[str], *, number: int) -> bool:
        """Makes `members` the round `number`, unless anything has changed since `seen`; gives
        whether it did."""
        if self.look() != seen:
            return False
        state, now = self._holder.state, datetime.now(UTC)
        before = {repr(node): node for node in [*state.participants, *state.wait_list]}
        nodes = sorted(before.get(name) or _node(name) for name in members)
        gone = set(state.participants) - set(nodes)
        state.wait_list -= set(nodes)
        state.participants = {node: rank for rank, node in enumerate(nodes)}
        state.last_heartbeats = {n: at for n, at in state.last_heartbeats.items() if n not in gone}
        state.last_heartbeats.update(dict.fromkeys(nodes, now))
        state.round, state.complete, state.deadline = number, bool(nodes), None
        return self._written()

    def strike(self, names: Sequence[str]) -> None:
        """Takes names off the wait list."""
        self._sync()
        state = self._holder.state
        state.wait_list = {node for node in state.wait_list if repr(node) not in names}
        state.last_heartbeats = {
            n: at for n, at in state.last_heartbeats.items() if repr(n) not in names
        }
        self._written()

    def ask(self, key: str) -> str | None:
        """Gives what the store keeps under a key of this job, None where it keeps nothing."""
        try:
            return (
                self.store.get(self._key(key)).decode()
                if self.store.check([self._key(key)])
                else None
            )
        except RuntimeError as error:
            raise StoreLost(str(error)) from error

    def tell(self, key: str, value: str) -> None:
        """Has the store keep a value under a key of this job."""
        try:
            self.store.set(self._key(key), value)
        except RuntimeError as error:
            raise StoreLost(str(error)) from error

    def floor(self) -> int:
        """Gives the newest round that was trained in before this store began, as far as the
        store was told."""
        return int(self.ask("floor") or 0)

    def registered(self) -> int:
        """Gives the newest round that was about to be published before this store began, as
        far as it was told."""
        return int(self.ask("registered") or 0)

    def is_held(self) -> bool:
        """Gives whether members trained on when this store began: it is theirs to fill."""
        return self.ask("held") is not None

    def close(self) -> None:
        """Says that the job is complete: nobody comes in any more."""
        self._sync()
        while not self._holder.state.closed:
            self._holder.state.closed = True
            self._written()

    def _key(self, key: str) -> str:
        return f"{self._job}/{key}"

    def _written(self) -> bool:
        self._holder.mark_dirty()
        return bool(self._sync())

    def _stored(self) -> bytes | None:
        """Gives the state as the store keeps it."""
        try:
            found = self._holder._backend.get_state()
        except RendezvousError as error:
            raise StoreLost(str(error)) from error
        return None if found is None else bytes(found[1])

    def _sync(self) -> bool | None:
        try:
            result: bool | None = self._holder.sync()
        except RendezvousError as error:
            raise StoreLost(str(error)) from error
        return result


def connect(address: str, *, timeout_s: float = CALL_TIMEOUT_S) -> TCPStore:
    """Gives a connection to the store at `host:port`, or `[host]:port`.

    A call on it raises once no answer has come for `timeout_s` (`get`, which waits for its key
    first, twice that), and within 4 s where the store's machine is gone. Raises StoreLost.
    """
    give_up_names()
    host, port = place_of(address)
    # A TCPStore tries for its whole timeout, and says so in the log, where a socket knows at once.
    if not answers(host, port, timeout_s=timeout_s):
        raise StoreLost(f"no store answers at {address!r}")
    places = _places_of(host, port)
    # What it asks while it is made waits for ever, and is asked again as long as its own timeout is
    # not over.
    rescue = Timer(2 * timeout_s, sockets.cut, [lambda own, other: other in places])
    rescue.daemon = True
    rescue.start()
    try:
        store = TCPStore(
            host, port, None, False, timedelta(seconds=timeout_s), wait_for_workers=False
        )
    except RuntimeError as error:
        raise StoreLost(f"no store answers at {address!r}") from error
    finally:
        rescue.cancel()
    sockets.probe(lambda own, other: other in places, count=2, answer_s=timeout_s)
    return store


def place_of(address: str) -> tuple[str, int]:
    """Reads a store's address. Raises StoreLost."""
    if not address:
        raise StoreLost(
            "the file that is to name the store is not there, cannot be read or is empty"
        )
    host, _, port = address.rpartition(":")
    try:
        return host.removeprefix("[").removesuffix("]"), int(port)  # as IPv6 addresses are written
    except ValueError as error:
        raise StoreLost(f"no store answers at {address!r}, wanted host:port") from error


def _places_of(host: str, port: int) -> frozenset[Address]:
    """Gives the addresses at which a store may be reached: a script's own connections to such a
    port are its own."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise StoreLost(f"no address is known of {host!r}") from error
    return frozenset((str(address[0]), port) for *_, address in found)


def gloo_device(host: str) -> Any:
    """Gives a listening gloo device at `host`."""
    return ProcessGroupGloo.create_device(hostname=host, lazy_init=False)


def gloo_group(store: Any, rank: int, world_size: int, *, device: Any, timeout_s: float) -> Any:
    """Meets the others through `store` and gives the process group. Raises RuntimeError."""
    options = ProcessGroupGloo._Options()  # type: ignore[attr-defined]  # torch's stubs leave it out
    options._devices, options._timeout = [device], timedelta(seconds=timeout_s)
    return ProcessGroupGloo(PrefixStore("gloo", store), rank, world_size, options)


def nccl_group(store: Any, rank: int, world_size: int) -> Any:
    """Gives the process group of the ranks' GPUs, which are yet to be connected. Raises
    RuntimeError."""
    from torch.distributed import ProcessGroupNCCL  # there is none in a torch without CUDA

    options = ProcessGroupNCCL.Options()
    # Of all its collectives: torch would take one for hung, and say so at length.
    options._timeout = COLLECTIVE_TIMEOUT
    options.config.blocking = 0  # or its connecting had no bound
    return ProcessGroupNCCL(PrefixStore("nccl", store), rank, world_size, options)


def branch(address: str, path: str) -> Any:
    """Gives a connection of its own to the store, in which all keys begin with `path`. Raises
    StoreLost."""
    return PrefixStore(path, connect(address))


def _node(name: str) -> _NodeDesc:
    address, pid, local_id = name.rsplit("_", 2)
    return _NodeDesc(address, int(pid), int(local_id))
