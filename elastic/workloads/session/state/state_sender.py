"""Sends the state to a newcomer while training goes on, and each step's gradients for it."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

import torch
from torch import Tensor

from elastic.durations import CONNECT_TIMEOUT_S, HEARTBEAT_S, SPIN_S, TRANSFER_TIMEOUT_S
from elastic.rendezvous import Address, Credential, halt, ours
from elastic.workloads.arithmetic import arithmetic_of
from elastic.workloads.session.state.state import State
from elastic.workloads.session.transfer import Channel, TransferMessage, send

# Steps whose gradients may be queued before the source waits.
QUEUED = 4
# As many more steps as fit into these bytes, or into a chunk, which is sent meanwhile.
QUEUED_BYTES = 8_000_000
MOST_QUEUED = 1000
# How long training waits for slow newcomers, over all steps, before they are dropped.
WAIT_S = 0.5
# The share of its time that training may spend on such waits: it comes back slowly (decision 0089).
WAIT_SHARE = 0.05


class Allowance:
    """The time for which training still waits for all newcomers together.

    It is used up by waiting, and comes back slowly.

    >>> allowance = Allowance()
    >>> allowance.spend(0.5, now_s=100.0)
    >>> [round(allowance.left_s(now_s=each), 2) for each in (100.0, 102.0, 110.0, 200.0)]
    [0.0, 0.1, 0.5, 0.5]
    """

    def __init__(self) -> None:
        self._left_s = WAIT_S
        self._at_s = 0.0

    def left_s(self, *, now_s: float) -> float:
        """Returns the seconds that may be waited from now on."""
        return min(WAIT_S, self._left_s + (now_s - self._at_s) * WAIT_SHARE)

    def spend(self, waited_s: float, *, now_s: float) -> None:
        """Notes seconds that were waited until now."""
        self._left_s = max(0.0, self.left_s(now_s=now_s) - waited_s)
        self._at_s = now_s


class LateCopy:
    """A copy that is made when there is time, and at the latest before its source changes."""

    def __init__(self, make: Callable[[], Tensor]) -> None:
        self._make: Callable[[], Tensor] | None = make
        self._made: Tensor | None = None
        self._lock = threading.Lock()

    def made(self) -> Tensor:
        """Returns the copy, and makes it if necessary."""
        with self._lock:
            if self._make is not None:
                self._made = self._make()
                self._make = None
            assert self._made is not None
            return self._made


@dataclass(slots=True)
class _Outgoing:
    kind: str
    about: dict[str, Any]
    content: LateCopy | None = None
    is_sent: bool = False
    elements: int | None = None


class StateSender(threading.Thread):
    """The source's side: one newcomer, its queue, and the thread that copies and sends state.

    The training thread only queues messages, and calls `settle` before it changes what they copy.
    Nothing is sent before the newcomer has answered that it has no other source.
    """

    def __init__(
        self,
        name: str,
        address: Address,
        state: State,
        *,
        chunk_bytes: int,
        hello: dict[str, Any],
        credential: Credential,
        allowance: Allowance,
    ) -> None:
        super().__init__(name=f"session-follower-{name}", daemon=True)
        self.newcomer = name
        self.sent_units = 0
        self.is_refused = False
        self.is_slow = False
        self._state = state
        self._chunk_bytes = chunk_bytes
        self._messages: queue.SimpleQueue[_Outgoing | None] = queue.SimpleQueue()
        step_bytes = sum(each.numel() * each.element_size() for each in state.parameters)
        more = max(chunk_bytes, QUEUED_BYTES) // max(1, step_bytes)
        # Limits the steps whose gradients are queued, and so the memory that they take.
        self._room = threading.Semaphore(QUEUED + min(more, MOST_QUEUED))
        self._allowance = allowance
        # Copies that are queued, and not made yet.
        self._late: list[LateCopy] = []
        # Memory of earlier copies, to be used again.
        self._spares: deque[Tensor] = deque()
        self._chunk: _Outgoing | None = None
        self._address = address
        self._hello = hello
        self._credential = credential
        self._connection: socket.socket | None = None
        self._channel: Channel | None = None
        self._hearing = threading.Lock()
        self._rest = b""
        self._answered: tuple[int, int] | None = None
        self.is_unlike = False  # whether the newcomer has answered that it calculates differently
        self._arithmetic = arithmetic_of(state.device)
        self._is_over = threading.Event()

    @property
    def is_over(self) -> bool:
        """Whether nothing more can reach the newcomer."""
        return self._is_over.is_set()

    @property
    def is_received(self) -> bool:
        """Whether the newcomer has answered at all: this process is its source, or was."""
        return self._answered is not None

    @property
    def is_complete(self) -> bool:
        """Whether the newcomer has answered that it has all of the state; then it follows."""
        if not self.is_received:
            return False  # the sending thread alone waits for that answer
        self._hear()
        return (
            not self.is_over
            and self._answered is not None
            and self._answered[0] == len(self._state.units)
        )

    def is_level(self, step: int) -> bool:
        """Whether the newcomer has all of the state, and all but the last of `step` steps."""
        return self.is_complete and self._answered is not None and self._answered[1] >= step - 1

    def await_level(self, step: int) -> bool:
        """Waits until it is level; drops it, and returns False, if the allowance runs out."""
        began_s = monotonic()
        until_s = began_s + self._allowance.left_s(now_s=began_s)
        while not self.is_level(step) and not self.is_over:
            if monotonic() > until_s:
                self.drop()
            sleep(SPIN_S)
        self._allowance.spend(monotonic() - began_s, now_s=monotonic())
        return not self.is_over

    def gradients(
        self, flat: Tensor, offsets: Sequence[int], step: int, *, is_exact: bool = False
    ) -> None:
        """Queues the sums of `step` for the units sent so far; drops a newcomer that is too slow.

        `is_exact` says how members apply them.
        """
        if self.sent_units and self._has_room():
            self._hear()
            about = {"step": step, "units": self.sent_units, "is_exact": is_exact}
            elements = offsets[self.sent_units]
            copy = self._late_copy(lambda: self._copied(flat.detach(), elements))
            self._messages.put(_Outgoing("gradients", about, copy, elements=elements))

    def next_chunk(self, step: int) -> None:
        """Queues more of the state after `step` steps, unless a chunk is still being sent."""
        if (
            self.is_over
            or not self.is_received
            or (self._chunk is not None and not self._chunk.is_sent)
        ):
            return
        # The next units that fit into a chunk.
        first = self.sent_units
        last = self._state.chunk_end(first, self._chunk_bytes)
        if last > first:
            packed = self._late_copy(lambda: self._state.pack(first, last))
            self._chunk = _Outgoing("chunk", {"first": first, "last": last, "step": step}, packed)
            self._messages.put(self._chunk)
            self.sent_units = last

    def settle(self) -> None:
        """Makes the copies that are not made yet: their sources may change from here on."""
        for each in self._late if not self.is_over else ():
            each.made()
        self._late.clear()

    def adopt(self, number: int, step: int) -> None:
        """Queues the last message: from `step` on the newcomer is a member of round `number`."""
        self._messages.put(_Outgoing("adopt", {"number": number, "step": step}))
        self.end()

    def end(self) -> None:
        """Ends the stream after what is queued."""
        self._messages.put(None)

    def drop(self) -> None:
        """Ends the stream at once: the newcomer was too slow."""
        self.is_slow = True
        self._is_over.set()
        self.end()
        with self._hearing:
            if self._connection is not None:
                halt(self._connection)

    def run(self) -> None:
        try:
            plain = socket.create_connection(self._address, timeout=CONNECT_TIMEOUT_S)
            with plain:
                plain.settimeout(TRANSFER_TIMEOUT_S)
                with ours(self._credential.connecting(plain)) as connection:
                    try:
                        self._serve(connection, Channel(connection, timeout_s=TRANSFER_TIMEOUT_S))
                    finally:
                        with self._hearing:
                            self._connection = self._channel = None
        except ConnectionRefusedError:
            self.is_refused = True
        except OSError:
            pass  # the newcomer is gone, or has another source; membership handles it
        finally:
            self._is_over.set()
            self._room.release()  # for the training thread, if it waits
            with contextlib.suppress(queue.Empty):
                while True:
                    self._messages.get_nowait()

    def _serve(self, connection: socket.socket, channel: Channel) -> None:
        send(channel, TransferMessage("hello", self._hello))
        self._connection, self._channel = connection, channel
        # Wait until the newcomer answers that it has no other source.
        while not self.is_received:
            if not (channel.has_come() and self._hear()):
                return
        while (message := self._next(channel)) is not None:
            if message.kind == "gradients":
                self._room.release()
            content = None
            if message.content is not None:
                content = message.content.made()
            told = None
            if content is not None:
                told = content[: message.elements]
            send(channel, TransferMessage(message.kind, message.about, told))
            if content is not None and message.elements is not None:
                self._spares.append(content)
            message.is_sent = True
        # If it is closed with unread answers, the connection drops what is still on its way.
        halt(connection, socket.SHUT_WR)
        while channel.has_come() and self._hear():
            pass

    def _next(self, channel: Channel) -> _Outgoing | None:
        """Waits for the next message; meanwhile the newcomer gets signs of life."""
        while True:
            with contextlib.suppress(queue.Empty):
                return self._messages.get(timeout=HEARTBEAT_S)
            send(channel, TransferMessage("beat", {}))

    def _hear(self) -> bool:
        """Reads the answers that have arrived; False if there will be no more."""
        with self._hearing:
            if self._channel is None:
                return False
            data = self._channel.received()
            if data is None:
                return True
            *lines, self._rest = (self._rest + data).split(b"\n")
            if lines:
                arithmetic, units, step = lines[-1].split()
                # Set this first: state is sent to a newcomer as soon as it has answered.
                self.is_unlike = int(arithmetic) != self._arithmetic
                self._answered = (int(units), int(step))
            return bool(data)

    def _copied(self, flat: Tensor, elements: int) -> Tensor:
        """Returns memory whose first elements are those of `flat`.

        It reuses the memory of an earlier copy if it can: new pages cost five times the copy.
        """
        try:
            spare = self._spares.pop()
        except IndexError:
            spare = torch.empty_like(flat, device="cpu", pin_memory=flat.is_cuda)
        spare[:elements].copy_(flat[:elements])
        return spare

    def _late_copy(self, make: Callable[[], Tensor]) -> LateCopy:
        self._late.append(copy := LateCopy(make))
        return copy

    def _has_room(self) -> bool:
        began_s = monotonic()
        if not self._room.acquire(timeout=self._allowance.left_s(now_s=began_s)):
            self.drop()
        self._allowance.spend(monotonic() - began_s, now_s=monotonic())
        return not self.is_over
