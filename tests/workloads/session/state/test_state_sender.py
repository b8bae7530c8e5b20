"""A newcomer's state while the source's own goes on changing."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor

from elastic.workloads.session.state import (
    Allowance,
    SessionTerms,
    State,
    StateReceiver,
    StateSender,
)
from elastic.workloads.session.state.state_sender import LateCopy
from elastic.workloads.session.transfer import Room, TransferMessage, receive, send
from elastic.workloads.session.turns import Buffers
from tests.certificates import credential
from tests.workloads.session.running import wait_until

SHAPES = (5, 3, 40, 7)
HELLO = "job"
BATCH = 12


def _state(seed: int) -> State:
    chance = torch.Generator().manual_seed(seed)
    units = tuple((torch.randn(size, generator=chance), torch.zeros(size)) for size in SHAPES)

    def apply(gradients: Sequence[Tensor | None], step: int) -> None:
        for (parameter, moment), gradient in zip(units, gradients, strict=True):
            if gradient is not None:
                moment.mul_(0.9).add_(gradient)
                parameter.sub_(moment / (step + 1))

    return State(units, apply)


def _terms(state: State, *, batch: int = BATCH) -> SessionTerms:
    return SessionTerms.of(state, batch=batch, numbers=1)


def _receiver(state: State, *, batch: int = BATCH) -> StateReceiver:
    """Gives an state receiver whose own thread stands for the training thread too."""
    terms = _terms(state, batch=batch)
    receiver = StateReceiver(
        "127.0.0.1",
        state,
        job=HELLO,
        credential=credential(),
        terms=terms,
        changed=lambda: receiver.move() if receiver.is_due else None,
    )
    return receiver


def _follow(receiver: StateReceiver, state: State, *, chunk_bytes: int) -> StateSender:
    hello = {"job": HELLO, "step": 0, **_terms(state).as_dict()}
    sender = StateSender(
        "newcomer",
        ("127.0.0.1", receiver.port),
        state,
        chunk_bytes=chunk_bytes,
        hello=hello,
        credential=credential(),
        allowance=Allowance(),
    )
    sender.start()
    return sender


def _train(state: State, buffers: Buffers, sender: StateSender, step: int) -> None:
    """Does what a session does with each step's sums."""
    gradients = [torch.full((size,), 0.5 + step) for size in SHAPES]
    buffers.fill(gradients, None, torch.zeros(2))
    buffers.keep(step + 1)
    sender.settle()
    sender.gradients(buffers.flat(), buffers.offsets, step)
    state.apply(buffers.summed(), step)
    sender.next_chunk(step + 1)


class Full:
    """A listener of a process that has no descriptor left, for a while."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener, self._refusals = listener, 2

    def accept(self) -> tuple[socket.socket, object]:
        if self._refusals:
            self._refusals -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return self._listener.accept()

    def __getattr__(self, name: str) -> object:
        return getattr(self._listener, name)


def test_a_newcomer_takes_a_source_though_one_could_not_be_accepted() -> None:
    receiver = _receiver(_state(2))
    receiver._listener = cast(socket.socket, Full(receiver._listener))  # noqa: SLF001 (the limit is the whole process's)
    receiver.start()
    plain = socket.create_connection(("127.0.0.1", receiver.port), timeout=10.0)
    with credential().connecting(plain) as source:
        send(
            source,
            TransferMessage("hello", {"job": HELLO, "step": 0, **_terms(_state(1)).as_dict()}),
        )
        assert source.recv(100).endswith(b" 0 0\n")
        receiver.close()
    receiver.join(timeout=10.0)
    assert not receiver.is_alive()


def test_a_newcomer_comes_to_the_same_bits_while_the_source_trains() -> None:
    source, newcomer = _state(1), _state(2)
    receiver = _receiver(newcomer)
    receiver.start()
    sender, buffers, step = (
        _follow(receiver, source, chunk_bytes=100),
        Buffers(source.parameters, 0),
        0,
    )
    while not sender.is_complete or step < 20:
        _train(source, buffers, sender, step)
        step += 1
    wait_until(lambda: sender.is_level(step), "the newcomer's answer")
    sender.adopt(7, step)
    sender.settle()
    wait_until(lambda: receiver.adopted == 7, "the last word")
    assert newcomer.digest() == source.digest() and receiver.step == step and receiver.is_complete
    sender.join(timeout=10)
    receiver.close()
    assert sender.is_over


def test_gradients_come_to_their_places_however_a_parameter_lies_in_memory() -> None:
    def state() -> State:
        units = ((torch.zeros(4, 3)[:, :2],), (torch.zeros(3, 2).t(),))

        def apply(gradients: Sequence[Tensor | None], step: int) -> None:
            for (parameter,), gradient in zip(units, gradients, strict=True):
                if gradient is not None:
                    parameter.add_(gradient)

        return State(units, apply)

    source, newcomer = state(), state()
    receiver = _receiver(newcomer)
    receiver.start()
    sender, buffers = _follow(receiver, source, chunk_bytes=1000), Buffers(source.parameters, 0)
    wait_until(lambda: sender.is_received, "the newcomer's first answer")
    sender.next_chunk(0)
    gradients = [torch.arange(8.0).reshape(4, 2), torch.arange(6.0).reshape(2, 3)]
    for step in range(2):
        buffers.fill(gradients, None, torch.zeros(2))
        buffers.keep(step + 1)
        sender.settle()
        sender.gradients(buffers.flat(), buffers.offsets, step)
        source.apply(buffers.summed(), step)
    wait_until(lambda: sender.is_level(3), "the newcomer's answer")
    assert (
        torch.equal(source.units[0][0], 2 * gradients[0]) and newcomer.digest() == source.digest()
    )
    sender.end()
    sender.join(timeout=10)
    receiver.close()


def test_a_newcomer_takes_nothing_from_a_source_that_trains_on_other_terms() -> None:
    newcomer = _state(2)
    receiver, before = _receiver(newcomer, batch=24), newcomer.digest()
    receiver.start()
    source = _state(1)
    sender = _follow(receiver, source, chunk_bytes=1000)
    sender.next_chunk(0)
    wait_until(lambda: receiver.misfit is not None, "the comparison")
    assert str(receiver.misfit).startswith(
        "batch: wanted 12, as the session's members have it, got 24"
    )
    sender.end()
    sender.join(timeout=10)
    assert newcomer.digest() == before and not receiver.units
    receiver.close()


def test_states_that_lie_otherwise_in_memory_are_no_match() -> None:
    def shape(parameter: Tensor) -> str:
        return State(((parameter,),), lambda gradients, step: None).shape_digest()

    plain = torch.zeros(4, 3, 2, 2)
    assert shape(plain) != shape(plain.to(memory_format=torch.channels_last))
    assert shape(plain) == shape(torch.zeros(4, 3, 2, 5)[..., :2]), "sums lie without gaps"


class SlowLink(socket.socket):
    """Takes a little at a time; all of it together would take longer than its timeout."""

    def send(self, data: Any, flags: int = 0) -> int:
        return super().send(memoryview(data)[:7], flags)

    def sendall(self, data: Any, flags: int = 0) -> None:
        if len(data) > 7:
            raise TimeoutError("timed out")
        super().sendall(data, flags)


def test_a_unit_of_any_size_gets_through_a_slow_link() -> None:
    one, other = socket.socketpair()
    content = torch.arange(50, dtype=torch.int64).view(torch.uint8)
    with SlowLink(fileno=one.detach()) as source, other:
        send(source, TransferMessage("chunk", {"first": 0, "last": 1, "step": 5}, content))
        got = receive(other, Room())
    assert got.kind == "chunk" and got.content is not None and torch.equal(got.content, content)


def test_room_is_asked_for_once_however_much_comes_after() -> None:
    room = Room()
    large, small = room.of(100), room.of(10)
    small[0] = 7
    assert (len(large), len(small), large[0]) == (100, 10, 7)


def test_a_late_copy_is_made_once_and_keeps_what_it_found() -> None:
    value = torch.ones(3)
    copy = LateCopy(value.clone)
    thread = threading.Thread(target=copy.made)
    thread.start()
    thread.join()
    value.zero_()
    assert copy.made().tolist() == [1.0, 1.0, 1.0]
