"""Newcomers that are slow or stopped, sources that come second, and state that is not whole."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from time import monotonic

import torch
from torch import Tensor

from elastic.durations import RETRY_S
from elastic.rendezvous import Address
from elastic.workloads.session.membership import SharedState
from elastic.workloads.session.membership.newcomers import Reception
from elastic.workloads.session.membership.shared_state import LEVEL_S
from elastic.workloads.session.rendezvous import View
from elastic.workloads.session.state import (
    Allowance,
    SessionTerms,
    State,
    StateReceiver,
    StateSender,
)
from elastic.workloads.session.state.state_sender import QUEUED, WAIT_S
from elastic.workloads.session.transfer import Room, TransferMessage, receive, send
from elastic.workloads.session.turns import Buffers
from tests.certificates import credential
from tests.workloads.session.meetings import met
from tests.workloads.session.running import wait_until
from tests.workloads.session.stores import session_settings

JOB = "job"
TERMS = SessionTerms(12, None, 0, "shape")
HELLO = {"job": JOB, "step": 0, **TERMS.as_dict()}
LARGE = 4_000_000  # elements: more than a connection takes in that nobody reads from
NEWCOMER = "newcomer_1_0"


def _state(*sizes: int) -> State:
    units = tuple((torch.ones(size),) for size in sizes)

    def apply(gradients: Sequence[Tensor | None], step: int) -> None:
        for (parameter,), gradient in zip(units, gradients, strict=True):
            if gradient is not None:
                parameter.sub_(gradient)

    return State(units, apply)


@contextlib.contextmanager
def _speaking(receiver: StateReceiver) -> Iterator[socket.socket]:
    """Gives a source's connection on which the hello is said; waits for the state receiver to be
    free again."""
    plain = socket.create_connection(("127.0.0.1", receiver.port))
    with credential().connecting(plain) as connection:
        send(connection, TransferMessage("hello", HELLO))
        yield connection
    wait_until(lambda: not receiver.is_streaming, "the end of the stream")


def _sender(
    address: Address,
    state: State,
    *,
    name: str = NEWCOMER,
    chunk_bytes: int = 1,
    allowance: Allowance | None = None,
) -> StateSender:
    sender = StateSender(
        name,
        address,
        state,
        chunk_bytes=chunk_bytes,
        hello=HELLO,
        credential=credential(),
        allowance=allowance or Allowance(),
    )
    sender.start()
    return sender


@contextlib.contextmanager
def _receiver(state: State) -> Iterator[StateReceiver]:
    """Gives an state receiver whose own thread stands for the training thread too."""
    receiver = StateReceiver(
        "127.0.0.1",
        state,
        job=JOB,
        credential=credential(),
        terms=TERMS,
        changed=lambda: receiver.move() if receiver.is_due else None,
    )
    receiver.start()
    yield receiver
    receiver.close()


@contextlib.contextmanager
def _stopped(*, reads: int = 0) -> Iterator[Address]:
    """Gives the state receiver of a newcomer that stands still when it has answered the hello and
    taken in some messages."""

    def take() -> None:
        plain, _ = listener.accept()
        connection = credential().accepting(plain)
        room = Room()
        receive(connection, room)
        connection.sendall(b"0 0 0\n")
        # On a busy machine the source may be dropped before it has sent all of them.
        with contextlib.suppress(ConnectionResetError):
            for _ in range(reads):
                receive(connection, room)
        is_over.wait(60)
        connection.close()

    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        yield listener.getsockname()[:2]
        is_over.set()
        thread.join()


def _train(sender: StateSender, state: State, step: int) -> None:
    buffers = Buffers(state.parameters, 0)
    sender.settle()
    sender.gradients(buffers.flat(), buffers.offsets, step)
    sender.next_chunk(step + 1)


def _feed(sender: StateSender, is_enough: Callable[[], bool]) -> None:
    """Has state sent, as it is after one step, until there is enough of it."""

    def is_so() -> bool:
        if not is_enough():
            sender.next_chunk(1)
            return False
        return True

    wait_until(is_so, "the newcomer to have state")


def _complete(receiver: StateReceiver, source: State) -> StateSender:
    """Gives a state sender whose newcomer has all of the state after one step."""
    sender = _sender(("127.0.0.1", receiver.port), source, chunk_bytes=1_000_000)
    _feed(sender, lambda: sender.is_complete)
    return sender


def test_who_has_but_a_part_of_the_state_is_no_member_whatever_a_source_says() -> None:
    source, newcomer = _state(3, 3), _state(3, 3)
    with _receiver(newcomer) as receiver, _speaking(receiver) as connection:
        send(
            connection,
            TransferMessage("chunk", {"first": 0, "last": 1, "step": 5}, source.pack(0, 1)),
        )
        send(connection, TransferMessage("adopt", {"number": 7, "step": 5}))
        wait_until(
            lambda: receiver.is_touched and not receiver.is_streaming, "the end of the stream"
        )
        assert receiver.adopted is None and receiver.is_torn


def test_a_member_adopts_whom_it_has_sent_everything_and_nobody_else() -> None:
    source, shared = _state(3, 3), SharedState(TERMS, step=1)
    round_ = met(2, ("a", NEWCOMER), 0)
    with _receiver(_state(3, 3)) as receiver:
        shared.senders.append(_complete(receiver, source))
        shared.hand_over(round_)
        wait_until(lambda: receiver.adopted == 2, "the last word")
    with _receiver(_state(3, 3)) as receiver:
        sender = _sender(("127.0.0.1", receiver.port), source)
        _feed(sender, lambda: sender.sent_units == 1)
        wait_until(lambda: receiver.units == 1, "the first unit")
        shared.senders.append(sender)
        shared.hand_over(round_)
        wait_until(lambda: sender.is_over, "the end of the stream")
        assert receiver.adopted is None and receiver.is_torn and not shared.senders


def test_who_comes_in_with_torn_state_says_so_though_a_second_source_sent_nothing() -> None:
    source, shared = _state(3, 3), SharedState(TERMS)
    with _receiver(_state(3, 3)) as receiver:
        shared.receiver = receiver
        with _speaking(receiver) as connection:
            send(
                connection,
                TransferMessage("chunk", {"first": 0, "last": 1, "step": 5}, source.pack(0, 1)),
            )
            wait_until(lambda: connection.recv(100).endswith(b" 1 5\n"), "the answer")
        with _speaking(receiver) as connection:
            assert connection.recv(100).endswith(b" 0 5\n")
        shared.offer(met(2, ("a", NEWCOMER), 1))
        shared.await_entry()
        assert shared.is_torn


def test_a_newcomer_is_complete_when_it_has_answered_that_it_has_everything() -> None:
    source = _state(3, 3)
    with _stopped(reads=1) as address:
        sender = _sender(address, source, chunk_bytes=1000)
        _feed(sender, lambda: sender.sent_units == 2)
        assert not sender.is_complete and not sender.is_level(1)
        sender.drop()


def test_a_second_source_is_turned_away_at_once_and_the_first_one_goes_on() -> None:
    source, newcomer = _state(3, 3), _state(3, 3)
    with _receiver(newcomer) as receiver:
        first = _sender(("127.0.0.1", receiver.port), source)
        _feed(first, lambda: first.sent_units == 1)
        wait_until(lambda: receiver.units == 1, "the first unit")
        second = _sender(("127.0.0.1", receiver.port), source)
        wait_until(lambda: second.is_over, "the second to be turned away", timeout_s=5.0)
        assert not second.is_received and not second.is_refused
        _feed(first, lambda: first.is_complete)
        first.adopt(2, 1)
        wait_until(lambda: receiver.adopted == 2, "the last word")


def test_who_is_not_a_newcomer_s_source_neither_puts_the_change_off_nor_takes_it_for_lost() -> None:
    shared, view = SharedState(TERMS, step=9), View(2, ("a", "b", NEWCOMER), (), False)
    with _receiver(_state(3, 3)) as receiver:
        _complete(receiver, _state(3, 3))
        shared.senders.append(second := _sender(("127.0.0.1", receiver.port), _state(3, 3)))
        wait_until(lambda: second.is_over, "the second to be turned away")
        shared.offer(round_ := met(2, view.participants, 1))
        assert shared.ready() is round_
        assert (
            Reception(session_settings("127.0.0.1:1", JOB), _state(3, 3), shared).lost(view)
            == frozenset()
        )


def test_a_stopped_newcomer_holds_training_up_once_and_not_for_long() -> None:
    source = _state(LARGE)
    with _stopped(reads=1) as address:
        sender = _sender(address, source)
        _feed(sender, lambda: sender.sent_units == 1)
        began_s = monotonic()
        for step in range(3 * QUEUED):
            _train(sender, source, step)
        # It would wait at each step that finds no place in the queue.
        assert sender.is_over and monotonic() - began_s < 2 * QUEUED * WAIT_S


def test_a_change_waits_for_no_place_in_a_queue() -> None:
    source, shared = _state(LARGE), SharedState(TERMS, step=1)
    with _stopped(reads=1) as address:
        shared.senders.append(sender := _sender(address, source))
        _feed(sender, lambda: sender.sent_units == 1)
        for step in range(QUEUED):
            _train(sender, source, step)
        began_s = monotonic()
        shared.close()
        shared.hand_over(met(2, ("a", NEWCOMER), 0))
        assert monotonic() - began_s < WAIT_S and not shared.senders
        sender.drop()


def test_who_never_comes_level_is_not_admitted() -> None:
    """Its last answer says that it has all of the state, but never more of the steps after."""
    source, shared = _state(3), SharedState(TERMS, step=9)
    with _receiver(_state(3)) as receiver:
        shared.senders.append(_complete(receiver, source))
        shared.offer(met(2, ("a", NEWCOMER), 0))
        assert shared.ready() is None
        shared.offered_s -= 2 * LEVEL_S
        began_s = monotonic()
        assert [shared.ready(), shared.ready()] == [
            None,
            None,
        ] and monotonic() - began_s < 2 * WAIT_S
    view = View(2, ("a", NEWCOMER), (), False)
    assert Reception(session_settings("127.0.0.1:1", JOB), source, shared).lost(view) == {NEWCOMER}


def test_however_many_never_come_level_training_waits_no_longer() -> None:
    names, source, shared = (
        [f"newcomer_{each}_0" for each in range(8)],
        _state(3),
        SharedState(TERMS, step=9),
    )
    reception = Reception(session_settings("127.0.0.1:1", JOB, chunk_bytes=1000), source, shared)
    shared.current = met(1, ("a",), 0)
    with contextlib.ExitStack() as stack:
        receivers = {name: stack.enter_context(_receiver(_state(3))) for name in names}

        def place(name: str) -> tuple[Address, Address]:
            return ("127.0.0.1", 1), ("127.0.0.1", receivers[name].port)

        reception.serve("a", View(1, ("a",), tuple(names), False), place)
        for each in shared.followed():
            _feed(each, lambda each=each: each.is_complete)  # type: ignore[misc]  # a default binds the loop's value
        shared.offer(met(2, ("a", *names), 0))
        shared.offered_s -= 2 * LEVEL_S
        began_s = monotonic()
        assert shared.ready() is None
        assert monotonic() - began_s < 4 * WAIT_S and all(
            each.is_over for each in shared.followed()
        )


def test_one_that_is_hardly_behind_is_waited_for() -> None:
    source, shared = _state(3), SharedState(TERMS, step=9)
    with _receiver(_state(3)) as receiver:
        shared.senders.append(sender := _complete(receiver, source))
        shared.offer(round_ := met(2, ("a", NEWCOMER), 0))
        shared.offered_s -= 2 * LEVEL_S
        buffers = Buffers(source.parameters, 0)
        for step in range(1, 9):
            sender.gradients(buffers.flat(), buffers.offsets, step)
        assert shared.ready() is round_


def test_who_does_not_keep_up_is_followed_again_after_a_pause_that_grows() -> None:
    shared = SharedState(TERMS)
    reception = Reception(session_settings("127.0.0.1:1", JOB), _state(3), shared)
    slow, other = (
        StateSender(
            name,
            ("127.0.0.1", 1),
            _state(3),
            chunk_bytes=1,
            hello={},
            credential=credential(),
            allowance=Allowance(),
        )
        for name in ("n_1_0", "n_1_1")
    )
    slow.is_slow = True
    assert [reception.pause_after(slow) for _ in range(3)] == [
        2 * RETRY_S,
        4 * RETRY_S,
        8 * RETRY_S,
    ]
    assert max(reception.pause_after(slow) for _ in range(9)) == reception.pause_after(slow)
    assert reception.pause_after(other) == RETRY_S
    other.is_slow = True
    assert reception.pause_after(other) > 8 * RETRY_S, "it is the same process under another name"


def test_a_newcomer_that_was_dropped_is_left_alone_for_its_pause() -> None:
    source, shared = _state(3), SharedState(TERMS)
    shared.current = met(1, ("a",), 0)
    reception, view = (
        Reception(session_settings("127.0.0.1:1", JOB), source, shared),
        View(1, ("a",), (NEWCOMER,), False),
    )
    with _receiver(_state(3)) as receiver:
        here = ("127.0.0.1", receiver.port)
        reception.serve("a", view, lambda name: (here, here))
        shared.senders[0].drop()
        assert reception.lost(view) == frozenset() and not shared.senders
        reception.serve("a", view, lambda name: (here, here))
        assert not shared.senders


def test_a_newcomer_whose_source_ends_lets_that_round_s_successor_come_first() -> None:
    """Its own entrance would call the members into a round that is about to be replaced."""
    source, shared = _state(3, 3), SharedState(TERMS)
    with _receiver(_state(3, 3)) as receiver:
        shared.receiver = receiver
        shared.offer(met(2, ("a", NEWCOMER), 1))
        sender = _sender(("127.0.0.1", receiver.port), source)
        _feed(sender, lambda: sender.sent_units == 1)
        wait_until(lambda: receiver.units == 1, "the first unit")
        sender.drop()
        wait_until(lambda: not receiver.is_streaming, "the end of the stream")
        successor = met(3, ("a", NEWCOMER), 1)
        threading.Timer(0.2, shared.offer, [successor]).start()
        assert shared.await_entry() == (successor, False)


def test_one_chunk_is_under_way_at_a_time() -> None:
    source = _state(LARGE, LARGE, LARGE)
    with _stopped() as address:
        sender = _sender(address, source)
        _feed(sender, lambda: sender.sent_units == 1)
        for step in range(1, 4):
            sender.next_chunk(step)
        assert sender.sent_units == 1 and not sender.is_complete
        sender.drop()


def test_one_that_its_source_lets_go_of_has_another_source() -> None:
    source, blind, shared = _state(3), SharedState(TERMS, step=9), SharedState(TERMS, step=9)
    reception = Reception(session_settings("127.0.0.1:1", JOB, chunk_bytes=1000), source, shared)
    shared.current, view = met(1, ("a", "b"), 0), View(1, ("a", "b"), (NEWCOMER,), False)
    with _receiver(_state(3)) as receiver:
        blind.senders.append(_complete(receiver, source))
        blind.let_go()
        assert not blind.followed()
        wait_until(lambda: not receiver.is_streaming, "the stream's end")
        reception.serve("a", view, lambda _: (("127.0.0.1", 1), ("127.0.0.1", receiver.port)))
        assert not shared.followed(), "it is for the last of the members"
        reception.serve(
            "a", view, lambda _: (("127.0.0.1", 1), ("127.0.0.1", receiver.port)), blind={"b"}
        )
        _feed(shared.followed()[0], lambda: shared.followed()[0].is_complete)
